"""Fused functions compute on a GPU what they do on the host, with one launch for each loop."""

from typing import Any

import numpy as np
import pytest

import accel
from accel import xp
from accel.memory import heap_of

from ..fuse.test_fused_functions import PROGRAMS, arrays, close, host, same

OF_LOOPS = [name for name in PROGRAMS if name not in ("library", "results of calls that are written")]
OF_CUBLAS = ("transposed", "views in calls")


@pytest.mark.parametrize(
    "name", [pytest.param(name, id=f"{name} matmul" if name in OF_CUBLAS else name) for name in OF_LOOPS]
)
def test_results_are_those_of_the_host(name: str, device: Any) -> None:
    function, fused = PROGRAMS[name], accel.fuse(PROGRAMS[name])
    for _ in range(2):
        compare = close if name in OF_CUBLAS else same
        compare(fused(*arrays(device)), function(*arrays("cpu")))


def test_arguments_are_written(device: Any) -> None:
    def shift(x: Any, y: Any) -> None:
        x[1:, :] = x[:-1, :] + y[1:, :]
        x *= 2
        y[...] = x[::-1]

    one, other = arrays(device), arrays("cpu")
    accel.fuse(shift)(*one)
    shift(*other)
    same(one, other)


def test_numbers_are_passed_anew(device: Any) -> None:
    scaled = accel.fuse(lambda x, factor, count: x * (factor / 2) + count)
    (x,), (y,) = arrays(device, count=1), arrays("cpu", count=1)
    for factor, count in ((2.0, 1), (3.5, -4), (0.1, 7)):
        same(scaled(x, factor, count), y * (factor / 2) + count)


def test_many_elements(device: Any) -> None:
    values = np.random.default_rng(0).random((300, 1000))
    x = xp.asarray(values, device=device)
    fused = accel.fuse(lambda x: xp.sum(x[1:, ::2] - x[:-1, 1::2], axis=0))
    np.testing.assert_allclose(host(fused(x)), np.sum(values[1:, ::2] - values[:-1, 1::2], axis=0), atol=1e-12)


def test_a_stream_orders_loops_as_functions_of_arrays(device: Any) -> None:
    fused, x = accel.fuse(lambda x: x * 2 + 1), xp.ones(100_000, device=device)
    stream = accel.new_stream(device)
    stream.wait_for(heap_of(device).stream.record())
    with stream:
        y = x
        for _ in range(5):
            y = fused(y) - 1
    stream.synchronize()
    assert host(y)[99_999] == 32


def test_a_wrong_index_is_found_in_debug_mode(device: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from accel.errors import KernelBoundsError
    from accel.fusion import lowering

    x = xp.reshape(xp.arange(6.0, device=device), (2, 3))
    exact = lowering.offset_and_strides
    monkeypatch.setattr(lowering, "offset_and_strides", lambda *of: (exact(*of)[0] + 100, exact(*of)[1]))
    with accel.debug(), pytest.raises(KernelBoundsError, match=r"got index 10\d \(offset=0, size=6\)"):
        accel.fuse(lambda x: x * 2)(x)
    monkeypatch.undo()
    same(accel.fuse(lambda x: x * 2)(x), host(x) * 2)
