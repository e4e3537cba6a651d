"""The bytes of tiles in memory of each worker stay within a budget, and nothing is lost by that."""

import gc
import threading
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accel.engines import InOut, Input, Output, Reduce, task
from accel.engines.dask import from_dask, to_dask
from accel.engines.dask.worker_memory import WorkerMemory, received
from accel.errors import StoreError
from accel.store import ADD, create_store, from_array

from ...threads import run_at_once

TILE = 1 << 17  # bytes, of 16,384 float64
COUNT = TILE // 8
BUDGET = 4 * TILE


@pytest.fixture(scope="module")
def workers(start_workers):
    """Workers that have a budget from their first task on."""
    with start_workers() as result:
        yield result


@pytest.fixture
def bounded(cluster):
    """The cluster under a budget of four tiles."""
    with cluster.using(budget=BUDGET) as result:
        yield result


@pytest.fixture(scope="module")
def observing():
    """Tasks that write down how many bytes of tiles their worker has in memory while they run."""

    def bytes_in_memory():
        from distributed import get_worker

        data = get_worker().data
        return sum(each.nbytes for each in data.values() if getattr(each, "array", None) is not None)

    @task
    def start(value: float, x: Output, seen: Output):
        x.span_write_accessor()[...] = value
        seen.span_write_accessor()[...] = bytes_in_memory()

    @task
    def add(x: Input, y: InOut, seen: Output):
        y.span_read_write_accessor()[...] += x.span_read_accessor()
        seen.span_write_accessor()[...] = bytes_in_memory()

    return start, add


def test_a_store_of_ten_times_the_budget_is_never_in_memory_at_once(bounded, observing):
    start, add = observing
    tiles = 40
    x, y = (create_store("float64", (tiles * COUNT,)) for _ in range(2))
    seen = [create_store("int64", (tiles,)) for _ in range(4)]
    px, py = (each.partition_by_tiling((COUNT,)) for each in (x, y))
    parts = [each.partition_by_tiling((1,)) for each in seen]
    start(1.0, px, parts[0])
    start(2.0, py, parts[1])
    add(px, py, parts[2])
    add(px, py, parts[3]).wait()
    assert (bounded.gather(y) == 4).all()
    for each in seen:
        assert bounded.gather(each).max() <= BUDGET
    usage = bounded.usage()
    assert len(usage) == 2
    assert all(TILE < each.peak <= BUDGET for each in usage.values())


