"""Arrays of symbols: what numpy does with them, element by element or by its own code for objects."""

import numpy as np

from ._symbols import SCALAR, Condition, Symbol, choose, multiply, refuse


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


def is_float(dtype):
    """Does a symbol stay what it is in an array of this type?"""
    return dtype is None or np.dtype(dtype) in (np.dtype(float), np.dtype(object))


def _no_more(name, words):
    """Keywords that are not known change the result."""
    for key, value in words.items():
        if not (value is None or value is np._NoValue or key == "dtype" and is_float(value)):
            refuse(f"it calls np.{name} with `{key}`, which cannot be traced")


def _apply(ufunc, method, inputs, words):
    """A numpy function of arrays, element by element."""
    function = SCALAR.get(ufunc.__name__)
    out = words.pop("out", None)
    if words.get("where") is True:
        del words["where"]
    if ufunc is np.matmul and method == "__call__":
        function = multiply
    if function is None:
        refuse(f"it calls np.{ufunc.__name__}, which cannot be traced")
    arrays = [np.asarray(unwrap(value)) for value in inputs]
    reduces = ("axis", "keepdims", "initial") if method == "reduce" else ()
    known = {key: words.pop(key) for key in reduces if key in words}
    _no_more(ufunc.__name__, words)
    if method == "reduce":
        axis, keepdims = known.get("axis", 0), known.get("keepdims", False)
        result = _reduce(function, arrays[0], axis, keepdims, known.get("initial"))
    elif ufunc is np.matmul and method == "__call__":
        result = np.matmul(*(a.astype(object) for a in arrays))
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
    if not items and function not in (SCALAR["add"], multiply):
        raise ValueError("zero-size array to reduction operation which has no identity")
    if not items:
        return 1.0 if function is multiply else 0.0
    total = items[0]
    for item in items[1:]:
        total = function(total, item)
    return total


def _where(condition, a=None, b=None):
    if a is None or b is None:
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


def _clip(a, a_min=None, a_max=None, out=None, **words):
    low, high = words.pop("min", a_min), words.pop("max", a_max)  # numpy 2 has these names, too
    _no_more("clip", words)
    a = a if low is None else np.maximum(a, low)
    a = a if high is None else np.minimum(a, high)
    return a if out is None else np.add(a, 0, out=out)


def _mean(a, axis=None, dtype=None, out=None, keepdims=False, **words):
    _no_more("mean", {"dtype": dtype, "out": out, **words})
    a = Symbols(np.asarray(unwrap(a)))
    count = a.size if axis is None else a.shape[axis]
    return np.sum(a, axis=axis, keepdims=keepdims) / count


def _fill_like(number):
    return lambda a, *args, **words: _full_like(a, number, *args, **words)


def _full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None):
    if not is_float(dtype):
        refuse(f"it makes an array of type {np.dtype(dtype)}")
    shape = np.shape(unwrap(a)) if shape is None else shape
    return wrap(np.full(shape, unwrap(fill_value), dtype=object))


def _reduction(ufunc):
    """As numpy's functions of this kind: all axes, unless one is given."""

    def reduce(a, axis=None, dtype=None, out=None, keepdims=False, **words):
        a = a if isinstance(a, (Symbols, Symbol)) else Symbols(np.asarray(unwrap(a)))
        _no_more(ufunc.__name__, {"dtype": dtype, "out": out})
        return ufunc.reduce(a, axis=axis, keepdims=keepdims is True, **words)

    return reduce


_sum, _prod = _reduction(np.add), _reduction(np.multiply)
_max, _min = _reduction(np.maximum), _reduction(np.minimum)


def _einsum(subscripts, *operands, **words):
    """Every operand with an axis for each letter; letters that are not in the result are summed over."""
    _no_more("einsum", words)
    given, arrow, result = str(subscripts).replace(" ", "").partition("->")
    terms = given.split(",")
    if "." in given or any(len(set(term)) < len(term) for term in terms):
        refuse("it calls np.einsum with `...` or a letter twice in one operand, which cannot be traced")
    letters = sorted(set(given) - {","})
    result = result if arrow else "".join(letter for letter in letters if given.count(letter) == 1)
    order = [*result, *(letter for letter in letters if letter not in result)]
    product = np.ones((), dtype=object)
    for term, operand in zip(terms, operands):
        array = np.asarray(unwrap(operand)).astype(object)
        array = array.transpose([term.index(letter) for letter in order if letter in term])
        axes = iter(array.shape)
        product = product * array.reshape([next(axes) if letter in term else 1 for letter in order])
    for _ in order[len(result) :]:
        product = np.asarray(_reduce(SCALAR["add"], product, -1, False, None))
    return wrap(product)


OWN = {
    np.einsum: _einsum,
    np.where: _where,
    np.linalg.norm: _norm,
    np.clip: _clip,
    np.mean: _mean,
    np.sum: _sum,
    np.zeros_like: _fill_like(0.0),
    np.ones_like: _fill_like(1.0),
    np.empty_like: _fill_like(0.0),
    np.full_like: _full_like,
    np.copy: lambda a, *unused, **words: Symbols(np.array(unwrap(a))) if isinstance(a, Symbols) else a,
    np.max: _max,
    np.min: _min,
    np.prod: _prod,
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


def _numbers(value):
    """What is made without symbols as numbers, as an array by np.zeros; else None."""
    if isinstance(value, Symbols):
        symbols = any(isinstance(item, (Symbol, Condition)) for item in value.array.flat)
        return None if symbols else value.array.astype(float)
    if isinstance(value, (Symbol, Condition)):
        return None
    if type(value) in (list, tuple):
        items = [_numbers(item) for item in value]
        return None if any(item is None for item in items) else type(value)(items)
    return value


def _call(function, args, words):
    own = OWN.get(function)
    if own is not None:
        return own(*args, **words)
    if function not in BY_NUMPY:
        numbers = [_numbers(value) for value in (*args, *words.values())]
        if not any(value is None for value in numbers):
            return function(*numbers[: len(args)], **dict(zip(words, numbers[len(args) :])))
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

    def astype(self, dtype, *unused, **words):
        if not is_float(dtype):
            refuse(f"it makes an array of type {np.dtype(dtype)} of its values")
        return Symbols(self.array.copy())

    def view(self, dtype=None, *unused):
        if not is_float(dtype):
            refuse(f"it looks at its values as {dtype}")
        return Symbols(self.array.view())

    def copy(self, *unused):
        return Symbols(self.array.copy())

    flatten = lambda self, *order: Symbols(self.array.flatten(*order))
    ravel = lambda self, *order: Symbols(self.array.ravel(*order))

    def reshape(self, *shape, **words):
        return Symbols(self.array.reshape(*shape, **words))

    def transpose(self, *axes):
        return Symbols(self.array.transpose(*axes))

    def squeeze(self, axis=None):
        return wrap(self.array.squeeze(axis))

    sum, prod, max, min, mean = _sum, _prod, _max, _min, _mean

    def dot(self, other):
        return np.dot(self, other)

    def clip(self, min=None, max=None, **words):
        return _clip(self, min, max, **words)

    def fill(self, value):
        self.array.fill(value)

    def tolist(self):
        return self.array.tolist()


# numpy's functions of scalars come here, too.
for _kind in (Symbol, Condition):
    _kind.__array_ufunc__ = Symbols.__array_ufunc__
    _kind.__array_function__ = Symbols.__array_function__
