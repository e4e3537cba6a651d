"""Memory whose address is known outside of the backend, without DLPack, and memory from pools outside of the backend.

Another library on the stand-in's machine works late, on a stream of its own or on one of the backend.
"""

import gc

import numpy as np
import pytest
from accel.backends.cupy.memory import DeviceBlock

import accel
from accel import xp
from accel.memory import Pool, allocating, allocator_of, heap_of

from .standin.allocations import bytes_at
from .test_computing import FLAVOURS, computing
from .test_dlpack import SIZE, Library, full, orders


def by_the_interface(container):
    return container.__cuda_array_interface__["data"][0]


def by_its_buffer(container):
    return container.storage.get_buffer().ptr


def values_at(library, address):
    result = library.read(bytes_at(address, SIZE))
    library.finish()
    return set(result)


@pytest.mark.parametrize("address_of", [by_the_interface, by_its_buffer])
class TestAnAddress:
    """The protocol does not mention streams, so any stream may use the memory at once."""

    def test_is_had_after_a_write(self, monkeypatch, address_of):
        for machine in orders(monkeypatch):
            with full(0) as target:
                target.copy_from_async(full(7), stream=accel.new_stream("gpu"))
                assert values_at(Library(machine), address_of(target)) == {7}

    def test_is_had_after_a_copy_that_was_only_submitted(self, monkeypatch, address_of):
        for machine in orders(monkeypatch):
            with accel.new_stream("gpu"):
                target = full(7).deep_copy()
                assert values_at(Library(machine), address_of(target)) == {7}

    def test_of_new_memory_is_had_after_those_who_had_it_before(self, monkeypatch, address_of):
        for machine in orders(monkeypatch):
            library, home, other = Library(machine), accel.new_stream("gpu"), full(0)
            with home:
                with accel.full(SIZE, 3, "uint8", device="gpu") as old:
                    other.copy_from(old)
                new = accel.empty(SIZE, "uint8", device="gpu")
            library.write(bytes_at(address_of(new), SIZE), 9)
            library.finish()
            assert set(other.to_numpy()) == {3}

    def test_keeps_the_memory_from_others_while_a_stream_of_ours_uses_it(self, monkeypatch, address_of):
        for machine in orders(monkeypatch):
            stream, container = accel.new_stream("gpu"), full(7)
            result = Library(machine, number=stream.native.ptr).read(bytes_at(address_of(container), SIZE))
            container.release()
            others = [full(3) for _ in range(3)]
            stream.synchronize()
            assert set(result) == {7}
            del others

    def test_of_an_array_is_had_after_each_computation(self, monkeypatch, address_of):
        for seed in range(20):
            with computing(monkeypatch, seed=seed) as (machine, _):
                x = xp.asarray(full(0))
                for expected in (7, 14):
                    x += 7
                    assert values_at(Library(machine), address_of(x.container())) == {expected}
                del x


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_pool_does_not_give_again_what_cupy_may_still_use(monkeypatch, flavour):
    for seed in range(20):
        with computing(monkeypatch, flavour, seed) as (_, device):
            assert written_by_the_next(device) == {0}


def test_a_pool_that_does_shows_in_the_bytes_in_some_order(monkeypatch):
    monkeypatch.setattr(DeviceBlock, "lent", property(lambda self: False, lambda self, lent: None))
    wrong = 0
    for seed in range(20):
        with computing(monkeypatch, seed=seed) as (_, device):
            wrong += written_by_the_next(device) != {0}
    assert wrong > 1


def written_by_the_next(device):
    """Return what CuPy reads in zeros from a pool, released while it reads them and then written by the next owner."""
    stream, other, nines = accel.new_stream(device), full(1), accel.container(np.full(SIZE, 9, "uint8"))
    with allocating(device, Pool(allocator_of(device))):
        with full(0) as zeros:
            zeros.copy_from_async(full(0), stream=stream).wait()  # a stream that uses memory the first time waits more
            xp.asarray(other)[...] = xp.asarray(zeros)
        with accel.empty(SIZE, "uint8", device=device) as new:
            new.copy_from_async(nines, stream=stream).wait()
    heap_of(device).synchronize()
    gc.collect()
    return set(other.to_numpy())
