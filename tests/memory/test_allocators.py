"""Allocators compose, and a block is freed in the allocator that it came from."""

import gc
import threading
import tracemalloc
from dataclasses import dataclass

import pytest

import accel
from accel.errors import DeviceMismatchError, OutOfMemoryError
from accel.memory import Limit, Pool, Statistics, allocating, allocator_of, heap_of, new_stream, snapshot, trim
from accel.memory.pool import rounded

pytestmark = pytest.mark.usefixtures("no_leaks")
DEVICES = pytest.mark.parametrize("where", ["cpu", "sim"])


def make(where, size=1000):
    return accel.zeros(size, device=where)


class TestScopes:
    @DEVICES
    def test_memory_comes_from_the_innermost_allocator(self, where):
        outer, inner = Statistics(allocator_of(where)), Statistics(allocator_of(where))
        with allocating(where, outer), allocating(where, inner):
            make(where).release()
        assert (outer.allocations, inner.allocations) == (0, 1)

    @DEVICES
    def test_an_allocator_put_above_another_asks_that_one(self, where):
        below = Statistics(allocator_of(where))
        with allocating(where, below), allocating(where, Limit(allocator_of(where), 1 << 20)):
            make(where).release()
        assert (below.allocations, below.frees) == (1, 1)

    @DEVICES
    def test_other_devices_are_not_touched(self, where):
        counts = Statistics(allocator_of("sim:1"))
        with allocating("sim:1", counts):
            make(where).release()
        assert counts.allocations == 0

    @DEVICES
    def test_a_block_that_outlives_the_scope_goes_back_to_who_gave_it(self, where):
        counts = Statistics(allocator_of(where))
        with allocating(where, counts):
            kept = make(where)
        other = make(where)
        assert counts.live_bytes >= kept.nbytes
        kept.release()
        other.release()
        assert (counts.allocations, counts.frees, counts.live_bytes) == (1, 1, 0)

    def test_scopes_that_end_in_any_order_take_back_their_own(self):
        first, second = Statistics(allocator_of("cpu")), Statistics(allocator_of("cpu"))
        one, two = allocating("cpu", first), allocating("cpu", second)
        one.__enter__()
        two.__enter__()
        one.__exit__(None, None, None)
        make("cpu").release()
        two.__exit__(None, None, None)
        make("cpu").release()
        assert (first.allocations, second.allocations) == (0, 1)
        assert allocator_of("cpu") is heap_of(accel.Device.CPU).backend

    def test_another_thread_is_not_in_the_scope(self):
        counts = Statistics(allocator_of("cpu"))
        with allocating("cpu", counts):
            thread = threading.Thread(target=lambda: make("cpu").release())
            thread.start()
            thread.join()
        assert counts.allocations == 0

    def test_a_thread_of_a_stream_is(self):
        counts = Statistics(allocator_of("cpu"))
        with new_stream("cpu") as stream, allocating("cpu", counts):
            stream.submit(lambda: make("cpu").release()).wait()
        stream.close()
        assert counts.allocations == 1

    def test_the_table_counts_blocks_of_any_allocator(self):
        before = snapshot().live_bytes
        with allocating("sim", Pool(allocator_of("sim"))), make("sim") as c:
            assert snapshot().live_bytes == before + rounded(c.nbytes)
        assert snapshot().live_bytes == before


@dataclass
class Plain:
    """A user's allocator, equal to others and without a hash."""

    upstream: object
    wrong: bool = False

    def allocate(self, device, nbytes, *, alignment, stream):
        return None if self.wrong else self.upstream.allocate(device, nbytes, alignment=alignment, stream=stream)

    def free(self, block, *, stream):
        self.upstream.free(block, stream=stream)

    def trim(self):
        return self.upstream.trim()


class TestSomebodysAllocator:
    def test_needs_no_hash(self):
        pools = [Pool(allocator_of("sim")), Pool(allocator_of("sim"))]
        plain = [Plain(pool) for pool in pools]
        for each in plain:
            with allocating("sim", each):
                make("sim").release()
        assert trim("sim") == 2 * 8192

    def test_that_gives_no_block_leaves_the_table_as_it_was(self):
        before = snapshot().live_blocks
        with allocating("sim", Plain(None, wrong=True)), pytest.raises(AttributeError, match="nbytes"):
            make("sim")
        assert snapshot().live_blocks == before

    def test_may_see_its_scope_end_while_it_allocates(self):
        """As when a collection in the midst of an allocation ends a generator."""

        class Ending(Statistics):
            def allocate(self, device, nbytes, *, alignment, stream):
                block = super().allocate(device, nbytes, alignment=alignment, stream=stream)
                scope.__exit__(None, None, None)
                return block

        counts = Ending(allocator_of("sim"))
        scope = allocating("sim", counts)
        scope.__enter__()
        make("sim").release()
        assert (counts.allocations, counts.frees) == (1, 1)
        assert heap_of(accel.Device.SIM).plain


class TestLimit:
    def test_counts_whole_blocks(self):
        limit = Limit(allocator_of("cpu"), 1000)
        with allocating("cpu", limit), pytest.raises(OutOfMemoryError, match="1000 bytes were asked for on cpu: 0 of"):
            accel.empty(1000, "uint8")
        assert limit.used == 0

    @DEVICES
    def test_refuses_what_is_past_it_and_serves_what_is_not(self, where):
        limit = Limit(allocator_of(where), 20_000)
        with allocating(where, limit):
            with make(where), make(where), pytest.raises(OutOfMemoryError, match="of a limit are in use; release"):
                make(where)
            make(where).release()
        assert limit.used == 0

    @pytest.mark.parametrize("nbytes", [-1, True, 1.5])
    def test_is_a_size(self, nbytes):
        with pytest.raises((ValueError, TypeError)):
            Limit(allocator_of("cpu"), nbytes)

    def test_that_refuses_leaves_its_count_as_it_was(self):
        limit = Limit(Limit(allocator_of("sim"), 0), 1 << 20)
        with allocating("sim", limit), pytest.raises(OutOfMemoryError):
            make("sim")
        assert limit.used == 0


