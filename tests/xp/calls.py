"""Strategies for calls of the standard's functions, from the table of their signatures.

A parameter gets values by its annotation. Where that does not say enough, a table below does: by the parameter's name,
or for the whole function.
"""

import ast
from functools import cache
from itertools import product
from math import inf

import array_api_strict
import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from hypothesis.extra.array_api import make_strategies_namespace

from accel import xp
from accel.xp import signatures
from accel.xp.signatures import parsed

xps = make_strategies_namespace(xp, api_version="2025.12")
DTYPES = tuple(xp.__array_namespace_info__().dtypes().values())

DIFF = "\ndiff(x: Array, /, n: int = 1, axis: int = -1, *, prepend: Array | None = None, append: Array | None = None)\n"
TABLES = {"": signatures.elementwise() + signatures.METHODS + signatures.FUNCTIONS + DIFF}
TABLES |= {"linalg": signatures.LINALG, "fft": signatures.FFT}
FUNCTIONS = {f"{part}.{row.name}".lstrip("."): row.args for part, table in TABLES.items() for row in parsed(table)}
"""The parameters of each function."""

CORE = {
    "linalg.cholesky": "(n,n)->()",
    "linalg.cross": "(3),(3)->(3)",
    "linalg.det": "(n,n)->()",
    "linalg.diagonal": "(m,n)->()",
    "linalg.eig": "(n,n)->()",
    "linalg.eigh": "(n,n)->()",
    "linalg.eigvals": "(n,n)->()",
    "linalg.eigvalsh": "(n,n)->()",
    "linalg.inv": "(n,n)->()",
    "linalg.matmul": "(m?,n),(n,p?)->(m?,p?)",
    "linalg.matrix_norm": "(m,n)->()",
    "linalg.matrix_power": "(n,n)->()",
    "linalg.matrix_rank": "(m,n)->()",
    "linalg.matrix_transpose": "(m,n)->()",
    "linalg.pinv": "(m,n)->()",
    "linalg.qr": "(m,n)->()",
    "linalg.slogdet": "(n,n)->()",
    "linalg.solve": "(n,n),(n,p)->(n,p)",
    "linalg.svd": "(m,n)->()",
    "linalg.svdvals": "(m,n)->()",
    "linalg.trace": "(m,n)->()",
    "linalg.vecdot": "(n),(n)->()",
    "matmul": "(m?,n),(n,p?)->(m?,p?)",
    "matrix_transpose": "(m,n)->()",
    "tril": "(m,n)->()",
    "triu": "(m,n)->()",
    "vecdot": "(n),(n)->()",
}
"""The axes that a function needs, as NumPy writes them for its generalized ufuncs."""

SIMPLE = ("linalg.", "fft.", "matmul", "tensordot", "vecdot")
"""Functions whose operands are small integers: rounding is no matter, and LAPACK gets no infinities."""

REQUIRED = {
    "axes": (1, 0),
    "axis": 0,
    "destination": 0,
    "indices": np.zeros((3, 3), np.int64),
    "n": 1,
    "repeats": 1,
    "reps": (1,),
    "shape": (3, 3),
    "shift": 1,
    "source": 0,
}
"""One valid value of each parameter that is required and no operand."""


def positional(parameters):
    """Return the parameters that can be given by position, without those that have a default."""
    values = [*parameters.posonlyargs, *parameters.args]
    return values[: len(values) - len(parameters.defaults)]


def is_operand(parameter):
    return "Array" in ast.unparse(parameter.annotation) and parameter.arg not in REQUIRED


@cache
def accepted(name):
    """Return the combinations of dtypes of operands that strict takes for a function."""
    function, required = member(array_api_strict, name), positional(FUNCTIONS[name])
    count = sum(map(is_operand, required)) or 2  # two of several
    return [dtypes for dtypes in product(DTYPES, repeat=count) if _takes(function, required, dtypes)]


def _takes(function, required, dtypes):
    arrays = [array_api_strict.asarray(np.ones((3, 3), dtype)) for dtype in dtypes]
    if not required:
        arguments = arrays
    elif ast.unparse(required[0].annotation) == "Sequence[Array]":
        arguments = [arrays]
    else:
        operands = iter(arrays)
        arguments = [next(operands) if is_operand(each) else of_strict(REQUIRED[each.arg]) for each in required]
    try:
        function(*arguments)
    except TypeError:
        return False
    except ValueError:  # of the shapes
        return True
    return True


