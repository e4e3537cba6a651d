"""Row 24: pinned memory has its own pool, is used again after its last use is done, and may run out."""

import warnings

import numpy as np
import pytest

import accel
from accel.memory import allocating, pinned, pinned_memory, snapshot
from accel.memory.pinned_memory import FreesAfterEvents, PinnedPool, pinned_pools
from accel.testing import no_leaks


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Pools that nothing else has used, and no pages that earlier ones keep: these count against the same limit."""
    for pool in pinned_pools():
        pool.trim()
    monkeypatch.setattr(pinned_memory, "_pools", {})
    monkeypatch.setattr(pinned_memory, "_warned", False)
    with accel.using(sim_memory=1 << 20), no_leaks():
        yield
        for pool in pinned_pools():
            pool.trim()


def pool_of(device):
    return next(pool for pool in pinned_pools() if pool.device is device)


def test_it_is_host_memory_and_managed():
    with pinned(3, "float32", "sim") as storage:
        storage.store(0, [1, 2, 3])
        assert storage.device is accel.Device.CPU
        assert storage.is_refcounted
        assert storage.load(0, 3).tolist() == [1, 2, 3]


def test_it_is_copied_to_and_from_its_device():
    values = np.arange(100.0)
    with pinned(100, "float64", "sim") as storage:
        storage.store(0, values)
        c = accel.AcceleratorDataContainer.on(storage.share()).to("sim")
        assert np.array_equal(c.to_numpy(), values)


def test_what_comes_back_is_given_again():
    with pinned(1000, "uint8", "sim") as storage:
        first = storage.pointer
    with pinned(1010, "uint8", "sim") as storage:
        assert storage.pointer == first


def test_the_pool_counts_what_is_in_use_and_what_is_kept():
    with pinned(1000, "uint8", "sim"):
        assert snapshot().pinned == ((accel.Device.SIM, 1024, 0),)
    assert snapshot().pinned == ((accel.Device.SIM, 0, 1024),)
    assert pool_of(accel.Device.SIM).trim() == 1024
    assert snapshot().pinned == ((accel.Device.SIM, 0, 0),)


def test_memory_that_work_in_flight_uses_is_given_to_nobody_else():
    stream = accel.new_stream("sim")
    staging = pinned(1000, "uint8", "sim")
    target = accel.empty(1000, "uint8", device="sim")
    target.copy_from_async(accel.AcceleratorDataContainer.on(staging.share()), stream=stream)
    address = staging.pointer
    staging.release()
    with pinned(1000, "uint8", "sim") as other:
        assert other.pointer != address
    stream.synchronize()
    with pinned(1000, "uint8", "sim"), pinned(1000, "uint8", "sim") as again:
        assert address in (again.pointer, other._start or address)
    stream.close()


def test_a_block_that_is_freed_on_a_stream_waits_for_it(stream, held):
    class Upstream:
        def __init__(self):
            self.freed = []

        def allocate(self, device, nbytes, *, alignment, stream):
            return object()

        def free(self, block, *, stream):
            self.freed.append(block)

    upstream = Upstream()
    gated = FreesAfterEvents(upstream)
    ask = {"alignment": 1, "stream": None}
    block = gated.allocate(accel.Device.CPU, 10, **ask)
    gated.free(block, stream=stream)
    gated.allocate(accel.Device.CPU, 10, **ask)
    assert upstream.freed == []
    held.set()
    stream.synchronize()
    gated.allocate(accel.Device.CPU, 10, **ask)
    assert upstream.freed == [block]


def test_exhausted_it_is_ordinary_memory_and_one_warning():
    room = 1 << 18
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        first = pinned(room, "uint8", "sim")
        others = pinned(1000, "float64", "sim"), pinned(1000, "float64", "sim")  # each asked for by this very line
    assert [each.category for each in caught] == [RuntimeWarning]
    assert "ordinary memory takes its place" in str(caught[0].message)
    assert caught[0].filename == __file__
    for other in others:
        other.store(999, 7.0)
        assert other.load(999) == 7
    assert pool_of(accel.Device.SIM).live_bytes == room
    for storage in (first, *others):
        storage.release()


def test_what_is_kept_makes_room_for_another_size():
    room = 1 << 18
    pinned(room, "uint8", "sim").release()
    with pinned(room // 2, "uint8", "sim"):
        assert pool_of(accel.Device.SIM).live_bytes == room // 2


def test_a_device_that_needs_none_has_ordinary_memory():
    with pinned(10, device="cpu") as storage:
        assert storage.size == 10
    assert pinned_pools() == ()


def test_each_device_has_a_pool():
    with pinned(10, device="sim"), pinned(10, device="sim:1"):
        assert [pool.device for pool in pinned_pools()] == [accel.Device.SIM, accel.Device("sim:1")]


def test_a_pool_is_an_allocator_for_the_host():
    with pinned(10, device="sim"):
        pool = pool_of(accel.Device.SIM)
    assert isinstance(pool, PinnedPool)
    with allocating("cpu", pool), accel.zeros(1000) as c:
        assert pool.live_bytes >= c.nbytes
    assert pool.live_bytes == 0