class TestStatistics:
    @DEVICES
    def test_count_blocks_and_bytes_as_they_come_and_go(self, where):
        counts = Statistics(allocator_of(where))
        with allocating(where, counts), make(where), make(where):
            both = counts.live_bytes
            make(where).release()
        assert both >= 16_000
        assert (counts.allocations, counts.frees, counts.live_bytes) == (3, 3, 0)
        assert both < counts.peak_bytes <= 2 * both


class TestPool:
    @DEVICES
    def test_asks_its_upstream_once_for_what_comes_back(self, where):
        statistics = Statistics(allocator_of(where))
        with allocating(where, Pool(statistics)):
            for size in (1000, 1010, 990) * 10:
                make(where, size).release()
        assert statistics.allocations == 1

    def test_gives_back_what_it_keeps(self):
        statistics = Statistics(allocator_of("sim"))
        pool = Pool(statistics)
        with allocating("sim", pool):
            make("sim").release()
            assert (pool.kept_bytes, statistics.frees) == (8192, 0)
            assert trim("sim") == 8192
        assert (pool.kept_bytes, statistics.frees, statistics.live_bytes) == (0, 1, 0)

    def test_trims_through_what_is_above_it(self):
        pool = Pool(allocator_of("sim"))
        with allocating("sim", Statistics(Limit(pool, 1 << 20))) as top:
            make("sim").release()
            assert top.trim() == 8192

    def test_that_is_dropped_gives_back_what_it_keeps(self):
        statistics = Statistics(allocator_of("sim"))
        with allocating("sim", Pool(statistics)):
            make("sim").release()
        gc.collect()
        heap_of(accel.Device.SIM).run_deferred()
        assert (statistics.frees, statistics.live_bytes) == (1, 0)

    def test_lives_until_its_last_block_is_back(self):
        statistics = Statistics(allocator_of("sim"))
        with allocating("sim", Pool(statistics)):
            kept = make("sim")
        gc.collect()
        assert statistics.frees == 0
        kept.release()
        gc.collect()
        heap_of(accel.Device.SIM).run_deferred()
        assert statistics.frees == 1

    def test_keeps_no_more_than_it_may(self):
        statistics = Statistics(allocator_of("sim"))
        pool = Pool(statistics, largest=8192, capacity=3 * 8192)
        with allocating("sim", pool):
            blocks = [make("sim") for _ in range(10)]
            for block in blocks:
                block.release()
            make("sim", 2000).release()
        assert pool.kept_bytes == 3 * 8192
        assert statistics.frees == 8

    def test_finds_blocks_of_an_upstream_with_sizes_of_its_own(self):
        class Pages:
            def __init__(self, upstream):
                self.upstream = upstream
                self.free = upstream.free

            def allocate(self, device, nbytes, *, alignment, stream):
                pages = -(-nbytes // 4096) * 4096
                return self.upstream.allocate(device, pages, alignment=alignment, stream=stream)

        statistics = Statistics(Pages(allocator_of("sim")))
        with allocating("sim", Pool(statistics)):
            for size in (1, 2, 3, 4) * 5:
                make("sim", size).release()
        assert statistics.allocations == 1

    @DEVICES
    def test_serves_requests_for_an_alignment_and_for_nothing(self, where):
        heap = heap_of(accel.Device(where))
        with allocating(where, Pool(allocator_of(where))):
            for nbytes, alignment in ((100, 4096), (0, 1), (0, 256)):
                block = heap.allocate(nbytes, alignment)
                assert block.pointer % alignment == 0
                with heap.lock:
                    heap.free(block)

    def test_serves_one_device(self):
        pool = Pool(allocator_of("sim"))
        with allocating("sim", pool):
            make("sim").release()
        with allocating("sim:1", pool), pytest.raises(DeviceMismatchError, match="keeps memory of sim; make another"):
            make("sim:1")

    def test_gives_each_size_its_room(self):
        with allocating("cpu", Pool(allocator_of("cpu"))):
            for size in (1, 7, 8, 9, 8191, 8192, 8193, 10**5):
                for _ in range(2):
                    with accel.full(size, 3.0) as c:
                        assert (c.to_numpy() == 3).all()


def test_threads_share_a_pool():
    statistics, failures = Statistics(allocator_of("cpu")), []
    pool = Pool(statistics)

    def work():
        try:
            with allocating("cpu", pool):
                for number in range(300):
                    with accel.full(500, number) as c:
                        assert (c.to_numpy() == number).all()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    # A release that finds the heap locked is deferred, and its thread then finds no free block; most find one.
    assert statistics.allocations < 8 * 300 // 4
    assert heap_of(accel.Device.CPU).plain


def test_scopes_leave_nothing_in_the_heap():
    make("cpu").release()
    with allocating("cpu", Pool(allocator_of("cpu"))):
        make("cpu").release()
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(200):
        with allocating("cpu", Statistics(allocator_of("cpu"))):
            make("cpu", 8).release()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 20_000
