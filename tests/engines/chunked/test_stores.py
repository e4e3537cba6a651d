import dask
import dask.array as da
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accel import xp
from accel.engines.chunked import ChunkedArray, get
from accel.errors import DeviceMismatchError, DTypeError, ReadOnlyError, StoreValueError
from accel.store import Tiled, create_store, from_array, from_zarr

X = np.arange(36.0).reshape(6, 6)


@given(st.tuples(st.slices(6), st.one_of(st.slices(6), st.integers(-6, 5), st.lists(st.integers(-6, 5), max_size=4))))
def test_a_store_in_chunks_is_indexed_as_its_array(key):
    key = tuple(np.array(part, int) if isinstance(part, list) else part for part in key)
    chunked = ChunkedArray.from_array(from_array(X), chunks=(2, 4))
    assert np.array_equal(chunked[key].compute(), X[key])


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_a_store_on_any_device_is_read_when_its_chunks_are_computed(device):
    store = create_store("float64", (4, 6))
    chunked = ChunkedArray.from_array(store, chunks=(3, 4))
    store.fill(2)
    store.offload_to(device)
    place = store.root.place
    assert float(chunked.sum()) == 48
    assert store.root.place == place


def test_dask_takes_a_store_as_an_array():
    assert float(da.from_array(from_array(X), chunks=(4, 3)).mean().compute()) == X.mean()


def test_two_dask_arrays_of_a_store_have_two_names():
    store = create_store("float64", (4,))
    assert da.from_array(store, chunks=2).name != da.from_array(store, chunks=2).name
    assert ChunkedArray.from_array(store, chunks=2).name != ChunkedArray.from_array(store, chunks=2).name


def test_an_array_of_dask_is_rechunked_if_chunks_are_given():
    array = da.from_array(X, chunks=3)
    assert ChunkedArray.from_array(array).chunks == array.chunks
    assert ChunkedArray.from_array(ChunkedArray(array), chunks=2).chunks == ((2,) * 3,) * 2


def test_a_store_of_a_file_has_the_chunks_of_the_file(tmp_path):
    from_array(X).to_zarr(tmp_path / "x", chunks=(4, 3))
    store = from_zarr(tmp_path / "x")
    chunked = ChunkedArray.from_array(store)
    assert chunked.chunks == ((4, 2), (3, 3))
    assert np.array_equal(chunked.T, X.T)
    assert isinstance(store.root.contents, Tiled), "nothing was gathered"


def test_a_chunked_array_as_a_store_is_computed_by_boxes():
    calls = []

    def twice(block):
        calls.append(block.shape)
        return block * 2

    store = ChunkedArray.from_array(X, chunks=(2, 3)).map_blocks(twice, dtype=float, meta=np.empty((0, 0))).to_store()
    assert isinstance(store.root.contents, Tiled)
    assert store.root.contents.tile_shape == (2, 3)
    assert calls == []
    assert np.array_equal(np.asarray(store[2:4, :3]), 2 * X[2:4, :3])
    assert calls == [(2, 3)]
    assert np.array_equal(np.asarray(store.get_physical_store()), 2 * X)


def test_a_chunked_array_is_written_to_zarr_through_a_store(tmp_path):
    (ChunkedArray.from_array(X, chunks=(4, 3)) + 1).to_store().to_zarr(tmp_path / "x")
    assert from_zarr(tmp_path / "x").root.contents.tile_shape == (4, 3)
    assert np.array_equal(np.asarray(from_zarr(tmp_path / "x")), X + 1)


def test_a_store_of_a_chunked_array_is_never_written():
    store = ChunkedArray.from_array(X, chunks=3).to_store()
    with pytest.raises(ReadOnlyError):
        store.fill(0)


def test_a_single_number_becomes_a_store():
    assert np.asarray(ChunkedArray.from_array(X, chunks=3).sum().to_store()) == X.sum()


def test_chunks_of_unknown_sizes_make_no_store():
    with pytest.raises(StoreValueError, match="sizes of chunks are not known"):
        np.unique(ChunkedArray.from_array(X, chunks=3)).to_store()


def test_elements_that_no_store_has_are_refused():
    with pytest.raises(DTypeError):
        ChunkedArray.from_array(np.array(["text"]), chunks=1).to_store()


def test_a_failing_chunk_raises_its_exception_where_the_store_is_read():
    def fail(block):
        raise KeyError("in a chunk")

    store = ChunkedArray.from_array(X, chunks=3).map_blocks(fail, dtype=float, meta=np.empty((0, 0))).to_store()
    for read in (store.get_physical_store, lambda: np.asarray(store)):
        with pytest.raises(KeyError, match="in a chunk"):
            read()


CHUNKS_OF_OURS = {
    "sum": lambda x: x.sum(axis=0),
    "mean": lambda x: x.mean(),
    "std": lambda x: x.std(axis=1),
    "extremes": lambda x: x.max(axis=1) - x.min(),
    "argmax": lambda x: x.argmax(axis=0),
    "rechunk": lambda x: x.rechunk((3, 2)),
    "slices": lambda x: x[1:4, ::2],
    "index array": lambda x: x[[0, 3]],
    "concatenate": lambda x: da.concatenate([x, x]),
    "stack": lambda x: da.stack([x, x + 1]),
    "map_blocks": lambda x: x.map_blocks(lambda block: block * 2),
    "matmul": lambda x: x @ x.T,
    "where": lambda x: da.where(x > 3, x, 0),
    "exp": lambda x: da.exp(x / 36),
    "cumsum": lambda x: x.cumsum(axis=0),
    "reshape": lambda x: x.reshape(36),
    "persist": lambda x: x.persist() + 1,
}


@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize("program", CHUNKS_OF_OURS.values(), ids=CHUNKS_OF_OURS)
def test_an_engine_runs_dask_programs_on_chunks_of_ours_where_they_are(program, device):
    x = da.from_array(xp.asarray(X, device=device), chunks=(2, 3), asarray=False)
    with dask.config.set(scheduler=get):
        result = program(x).compute()
        expected = program(da.from_array(X, chunks=(2, 3))).compute()
    assert isinstance(result, xp.Array)
    assert str(result.device) == device
    np.testing.assert_allclose(np.asarray(result.to_device("cpu")), expected)


def test_numpy_gets_the_values_of_chunks_of_ours_on_the_host_and_a_reason_on_a_device():
    assert np.array_equal(np.asarray(da.from_array(xp.asarray(X), chunks=3, asarray=False)), X)
    on_device = da.from_array(xp.asarray(X, device="sim"), chunks=3, asarray=False)
    with pytest.raises(DeviceMismatchError, match=r"write x\.to_device\('cpu'\)"):
        np.asarray(on_device)


def test_chunked_arrays_take_chunks_of_ours():
    chunked = ChunkedArray.from_array(xp.asarray(X, device="sim"), chunks=3, asarray=False)
    result = (chunked + 1).sum(axis=0).compute()
    assert str(result.device) == "sim"
    np.testing.assert_allclose(np.asarray(result.to_device("cpu")), (X + 1).sum(axis=0))


def test_the_scheduler_is_set_for_all_of_dask():
    x = da.from_array(X, chunks=2)
    with dask.config.set(scheduler=get):
        total, rows = dask.compute(x.sum(), dask.delayed(len)(X))
    assert (float(total), rows) == (X.sum(), 6)