def member(library, name):
    """Return a function of a library or of its extension, as in ``linalg.inv``."""
    part, _, last = name.rpartition(".")
    return getattr(getattr(library, part) if part else library, last)


def of_strict(value):
    """Return an argument as strict takes it."""
    if isinstance(value, xp.Array | np.ndarray):
        return array_api_strict.asarray(np.asarray(value), copy=True)
    if isinstance(value, np.dtype):
        return getattr(array_api_strict, value.name)
    return type(value)(map(of_strict, value)) if type(value) in (list, tuple) else value


def on_device(value, device):
    """Return an argument with copies of its arrays on a device."""
    if isinstance(value, xp.Array):
        return xp.asarray(value, device=device, copy=True)
    return type(value)(on_device(each, device) for each in value) if type(value) in (list, tuple) else value


# Strategies


def arrays(name, dtype, shape):
    """Draw the operand of a function."""
    if not name.startswith(SIMPLE):
        return xps.arrays(dtype, shape)
    if xp.isdtype(dtype, "bool"):
        return xps.arrays(dtype, shape)
    low = 0 if xp.isdtype(dtype, "unsigned integer") else -4
    elements = st.integers(low, 9)
    if xp.isdtype(dtype, "complex floating"):
        elements = st.builds(complex, elements, elements)
    elif xp.isdtype(dtype, "real floating"):
        elements = elements.map(float)
    return xps.arrays(dtype, shape, elements=elements, fill=st.nothing())


def shapes(name, count):
    """Draw the shapes of operands, which broadcast."""
    largest = {"max_dims": 3, "max_side": 3}
    if name in CORE:
        broadcast = npst.mutually_broadcastable_shapes(signature=CORE[name], min_side=1, max_side=3, max_dims=1)
        return broadcast.map(lambda drawn: drawn.input_shapes)
    least = int(name.startswith(("linalg.", "fft.")))
    if count == 1:
        return st.tuples(npst.array_shapes(min_dims=least, min_side=least, **largest))
    broadcast = npst.mutually_broadcastable_shapes(num_shapes=count, min_dims=least, min_side=least, **largest)
    return broadcast.map(lambda drawn: drawn.input_shapes)


@st.composite
def calls(draw, name):
    """Draw the arguments of a function: those given by position, and the others."""
    if name in SPECIAL:
        return draw(SPECIAL[name](name))
    parameters = FUNCTIONS[name]
    dtypes = draw(st.sampled_from(accepted(name)))
    operands = [draw(arrays(name, *each)) for each in zip(dtypes, draw(shapes(name, len(dtypes))), strict=True)]
    operands = _in_domain(name, operands)
    rest, x = iter(operands), operands[0]
    required = positional(parameters)
    values = [next(rest) if is_operand(each) else draw(_values(name, each, x)) for each in required]
    return values + list(rest), draw(options(name, x))


def _in_domain(name, operands):
    """Replace elements for which the result is open, or is not that of strict."""
    if name in ("expm1", "floor_divide", "pow", "tanh"):  # strict has NumPy's results; see test_special_values.py
        operands = [xp.where(xp.isfinite(each), each, xp.ones_like(each)) for each in operands]
    if (name.startswith("bitwise") and "shift" in name) or (name == "pow" and operands[1].dtype.kind in "iu"):
        operands[1] = operands[1] % 8
    return operands


@st.composite
def options(draw, name, x, without=()):
    """Draw some of the arguments with a default."""
    parameters = FUNCTIONS[name]
    optional = [*[*parameters.posonlyargs, *parameters.args][len(positional(parameters)) :], *parameters.kwonlyargs]
    chosen = [each for each in optional if each.arg not in without and not is_operand(each) and draw(st.booleans())]
    return {each.arg: draw(_values(name, each, x)) for each in chosen}


