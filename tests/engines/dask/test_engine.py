"""Launches on the workers of a cluster give what NumPy gives."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.engines import engine
from accel.engines.chunked import ChunkedArray
from accel.store import create_store, from_array
from accel.store.slices import Slice

from ...store.legate_cases import CASES, chained

INTEGERS = [case for case in CASES if case["input"]["dtype"] == "int64"]
RESULTS = [case for case in INTEGERS if "result" in case and case["group"] != "alias"]


def counted(shape, dtype="int64"):
    return np.arange(np.prod(shape, dtype=int), dtype=dtype).reshape(shape)


@pytest.mark.parametrize("chunk", range(4))
def test_a_task_reads_what_the_recorded_transforms_give(cluster, tasks, chunk):
    cases = [case for case in RESULTS if case["group"] != "tiling"][chunk::4]
    assert len(cases) > 20
    copies = []
    for case in cases:
        view = chained(from_array(counted(case["input"]["shape"])), case["ops"])
        result = create_store("int64", view.shape)
        tasks.copy(view, result)
        copies.append(result)
    for case, result in zip(cases, copies, strict=True):
        assert cluster.gather(result).tolist() == case["result"]["values"], case["id"]


@pytest.mark.parametrize("case", [case for case in RESULTS if case["group"] == "tiling"], ids=lambda case: case["id"])
def test_each_color_reads_and_writes_its_recorded_tile(cluster, tasks, case):
    shape = case["input"]["shape"]
    root = create_store("int64", shape)
    np.asarray(root.get_physical_store())[...] = counted(shape)
    source = chained(root, case["ops"])
    target = create_store("int64", shape)
    target.fill(-1)
    tasks.copy(source, chained(target, case["ops"]))
    values = cluster.gather(target)
    for color, expected in case["result"]["tiles"].items():
        tile = chained(target, case["ops"]).get_child_store(*map(int, color.split(",")))
        assert list(tile.shape) == expected["shape"]
        assert np.asarray(tile.get_physical_store()).tolist() == expected.get("values", [[]] * expected["shape"][0])
    assert ((values == counted(shape)) | (values == -1)).all()


def tilings(shape):
    return st.tuples(*[st.integers(1, max(extent, 1)) for extent in shape])


@st.composite
def programs(draw):
    """A sequence of operations on two stores, each with a view and a tiling."""
    shape = draw(st.sampled_from([(6,), (4, 6), (2, 3, 4)]))
    steps = []
    for _ in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(["saxpy", "copy", "fill", "total", "largest", "both", "host", "eager"]))
        low = draw(st.integers(0, shape[0] - 1))
        high = draw(st.integers(low + 1, shape[0]))
        order = draw(st.permutations(range(len(shape))))
        view = (high - low, *shape[1:])
        steps.append((kind, low, high, order, draw(tilings([view[axis] for axis in order])), draw(st.booleans())))
    return shape, steps


# Threads of the cluster use `random` meanwhile, which Hypothesis takes for the strategy's.
@pytest.mark.filterwarnings("ignore:Do not use the `random` module")
@settings(max_examples=25)
@given(programs())
def test_random_programs_give_what_numpy_gives(cluster, tasks, program):
    shape, steps = program
    arrays = [counted(shape, "float64"), np.ones(shape), np.zeros(shape)]
    sums = np.array([0.0, 5.0])
    stores = [from_array(each.copy(), read_only=False) for each in arrays]
    results = from_array(sums.copy(), read_only=False)
    for kind, low, high, order, tile, flip in steps:
        first, second = (1, 0) if flip else (0, 1)
        x, y, z = (arrays[each][low:high].transpose(order) for each in (first, second, 2))
        views = [stores[each].slice(0, Slice(low, high)).transpose(order) for each in (first, second, 2)]
        a, b, c = (view.partition_by_tiling(tile) for view in views)
        if kind == "saxpy":
            tasks.saxpy(2.0, a, b)
            y += 2 * x
        elif kind == "copy":
            tasks.copy(a, b)
            y[...] = x
        elif kind == "fill":
            tasks.fill(7.0, b)
            y[...] = 7
        elif kind == "total":
            tasks.total(a, results.slice(0, Slice(0, 1)))
            sums[0] += x.sum()
        elif kind == "largest":
            tasks.largest(a, results.slice(0, Slice(1, 2)))
            sums[1] = max(sums[1], x.max())
        elif kind == "both":
            tasks.both(a, b, c)
            y[...], z[...] = x + 1, x * 2
        elif kind == "host":
            np.asarray(views[1].get_physical_store())[...] = 3
            y[...] = 3
        else:
            with engine("eager").using():
                tasks.saxpy(1.0, a, b)
            y += x
    for array, store in zip([*arrays, sums], [*stores, results], strict=True):
        assert np.allclose(cluster.gather(store), array)


def test_a_halo_is_joined_from_the_tiles_beside(cluster, tasks):
    values = counted((24,), "float64")
    x, y = create_store("float64", (24,)), from_array(np.zeros(22), read_only=False)
    tasks.copy(from_array(values).partition_by_tiling((5,)), x.partition_by_tiling((5,)))
    for start in (0, 1, 2):
        shifted = x.slice(0, Slice(start, start + 22)).partition_by_tiling((4,))
        tasks.saxpy(1.0, shifted, y.partition_by_tiling((4,)))
    assert np.array_equal(cluster.gather(y), values[:-2] + values[1:-1] + values[2:])


def test_elements_that_no_task_writes_keep_their_values(cluster, tasks):
    values = counted((6, 6), "float64")
    store = from_array(values.copy(), read_only=False)
    tasks.fill(-1.0, store.slice(0, Slice(1, 3)).slice(1, Slice(2, 4)))
    values[1:3, 2:4] = -1
    assert np.array_equal(cluster.gather(store), values)


def test_attached_memory_has_the_values_after_detach(cluster, tasks):
    values = np.arange(12.0)
    store = from_array(values[::2], read_only=False)
    tasks.fill(-1.0, store.slice(0, Slice(1, 3)))
    store.detach()
    assert values.tolist() == [0, 1, -1, 3, -1, 5, 6, 7, 8, 9, 10, 11]


def test_a_reduction_of_many_colors_is_combined_with_the_current_value(cluster, tasks):
    values = counted((40,), "float64")
    total = from_array(np.array([100.0]), read_only=False)
    tasks.total(from_array(values).partition_by_tiling((1,)), total)
    assert cluster.gather(total).tolist() == [100 + values.sum()]


def test_small_launches_run_in_this_process(cluster, tasks):
    x = from_array(np.ones(8), read_only=False)
    with cluster.using(local_bytes=64):
        tasks.fill(2.0, x)
        assert np.asarray(x.get_physical_store()).tolist() == [2.0] * 8
        here = x.root.storage()
        tasks.fill(3.0, x)
        assert x.root.contents is here
    tasks.fill(4.0, x)
    assert x.root.contents is not here
    assert cluster.gather(x).tolist() == [4.0] * 8


def test_many_launches_in_a_row_are_checkpointed(cluster, tasks):
    x = from_array(np.zeros((4, 4)), read_only=False)
    one = from_array(np.ones((4, 4)))
    with cluster.using(checkpoint_every=3):
        for _ in range(10):
            tasks.saxpy(1.0, one.partition_by_tiling((2, 4)), x.partition_by_tiling((2, 4)))
            assert max(tile.depth for tile in x.root.contents.tiles()) <= 3
    files = [file.path for tile in x.root.contents.tiles() for file in tile.files]
    assert files
    assert all(path.exists() for path in files)
    assert (cluster.gather(x) == 10).all()
    assert not any(path.exists() for path in files)


@pytest.mark.slow
def test_persisted_tiles_depend_on_nothing_but_files(cluster, tasks):
    x = from_array(np.zeros(6), read_only=False)
    tasks.fill(2.0, x.partition_by_tiling((3,)))
    assert cluster.persist(x) is x
    tiles = x.root.contents.tiles()
    assert [tile.depth for tile in tiles] == [0, 0]
    cluster.cluster.client.restart_workers([*cluster.cluster.client.nthreads()])
    assert cluster.gather(x).tolist() == [2.0] * 6


def test_graphs_of_chunked_arrays_run_in_the_cluster(cluster):
    x = ChunkedArray.from_array(np.arange(8.0), chunks=2)
    processes = x.map_blocks(lambda block: block * 0 + os.getpid(), dtype=float, meta=np.empty(0)).compute()
    assert os.getpid() not in processes
    assert float((x + 1).sum()) == 36


def test_a_preview_counts_what_will_be_sent_and_sends_nothing(cluster, tasks):
    x, y = from_array(np.ones(12)), from_array(np.zeros(12), read_only=False)
    launch = tasks.saxpy.bind(1.0, x.partition_by_tiling((5,)), y.partition_by_tiling((5,)))
    preview = cluster.preview(launch)
    assert (preview.tasks, preview.read, preview.written, sum(preview.moved.values())) == (3, 192, 96, 192)
    assert "saxpy on engine dask: 3 tasks" in str(preview)
    cluster.submit(launch).wait()
    assert sum(cluster.preview(launch).moved.values()) == 0
    assert cluster.gather(y).tolist() == [1.0] * 12
