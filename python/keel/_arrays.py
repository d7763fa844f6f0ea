"""Arrays of symbols: what numpy does with them, element by element or by its own code for objects."""

import numpy as np

from ._symbols import SCALAR, Condition, Symbol, choose, refuse


def unwrap(value):
    """What numpy computes with: arrays of objects."""
    if isinstance(value, Symbols):
        return value.array
    if isinstance(value, (Symbol, Condition)):
        scalar = np.empty((), dtype=object)
        scalar[()] = value
        return scalar
    if isinstance(value, (list, tuple)):
        return type(value)(unwrap(item) for item in value) if type(value) in (list, tuple) else value
    return value


def wrap(value):
    if isinstance(value, np.ndarray) and value.dtype == object:
        return Symbols(value) if value.ndim else value[()]
    if isinstance(value, (tuple, list)):
        return type(value)(wrap(item) for item in value)
    return value


def _apply(ufunc, method, inputs, words):
    """A numpy function of arrays, element by element."""
    function = SCALAR.get(ufunc.__name__)
    out = words.pop("out", None)
    where = words.pop("where", True)
    if ufunc is np.matmul and method == "__call__":
        return wrap(np.dot(*(unwrap(value) for value in inputs)))
    if function is None or where is not True:
        refuse(f"it calls np.{ufunc.__name__}, which cannot be traced")
    arrays = [np.asarray(unwrap(value)) for value in inputs]
    if method == "reduce":
        axis = words.get("axis", 0)
        result = _reduce(function, arrays[0], axis, words.get("keepdims", False), words.get("initial"))
    elif method == "outer":
        result = np.frompyfunc(function, 2, 1).outer(*(a.astype(object) for a in arrays))
    elif method == "__call__":
        result = np.frompyfunc(function, len(arrays), 1)(*(a.astype(object) for a in arrays))
    else:
        refuse(f"it calls np.{ufunc.__name__}.{method}, which cannot be traced")
    if out is None:
        return wrap(result)
    if not isinstance(out[0], Symbols):
        refuse("it writes values into an array of floats")
    out[0].array[...] = result
    return out[0]


def _reduce(function, array, axis, keepdims, initial):
    if isinstance(initial, (int, float)):
        array_start = [initial]
    else:
        array_start = []
    if axis is None or array.ndim == 1:
        total = _fold(function, array_start + list(array.ravel()))
        if not keepdims:
            return total
        out = np.empty((1,) * array.ndim, dtype=object)
        out.fill(total)
        return out
    moved = np.moveaxis(array, axis, 0)
    out = np.empty(moved.shape[1:], dtype=object)
    for index in np.ndindex(out.shape):
        out[index] = _fold(function, array_start + [moved[(k, *index)] for k in range(len(moved))])
    return np.expand_dims(out, axis) if keepdims else out


def _fold(function, items):
    if not items:
        return 0.0
    total = items[0]
    for item in items[1:]:
        total = function(total, item)
    return total


def _where(condition, a=None, b=None):
    if a is None:
        refuse("it asks where values are true")
    return wrap(
        np.frompyfunc(choose, 3, 1)(*(np.asarray(unwrap(v)).astype(object) for v in (condition, a, b)))
    )


def _norm(x, ord=None, axis=None, keepdims=False):
    x = Symbols(np.asarray(unwrap(x)))
    if (
        ord not in (None, 2)
        and not (ord == "fro" and x.ndim == 2)
        or ord == 2
        and x.ndim == 2
        and axis is None
    ):
        if ord == 1 and x.ndim == 1:
            return np.sum(np.absolute(x))
        refuse(f"it calls np.linalg.norm with ord={ord!r}, which cannot be traced")
    return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))


def _clip(a, a_min=None, a_max=None, **words):
    a = a if a_min is None else np.maximum(a, a_min)
    return a if a_max is None else np.minimum(a, a_max)


def _mean(a, axis=None, **words):
    a = Symbols(np.asarray(unwrap(a)))
    count = a.size if axis is None else a.shape[axis]
    return np.sum(a, axis=axis) / count


def _fill_like(number):
    return lambda a, *args, **words: Symbols(np.full(np.shape(unwrap(a)), number, dtype=object))


def _sum(a, axis=None, dtype=None, out=None, keepdims=False, **words):
    return np.add.reduce(
        a if isinstance(a, (Symbols, Symbol)) else Symbols(np.asarray(unwrap(a))),
        axis=axis,
        keepdims=keepdims,
    )


def _einsum(*operands, **words):
    return wrap(
        np.einsum(
            *(unwrap(o).astype(object) if isinstance(o, (np.ndarray, Symbols)) else o for o in operands),
            **words,
        )
    )


