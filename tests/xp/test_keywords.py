"""The keywords of NumPy's functions that the standard does not have: NumPy's results, on each device."""

import inspect
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import accel
from accel import xp
from accel.errors import CapabilityError
from accel.xp import numpy_signatures, signatures
from accel.xp.calls import call
from accel.xp.numpy_keywords import _UFUNC

from ..tables import rows

X = np.array([[3.0, -1.5, 2.0], [0.25, 5.5, -2.5]])
N = np.array([[4, 0, 2], [4, 1, 7]])
B = np.array([[True, False, True], [True, True, False]])
SQUARE = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 2.0]])

UNARY = f"{signatures.UNARY} {numpy_signatures.UNARY}".split()
BINARY = f"{signatures.BINARY} {numpy_signatures.BINARY}".split()
ELEMENTWISE = {*UNARY, *BINARY, "matmul", "vecdot"} - signatures.PARTS
OF_INTEGERS = {name for name in ELEMENTWISE if name.startswith("bitwise") or "_shift" in name or name == "invert"}
OF_TRUTHS = {"logical_and", "logical_not", "logical_or", "logical_xor"}
WITHIN_ONE = {"acos", "asin", "atanh", "arccos", "arcsin", "arctanh"}


def operands(name):
    if name in OF_INTEGERS:
        x = N
    elif name in OF_TRUTHS:
        x = B
    elif name == "matmul":
        return [SQUARE, SQUARE.T]
    else:
        x = abs(X) / 10 if name in WITHIN_ONE else abs(X) + 1
    unary = name in UNARY
    return [x] if unary else [x, x[::-1]]


def on(device, value):
    if isinstance(value, np.ndarray):
        return xp.asarray(value.copy(), device=device)
    if isinstance(value, tuple | list):
        return type(value)(on(device, each) for each in value)
    return value


def same(result, expected):
    if isinstance(expected, tuple | list):
        assert len(result) == len(expected)
        for one, other in zip(result, expected, strict=True):
            same(one, other)
        return
    assert (type(result), result.dtype, result.shape) == (xp.Array, expected.dtype, expected.shape)
    np.testing.assert_allclose(result.to_device("cpu"), expected, rtol=1e-6)


@rows("name", sorted(ELEMENTWISE))
def test_elementwise_functions_write_to_out(name, device):
    arguments = operands(name)
    expected = getattr(np, name)(*arguments)
    ours = on(device, arguments)
    for by_position in (False, True):
        if by_position and name == "vecdot":
            continue  # by keyword only
        out = xp.zeros(expected.shape, dtype=expected.dtype, device=device)
        function = getattr(xp, name)
        assert (function(*ours, out) if by_position else function(*ours, out=out)) is out
        same(out, expected)


@rows("name", sorted(ELEMENTWISE - {"matmul", "vecdot"}))
def test_elementwise_functions_compute_where_a_condition_is_true(name, device):
    arguments, function = operands(name), getattr(np, name)
    kind = function(*arguments).dtype
    expected = np.zeros((2, 3), kind)
    function(*arguments, out=expected, where=B)
    out = xp.zeros((2, 3), dtype=kind, device=device)
    assert getattr(xp, name)(*on(device, arguments), out=out, where=on(device, B)) is out
    same(out, expected)
    chosen = getattr(xp, name)(*on(device, arguments), where=on(device, B), out=None)  # others are not defined
    np.testing.assert_allclose(np.asarray(chosen.to_device("cpu"))[B], function(*arguments)[B])


@rows("name", sorted(ELEMENTWISE - OF_INTEGERS - OF_TRUTHS))
@pytest.mark.parametrize(
    "options", [{"dtype": "float32", "casting": "same_kind"}, {"subok": True, "order": "K"}], ids=str
)
def test_elementwise_functions_compute_in_a_dtype(name, options, device):
    arguments = operands(name)
    try:
        expected = getattr(np, name)(*arguments, **options)
    except TypeError:  # the results are truth values
        with pytest.raises(TypeError):
            getattr(xp, name)(*on(device, arguments), **options)
        return
    same(getattr(xp, name)(*on(device, arguments), **options), expected)


def test_elementwise_functions_take_the_dtypes_of_a_loop():
    x = xp.asarray(X)
    same(xp.add(x, 1, signature="ff->f", casting="same_kind"), np.add(X, 1, signature="ff->f", casting="same_kind"))
    with pytest.raises(CapabilityError, match=r"no add with signature=; compute it on the host"):
        xp.add(on("sim", X), 1, signature="dd->d")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("matmul", {"axes": [(1, 0), (0, 1), (0, 1)]}),
        ("vecdot", {"axes": [0, 0, ()]}),
        ("vecdot", {"axis": 0, "keepdims": True}),
    ],
)
def test_products_take_axes(name, options, device):
    function, ours = getattr(xp, name), on(device, [SQUARE, SQUARE + 1])
    if device.type == "cpu":
        same(function(*ours, **options), getattr(np, name)(SQUARE, SQUARE + 1, **options))
    else:
        with pytest.raises(CapabilityError, match=rf"no {name} with .*; compute it on the host"):
            function(*ours, **options)


