"""Programs of xarray give the same values with chunks of ours, with Dask's, and in memory."""

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
import xarray as xr
import zarr

from accel.engines.chunked import ChunkedArray
from accel.engines.chunked.chunk_manager import ChunkManager

DAYS = 400


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    rng = np.random.default_rng(18)
    shape = (DAYS, 4, 6)
    rain = rng.random(shape)
    rain[rng.random(shape) < 0.1] = np.nan
    data = xr.Dataset(
        {"temp": (("time", "lat", "lon"), rng.normal(size=shape)), "rain": (("time", "lat", "lon"), rain)},
        coords={
            "time": pd.date_range("2000-01-01", periods=DAYS),
            "lat": [-45.0, -15.0, 15.0, 45.0],
            "lon": np.arange(6) * 60.0,
        },
    )
    result = tmp_path_factory.mktemp("zarr") / "weather.zarr"
    data.chunk(time=100, chunked_array_type="dask").to_zarr(result, consolidated=False)
    return result


def opened(path, kind="accel"):
    return xr.open_zarr(path, chunked_array_type=kind, chunks={"time": 100}, consolidated=False)


def kinds_of(data):
    return {type(each.variable._data) for each in (data.data_vars.values() if isinstance(data, xr.Dataset) else [data])}


def added_in_place(x):
    x = x.copy()
    x += 1
    x["temp"] *= 2
    return x


def assigned(x):
    y = x.temp.copy()
    y[{"time": 0}] = 5
    return y


LAZY = {
    "arithmetic": lambda x: x.temp * 2 + x.rain - x.temp.mean("time"),
    "ufunc": lambda x: np.sin(x.temp) + 1,
    "reflected": lambda x: 2**x.temp,
    "in place": added_in_place,
    "assignment": assigned,
    "where": lambda x: x.where(x.temp > 0),
    "where function": lambda x: xr.where(x.temp > 0, x.temp, x.rain),
    "mean": lambda x: x.mean(),
    "std": lambda x: x.std("time"),
    "median": lambda x: x.chunk(time=-1).median("time"),
    "quantile": lambda x: x.chunk(time=-1).quantile([0.1, 0.5], "time"),
    "argmax": lambda x: x.temp.argmax("time"),
    "cumsum": lambda x: x.cumsum("time"),
    "count": lambda x: x.count("time"),
    "any": lambda x: (x.temp > 2).any("time"),
    "climatology": lambda x: x.groupby("time.month").mean("time"),
    "anomaly": lambda x: x.groupby("time.month") - x.groupby("time.month").mean("time"),
    "mapped groups": lambda x: x.groupby("time.season").map(lambda group: group - group.mean("time")),
    "first of groups": lambda x: x.groupby("time.month").first(),
    "bins": lambda x: x.groupby_bins("lat", [-60, 0, 60]).mean(),
    "shuffle": lambda x: x.groupby("time.month").shuffle_to_chunks().sortby("time"),
    "rolling": lambda x: x.rolling(time=7).mean(),
    "centred rolling": lambda x: x.rolling(time=7, center=True).sum(),
    "rolling in two dimensions": lambda x: x.rolling(time=3, lat=2).max(),
    "windows": lambda x: x.rolling(time=3).construct("window").mean("window"),
    "resample": lambda x: x.resample(time="1ME").mean(),
    "coarsen": lambda x: x.coarsen(time=10).mean(),
    "concat": lambda x: xr.concat([x.isel(time=slice(100)), x.isel(time=slice(100, None))], "time"),
    "merge": lambda x: xr.merge([x.temp, x.rain]),
    "apply_ufunc": lambda x: xr.apply_ufunc(lambda a: a**2, x, dask="parallelized", output_dtypes=[float]),
    "apply_ufunc with core dimensions": lambda x: xr.apply_ufunc(
        lambda a: a.mean(-1),
        x.temp.chunk(time=-1),
        input_core_dims=[["time"]],
        dask="parallelized",
        output_dtypes=[float],
    ),
    "apply_ufunc on chunked arrays": lambda x: xr.apply_ufunc(np.cos, x, dask="allowed"),
    "selection": lambda x: x.sel(lat=slice(-20, 20), time="2000-03"),
    "nearest": lambda x: x.sel(lat=[11.0, -40.0], method="nearest"),
    "mesh": lambda x: x.isel(time=5, lat=[0, 3], lon=[1, 2, 5]),
    "points": lambda x: x.isel(lat=xr.DataArray([0, 3, 1], dims="p"), lon=xr.DataArray([1, 2, 2], dims="p")),
    "interpolation": lambda x: x.interp(lat=[1.0, 2.0]),
    "shift": lambda x: x.shift(time=3),
    "diff": lambda x: x.diff("time"),
    "pad": lambda x: x.pad(time=2),
    "fillna": lambda x: x.fillna(0),
    "weighted": lambda x: x.weighted(np.cos(np.deg2rad(x.lat))).mean(("lat", "lon")),
    "dot": lambda x: xr.dot(x.temp, x.rain.fillna(0), dim="time"),
    "correlation": lambda x: xr.corr(x.temp, x.rain, "time"),
    "stack": lambda x: x.stack(place=("lat", "lon")).mean("place"),
    "transpose": lambda x: x.transpose("lon", "lat", "time"),
    "like": xr.zeros_like,
    "chunks of several arrays": lambda x: xr.unify_chunks(x, x.chunk(lat=2))[1],
    "map_blocks": lambda x: (
        x.map(lambda each: each.copy(data=each.data.map_blocks(np.abs))) if ChunkedArray in kinds_of(x) else abs(x)
    ),
}


GROUPED = [
    name for name in LAZY if any(word in name for word in ("climatology", "anomaly", "groups", "bins", "resample"))
]


