import json
import math
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from accel.errors import DTypeError, FormatError, ReadOnlyError, StoreSizeError, StoreValueError
from accel.store import Tiled, create_store, from_array, from_zarr

DTYPES = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


def values_of(store):
    return np.asarray(store.get_physical_store())


@given(
    arrays(st.sampled_from(DTYPES), array_shapes(min_dims=0, max_dims=3, max_side=7)),
    st.lists(st.integers(1, 9), min_size=3, max_size=3),
)
def test_what_is_written_is_read_with_any_chunks(tmp_path_factory, values, sizes):
    path = tmp_path_factory.mktemp("zarr") / "x.zarr"
    chunks = tuple(sizes[: values.ndim])
    from_array(values).to_zarr(path, chunks)
    store = from_zarr(path)
    assert (store.shape, store.dtype) == (values.shape, values.dtype)
    assert store.root.contents.tile_shape == chunks
    np.testing.assert_array_equal(zarr.open(path)[...], values)
    np.testing.assert_array_equal(values_of(store), values)


@pytest.fixture
def path(tmp_path):
    folder = tmp_path / "x.zarr"
    zarr.create_array(folder, shape=(5, 7), chunks=(2, 3), dtype="f8")[...] = np.arange(35).reshape(5, 7)
    return folder


X = np.arange(35.0).reshape(5, 7)

VIEWS = {
    "whole": (lambda s: s, X),
    "slice": (lambda s: s[1:3, 2:], X[1:3, 2:]),
    "transposed": (lambda s: s.transpose([1, 0])[1:], X.T[1:]),
    "projected": (lambda s: s.project(0, 3), X[3]),
    "promoted": (lambda s: s[2:3].promote(0, 2), np.stack([X[2:3]] * 2)),
    "split": (lambda s: s[:4].delinearize(0, (2, 2)), X[:4].reshape(2, 2, 7)),
    "empty": (lambda s: s[2:2], X[2:2]),
    "reinterpreted": (lambda s: s[1].reinterpret_as("int64"), X[1].view("int64")),
}


@pytest.mark.parametrize(("view", "expected"), VIEWS.values(), ids=VIEWS)
def test_numpy_reads_only_the_box_of_a_view(path, view, expected):
    store = from_zarr(path)
    part = view(store)
    assert np.array_equal(np.asarray(part), expected)
    assert isinstance(store.root.contents, Tiled), "nothing was gathered"


@pytest.mark.parametrize(("view", "expected"), VIEWS.values(), ids=VIEWS)
def test_a_view_is_written(path, tmp_path, view, expected):
    view(from_zarr(path)).to_zarr(tmp_path / "y.zarr")
    assert np.array_equal(zarr.open(tmp_path / "y.zarr")[...], expected)


def test_nothing_is_read_before_values_are_used(path):
    store = from_zarr(path)
    (path / "c/0/0").write_bytes(b"damaged")
    assert store.shape == (5, 7)
    assert np.array_equal(np.asarray(store[2:]), X[2:])


def test_chunks_that_were_never_written_have_the_fill_value(tmp_path):
    zarr.create_array(tmp_path / "x", shape=(6,), chunks=(2,), dtype="i4", fill_value=7)[2:4] = 1
    assert values_of(from_zarr(tmp_path / "x")).tolist() == [7, 7, 1, 1, 7, 7]


def test_shards_are_read_by_their_chunks(tmp_path):
    zarr.create_array(tmp_path / "x", shape=(100,), chunks=(10,), shards=(50,), dtype="i4")[...] = np.arange(100)
    store = from_zarr(tmp_path / "x")
    assert store.root.contents.tile_shape == (10,)
    assert np.array_equal(values_of(store), np.arange(100))


@pytest.mark.parametrize("dtype", [">i4", ">f8", "<u2"])
def test_bytes_in_another_order_become_native(tmp_path, dtype):
    zarr.create_array(tmp_path / "x", shape=(4,), chunks=(3,), dtype=dtype, zarr_format=2)[...] = np.arange(4)
    store = from_zarr(tmp_path / "x")
    assert store.dtype.isnative
    assert values_of(store).tolist() == [0, 1, 2, 3]
    assert np.asarray(store[1:3]).tolist() == [1, 2]


