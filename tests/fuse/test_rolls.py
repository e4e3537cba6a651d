"""Rolled arrays in fused functions: axes of index maps that turn, and parts of loops in which they do not."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import accel
from accel import xp
from accel.fusion.index_maps import Axis, IndexMap, Turn, composed, composes
from accel.fusion.parts import parts_of

from ..kernels.layers import Texts, agree
from .test_fused_functions import DEVICES, host, same
from .test_layers import by_host, by_interpreter, cases_of


def places(index_map: IndexMap, shape: tuple[int, ...]) -> Any:
    """Return the indices that a map leads to, one after another."""
    found = []
    for index in np.ndindex(*shape):
        place = []
        for start, steps, turn in index_map:
            number = start + sum(step * index[axis] for axis, step in steps)
            place.append(number if turn is None else turn.first + turn.pace * (number % turn.extent))
        found.append(tuple(place))
    return found


rolled = st.builds(lambda start, step: Axis(start, ((0, step),), Turn(7)), st.integers(0, 6), st.sampled_from([1, -1]))
sliced = st.builds(lambda start, step: Axis(start, ((0, step),)), st.integers(0, 9), st.sampled_from([1, -1, 2, -3]))


@given(st.one_of(rolled, sliced), st.one_of(rolled, sliced), st.integers(1, 20))
def test_maps_of_maps_lead_to_the_same_indices(inner: Axis, outer: Axis, extent: int) -> None:
    if composes((inner,), (outer,)):
        ((_, step),) = inner.steps
        between = [number for (number,) in places((outer,), (extent,))]
        expected = [places((Axis(inner.start + step * number, (), inner.turn),), ())[0] for number in between]
        assert places(composed((inner,), (outer,)), (extent,)) == expected
    else:
        assert outer.turn is not None or inner.turn is not None


@given(st.lists(rolled, min_size=1, max_size=3), st.integers(1, 20))
def test_parts_are_all_indices_without_turns(axes: list[Axis], extent: int) -> None:
    maps = [(each,) for each in axes]
    parts = [*parts_of((extent,), maps)]
    indices = [part.starts[0] + number for part in parts for number in range(part.extents[0])]
    assert indices == [*range(extent)]
    for index_map, part in product(maps, parts):
        straight = part.map_of(index_map) if len(parts) > 1 else index_map
        found = places(straight, part.extents)
        assert found == places(index_map, (extent,))[part.starts[0] : part.starts[0] + part.extents[0]]
        assert len(parts) == 1 or straight[0].turn is None


def heat(u: Any) -> Any:
    around = xp.roll(u, 1, axis=0) + xp.roll(u, -1, axis=0) + xp.roll(u, 1, axis=1) + xp.roll(u, -1, axis=1)
    return u + 0.125 * (around - 4 * u)


def of_slices(u: Any) -> Any:
    v = xp.roll(u, (2, -3), axis=(0, 1))
    w = xp.roll(v[1:, ::2] * 2, 1, axis=1)
    return (
        w,
        v[::-1],
        xp.roll(xp.flip(u), 1, axis=1),
        xp.roll(v, 1, axis=0).T + 1,
        xp.roll(u, 5),
        xp.roll(v.T, 2, axis=0),
    )


def written(u: Any) -> Any:
    u = u * 1.0
    u[1:-1] = xp.roll(u, 1, axis=1)[1:-1]
    u += xp.roll(u, 1, axis=0)
    u[...] = xp.roll(u, (1, 1), axis=(0, 1))
    return u


def reduced(u: Any) -> Any:
    return xp.max(xp.roll(u, 1, axis=0) * u, axis=1), xp.max(xp.roll(u, 1, axis=1) - u), xp.roll(u, -1, axis=0) - u


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("function", [heat, of_slices, written, reduced, lambda u: heat(heat(heat(u)))])
def test_results_are_those_of_the_unfused_function(function: Any, device: str) -> None:
    for shape in ((6, 7), (1, 5), (5, 1), (2, 2), (1, 1), (20, 33)):
        values = np.random.default_rng(3).integers(0, 64, shape) / 8
        one, other = (xp.asarray(values, device=device, copy=True) for _ in range(2))
        same(accel.fuse(function)(one), function(other))
        same(one, other)


def test_a_periodic_stencil_is_one_loop() -> None:
    u = xp.ones((50, 60))
    (step,) = accel.fuse(heat).explain(u).steps
    assert step.title == "loop over 50 x 60"
    assert "u[(i0 + 49) % 50, i1]" in accel.fuse(heat).source("regions", u)
    assert accel.fuse(heat).source("ir", u).count("kernel ") == 1


def test_an_argument_is_rolled_in_place() -> None:
    x = xp.arange(10.0)

    @accel.fuse
    def rolled_in_place(x: Any) -> None:
        x[...] = xp.roll(x, 3)

    rolled_in_place(x)
    np.testing.assert_array_equal(host(x), np.roll(np.arange(10.0), 3))


def test_the_layers_agree() -> None:
    cases = cases_of(heat, [xp.asarray(np.random.default_rng(0).random((5, 6)))])
    assert len(cases) == 9
    texts = Texts([case.program for case, *_ in cases])
    for case, *_ in cases:
        agree(by_host(case), by_interpreter(case), 0, "heat")
        agree(texts.run(case, 64), by_interpreter(case), 0, "heat")


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_rolled_positions_are_summed(device: str) -> None:
    """They are read from no memory, so what is known of loads does not say that their loop is cut."""

    @accel.fuse
    def summed() -> Any:
        rolled = xp.roll(xp.arange(16), 1)
        return xp.sum(rolled), rolled

    with accel.using(device=device):
        total, rolled = summed()
    assert int(total) == 120
    np.testing.assert_array_equal(host(rolled), np.roll(np.arange(16), 1))
