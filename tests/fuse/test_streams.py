"""Fused functions on the simulated device are ordered as functions of arrays: each case also runs unfused."""

import gc
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import InFlightError, RaceError, ReleasedError
from accel.memory import heap_of

SIZE = 10_000


@pytest.fixture(params=range(2), autouse=True)
def seed(request: pytest.FixtureRequest) -> Iterator[None]:
    with accel.using(sim_seed=request.param):
        yield


@accel.fuse
def doubled(x: Any, y: Any) -> Any:
    return x * 2 + y


@accel.fuse
def increased(x: Any) -> None:
    x += 1


@accel.fuse
def sorted_sum(x: Any, y: Any) -> Any:
    return xp.sort(x + y) * 2


@pytest.fixture(params=["on", "off"])
def fused(request: pytest.FixtureRequest) -> Iterator[str]:
    with accel.using(fuse=request.param):
        yield request.param


@pytest.fixture
def c() -> Any:
    return accel.full(SIZE, 3.0, device="sim")


def first(x: Any) -> float:
    return float(x[0])


@pytest.mark.parametrize("function", [doubled, sorted_sum])
def test_an_argument_that_a_copy_writes_is_waited_for(function: Callable[..., Any], fused: str, c: Any) -> None:
    x, expected = xp.asarray(c), function(*[xp.full(1, 5.0)] * 2)
    c.copy_from_async(accel.full(SIZE, 5.0, device="sim"), stream=accel.new_stream("sim"))
    assert first(function(x, x)) == first(expected)


def test_an_argument_that_a_copy_reads_is_written_after_it(fused: str, c: Any) -> None:
    target = accel.empty(SIZE, device="sim")
    target.copy_from_async(c, stream=accel.new_stream("sim"))
    increased(xp.asarray(c))
    assert (target.to_numpy() == 3).all()
    assert (c.to_numpy() == 4).all()


def test_in_strict_mode_an_argument_in_flight_is_refused(fused: str, c: Any) -> None:
    thread, stream, held = accel.new_stream("cpu"), accel.new_stream("sim"), threading.Event()
    stream.wait_for(thread.submit(lambda: held.wait(30)))
    transfer = c.copy_from_async(accel.full(SIZE, 5.0, device="sim"), stream=stream)
    with accel.using(strict=True), pytest.raises(InFlightError, match="wait for its transfer"):
        doubled(xp.asarray(c), xp.asarray(c))
    held.set()
    transfer.wait()
    thread.close()


@pytest.mark.parametrize("function", [doubled, sorted_sum])
def test_a_result_that_another_stream_reads_is_a_race(function: Callable[..., Any], fused: str) -> None:
    x = xp.ones(SIZE, device="sim")
    y = function(x, x)
    with accel.new_stream("sim"), pytest.raises(RaceError, match="nothing orders the two"):
        function(y, y)


def test_an_event_orders_two_streams(fused: str) -> None:
    x, stream = xp.ones(SIZE, device="sim"), accel.new_stream("sim")
    y = doubled(x, x)
    stream.wait_for(heap_of(accel.Device.SIM).stream.record())
    with stream:
        z = doubled(y, y)
        assert first(z) == 9


def test_two_streams_that_write_an_argument_race(fused: str) -> None:
    x = xp.ones(SIZE, device="sim")
    heap_of(accel.Device.SIM).synchronize()
    with accel.new_stream("sim"):
        increased(x)
    with accel.new_stream("sim"), pytest.raises(RaceError):
        increased(x)


def test_a_copy_on_another_stream_races_with_a_write(fused: str, c: Any) -> None:
    increased(xp.asarray(c))
    with pytest.raises(RaceError):
        accel.empty(SIZE, device="sim").copy_from_async(c, stream=accel.new_stream("sim")).wait()


def test_arguments_that_were_released_are_refused(fused: str, c: Any) -> None:
    x = xp.asarray(c)
    doubled(x, x)
    c.release()
    with pytest.raises(ReleasedError):
        doubled(x, x)


def test_memory_that_is_dropped_is_not_reused_too_early(fused: str, c: Any) -> None:
    x = xp.asarray(c)
    y = doubled(x, doubled(x, x))
    c.release()
    del x
    gc.collect()
    others = [accel.full(SIZE, 7.0, device="sim") for _ in range(4)]
    assert first(y) == 15
    del others


def test_a_kernel_that_writes_an_argument_is_waited_for(fused: str, c: Any) -> None:
    @accel.kernel
    def filled(v: Any) -> None:
        for i in range(v.size):
            v[i] = 8.0

    filled.on(accel.new_stream("sim"))(c[:])
    x = xp.asarray(c)
    assert first(doubled(x, x)) == 24


def test_many_elements_are_computed_by_code_of_the_host(fused: str) -> None:
    values = np.random.default_rng(0).random(200_000)
    x = xp.asarray(values, device="sim")
    np.testing.assert_array_equal(np.asarray(doubled(x, x).to_device("cpu")), values * 3)
