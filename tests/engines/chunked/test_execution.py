"""Graphs of chunked arrays run on the current engine, within its budget."""

import threading
import tracemalloc

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import accel
from accel.engines import engine
from accel.engines.chunked import ChunkedArray, get
from accel.errors import StoreError

from ...threads import run_at_once

MIB = 1 << 20


def anomaly(x):
    return x.groupby("time.month") - x.groupby("time.month").mean("time")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Return 32 MiB in chunks of 1 MiB."""
    values = np.random.default_rng(18).normal(size=(512, 8192)).astype("f8")
    data = xr.Dataset({"x": (("time", "place"), values)}, coords={"time": pd.date_range("2000-01-01", periods=512)})
    result = tmp_path_factory.mktemp("zarr") / "x.zarr"
    data.chunk(time=16, chunked_array_type="dask").to_zarr(result, consolidated=False)
    return result


def opened(path):
    return xr.open_zarr(path, chunked_array_type="accel", chunks={}, consolidated=False)


@pytest.mark.slow
@pytest.mark.parametrize("use_flox", [True, False])
def test_an_anomaly_of_more_than_the_budget_is_written_within_it(path, tmp_path, use_flox):
    budget, result = 10 * MIB, []
    with (
        xr.set_options(use_flox=use_flox),
        accel.using(threads=2),
        engine("threads").using(budget=budget, spill_folder=str(tmp_path)),
    ):
        data = anomaly(opened(path))
        tracemalloc.start()
        try:
            data.to_zarr(
                tmp_path / "out.zarr", consolidated=False, chunkmanager_store_kwargs={"statistics": result.append}
            )
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert result[0].tasks > 32
    assert result[0].peak <= budget
    # Tiles within the budget, and what two tasks and the threads of zarr need: 17 MiB, or 25 on a busy machine.
    assert peak < 32 * MIB, "neither the array nor the result was in memory as a whole"
    expected = anomaly(opened(path).load())
    xr.testing.assert_allclose(
        opened(tmp_path / "out.zarr").drop_vars("month", errors="ignore").load(),
        expected.drop_vars("month", errors="ignore"),
    )


def test_a_result_that_does_not_fit_is_refused_with_the_numbers(path):
    with engine("threads").using(budget="8 MiB"), pytest.raises(StoreError, match=r"8\.0 MiB"):
        opened(path).load()


def test_a_chunk_that_does_not_fit_is_refused():
    x = ChunkedArray(da.ones((4, MIB), chunks=(1, MIB)))
    with engine("threads").using(budget="1 MiB"), pytest.raises(StoreError, match=r"1\.0 MiB"):
        x.rechunk((4, MIB // 4)).sum().compute()


@pytest.mark.parametrize("name", ["eager", "threads"])
def test_the_current_engine_computes(name):
    threads = set()

    def note(block):
        threads.add(threading.current_thread())
        return block

    x = ChunkedArray.from_array(np.arange(8.0), chunks=1).map_blocks(note, dtype=float, meta=np.empty(0))
    with engine(name).using():
        assert float(x.sum()) == 28
    assert len(threads) == 1 or name == "threads"


def test_other_threads_compute_at_the_same_time():
    x = ChunkedArray.from_array(np.arange(1000.0), chunks=100)
    result = []
    run_at_once([lambda: result.append(float((x * 2).sum()))] * 4)
    assert result == [999000.0] * 4


def test_a_chunk_may_compute_another_chunked_array():
    inner = ChunkedArray.from_array(np.arange(6.0), chunks=2)
    outer = ChunkedArray.from_array(np.arange(4.0), chunks=1).map_blocks(
        lambda block: block + float(inner.sum()), dtype=float, meta=np.empty(0)
    )
    assert outer.compute().tolist() == [15.0, 16.0, 17.0, 18.0]


def test_dask_itself_computes_within_the_budget_of_the_current_engine():
    x = da.ones((64, MIB // 8), chunks=(1, MIB // 8))  # 64 MiB
    result = []
    with dask.config.set(scheduler=get), engine("threads").using(budget="8 MiB"):
        assert float((x + 1).sum().compute(statistics=result.append)) == 2 * 64 * MIB // 8
    assert result[0].peak <= 8 * MIB
