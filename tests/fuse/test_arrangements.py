"""Functions that join, split, repeat and pad arrays: parts of loops, which copy and share memory as unfused ones do."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import accel
from accel import xp

from .comparison import same

Function = Callable[..., Any]

FUNCTIONS: dict[str, Function] = {
    "atleast": lambda x, y: (*xp.atleast_1d(x, x[0, 0]), xp.atleast_2d(y[0]), xp.atleast_2d(x)),
    "broadcast_arrays": lambda x, y: [each + 1 for each in xp.broadcast_arrays(x[:, None], y[0])],
    "concatenate": lambda x, y: (
        xp.concatenate([x, y]),
        xp.concatenate([x, y[:1]], axis=0),
        xp.concatenate([x, y], None),
    ),
    "diff": lambda x, y: (xp.diff(x + y), xp.diff(x, axis=0), xp.diff(x > 1)),
    "flips": lambda x, y: (xp.fliplr(x), xp.flipud(y), xp.flipud(x[0])),
    "meshgrid": lambda x, y: (*xp.meshgrid(x[0], y[:, 0]), *xp.meshgrid(x[0], y[0], x[:, 1], indexing="ij")),
    "outer": lambda x, y: xp.outer(x[0], y),
    "pad": lambda x, y: (xp.pad(x, 1), xp.pad(y, ((0, 2), (1, 0)), constant_values=3), xp.pad(x[0], (2, 0))),
    "pad, repeated": lambda x, y: (
        xp.pad(x, 1, mode="edge"),
        xp.pad(x, ((0, 5), (3, 0)), "reflect"),
        xp.pad(y, 2, mode="symmetric"),
        xp.pad(x[0], (7, 1), "wrap"),
    ),
    "ravel": lambda x, y: (xp.ravel(x), xp.ravel(y.T), xp.ravel(x[:, 1:])),
    "repeat": lambda x, y: (xp.repeat(x, 2), xp.repeat(y, 3, axis=1), xp.repeat(x[:0], 2, axis=1), xp.repeat(x, 1)),
    "split": lambda x, y: (*xp.split(x, 2, axis=1), *xp.array_split(y, 2), *xp.array_split(x, 3, axis=1)),
    "stacks": lambda x, y: (xp.vstack([x, y[0]]), xp.hstack([x, y]), xp.hstack([x[0], y[0]])),
    "tile": lambda x, y: (xp.tile(x, 2), xp.tile(y, (2, 1, 3)), xp.tile(x[0], (2, 2)), xp.tile(x, 1)),
    "tril, triu": lambda x, y: (xp.tril(x), xp.triu(y, k=1), xp.tril(x[None], k=-1), xp.triu(x > 1, k=-2)),
    "unstack": lambda x, y: (*xp.unstack(x), *xp.unstack(y, axis=1)),
}


def results(function: Function, x: Any, y: Any) -> list[Any]:
    """Return what a function returns, copied, and its arguments after writes to what it returned."""
    with accel.using(device=x.device):
        returned = function(x, y)
    arrays = [*returned] if isinstance(returned, tuple | list) else [returned]
    before = [xp.asarray(each, copy=True) for each in arrays]
    for each in arrays:
        if each.flags.writeable and each.ndim:
            each[...] = True if each.dtype.kind == "b" else 7
    return [*before, x, y]


@pytest.mark.filterwarnings("ignore:future versions")
@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize("dtype", ["float64", "int8", "complex64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_elements_are_those_of_the_unfused_function(name: str, dtype: str, device: str) -> None:
    random = np.random.default_rng(0)

    def operands() -> Any:
        return [xp.asarray(values, dtype=dtype, device=device, copy=True) for values in (numbers, numbers[::-1] + 1)]

    numbers = random.integers(0, 9, (3, 4)).astype(float)
    function = FUNCTIONS[name]
    if dtype == "complex64":
        function = without_comparisons(function)
    same(results(accel.fuse(function), *operands()), results(function, *operands()), 0, name)


def without_comparisons(function: Function) -> Function:
    """Return a function of the real parts, which can be compared, times a complex number."""
    return lambda x, y: [each * (1 + 2j) for each in function(x.real, y.real)]


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - {"repeat"}))
def test_no_library_is_called(name: str) -> None:
    x = xp.ones((3, 4))
    titles = [step.title for step in accel.fuse(FUNCTIONS[name]).explain(x, x + 1).steps]
    assert not [title for title in titles if title.startswith("call")]


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
def test_pads_of_each_width(mode: str) -> None:
    def padded(x: Any) -> list[Any]:
        extents, widths = (1, 3), (0, 2, 7)
        return [xp.pad(x[:extent], each, mode) for extent in extents for each in product(widths, widths)]

    x = xp.arange(4)
    for found, expected in zip(accel.fuse(padded)(x), padded(x), strict=True):
        np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))


@pytest.mark.parametrize(
    "options", [{"pad_width": 1, "mode": "mean"}, {"pad_width": 1, "mode": "reflect", "reflect_type": "odd"}]
)
def test_other_pads_are_calls_of_the_library(options: dict[str, Any]) -> None:
    x = xp.asarray([[1.0, 4.0], [2.0, 8.0]])
    same([accel.fuse(lambda x: xp.pad(x, **options))(x)], [xp.pad(x, **options)], 0, "an array")


@pytest.mark.parametrize("width", [-1, (1, 2, 3), 1.5])
def test_bad_widths_are_refused_as_unfused(width: Any) -> None:
    for mode in ("edge", "constant"):
        with pytest.raises((TypeError, ValueError)) as unfused:
            xp.pad(xp.ones(3), width, mode=mode)
        with pytest.raises(unfused.type):
            accel.fuse(lambda x, mode=mode: xp.pad(x, width, mode=mode))(xp.ones(3))
