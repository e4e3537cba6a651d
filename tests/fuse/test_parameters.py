"""Kernels of fused functions have no more parameters than the device allows."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from accel.backends.cupy.device_code import Packing

import accel
from accel import xp
from accel.memory import heap_of


def tree(values: list[Any]) -> Any:
    """Return a sum by pairs."""
    while len(values) > 1:
        values = [x + y for x, y in zip(values[::2], values[1::2], strict=False)] + values[len(values) & ~1 :]
    return values[0]


def of_arrays(arrays: list[Any]) -> Any:
    return tree([x * (number + 1) for number, x in enumerate(arrays)])


def of_views(arrays: list[Any]) -> Any:
    places = [(a, b, c) for a in range(4) for b in range(3) for c in range(3)]
    windows = [x[a : a + 2, b : b + 2, c : c + 1] for x in arrays[:3] for a, b, c in places]
    return tree([each * number for number, each in enumerate(windows)]), tree([xp.flip(each) * 2 for each in windows])


def of_numbers(arrays: list[Any], *numbers: float) -> Any:
    return tree([arrays[0] * each - each for each in numbers])


def of_results(arrays: list[Any]) -> Any:
    return [x - 1 for x in arrays], [x * y for x, y in pairwise(arrays)]


def of_totals(arrays: list[Any]) -> Any:
    return xp.sum(of_arrays(arrays), axis=0), [xp.max(x, axis=0) for x in arrays]


NUMBERS = [number / 8 for number in range(60)]


@pytest.fixture(params=[512, 4096])
def most(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Let kernels of the simulated device have few parameters."""
    backend, limits = (
        type(heap_of(accel.Device.SIM).backend),
        heap_of(accel.Device.SIM).backend.limits(accel.Device.SIM),
    )
    monkeypatch.setattr(backend, "limits", lambda *_: limits._replace(parameters=request.param))
    return request.param  # type: ignore[no-any-return]


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("function", [of_arrays, of_views, of_numbers, of_results, of_totals])
def test_kernels_have_few_parameters(function: Callable[..., Any], most: int, debug: bool) -> None:
    generator = np.random.default_rng(0)
    arrays = [xp.asarray(generator.integers(0, 9, (5, 4, 3)).astype(float), device="sim") for _ in range(80)]
    numbers = NUMBERS if function is of_numbers else []
    fused = accel.fuse(function)
    with accel.using(debug=debug):
        steps = fused._trace(*fused._bound((arrays, *numbers), {})).plan.steps
        assert max(Packing(step.kernel.program, "QQIQ").nbytes for step in steps if step.kernel is not None) <= most
        found, expected = fused(arrays, *numbers), function(arrays, *numbers)
    for one, other in zip(leaves(found), leaves(expected), strict=True):
        np.testing.assert_array_equal(one.to_device("cpu").to_numpy(), other.to_device("cpu").to_numpy())


def leaves(value: Any) -> list[Any]:
    return [leaf for each in value for leaf in leaves(each)] if isinstance(value, tuple | list) else [value]
