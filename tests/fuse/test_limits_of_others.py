"""What users of `cupy.fuse` reported that it cannot do works here; each test names the reports."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import accel
from accel import xp

from .comparison import same

DEVICES = ("cpu", "sim")
Function = Callable[..., Any]


def arrays(device: str, *shapes: tuple[int, ...]) -> list[Any]:
    random = np.random.default_rng(0)
    return [xp.asarray(random.random(shape) * 10 - 3, device=device) for shape in shapes]


def check(function: Function, *operands: Any) -> None:
    """Compare what a function returns fused and unfused, bit for bit."""
    with accel.using(device=operands[0].device):
        expected = function(*operands)
        for _ in range(2):
            found = accel.fuse(function)(*operands)
            same(*[[*each] if isinstance(each, tuple) else [each] for each in (found, expected)], 0, "a result")


def smoothed(u: Any) -> Any:
    return 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) - u[1:-1, 1:-1]


def in_place(u: Any) -> Any:
    v = u * 2
    v[1:-1] += u[:-2] - u[2:]
    v[::3, -1] = 0
    return v


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("function", [smoothed, in_place, lambda u: u[::2, ::-3] + 1, lambda u: u[1] * u[:, None, 0]])
def test_slices_and_stencils(function: Function, device: str) -> None:
    """Of cupy.fuse only the whole range, forward or backward, can be sliced (cupy#9002, cupy#2734)."""
    check(function, *arrays(device, (9, 9)))


@pytest.mark.parametrize("device", DEVICES)
def test_concrete_arrays_inside(device: str) -> None:
    """Concrete arrays are refused (cupy#9002)."""
    weights, x = arrays(device, (7,), (5, 7))
    check(lambda x: x * weights + xp.asarray([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]), x)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "function",
    [
        lambda x: xp.sort(x + 1) * 2,
        lambda x: x[::-1] - xp.sort(x, descending=True),
        lambda x: xp.argsort(x) + xp.arange(x.shape[0]),
        lambda x: x + xp.arange(0, x.shape[0] * 2, 2, dtype=x.dtype),
    ],
)
def test_sort_and_arange_inside(function: Function, device: str) -> None:
    """An array in a fused function has no sort, and arange prevents fusion (cupy#9002)."""
    check(function, *arrays(device, (31,)))


@pytest.mark.parametrize("device", DEVICES)
def test_a_sort_in_place(device: str) -> None:
    """An array in a fused function has no sort (cupy#9002)."""

    def sorted_rows(x: Any) -> Any:
        y = x * -1
        y.sort(axis=1)
        return y + 1

    check(sorted_rows, *arrays(device, (4, 6)))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("options", [{}, {"axis": -1}, {"axis": 0, "ord": 1}, {"axis": 1, "ord": np.inf}])
def test_norms(options: dict[str, Any], device: str) -> None:
    """`linalg.norm` is refused (cupy#10016)."""
    (x,) = arrays(device, (4, 5))
    for norm in (xp.linalg.norm, xp.linalg.vector_norm):

        def scaled(x: Any, norm: Function = norm) -> Any:
            return 2 * norm(x + 1, **options)

        with accel.using(device=device):
            found, expected = accel.fuse(scaled)(x), scaled(x)
        np.testing.assert_allclose(np.asarray(found.to_device("cpu")), expected.to_device("cpu"), rtol=1e-15)


@pytest.mark.parametrize("function", [lambda x, y: xp.sum(x, axis=1) > y, lambda x, y: x.sum(axis=1) + y])
def test_a_sum_and_an_elementwise_operation_are_few_launches(function: Function) -> None:
    """They are launched with few blocks, and are slower than unfused (cupy#9008)."""
    x, y = arrays("cpu", (4000, 2), (4000,))
    assert len(accel.fuse(function).explain(x, y).steps) <= 3
    check(function, x, y)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "limits", [{"a_min": 0, "a_max": 1e30}, {"min": 0, "max": None}, {"min": None, "max": 4.5}, {"min": -1, "max": 2}]
)
def test_clip(limits: dict[str, Any], device: str) -> None:
    """It cannot be fused, or with a limit of None (cupy#7098)."""
    check(lambda x: xp.clip(x, **limits) * 2, *arrays(device, (50,)))


@pytest.mark.parametrize("device", DEVICES)
def test_methods(device: str) -> None:
    """Functions can be fused, but not the methods of the same names (cupy#3112)."""
    x, y = arrays(device, (6, 5), (6, 5))
    check(lambda x, y: ((x < y).sum(), (x - y).max(axis=0), x.astype("int32").min(), abs(x).argmax()), x, y)


@pytest.mark.parametrize("device", DEVICES)
def test_infinities_in_a_choice_over_a_new_axis(device: str) -> None:
    """The code does not compile (cupy#9005)."""
    points, mask = arrays(device, (40, 2), (40,))
    check(lambda points, mask: xp.where(mask[:, None] > 0, xp.inf, points), points, mask)


@pytest.mark.parametrize("device", DEVICES)
def test_minima_and_sums_without_nan(device: str) -> None:
    """The code of minima and maxima does not compile (cupy#8040), nor nansum (cupy#7093)."""
    x, y = arrays(device, (6, 5), (6, 5))

    def function(x: Any, y: Any) -> Any:
        z = xp.where(x > y, xp.nan, xp.minimum(x, y))
        return xp.nansum(xp.astype(x, xp.int64)), xp.maximum(z, 0.0), xp.min(x) + xp.max(y)

    check(function, x, y)