def test_an_array_of_zarr_in_any_of_its_stores_is_read():
    array = zarr.create_array({}, shape=(4,), chunks=(3,), dtype="f4")
    array[...] = 2
    assert values_of(from_zarr(array)).tolist() == [2] * 4


def test_a_store_of_a_file_is_never_written(path):
    store = from_zarr(path)
    with pytest.raises(ReadOnlyError):
        store.fill(1)
    assert not values_of(store).flags.writeable


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_a_store_is_written_from_its_device_and_stays_there(tmp_path, device):
    store = create_store("float32", (4, 6))
    store.fill(3)
    store.offload_to(device)
    place = store.root.place
    store.to_zarr(tmp_path / "x", chunks=(3, 4))
    assert store.root.place == place
    assert np.array_equal(zarr.open(tmp_path / "x")[...], np.full((4, 6), 3, "f4"))


def test_a_store_of_a_file_moves_to_a_device(path):
    store = from_zarr(path)
    store.offload_to("sim")
    assert np.array_equal(values_of(store), X)


def test_chunks_of_the_file_are_kept(path, tmp_path):
    from_zarr(path).to_zarr(tmp_path / "y")
    assert zarr.open(tmp_path / "y").chunks == (2, 3)


def test_default_chunks_are_whole_rows_of_a_few_mebibytes(tmp_path):
    from_array(np.zeros((2000, 1000))).to_zarr(tmp_path / "x")
    assert zarr.open(tmp_path / "x").chunks == (524, 1000)


def test_a_file_is_replaced_by_the_array_that_was_read_from_it(path):
    from_zarr(path).transpose([1, 0]).to_zarr(path)
    assert np.array_equal(zarr.open(path)[...], X.T)
    assert list(path.parent.iterdir()) == [path]


class Interrupted(BaseException):
    pass


def test_an_interrupted_write_leaves_the_old_array_and_nothing_else(path, monkeypatch):
    def interrupt(array, key, value):
        raise Interrupted

    monkeypatch.setattr(zarr.Array, "__setitem__", interrupt)
    with pytest.raises(Interrupted):
        from_array(np.zeros(3)).to_zarr(path)
    assert np.array_equal(zarr.open(path)[...], X)
    assert list(path.parent.iterdir()) == [path]


def test_a_killed_process_leaves_the_old_array(path):
    program = """
        import os, sys
        import numpy as np, zarr
        from accel.store import from_array
        written = zarr.Array.__setitem__
        def die(array, key, value):
            written(array, key, value)
            os.kill(os.getpid(), 9)
        zarr.Array.__setitem__ = die
        from_array(np.zeros((4, 4))).to_zarr(sys.argv[1], chunks=(2, 2))
    """
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(program), str(path)], check=False)
    assert ended.returncode == -9
    assert np.array_equal(zarr.open(path)[...], X)


def test_without_an_exchange_of_folders_the_old_one_is_moved_aside(path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "other")
    from_array(np.zeros(3)).to_zarr(path)
    assert np.array_equal(zarr.open(path)[...], np.zeros(3))
    assert list(path.parent.iterdir()) == [path]


def test_other_folders_and_files_are_not_replaced(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/mine.txt").write_text("mine")
    zarr.create_group(tmp_path / "group").create_array("x", shape=(3,), dtype="f4")
    for name in ("notes", "notes/mine.txt", "group"):
        with pytest.raises(FileExistsError, match=r"is no array of zarr; remove it"):
            from_array(np.zeros(3)).to_zarr(tmp_path / name)
    assert (tmp_path / "notes/mine.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("chunks", "error"),
    [((2,), StoreValueError), ((2, 0), StoreValueError), ((2, -1), StoreSizeError), (3, StoreValueError)],
)
def test_chunks_that_do_not_fit_are_refused_before_anything_is_written(tmp_path, chunks, error):
    with pytest.raises(error):
        from_array(X).to_zarr(tmp_path / "x", chunks)
    assert not list(tmp_path.iterdir())


def test_elements_that_zarr_has_not_are_refused_with_what_to_write(tmp_path):
    with pytest.raises(DTypeError, match=r"no elements of type bfloat16; write store.reinterpret_as\('uint16'\)"):
        create_store("bfloat16", (3,)).to_zarr(tmp_path / "x")
    create_store("bfloat16", (3,)).reinterpret_as("uint16").to_zarr(tmp_path / "x")


@pytest.mark.parametrize("dtype", ["M8[s]", "m8[ns]"])
def test_elements_that_no_store_has_are_refused(tmp_path, dtype):
    zarr.create_array(tmp_path / "x", shape=(3,), dtype=dtype, zarr_format=2)
    with pytest.raises(DTypeError, match=r"has elements of type .*; convert it to numbers"):
        from_zarr(tmp_path / "x")


def test_a_path_without_an_array_is_a_file_not_found_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="no array of zarr at"):
        from_zarr(tmp_path / "nothing")


