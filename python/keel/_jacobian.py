"""The jac, jac_sparsity, lband and uband of solve_ivp as what the library takes: values by a pattern, or
dense."""

import numpy as np

from ._keel import OptionError


def _is_sparse(matrix):
    return hasattr(matrix, "tocsr")


def _dense(matrix, n):
    array = matrix.toarray() if _is_sparse(matrix) else np.asarray(matrix)
    if array.shape != (n, n):
        raise OptionError(f"`jac` must have the shape ({n}, {n}), it has {array.shape}")
    return array


def _pattern(matrix, n):
    """Compressed rows of where the matrix is not zero."""
    if _is_sparse(matrix):
        matrix = matrix.tocoo()
        rows, columns = matrix.row[matrix.data != 0], matrix.col[matrix.data != 0]
        shape = matrix.shape
    else:
        array = np.atleast_2d(np.asarray(matrix))
        rows, columns = np.nonzero(array)
        shape = array.shape
    if shape != (n, n):
        raise OptionError(f"`jac_sparsity` must have the shape ({n}, {n}), it has {shape}")
    order = np.lexsort((columns, rows))
    start = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n))))
    return start.astype(np.int32), columns[order].astype(np.int32), rows[order]


def _band(n, lband, uband):
    i, j = np.indices((n, n))
    return (i - j <= (lband or 0)) & (j - i <= (uband or 0))


def _complex_dense(array):
    """d(Re f, Im f) / d(Re y, Im y), real and imaginary parts next to each other."""
    n = len(array)
    real = np.empty((2 * n, 2 * n))
    real[0::2, 0::2] = real[1::2, 1::2] = array.real
    real[1::2, 0::2] = array.imag
    real[0::2, 1::2] = -array.imag
    return real


def _unpacked(packed, n, lband, uband):
    full = np.zeros((n, n))
    for i, j in zip(*np.nonzero(_band(n, lband, uband))):
        full[i, j] = packed[(uband or 0) + i - j, j]
    return full


def jacobian(jac, jac_sparsity, lband, uband, n, is_complex):
    """The part of the problem that the library sees; `jac` has hidden its args."""
    banded = lband is not None or uband is not None
    if banded and jac_sparsity is None:
        jac_sparsity = _band(n, lband, uband)
    spread = _complex_dense if is_complex else lambda array: array
    if jac is None:
        if jac_sparsity is None or is_complex:
            return {}
        start, columns, _ = _pattern(jac_sparsity, n)
        return {"rows": start, "cols": columns}
    if callable(jac):

        def dense(t, y):
            value = jac(t, y)
            value = _unpacked(np.asarray(value), n, lband, uband) if banded else _dense(value, n)
            return np.ascontiguousarray(spread(value), dtype=float).ravel()

        return {"jac": dense}
    constant = np.ascontiguousarray(spread(_dense(jac, n)), dtype=float)
    if _is_sparse(jac) and not is_complex:
        start, columns, rows = _pattern(jac, n)
        entries = np.ascontiguousarray(constant[rows, columns])
        return {"jac": lambda t, y: entries, "rows": start, "cols": columns, "constant": True}
    entries = constant.ravel()
    return {"jac": lambda t, y: entries, "constant": True}