def _values(name, parameter, x):
    """Draw values of a parameter that is no operand."""
    annotation = ast.unparse(parameter.annotation)
    if (name, parameter.arg) in BY_FUNCTION:
        return BY_FUNCTION[name, parameter.arg](x)
    if parameter.arg in BY_NAME:
        return BY_NAME[parameter.arg]
    if "Literal" in annotation:
        return st.sampled_from(
            [node.value for node in ast.walk(parameter.annotation) if isinstance(node, ast.Constant)]
        )
    by_annotation = {
        "Axis": st.none() | _axis(x) | npst.valid_tuple_axes(x.ndim),
        "DTypeLike | None": st.none() | st.sampled_from(DTYPES),
        "Norm": st.sampled_from(["backward", "ortho", "forward"]),
        "bool": st.booleans(),
        "int": _axis(x),
        "int | None": st.none() | _axis(x),
    }
    return by_annotation[annotation]


def _axis(x):
    return st.integers(-x.ndim, x.ndim - 1) if x.ndim else st.nothing()


_small = st.integers(-3, 3)
BY_NAME = {
    "correction": st.sampled_from([0, 1, 0.5]),
    "k": _small,
    "n": st.integers(1, 5),
    "offset": _small,
    "reps": st.integers(0, 2) | st.lists(st.integers(0, 2), min_size=1, max_size=3).map(tuple),
    "rtol": st.sampled_from([1e-3, 0.5]),
    "shift": _small,
}
BY_FUNCTION = {
    ("diff", "n"): lambda x: st.integers(0, 2),
    ("expand_dims", "axis"): lambda x: st.integers(-x.ndim - 1, x.ndim),
    ("fft.fftshift", "axes"): lambda x: st.none() | npst.valid_tuple_axes(x.ndim),
    ("fft.ifftshift", "axes"): lambda x: st.none() | npst.valid_tuple_axes(x.ndim),
    ("isin", "invert"): lambda x: st.just(False),  # strict does not invert
    ("linalg.cross", "axis"): lambda x: st.just(-1),
    ("linalg.matrix_norm", "ord"): lambda x: st.sampled_from(["fro", "nuc", 1, -1, 2, -2, inf, -inf]),
    ("linalg.matrix_power", "n"): lambda x: st.integers(-2, 3),
    ("linalg.vecdot", "axis"): lambda x: st.just(-1),
    ("linalg.vector_norm", "ord"): lambda x: st.sampled_from([0, 1, 2, 3, 2.5, inf, -inf]),
    ("permute_dims", "axes"): lambda x: st.permutations(range(x.ndim)).map(tuple),
    ("repeat", "repeats"): lambda x: st.integers(0, 3),
    ("vecdot", "axis"): lambda x: st.just(-1),
}


# Functions whose arguments depend on each other


def one_operand(draw, name, **least):
    """Draw the first operand of a function."""
    dtype = draw(st.sampled_from(accepted(name)))[0]
    return draw(arrays(name, dtype, draw(npst.array_shapes(max_dims=3, max_side=3, **least))))


def indices(draw, shape, extent):
    """Draw an array of indices."""
    return draw(xps.arrays(xp.int64, shape, elements=st.integers(0, extent - 1)))


@st.composite
def broadcast_to(draw, name):
    target = draw(
        npst.broadcastable_shapes(shape := draw(npst.array_shapes(max_dims=3, max_side=3)), min_dims=len(shape))
    )
    dtype = draw(st.sampled_from(DTYPES))
    return [draw(arrays(name, dtype, shape)), np.broadcast_shapes(shape, target)], {}


@st.composite
def clip(draw, name):
    x = draw(xps.arrays(xps.real_dtypes(), npst.array_shapes(max_dims=2, max_side=3)))
    limits = sorted([draw(st.integers(0, 9)), draw(st.integers(0, 9))])
    limits = [None if draw(st.booleans()) else draw(st.sampled_from([each, x.dtype.type(each)])) for each in limits]
    return [x, *(xp.asarray(each) if isinstance(each, np.generic) else each for each in limits)], {}


@st.composite
def concat(draw, name):
    dtypes, shape = draw(st.sampled_from(accepted(name))), draw(npst.array_shapes(max_dims=3, max_side=3))
    parts = [draw(arrays(name, dtype, shape)) for dtype in dtypes]
    return [parts], draw(options(name, parts[0]))


