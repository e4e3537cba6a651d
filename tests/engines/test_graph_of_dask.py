"""Dask's graphs within a budget of bytes."""

from functools import partial

import numpy as np
import pytest

from accel.engines.graph import chunk_bytes, get
from accel.errors import StoreError

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")


def climatology():
    """Return an anomaly from a mean by day: each chunk is used twice."""
    x = da.random.default_rng(1).random((128, 50, 100), chunks=(1, -1, -1))
    clim = da.stack([x[day::8].sum(axis=0) / 16 for day in range(8)])
    return (da.stack([x[time] - clim[time % 8] for time in range(128)]) ** 2).mean()


PROGRAMS = {
    "mean": lambda: da.random.default_rng(0).random((400, 100), chunks=(25, 50)).mean(axis=0),
    "anomaly": climatology,
    "rechunk": lambda: da.arange(90_000, chunks=1000).reshape(300, 300).rechunk((50, 300)).T.sum(axis=0),
    "sort": lambda: da.from_array(np.arange(1000)[::-1], chunks=100).map_blocks(np.sort),
    "matrix": lambda: da.tensordot(*[da.random.default_rng(2).random((100, 100), chunks=50)] * 2, axes=1),
    "masked": lambda: da.where(da.arange(1000, chunks=100) % 3 == 0, 1, 0).cumsum(axis=0),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("remake", [None, True, False])
@pytest.mark.parametrize("budget", [None, "3 MiB"])
def test_a_program_of_dask_gives_the_same_values(name, remake, budget):
    x = PROGRAMS[name]()
    result = []
    run = partial(get, budget=budget, remake=remake, num_workers=2, statistics=result.append)
    np.testing.assert_allclose(x.compute(scheduler=run), x.compute(scheduler="sync"))
    assert budget is None or result[0].peak <= 3 << 20


def test_an_anomaly_stays_within_a_fifteenth_of_its_data():
    result = []
    x = climatology()
    budget = 128 * 40_000 // 15
    run = partial(get, budget=budget, remake=True, num_workers=2, statistics=result.append)
    assert float(x.compute(scheduler=run)) == pytest.approx(float(x.compute(scheduler="sync")))
    assert result[0].peak <= budget
    assert result[0].spilled < 128 * 40_000


def test_keys_in_nested_lists_give_tuples():
    graph = {"x": 1, "y": (lambda x: x + 1, "x"), "z": "y"}
    assert get(graph, "y") == 2
    assert get(graph, [["x", "y"], ["z"]]) == ((1, 2), (2,))


def test_collections_other_than_arrays_are_computed_too():
    parts = [dask.delayed(np.full)(1000, i) for i in range(5)]
    with dask.config.set(scheduler=partial(get, budget="48 KiB")):
        assert dask.delayed(lambda parts: sum([part.sum() for part in parts]))(parts).compute() == 10_000
        assert dask.compute(parts[1].sum(), {"two": parts[2].max()}) == (1000, {"two": 2})


def test_arrays_of_the_caller_are_not_counted():
    result = []
    x = da.from_array(np.ones((1000, 100)), chunks=(10, 100))
    x.sum().compute(scheduler=partial(get, budget="100 KiB", statistics=result.append))
    assert result[0].peak < 100 * 1024 < x.nbytes


def test_chunks_that_do_not_fit_are_refused_before_anything_runs():
    ran = []
    x = da.map_blocks(ran.append, da.ones((1000, 1000), chunks=500), dtype=float, meta=np.ones((0, 0)))
    with pytest.raises(StoreError, match=r"needs 1.9 MiB at once .*; the budget is 1.0 MiB"):
        x.sum().compute(scheduler=partial(get, budget="1 MiB"), optimize_graph=False)
    assert not ran


def test_a_result_that_turns_out_not_to_fit_is_an_error_that_says_so():
    graph = {"x": (np.ones, 100), "y": (np.tile, "x", 30)}
    with pytest.raises(StoreError, match=r"task 'y' needed 24.2 KiB at once \(inputs 800 bytes, result 23.4 KiB"):
        get(graph, "y", budget=10_000)


def test_sizes_of_sources_and_of_the_array_itself_are_known_before():
    x = da.ones((100, 100), chunks=(30, 100), dtype="float32")
    y = (x + 1).sum(axis=0)
    assert chunk_bytes(y) == {x.name: 12_000, y.name: 400}
    assert chunk_bytes(dask.delayed(1)) == {}


def test_the_error_of_a_task_is_raised_as_itself():
    x = da.ones(10, chunks=5).map_blocks(lambda block: 1 // 0, dtype=float)
    with pytest.raises(ZeroDivisionError):
        x.compute(scheduler=partial(get, budget="1 MiB"))


@pytest.mark.parametrize("budget", ["2 gigs", "", "-1", "GiB", "nan", 0, -5, "0", "1e400"])
def test_a_budget_that_is_no_size_is_refused(budget):
    with pytest.raises(ValueError, match="budget"):
        get({"x": 1}, "x", budget=budget)


@pytest.mark.parametrize("budget", [1.5, [1], None or object()])
def test_a_budget_of_another_type_is_refused(budget):
    with pytest.raises(TypeError, match="a budget is a whole number"):
        get({"x": 1}, "x", budget=budget)


def test_room_is_left_for_what_tasks_allocate_besides_their_results():
    x = da.random.default_rng(3).random((16, 10_000), chunks=(1, 10_000))  # chunks of 80,000 bytes
    y = ((x - 0.5) ** 2 + 1).sum(axis=0)
    result = []
    with dask.config.set({"optimization.fuse.active": True}):
        y.compute(scheduler=partial(get, budget="2 MiB", num_workers=1, statistics=result.append))
    held = 16 * 80_000
    assert result[0].peak >= 4 * 80_000
    assert result[0].peak <= held + 8 * 80_000
