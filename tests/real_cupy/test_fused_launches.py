"""What fused functions ask of the driver: one launch for each loop, and neither waits, nor copies, nor memory."""

from collections.abc import Callable
from typing import Any

import pytest

import accel
from accel import xp

from .fake_driver import FakeDriver

NEVER = ("Synchronize", "Memcpy", "Malloc", "Memset", "Event", "Wait")


def added(x: Any, y: Any, out: Any) -> Any:
    return x * 2 + y


def into(x: Any, y: Any, out: Any) -> None:
    out[...] = x * 2 + y


def shifted(x: Any, y: Any, out: Any) -> Any:
    z = xp.zeros_like(x)
    z[1:] = x[:-1] + y[1:]
    return z, z[::-1] * 2


def softmax(x: Any, y: Any, out: Any) -> Any:
    powers = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return powers / xp.sum(powers, axis=1, keepdims=True)


def total(x: Any, y: Any, out: Any) -> Any:
    return xp.sum(x * y)


@pytest.mark.parametrize("function", [added, into, shifted, softmax, total])
def test_a_repeated_call_is_its_launches(function: Callable[..., Any]) -> None:
    driver, fused = FakeDriver(), accel.fuse(function)
    arrays = [xp.ones((30, 40), device="cuda") for _ in range(3)]
    for _ in range(3):
        fused(*arrays)
    before = driver.counts()
    driver.start_counting()
    try:
        fused(*arrays)
        after = driver.counts()
    finally:
        driver.restore()
    calls = {name: count - before.get(name, 0) for name, count in after.items() if count != before.get(name, 0)}
    more = 1 if function is total else 0  # for the totals of blocks
    assert calls["cuLaunchKernel"] == len(fused.explain(*arrays).steps) + more
    assert not [name for name in calls if any(word in name for word in NEVER)], calls


@pytest.mark.parametrize("seed", range(5))
def test_a_sum_is_computed_on_the_stream_on_which_cupy_computes(driver: FakeDriver, cupy: Any, seed: int) -> None:
    fused = accel.fuse(lambda x: (xp.sum(x * 2), x + 1))
    x, stream = xp.ones((30, 40), device="cuda"), cupy.cuda.Stream(non_blocking=True)
    fused(x)
    cupy.cuda.runtime.deviceSynchronize()
    driver.run_late(seed)
    with stream:
        total, more = fused(x * 3)
        assert (float(total + 1), float(more[29, 39])) == (7201, 4)
    stream.synchronize()