@st.composite
def diff(draw, name):
    x = draw(xps.arrays(xps.numeric_dtypes(), npst.array_shapes(max_dims=2, max_side=4)))
    ends = {each: x for each in ("prepend", "append") if draw(st.booleans())}
    return [x], draw(options(name, x)) | ends


@st.composite
def fftn(draw, name):
    x = one_operand(draw, name, min_dims=1)
    axes = draw(npst.valid_tuple_axes(x.ndim, min_size=1))
    lengths = {"s": draw(st.tuples(*[st.integers(1, 4)] * len(axes)))} if draw(st.booleans()) else {}
    return [x], {"axes": axes} | lengths | draw(options(name, x, without=("s", "axes")))


@st.composite
def meshgrid(draw, name):
    dtype = draw(st.sampled_from(DTYPES))
    parts = draw(st.lists(arrays(name, dtype, npst.array_shapes(max_dims=1, max_side=3)), min_size=1, max_size=3))
    return parts, draw(options(name, parts[0]))


@st.composite
def moveaxis(draw, name):
    x = one_operand(draw, name, min_dims=1)
    if draw(st.booleans()):
        return [x, draw(_axis(x)), draw(_axis(x))], {}
    source = draw(npst.valid_tuple_axes(x.ndim))
    return [x, source, draw(npst.valid_tuple_axes(x.ndim, min_size=len(source), max_size=len(source)))], {}


@st.composite
def outer(draw, name):
    dtypes = draw(st.sampled_from(accepted(name)))
    return [draw(arrays(name, dtype, draw(st.integers(1, 4)))) for dtype in dtypes], {}


@st.composite
def searchsorted(draw, name):
    dtype = draw(st.sampled_from(DTYPES[1:-2]))
    values = arrays("linalg.", dtype, draw(st.integers(1, 6)))  # NaN has no place in the order
    ordered, sought, keywords = xp.sort(draw(values)), draw(values), {}
    if draw(st.booleans()):
        keywords = {"sorter": xp.argsort(ordered)}
    return [ordered, sought], keywords | draw(options(name, ordered))


@st.composite
def squeeze(draw, name):
    x = draw(xps.arrays(xps.scalar_dtypes(), npst.array_shapes(max_dims=3, max_side=3)))
    axes = [axis for axis, extent in enumerate(x.shape) if extent == 1]
    return [x, tuple(draw(st.sets(st.sampled_from(axes)))) if axes else ()], {}


@st.composite
def take(draw, name):
    x = one_operand(draw, name, min_dims=1)
    axis = draw(_axis(x))
    return [x, indices(draw, draw(st.integers(0, 4)), x.shape[axis])], {"axis": axis}


@st.composite
def take_along_axis(draw, name):
    x = one_operand(draw, name, min_dims=1)
    axis = draw(_axis(x))
    shape = list(x.shape)
    shape[axis] = draw(st.integers(1, 4))
    return [x, indices(draw, tuple(shape), x.shape[axis])], {"axis": axis}


@st.composite
def tensordot(draw, name):
    dtypes = draw(st.sampled_from(accepted(name)))
    common, one, other = (draw(npst.array_shapes(min_dims=0, max_dims=2, max_side=3)) for _ in range(3))
    x1, x2 = draw(arrays(name, dtypes[0], one + common)), draw(arrays(name, dtypes[1], common + other))
    count = len(common)
    axes = tuple(range(len(one), len(one) + count)), tuple(range(count))
    return [x1, x2], {"axes": draw(st.sampled_from([count, axes]))}


SPECIAL = {
    "broadcast_to": broadcast_to,
    "clip": clip,
    "concat": concat,
    "diff": diff,
    "linalg.outer": outer,
    "linalg.tensordot": tensordot,
    "meshgrid": meshgrid,
    "moveaxis": moveaxis,
    "searchsorted": searchsorted,
    "squeeze": squeeze,
    "stack": concat,
    "take": take,
    "take_along_axis": take_along_axis,
    "tensordot": tensordot,
    **dict.fromkeys(["fft.fftn", "fft.ifftn", "fft.irfftn", "fft.rfftn"], fftn),
}