OWN = {
    np.where: _where,
    np.linalg.norm: _norm,
    np.clip: _clip,
    np.mean: _mean,
    np.sum: _sum,
    np.zeros_like: _fill_like(0.0),
    np.ones_like: _fill_like(1.0),
    np.empty_like: _fill_like(0.0),
    np.full_like: lambda a, fill_value, *args, **words: Symbols(
        np.full(np.shape(unwrap(a)), fill_value, dtype=object)
    ),
    np.copy: lambda a, **words: Symbols(np.array(unwrap(a))) if isinstance(a, Symbols) else a,
    np.max: lambda a, axis=None, **words: np.maximum.reduce(a, axis=axis),
    np.min: lambda a, axis=None, **words: np.minimum.reduce(a, axis=axis),
    np.prod: lambda a, axis=None, **words: np.multiply.reduce(a, axis=axis),
    np.array_equal: lambda *args, **words: refuse("it compares arrays"),
    np.real: lambda a: a,
    np.shape: lambda a: np.shape(unwrap(a)),
    np.ndim: lambda a: np.ndim(unwrap(a)),
    np.size: lambda a, axis=None: np.size(unwrap(a), axis),
    np.isscalar: np.isscalar,
}
# numpy's own code does these with arrays of objects.
BY_NUMPY = {
    np.dot,
    np.vdot,
    np.inner,
    np.outer,
    np.cross,
    np.concatenate,
    np.stack,
    np.vstack,
    np.hstack,
    np.column_stack,
    np.append,
    np.roll,
    np.flip,
    np.diff,
    np.reshape,
    np.ravel,
    np.transpose,
    np.squeeze,
    np.expand_dims,
    np.atleast_1d,
    np.atleast_2d,
    np.tile,
    np.repeat,
    np.trace,
    np.diag,
    np.diagonal,
    np.kron,
    np.tensordot,
    np.swapaxes,
    np.moveaxis,
    np.split,
    np.array_split,
    np.hsplit,
    np.vsplit,
    np.broadcast_to,
    np.cumsum,
    np.take,
    np.insert,
    np.delete,
    np.rot90,
    np.fliplr,
    np.flipud,
    np.block,
    np.pad,
    np.triu,
    np.tril,
}


def _call(function, args, words):
    own = OWN.get(function)
    if own is not None:
        return own(*args, **words)
    if function not in BY_NUMPY:
        refuse(f"it calls np.{getattr(function, '__name__', function)}, which cannot be traced")
    return wrap(
        function(*(unwrap(value) for value in args), **{key: unwrap(value) for key, value in words.items()})
    )


class Symbols(np.lib.mixins.NDArrayOperatorsMixin):
    """An array of Symbols and numbers."""

    __slots__ = ("array",)
    dtype = np.dtype(object)

    def __init__(self, array):
        self.array = array

    __hash__ = object.__hash__

    def __array_ufunc__(self, ufunc, method, *inputs, **words):
        return _apply(ufunc, method, inputs, words)

    def __array_function__(self, function, types, args, words):
        return _call(function, args, words)

    def __getitem__(self, key):
        return wrap(self.array[unwrap(key)])

    def __setitem__(self, key, value):
        self.array[unwrap(key)] = unwrap(value)

    def __len__(self):
        return len(self.array)

    def __iter__(self):
        return (wrap(item) for item in self.array)

    __bool__ = Symbol.__bool__
    __float__ = __int__ = __index__ = Symbol._number

    shape = property(lambda self: self.array.shape)
    ndim = property(lambda self: self.array.ndim)
    size = property(lambda self: self.array.size)
    T = property(lambda self: Symbols(self.array.T))
    real = property(lambda self: self)

    def astype(self, dtype, **unused):
        return Symbols(self.array.copy())

    def view(self, *unused):
        return self

    def copy(self, *unused):
        return Symbols(self.array.copy())

    def reshape(self, *shape, **words):
        return Symbols(self.array.reshape(*shape, **words))

    def ravel(self, *unused):
        return Symbols(self.array.ravel())

    flatten = ravel

    def transpose(self, *axes):
        return Symbols(self.array.transpose(*axes))

    def squeeze(self, axis=None):
        return wrap(self.array.squeeze(axis))

    def sum(self, axis=None, **words):
        return _sum(self, axis=axis, **words)

    def prod(self, axis=None):
        return np.multiply.reduce(self, axis=axis)

    def mean(self, axis=None):
        return _mean(self, axis)

    def max(self, axis=None):
        return np.maximum.reduce(self, axis=axis)

    def min(self, axis=None):
        return np.minimum.reduce(self, axis=axis)

    def dot(self, other):
        return wrap(np.dot(self.array, unwrap(other)))

    def fill(self, value):
        self.array.fill(value)

    def tolist(self):
        return self.array.tolist()


# numpy's functions of scalars come here, too.
for _kind in (Symbol, Condition):
    _kind.__array_ufunc__ = Symbols.__array_ufunc__
    _kind.__array_function__ = Symbols.__array_function__
