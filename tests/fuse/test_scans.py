"""Cumulative sums, products and extremes of fused functions: loops that combine elements in order, as NumPy does."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import accel
from accel import xp
from accel.errors import NanError
from accel.fusion.lowering import lowered

from ..kernels.layers import Texts, agree, by_host, by_interpreter
from .comparison import bits_of
from .test_fused_functions import DEVICES, arrays, host, same
from .test_layers import cases_of
from .test_places_of_extremes import operands

FUNCTIONS = ("cumulative_sum", "cumulative_prod", "cumsum", "cumprod")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("device", DEVICES)
@given(x=operands(), data=st.data())
def test_elements_are_combined_in_order(device: str, x: np.ndarray[Any, Any], data: Any) -> None:
    name = data.draw(st.sampled_from(FUNCTIONS))
    axes = st.integers(-x.ndim, x.ndim - 1) if x.ndim else st.none()
    options: dict[str, Any] = {"axis": data.draw(axes | st.none() if name in FUNCTIONS[2:] or x.ndim < 2 else axes)}
    if name in FUNCTIONS[:2]:
        options["include_initial"] = data.draw(st.booleans())
    if x.dtype.kind in "iuf":
        options["dtype"] = data.draw(
            st.sampled_from([None, np.float32, np.float64, *[np.int32] * (x.dtype.kind != "f")])
        )
    scale = data.draw(st.sampled_from([1, 3]))

    def function(x: Any) -> Any:
        return getattr(xp, name)(x * scale, **options)

    found, expected = accel.fuse(function)(xp.asarray(x, device=device)), getattr(np, name)(x * scale, **options)
    if expected.dtype.kind == "c" and "prod" in name:
        np.testing.assert_allclose(host(found), expected, rtol=1e-5)
    else:
        np.testing.assert_array_equal(bits_of(host(found)), bits_of(expected))
    assert (found.dtype, found.shape, str(found.device.type)) == (expected.dtype, expected.shape, device)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_running_extremes(axis: int, device: str) -> None:
    (x,) = arrays(device, (9, 30, 12), 1)
    x[1, 5, 3] = np.nan

    def extremes(x: Any) -> Any:
        return np.maximum.accumulate(x, axis=axis), np.minimum.accumulate(x + 1, axis=axis), np.add.accumulate(x)

    same(accel.fuse(extremes)(x), extremes(x))


def moving_average(x: Any) -> Any:
    total = xp.cumulative_sum(x)
    return (total[5:] - total[:-5]) / 5


def of_its_own_totals(x: Any) -> Any:
    weights = xp.cumulative_sum(x, axis=1)
    return xp.cumulative_sum(weights * x, axis=1) / weights, weights[:, -1]


def along_both_axes(x: Any) -> Any:
    return xp.cumulative_sum(xp.cumulative_sum(x, axis=0) * 2, axis=1) + xp.cumulative_prod(x, axis=0)


def rolled(x: Any) -> Any:
    total = xp.cumulative_sum(xp.roll(x, 3, axis=0), axis=0)
    return total + xp.roll(x, 1, axis=0), xp.cumulative_sum(x, axis=1) - xp.roll(total, 2)


def in_place(x: Any) -> Any:
    y = x * 2
    y[1:, 2:] = xp.cumulative_sum(y[1:, 2:], axis=1)
    y[:, 0] += xp.cumsum(y[:, 1])
    x[...] = xp.cumulative_sum(x, axis=0)
    return y


PROGRAMS = {
    "moving average": lambda x: moving_average(x.reshape(-1)),
    "of its own totals": of_its_own_totals,
    "along both axes": along_both_axes,
    "rolled": rolled,
    "reduced": lambda x: (xp.max(xp.cumulative_sum(x, axis=0), axis=0), xp.sum(xp.cumulative_prod(x, axis=1) > 0)),
    "long functions": lambda x: xp.log(xp.cumulative_sum(xp.exp(x / 9), axis=1)) + xp.sin(x),
    "integers": lambda x: (xp.cumulative_sum(x > 0, axis=1), xp.cumulative_prod(x.astype("int8"), axis=0) % 7),
    "initial": lambda x: xp.cumulative_sum(x, axis=0, include_initial=True)[:-1] + x,
    "reversed": lambda x: xp.flip(xp.cumulative_sum(xp.flip(x, axis=0), axis=0), axis=0).T,
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", [*PROGRAMS, "in place"])
def test_programs_are_those_of_unfused_functions(name: str, device: str) -> None:
    function: Any = PROGRAMS.get(name, in_place)
    for shape in ((11, 20), (20, 7), (1, 9), (600, 3), (3, 1200)):
        operands = [arrays(device, shape, 1)[0] for _ in range(2)]
        with np.errstate(all="ignore"):
            found, expected = accel.fuse(function)(operands[0]), function(operands[1])
        if name == "long functions":
            np.testing.assert_allclose(host(found), host(expected), rtol=1e-11)
        else:
            same(found, expected)
        same(operands[0], operands[1])


@pytest.mark.parametrize(
    ("name", "shape", "count"),
    [
        ("moving average", (20, 10), 2),
        ("of its own totals", (20, 30), 1),
        ("integers", (20, 30), 2),
        ("initial", (20, 30), 3),
        ("long functions", (20, 30), 3),
        ("reversed", (20, 30), 1),
    ],
)
def test_loops_are_shared_with_operands_and_readers(name: str, shape: tuple[int, int], count: int) -> None:
    steps = accel.fuse(PROGRAMS[name]).explain(xp.ones(shape)).steps
    assert len(steps) == count, steps
    assert not any(step.title.startswith("call") for step in steps)
    assert any("cumulative" in step.operations for step in steps)


def test_neighbours_share_a_loop_with_long_functions() -> None:
    (step,) = accel.fuse(lambda x: xp.exp(xp.cumulative_sum(xp.exp(x), axis=0))).explain(xp.ones((30, 40))).steps
    assert step.operations == "2 exp, 1 cumulative sum"


@pytest.mark.parametrize("threads", [1, 3])
def test_rows_are_shared_by_threads(threads: int) -> None:
    (x,) = arrays("cpu", (700, 1500), 1)
    with accel.using(threads=threads):
        found = accel.fuse(lambda x: (xp.cumulative_sum(x * 2, axis=0), xp.cumulative_sum(x * 2, axis=1)))(x)
        same(found, [np.cumsum(np.asarray(x) * 2, axis=axis) for axis in (0, 1)])


@pytest.mark.parametrize("device", DEVICES)
def test_no_elements_and_wrong_axes(device: str) -> None:
    x = xp.zeros((0, 3), device=device)
    fused = accel.fuse(lambda x: (xp.cumulative_sum(x, axis=0), xp.cumulative_prod(x, axis=1, include_initial=True)))
    assert [each.shape for each in fused(x)] == [(0, 3), (0, 4)]
    ones = xp.ones((2, 1), device=device)
    assert accel.fuse(lambda x: xp.cumulative_sum(x[0, 0], include_initial=True))(ones).shape == (2,)
    of_axis = accel.fuse(lambda x, axis: xp.cumulative_sum(x, axis=axis), static="axis")
    for axis, message in ((2, "out of bounds"), (None, "axis")):
        with pytest.raises(ValueError, match=message):
            of_axis(x, axis)


def test_where_a_nan_begins_is_found() -> None:
    x = xp.asarray(np.array([1.0, np.inf, 2.0, -np.inf, 3.0]))
    with accel.debug(nan=True), pytest.raises(NanError, match=r"by a cumulative sum.*\(3,\) of \(5,\)"):
        accel.fuse(lambda x: xp.sqrt(xp.cumulative_sum(x)))(x)
    with accel.debug(nan=True), pytest.raises(NanError, match="by a sum"):
        accel.fuse(lambda x: xp.sqrt(xp.sum(xp.concat([x, x]))))(x)


@pytest.mark.parametrize("vectors", [True, False])
@pytest.mark.parametrize("name", PROGRAMS)
def test_all_layers_do_what_the_interpreter_does(name: str, vectors: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def as_asked(*arguments: Any, **options: Any) -> Any:
        return lowered(*arguments, **{**options, "vectors": vectors})

    monkeypatch.setattr("accel.tracing.plans.lowered", as_asked)
    found = [case for case, *_ in cases_of(PROGRAMS[name], arrays("cpu", (11, 20), 1))]
    texts = Texts([case.program for case in found])
    for case in found:
        for outcome in (by_host(case), texts.run(case, 64)):
            agree(outcome, by_interpreter(case), 2e-15, name)