@pytest.mark.parametrize("name", GROUPED)
def test_groups_stay_lazy_without_flox(path, name):
    with xr.set_options(chunk_manager="accel", use_flox=False):
        result = LAZY[name](opened(path))
        assert kinds_of(result) == {ChunkedArray}
        xr.testing.assert_allclose(result.compute(), LAZY[name](opened(path, "dask").load()))


def test_flox_still_groups_arrays_of_dask_into_arrays_of_dask(path):
    assert kinds_of(LAZY["climatology"](opened(path, "dask"))) == {da.Array}


@pytest.mark.parametrize("program", LAZY.values(), ids=LAZY)
def test_a_program_stays_lazy_and_gives_the_values_that_it_gives_in_memory_and_with_dask(path, program):
    with xr.set_options(chunk_manager="accel"):
        result = program(opened(path))
        assert kinds_of(result) == {ChunkedArray}
        xr.testing.assert_allclose(result.compute(), program(opened(path, "dask").load()))


DASK = {
    name: LAZY[name] for name in ("anomaly", "rolling", "resample", "apply_ufunc", "mesh", "chunks of several arrays")
}


@pytest.mark.parametrize("program", DASK.values(), ids=DASK)
def test_both_managers_coexist(path, program):
    with xr.set_options(chunk_manager="accel"):
        ours = program(opened(path)).compute()
    theirs = program(opened(path, "dask"))
    assert ChunkedArray not in kinds_of(theirs)
    xr.testing.assert_allclose(ours, theirs.compute())


EAGER = {
    "polyfit": lambda x: x.temp.chunk(time=-1).polyfit("time", 1),
    "to_dataframe": lambda x: x.temp.to_dataframe().sum().to_xarray(),
}


@pytest.mark.parametrize("program", EAGER.values(), ids=EAGER)
def test_what_xarray_does_in_memory_for_arrays_that_are_not_of_dask_gives_the_same_values(path, program):
    with xr.set_options(chunk_manager="accel"):
        xr.testing.assert_allclose(program(opened(path)), program(opened(path, "dask").load()))


def test_one_line_is_enough(path):
    data = opened(path)
    assert isinstance(data.temp.data, ChunkedArray)
    assert data.temp.chunks == ((100,) * 4, (4,), (6,))
    xr.testing.assert_equal(data.compute(), opened(path, "dask").compute())


def test_load_and_values_compute(path):
    data = opened(path)
    expected = opened(path, "dask").load()
    assert np.array_equal(data.temp.values, expected.temp.values)
    assert isinstance(data.load().rain.data, np.ndarray)


def test_persisted_data_stay_in_chunks(path):
    kept = opened(path).persist()
    assert kinds_of(kept) == {ChunkedArray}
    xr.testing.assert_equal(kept.compute(), opened(path, "dask").load())


def test_data_are_written_to_zarr_chunk_by_chunk(path, tmp_path):
    (opened(path) + 1).to_zarr(tmp_path / "out.zarr", consolidated=False)
    assert zarr.open(tmp_path / "out.zarr/temp").chunks == (100, 4, 6)
    xr.testing.assert_equal(opened(tmp_path / "out.zarr").load(), opened(path, "dask").load() + 1)


def test_regions_of_a_zarr_array_are_written(path, tmp_path):
    data = opened(path)
    data.to_zarr(tmp_path / "out.zarr", compute=False, consolidated=False)
    part = data.isel(time=slice(100, 200))[["temp", "rain"]].drop_vars(["lat", "lon"])
    part.to_zarr(tmp_path / "out.zarr", region={"time": slice(100, 200)}, consolidated=False)
    result = opened(tmp_path / "out.zarr").temp.isel(time=slice(100, 200))
    xr.testing.assert_equal(result.load(), opened(path, "dask").temp.isel(time=slice(100, 200)).load())


def test_data_are_written_to_netcdf(path, tmp_path):
    opened(path).to_netcdf(tmp_path / "out.nc", engine="scipy")
    with xr.open_dataset(tmp_path / "out.nc", engine="scipy") as result:
        xr.testing.assert_equal(result.load(), opened(path, "dask").load())


def test_data_of_dask_become_ours_when_they_are_rechunked(path):
    ours = opened(path, "dask").chunk({"time": 50}, chunked_array_type="accel")
    assert kinds_of(ours) == {ChunkedArray}
    assert ours.temp.chunksizes["time"][0] == 50


def test_data_without_elements_are_cut_into_auto_chunks():
    empty = xr.DataArray(np.zeros((0, 3)), dims=("x", "y"))
    with xr.set_options(chunk_manager="accel"):
        chunked = empty.chunk("auto")
        assert isinstance(chunked.data, ChunkedArray)
        assert chunked.chunk({"x": "auto"}).compute().shape == (0, 3)


def test_a_plot_has_the_values(path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    data = opened(path).temp.isel(lat=0, lon=0)
    (line,) = data.plot()
    assert np.array_equal(line.get_ydata(), data.values)


def test_what_cannot_be_shuffled_to_is_refused():
    x = ChunkedArray.from_array(np.arange(4), chunks=2)
    with pytest.raises(NotImplementedError, match="rechunk after"):
        ChunkManager().shuffle(x, [[0, 1], [2, 3]], 0, (1, 1))


def test_chunks_have_the_size_that_dask_is_configured_to():
    with dask.config.set({"array.chunk-size": "1 MiB"}):
        assert ChunkManager().get_auto_chunk_size() == 1 << 20


def test_functions_of_the_namespace_have_public_names_only():
    with pytest.raises(AttributeError, match="_private"):
        ChunkManager().array_api._private  # noqa: B018
