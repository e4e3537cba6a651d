"""Elements that a boolean mask selects: they are written back, computed with and reduced; their number is not known."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import FuseError

from .comparison import same

DEVICES = ("cpu", "sim")
Function = Callable[..., Any]


def numbers(device: str, dtype: str = "float64") -> Any:
    return xp.asarray((np.arange(12.0).reshape(3, 4) / 2 - 1).astype(dtype), device=device)


def run(function: Function, x: Any) -> list[Any]:
    """Return what a function returns, and its argument afterwards."""
    with accel.using(device=x.device):
        returned = function(x)
    return [*(returned if isinstance(returned, tuple) else [returned]), x]


def squared(x: Any) -> Any:
    x[x > 1] = x[x > 1] ** 2
    return x


def added(x: Any) -> Any:
    mask = x > 1
    x[mask] += 1
    x[~mask] *= 2
    return x


def from_another(x: Any) -> Any:
    mask, y = x > 1, xp.zeros_like(x)
    y[mask] = xp.exp(x[mask] * 0) - x[mask] * 2 + x[0, 0]
    return y


def of_before(x: Any) -> Any:
    mask, y = x > 1, x * 2
    before = x[mask]
    x[mask] = 0
    y[mask] = before
    return y


def of_another_dtype(x: Any) -> Any:
    mask, y = x > 1, xp.zeros(x.shape, dtype="int8")
    y[mask] = xp.astype(x[mask], "int8")
    return y


def escaping(x: Any) -> Any:
    z, steps = x * 0, xp.zeros(x.shape, dtype="int64")
    for step in range(5):
        near = xp.abs(z) < 2
        steps[near] = step
        z[near] = z[near] ** 2 + x[near]
    return z, steps


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("function", [squared, added, from_another, of_before, of_another_dtype, escaping])
def test_they_are_written_to_the_same_places(function: Function, device: str) -> None:
    same(run(accel.fuse(function), numbers(device)), run(function, numbers(device)), 0, "an array")


OF_ALL: dict[str, Function] = {
    "sums": lambda v: (v.sum(), xp.sum(v), np.sum(v), xp.prod(v), xp.sum(v, axis=0)),
    "means": lambda v: (v.mean(), xp.mean(v * 2)),
    "truths": lambda v: (xp.any(v > 3), (v > 0).all(), xp.isnan(v).any()),
    "counts": lambda v: (xp.count_nonzero(v), xp.count_nonzero(v == 2)),
    "operators": lambda v: (abs(-v).sum(), (2 - v).sum(), (v // 1 == 1).sum(), (v**2).sum()),
    "functions": lambda v: (xp.where(v > 2, v, 0).sum(), xp.clip(v, 1, 2).sum(), v.clip(1, 2).sum(), xp.round(v).sum()),
    "casts": lambda v: (v.astype("float32").sum(), xp.asarray(v, dtype="int32", copy=True).sum()),
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
@pytest.mark.parametrize("name", OF_ALL)
def test_they_are_reduced(name: str, dtype: str, device: str) -> None:
    def function(x: Any) -> Any:
        return OF_ALL[name](x[x > 1])

    same(run(accel.fuse(function), numbers(device, dtype)), run(function, numbers(device, dtype)), 4, "an array")


OF_ROWS: dict[str, Function] = {
    "sums of columns": lambda v: (v.sum(axis=0), xp.prod(v, axis=0), xp.count_nonzero(v > 1, axis=0)),
    "means of columns": lambda v: (v.mean(axis=0), v.std(axis=0), xp.var(v, axis=0, correction=1), np.std(v, axis=0)),
    "truths": lambda v: (xp.any(v > 4, axis=0), xp.all(v > 0, axis=0), xp.any(v > 4)),
    "all elements": lambda v: (v.sum(), v.mean(), v.std(ddof=1), v.sum(axis=(0, 1)), xp.var(v)),
    "of rows": lambda v: (v.sum(axis=1).mean(), xp.max(v, axis=-1).sum(), xp.argmin(v, axis=1).sum()),
    "off the mean of a row": lambda v: (v - v.mean(axis=1, keepdims=True)).sum(axis=0),
    "parts of rows": lambda v: (v[:, 0].sum(), v[:, 1:].mean(axis=0), (v * v[:, :1]).sum(axis=0), v[:, None].sum()),
    "other operands": lambda v: ((v + xp.sum(v, axis=0)).sum(axis=0), (v == v[:, -1:]).sum(axis=0)),
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
@pytest.mark.parametrize("name", OF_ROWS)
def test_rows_are_reduced(name: str, dtype: str, device: str) -> None:
    def function(x: Any) -> Any:
        return OF_ROWS[name](x[x[:, 0] > -1])

    same(run(accel.fuse(function), numbers(device, dtype)), run(function, numbers(device, dtype)), 4, "an array")


def test_planes_are_reduced() -> None:
    def function(x: Any) -> Any:
        planes = xp.reshape(x, (2, 3, 2, 1))
        chosen = planes[planes[:, :, 0, 0] > 0]
        return chosen.mean(axis=0), chosen.sum(axis=(0, 2)), chosen.sum(axis=-2).mean(axis=0), chosen.mean(axis=(0, 1))

    same(run(accel.fuse(function), numbers("cpu")), run(function, numbers("cpu")), 4, "an array")


def rows(x: Any) -> Any:
    mask = x[:, 1] > 0
    x[mask] = x[mask] * 2 + x[0]
    x[~mask] = 7
    x[x[:, 0] > 5] = x[2]
    return x


@pytest.mark.parametrize("device", DEVICES)
def test_rows_are_written_to_the_same_places(device: str) -> None:
    same(run(accel.fuse(rows), numbers(device)), run(rows, numbers(device)), 0, "an array")


def test_rows_of_another_length_are_refused() -> None:
    def function(x: Any) -> None:
        x[x[:, 0] > 0] = x[0, :3]

    with pytest.raises(ValueError, match="broadcast"):
        accel.fuse(function)(numbers("cpu"))


def test_the_mean_of_none_is_no_number() -> None:
    assert np.isnan(float(accel.fuse(lambda x: x[x > 100].mean())(numbers("cpu"))))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[x > 1],
        lambda x: x[x > 1].shape,
        lambda x: x[x > 1].size + 1,
        lambda x: len(x[x > 1]),
        lambda x: list(x[x > 1]),
        lambda x: x[x > 1][0],
        lambda x: xp.sort(x[x > 1]),
        lambda x: xp.max(x[x > 1]),
        lambda x: xp.sum(x[x > 1], keepdims=True),
        lambda x: x[x > 1] @ x[x > 1],
        lambda x: x[x > 1] + x[x > 2],
        lambda x: x[x > 1] + x[0],
        lambda x: xp.concat([x[x > 1], x[x > 2]]),
        lambda x: x[x[:, 0] > 1],
        lambda x: x[x[:, 0] > 1].max(axis=0),
        lambda x: x[x[:, 0] > 1].sum(axis=0, keepdims=True),
        lambda x: x[x[:, 0] > 1][0],
        lambda x: x[x[:, 0] > 1] + x,
        lambda x: x[x[:, 0] > 1] * x[:, 0][x[:, 0] > 1],
        lambda x: xp.std(x[x[:, 0] > 1] * 1j),
        lambda x: x.__setitem__(x[:, 0] > 1, x[:, 0][x[:, 0] > 1]),
        lambda x: x.__setitem__(x > 2, x[x > 1]),
        lambda x: x.__setitem__(slice(None), x[x > 1]),
    ],
)
def test_what_needs_their_number_is_refused(function: Function) -> None:
    x = numbers("cpu")
    with pytest.raises(FuseError, match=r"a boolean mask.* at .*test_selections\.py:\d+"):
        accel.fuse(function)(x)
    same([x], [numbers("cpu")], 0, "the argument")


def test_an_iteration_of_complex_numbers_is_one_loop() -> None:
    def iterated(c: Any) -> Any:
        z = xp.zeros_like(c)
        for _ in range(4):
            near = xp.abs(z) < 2
            z[near] = z[near] ** 2 + c[near]
        return z

    random = np.random.default_rng(0)
    c = xp.asarray(random.normal(size=50) + 1j * random.normal(size=50))
    fused = accel.fuse(iterated)
    assert [step.title for step in fused.explain(c).steps] == ["loop over 50"]
    np.testing.assert_allclose(fused(c).to_numpy(), iterated(c).to_numpy(), rtol=1e-12)