def test_cuts_that_do_not_fit_the_tiles_keep_to_the_budget(bounded, tasks):
    values = np.arange(24.0 * COUNT)
    x, y = create_store("float64", (24 * COUNT,)), from_array(np.zeros(24 * COUNT), read_only=False)
    tasks.copy(from_array(values).partition_by_tiling((COUNT,)), x.partition_by_tiling((COUNT,)))
    tasks.saxpy(2.0, x.partition_by_tiling((COUNT * 3 // 4,)), y.partition_by_tiling((COUNT * 3 // 4,)))
    assert np.array_equal(bounded.gather(y), 2 * values)
    assert all(each.peak <= BUDGET for each in bounded.usage().values())


def test_a_reduction_of_large_values_keeps_to_the_budget(bounded):
    @task
    def summed(x: Input, y: Reduce[ADD]):
        np.asarray(y)[...] += x.span_read_accessor()

    x = create_store("float64", (20, COUNT))
    y = create_store("float64", (1, COUNT))
    y.fill(1)

    @task
    def start(x: Output):
        x.span_write_accessor()[...] = 2

    start(x.partition_by_tiling((1, COUNT)))
    summed(x.partition_by_tiling((1, COUNT)), y)
    assert (bounded.gather(y) == 41).all()
    assert all(each.peak <= BUDGET for each in bounded.usage().values())


@pytest.mark.slow
def test_arrays_of_dask_become_tiles_within_the_budget(bounded):
    import dask.array as da

    array = da.arange(20 * COUNT, chunks=COUNT, dtype="float64")
    store = from_dask(array)
    assert to_dask(store).sum().compute(scheduler=bounded.cluster.client) == array.size * (array.size - 1) / 2
    assert all(each.peak <= BUDGET for each in bounded.usage().values())


def test_checkpoints_keep_to_the_budget(bounded, tasks):
    x = create_store("float64", (20 * COUNT,))
    tasks.fill(3.0, x.partition_by_tiling((COUNT,)))
    bounded.persist(x)
    assert (bounded.gather(x) == 3).all()
    assert all(each.peak <= BUDGET for each in bounded.usage().values())


def test_a_launch_that_cannot_fit_says_so_with_the_numbers_before_it_begins(cluster, tasks):
    x, y = from_array(np.ones(COUNT)), from_array(np.ones(COUNT), read_only=False)
    with (
        cluster.using(budget="192 KiB") as bounded,
        pytest.raises(
            StoreError,
            match=r"task \w+ needs 256.0 KiB at once \(x 128.0 KiB, y 128.0 KiB\); the budget is 192.0 KiB",
        ),
    ):
        tasks.saxpy(1.0, x, y)
    assert (bounded.gather(y) == 1).all()


def test_a_preview_tells_the_budget(cluster, tasks):
    with cluster.using(budget="1 MiB") as bounded:
        x = create_store("float64", (64 * COUNT,))
        preview = bounded.preview(tasks.fill.bind(1.0, x.partition_by_tiling((COUNT,))))
        assert (preview.budget, preview.peak) == (1 << 20, 2 << 20)
        assert "the budget is 1.0 MiB" in str(preview)


def test_graphs_of_dask_are_refused_under_a_budget(cluster):
    with cluster.using(budget="1 MiB") as bounded, pytest.raises(StoreError, match="is for tasks"):
        bounded.run_graph({"x": 1}, "x")


# The memory of one worker, in this process


def array_of(value, size=4):
    return np.full(size, value, np.float64)


@given(st.lists(st.tuples(st.sampled_from(["make", "drop", "use", "message"]), st.integers(0, 30)), max_size=60))
def test_tiles_keep_their_values_and_memory_its_bound(steps):
    memory, budget, tiles = WorkerMemory(), 96, []
    with memory.admitted(0, (), budget):
        pass
    for number, (kind, at) in enumerate(steps):
        if kind == "message":
            tiles.append((number, memory.tile(array_of(number))))
        elif kind == "make" or not tiles:
            with memory.admitted(32, (), budget) as lease:
                tiles.append((number, lease.keep(array_of(number))))
        elif kind == "drop":
            del tiles[at % len(tiles)]
        else:
            value, tile = tiles[at % len(tiles)]
            with memory.admitted(32, [tile], budget):
                assert (tile.array == value).all()
        in_memory = sum(tile.nbytes for _, tile in tiles if tile.array is not None)
        assert in_memory <= memory.usage().held <= memory.usage().peak <= budget
    for value, tile in tiles:
        with memory.reading(tile) as array:
            assert (array == value).all()
    tiles.clear()
    tile = None
    gc.collect()
    assert memory.usage().held == 0


def test_a_task_that_does_not_fit_waits_for_those_that_run():
    memory, order = WorkerMemory(), []

    def second():
        with memory.admitted(64, (), 96):
            order.append("second")

    with memory.admitted(64, (), 96):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(0.05)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_tasks_of_many_threads_keep_to_the_bound_and_end():
    memory, failures = WorkerMemory(), []

    def work(seed):
        random = np.random.default_rng(seed)
        tiles = []
        try:
            for number in range(100):
                used = [tiles[random.integers(len(tiles))]] if tiles else []
                with memory.admitted(32, [tile for _, tile in used], 160) as lease:
                    for value, tile in used:
                        assert (tile.array == value).all()
                    tiles.append((number, lease.keep(array_of(number))))
        except BaseException as failure:
            failures.append(failure)

    run_at_once([partial(work, seed) for seed in range(4)])
    assert not failures
    assert memory.usage().peak <= 160


def test_a_task_that_cannot_fit_is_refused_and_not_left_to_wait():
    memory = WorkerMemory()
    with pytest.raises(StoreError, match="needs 4 bytes more than is left"), memory.admitted(100, (), 96):
        pass
    assert received(array_of(1)).shape == (4,)