CALLS = """
all(B, out=o); all(B, 0, where=B); all(N, axis=1, keepdims=True, where=B); any(B, out=o); any(B, axis=0, where=B)
argmax(X, 1, out=o); argmin(X, axis=0, out=o, keepdims=True); argsort(N, kind='stable')
argsort(X, kind=None, order=None); argsort(X, axis=0, kind='quicksort'); sort(X, kind='heapsort')
sort(X, axis=0, kind='mergesort', order=None); broadcast_arrays(X, X[0], subok=True)
broadcast_to(X[0], shape=(4, 3), subok=False); clip(X, a_min=0, a_max=2); clip(X, a_min=None, a_max=2.5)
clip(X, 0, 2, out=o); clip(X, 0, 2, dtype='float32', casting='same_kind'); clip(X, min=0, max=2, out=o)
concat([X, X], out=o); concat([X, N], dtype='float32', casting='same_kind'); concat([X, X], axis=1, casting='safe')
stack([X, X], out=o); stack([X, N], axis=1, dtype='float32', casting='same_kind'); cumulative_sum(X, axis=0, out=o)
cumulative_prod(X, axis=1, out=o); isin(N, N[0], assume_unique=False); isin(N, N[0], kind='sort')
isin(N, N[0], kind='table', invert=True); max(X, out=o); max(X, axis=0, initial=2.5); max(X, 1, where=B, initial=-9.0)
max(X, 0, where=B, initial=0.0, keepdims=True); min(X, out=o); min(X, axis=0, initial=0.5)
min(X, 1, where=B, initial=9.0); mean(X, 0, out=o); mean(X, axis=0, where=B); mean(X, dtype='float32')
mean(N, where=B, dtype='float32', keepdims=True); meshgrid(X[0], X[1], sparse=True)
meshgrid(X[0], X[1], copy=True, indexing='ij'); meshgrid(X[0], X[1], copy=False); prod(X, out=o)
prod(X, axis=1, initial=2.0); prod(N, where=B); prod(X, 0, 'float32', where=B); round(X, 1, out=o)
round(X, decimals=1, out=o); std(X, ddof=1); std(X, axis=0, ddof=1, keepdims=True); std(X, 0, dtype='float32')
std(X, out=o); std(X, axis=1, where=B); std(X, axis=0, mean=mean(X, 0, keepdims=True)); var(X, ddof=1)
var(X, axis=1, dtype='float32', ddof=1); var(X, 0, out=o); var(X, axis=1, where=B)
var(X, axis=0, mean=mean(X, 0, keepdims=True), ddof=1); std(X, correction=1, where=B); sum(X, out=o)
sum(X, axis=0, where=B); sum(X, initial=5.0); sum(N, 1, 'float64', where=B, initial=1)
sum(X, 0, keepdims=True, where=B); take(X, N, mode='wrap'); take(X, N[0], axis=1, mode='clip')
take(X, indices=N[1] % 2, axis=0, out=o); take(X, N, mode='clip', axis=None); repeat(X, repeats=2, axis=0)
moveaxis(X, source=0, destination=1); linalg.eigh(S, UPLO='U'); linalg.eigvalsh(S, UPLO='U')
linalg.matrix_rank(S, tol=0.1); linalg.matrix_rank(S, hermitian=True); linalg.pinv(S, rcond=0.1)
linalg.pinv(S, hermitian=True); linalg.svd(S, compute_uv=False); linalg.svd(S, hermitian=True)
linalg.svd(X, full_matrices=False, compute_uv=False); fft.fft(X, out=o); fft.ifft(X, 3, out=o); fft.fftn(X, out=o)
fft.ifftn(X, axes=(0,), s=(2,), out=o); fft.rfft(X, axis=0, out=o); fft.irfft(X, out=o); fft.rfftn(X, out=o)
fft.irfftn(X, out=o); fft.hfft(X, out=o); fft.ihfft(X, norm='ortho', out=o)
"""
CASES = [each.strip() for each in CALLS.replace("\n", ";").split(";") if each.strip()]


class Functions(dict):
    """The functions of a namespace, and arrays."""

    def __init__(self, namespace, **arrays):
        super().__init__(arrays, linalg=namespace.linalg, fft=namespace.fft)
        self.namespace = namespace

    def __missing__(self, name):
        return getattr(self.namespace, name)


def evaluate(case, namespace, arrays):
    return eval(case, {"__builtins__": {}}, Functions(namespace, **arrays))


