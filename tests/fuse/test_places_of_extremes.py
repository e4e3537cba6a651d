"""`argmax` and `argmin` of fused functions: the first of equal elements, and NaN before all others, as in NumPy."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import accel
from accel import xp

from ..kernels.layers import Texts, agree, by_host, by_interpreter
from .test_fused_functions import DEVICES, arrays, host
from .test_layers import cases_of

DTYPES = ("bool", "int8", "uint16", "int32", "int64", "uint64", "float32", "float64", "complex64", "float16")


@st.composite
def operands(draw: Any) -> np.ndarray[Any, Any]:
    """Return an array with many equal elements, in any order of memory."""
    shape = draw(st.lists(st.sampled_from([1, 2, 3, 8, 9, 20]), max_size=3))
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    special = [np.nan, np.inf, -np.inf, -0.0] if dtype.kind in "fc" else []
    limits = [np.iinfo(dtype).min, np.iinfo(dtype).max] if dtype.kind in "iu" else []
    chosen = [0, 1, 2, *special[: draw(st.integers(0, len(special)))], *limits]
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    array = np.asarray(np.asarray(chosen, dtype)[rng.integers(0, len(chosen), shape)])
    array = array.transpose(draw(st.permutations(range(array.ndim))))
    return array[tuple([slice(None, None, draw(st.sampled_from([1, -1]))) for _ in shape])]


@pytest.mark.parametrize("device", DEVICES)
@given(x=operands(), data=st.data())
def test_places_are_those_of_numpy(device: str, x: np.ndarray[Any, Any], data: Any) -> None:
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1)) if x.ndim else None
    name, keepdims = data.draw(st.sampled_from(["argmax", "argmin"])), data.draw(st.booleans())
    is_computed = data.draw(st.booleans())

    def function(x: Any) -> Any:
        return getattr(xp, name)(xp.where(xp.isnan(x), x, x) if is_computed else x, axis=axis, keepdims=keepdims)

    found = accel.fuse(function)(xp.asarray(x, device=device))
    expected = getattr(np, name)(x, axis=axis, keepdims=keepdims)
    np.testing.assert_array_equal(host(found), expected)
    assert (found.dtype, found.shape, str(found.device.type)) == (expected.dtype, expected.shape, device)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("special", [np.nan, 2.0])
def test_threads_find_the_first_one(special: float, threads: int) -> None:
    values = np.zeros(1_000_000)
    values[[123_456, 123_457, 700_000, 999_999]] = special
    with accel.using(threads=threads):
        found = accel.fuse(lambda x: (xp.argmax(x + 0), xp.argmin(0 - x), xp.argmax(x - special), xp.argmax(x * 0)))
        assert [int(each) for each in found(xp.asarray(values))] == [
            *(123_456, 123_456),
            *([0, 123_456] if np.isnan(special) else [123_456, 0]),
        ]


def test_they_are_loops_with_what_computes_their_operands() -> None:
    x = xp.ones((40, 300))
    least = accel.fuse(lambda x, axis: xp.argmin(x * x + 1, axis=axis), static="axis")
    for axis in (0, 1, None):
        steps = least.explain(x, axis).steps
        assert [step.title.startswith("loop over 40 x 300") for step in steps][:2] == [True, True]
    (step,) = accel.fuse(lambda x: xp.argmin(x * x + 1, axis=1)).explain(xp.ones((300, 3))).steps
    assert step.title == "loop over 300"
    (step,) = accel.fuse(lambda x: xp.argmax(x, axis=1)).explain(x).steps
    assert step.title.startswith("call"), "NumPy reads long rows once"


@pytest.mark.parametrize("device", DEVICES)
def test_bad_input_is_refused_as_unfused(device: str) -> None:
    x = xp.ones((0, 3), device=device)
    fused = accel.fuse(lambda x, axis: xp.argmax(x, axis=axis), static="axis")
    for axis, message in ((None, "empty sequence"), (0, "empty sequence"), (2, "out of bounds")):
        for function in (xp.argmax, fused):
            with pytest.raises(ValueError, match=message):
                function(x, axis=axis)
    assert fused(x, axis=1).shape == (0,)


PROGRAMS = {
    "rows": lambda x: (xp.argmax(x + 1, axis=1), xp.argmin(x.astype("int32"), axis=1)),
    "columns": lambda x: (xp.argmax(x + 1, axis=0), xp.argmin(x[:3], axis=0)),
    "all elements": lambda x: (xp.argmax(x + 1), xp.argmin(x.astype("float32") * 2)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_layers_do_what_the_interpreter_does(name: str) -> None:
    found = [case for case, *_ in cases_of(PROGRAMS[name], arrays("cpu", (11, 20), 1))]
    texts = Texts([case.program for case in found])
    for case in found:
        agree(by_host(case), by_interpreter(case), 0, name)
        agree(texts.run(case, 64), by_interpreter(case), 0, name)
