"""Arrays and arguments that are written where they are, and copies of them that are written, too."""

from typing import Any

import numpy as np
import pytest

import accel
from accel import xp
from accel.tracing.stages import regions_text

from .comparison import same

DEVICES = ("cpu", "sim")


def copied_between_writes(x: Any) -> Any:
    u = xp.zeros(4)
    u[0] = x[3]
    v = xp.copy(u)
    u[1] = 5
    v[2] = 8
    u[0] = v[3] + x[0]
    return u, v


def copied_argument(x: Any) -> Any:
    y = xp.copy(x)
    x[1] = y[0] + 7
    y[2] = x[1]
    x[3] = y[3] * 2
    return y


def stencils(x: Any) -> Any:
    x[1:-1] = (x[:-2] + x[2:]) / 2
    s = x[2] * 2
    x[2:] += x[1]
    x[0] = x[-1]
    return s


def swapped(x: Any) -> Any:
    first = x[:2]
    x[2:] = first * 2
    x[:2] = x[2:] + first
    return first


def read_before_it_is_written(x: Any) -> Any:
    numbers = xp.arange(16) * 3
    chosen = xp.where(numbers > x[0], numbers, 7)
    larger = xp.maximum(chosen, 2)
    joined = xp.concat([chosen - 3, numbers])  # the numbers are stored there, and read before
    return joined, larger * 2


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "function", [copied_between_writes, copied_argument, read_before_it_is_written, stencils, swapped]
)
def test_writes_change_no_copy(function: Any, device: str) -> None:
    fused, unfused = [xp.arange(4.0, device=device) for _ in range(2)]
    with accel.using(device=device):
        found, expected = accel.fuse(function)(fused), function(unfused)
    for one, other in zip(_arrays(found), _arrays(expected), strict=True):
        same([one], [other], 0, "a result")
    same([fused], [unfused], 0, "the argument")


def _arrays(value: Any) -> list[Any]:
    return [*value] if isinstance(value, tuple) else [value]


def test_an_argument_is_not_copied_to_be_written() -> None:
    def function(x: Any) -> None:
        x[:, 1] = xp.exp(x[:, 0])
        x[:, 2] = xp.sum(x[:, 1]) + x[:, 1]

    x = xp.asarray(np.ones((50, 3)))
    plan = accel.fuse(function)._trace(*accel.fuse(function)._bound((x,), {})).plan
    assert "50 x 3" not in regions_text(plan)
    assert all(buffer.shape != (50, 3) for buffer in plan.buffers)