@rows("case", CASES)
def test_the_result_is_that_of_numpy(case, device):
    arrays = {"X": X, "N": N, "B": B, "S": SQUARE}
    expected = evaluate(case.replace(", out=o", ""), np, arrays)
    ours = {name: on(device, values) for name, values in arrays.items()}
    if "out=o" in case:
        ours["o"] = xp.empty(expected.shape, dtype=expected.dtype, device=device)
    result = evaluate(case, xp, ours)
    same(result, expected)
    assert "out=o" not in case or result is ours["o"]


REQUIRED = frozenset(
    ["a", "x", "arr", "array", "args", "xi", "m", "A", "arrays", "x1", "x2", "prototype", "object", "kwargs", "val"]
)
"""NumPy's names of arrays that are operands by position here, as in the standard."""

LEFT_OUT = {
    ("isin", "element"): "an operand by position",
    ("isin", "test_elements"): "an operand by position",
}


def options(part, name):
    """Return NumPy's keywords of a function that ours does not have by name in its signature."""
    section = getattr(np, part) if part else np
    theirs, ours = getattr(section, name), getattr(getattr(xp, part) if part else xp, name)
    named = {each.name for each in inspect.signature(ours).parameters.values() if each.kind is not each.POSITIONAL_ONLY}
    keywords = set(_UFUNC if isinstance(theirs, np.ufunc) else inspect.signature(theirs).parameters)
    return keywords - named - REQUIRED


_TABLES = {"": signatures.FUNCTIONS + signatures.METHODS, "linalg": signatures.LINALG, "fft": signatures.FFT}
TABLE = [
    (part, line.partition("(")[0])
    for part, table in _TABLES.items()
    for line in table.splitlines()
    if "**options" in line
]


@rows(("part", "name"), TABLE)
def test_every_keyword_of_numpy_is_in_a_call_above(part, name):
    if name in ELEMENTWISE:
        return
    path = f"{part}.{name}".strip(".")
    called = " ".join(case for case in CASES if case.startswith(f"{path}("))
    missing = {each for each in options(part, name) if f"{each}=" not in called and (name, each) not in LEFT_OUT}
    assert not missing


@rows(("part", "name"), TABLE + [("", name) for name in sorted(ELEMENTWISE)])
def test_what_numpy_does_not_have_is_refused_with_what_there_is(part, name, device):
    function = getattr(getattr(xp, part) if part else xp, name)
    x = xp.asarray(SQUARE, device=device)
    required = sum(
        each.default is each.empty and each.kind <= 1 for each in inspect.signature(function).parameters.values()
    )
    with pytest.raises(TypeError, match=rf"{name}\(\) got an unexpected keyword argument 'nothing'; it has "):
        function(*[x] * required, nothing=1)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: xp.sort(x, order="a"), TypeError, r"no fields to sort by; .*write xp\.lexsort"),
        (lambda x: xp.argsort(x, kind="bogo"), ValueError, r"write one of 'quicksort'"),
        (
            lambda x: xp.add(x, x, out=xp.zeros((2, 3), dtype="int64", device=x.device)),
            TypeError,
            r"same_kind|float64",
        ),
        (lambda x: xp.sum(x, out=xp.zeros(3, device=x.device)), ValueError, r"shape|dimension"),
        (lambda x: xp.max(x, where=x > 0), ValueError, r"initial|identity"),
    ],
)
def test_what_has_no_result_is_refused(call, error, words, device):
    with pytest.raises(error, match=words):
        call(xp.asarray(X, device=device))


@given(data=st.data())
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "std", "var", "any", "all"])
@pytest.mark.parametrize("place", ["cpu", "sim"])
def test_conditions_of_reductions(name, place, data):
    values = data.draw(
        hnp.arrays("float64", hnp.array_shapes(min_dims=2, max_dims=3, max_side=4), elements=st.integers(-9, 9))
    )
    where = data.draw(hnp.arrays(bool, values.shape))
    axis = data.draw(st.none() | st.integers(0, values.ndim - 1))
    initial = {"initial": 2.0} if name in {"sum", "prod", "max", "min"} else {}
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        expected = getattr(np, name)(values, axis=axis, where=where, **initial)
        x = xp.asarray(values, device=place)
        result = getattr(xp, name)(x, axis=axis, where=xp.asarray(where, device=place), **initial)
    same(result, np.asarray(expected))


def test_numbers_and_sequences_take_them_too(sim):
    assert xp.sum([1, 2, 3], where=[True, False, True]).tolist() == 4
    out = xp.zeros(3)
    assert xp.sqrt(np.ones(3), out=out) is out
    with accel.using(device=str(sim)):
        assert xp.add(np.float64(1), 2, dtype="float32").dtype == np.float32


def test_a_keyword_that_the_library_of_a_device_lacks_is_refused_with_a_remedy(sim):
    for place, kind, words in (
        (sim, CapabilityError, "no round with unknown=; compute it on the host"),
        ("cpu", TypeError, "unknown"),
    ):
        x = on(place, X)
        for arguments in ((x,), ([x, x],)):
            with pytest.raises(kind, match=words):
                call(x._library, "round", arguments, {"unknown": 1})