def test_a_group_is_refused_with_the_names_of_its_arrays(tmp_path):
    group = zarr.create_group(tmp_path / "group")
    group.create_array("temp", shape=(3,), dtype="f4")
    with pytest.raises(FormatError, match=r"give the path of one array in it: temp"):
        from_zarr(tmp_path / "group")


DAMAGE = {
    "nothing": lambda metadata: "",
    "half": lambda metadata: json.dumps(metadata)[:100],
    "negative shape": lambda metadata: {**metadata, "shape": [-4, 7]},
    "a shape past all memory": lambda metadata: {**metadata, "shape": [2**62, 7]},
    "no shape": lambda metadata: {key: value for key, value in metadata.items() if key != "shape"},
    "a chunk past all memory": lambda metadata: {**metadata, "chunk_grid": chunk_grid([2**50, 3])},
    "a chunk without elements": lambda metadata: {**metadata, "chunk_grid": chunk_grid([0, 3])},
    "a chunk of another rank": lambda metadata: {**metadata, "chunk_grid": chunk_grid([3])},
    "an unknown codec": lambda metadata: {**metadata, "codecs": [{"name": "no such codec"}]},
    "a codec that unpickles": lambda metadata: {**metadata, "codecs": [{"name": "numcodecs.pickle"}]},
    "an unknown type": lambda metadata: {**metadata, "data_type": "float99"},
    "a future format": lambda metadata: {**metadata, "zarr_format": 9},
}


def chunk_grid(shape):
    return {"name": "regular", "configuration": {"chunk_shape": shape}}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_description_is_a_format_error(path, damage):
    damaged = damage(json.loads((path / "zarr.json").read_text()))
    (path / "zarr.json").write_text(damaged if isinstance(damaged, str) else json.dumps(damaged))
    with pytest.raises(FormatError):
        from_zarr(path)


@pytest.mark.parametrize("damage", [b"", b"\0" * 40, b"text"])
def test_a_damaged_chunk_is_a_format_error_that_names_the_array(path, damage):
    (path / "c/1/1").write_bytes(damage)
    store = from_zarr(path)
    assert np.array_equal(np.asarray(store[:2]), X[:2])
    with pytest.raises(FormatError, match=r"a chunk of .*x\.zarr cannot be read: .*; write the array again"):
        np.asarray(store[2:])
    with pytest.raises(FormatError):
        store.get_physical_store()


def test_python_objects_are_never_unpickled(tmp_path):
    """The filter of this file would unpickle each chunk."""
    zarr.create_array(tmp_path / "x", shape=(3,), dtype="f4", zarr_format=2, compressors=None)[...] = 1
    description = json.loads((tmp_path / "x/.zarray").read_text())
    for change in ({"filters": [{"id": "pickle"}]}, {"compressor": {"id": "pickle"}}, {"dtype": "|O"}):
        (tmp_path / "x/.zarray").write_text(json.dumps({**description, **change}))
        with pytest.raises(FormatError):
            from_zarr(tmp_path / "x")


def test_the_shape_of_tiles_is_positive_for_arrays_without_elements(tmp_path):
    create_store("int8", (0, 3)).to_zarr(tmp_path / "x")
    assert math.prod(from_zarr(tmp_path / "x").root.contents.tile_shape) > 0
