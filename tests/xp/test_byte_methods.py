"""Bytes of elements: in another order, and in files."""

import io
import pickle

import numpy as np
import pytest

from accel import xp
from accel.errors import OverlapError, ReleasedError

VALUES = np.array([[1.5, -2.0, 0.0], [3.0, np.nan, np.inf]])
DTYPES = ("bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64", "complex128")


@pytest.mark.parametrize("dtype", DTYPES)
def test_swapped_bytes_are_those_of_numpy(dtype, device):
    for made in (VALUES[:, :1], np.arange(24).reshape(2, 3, 4).T[::-1], np.array(7)):
        values = made.astype(dtype)
        x = xp.asarray(values, device=device, copy=True)
        assert x.byteswap().tobytes() == values.byteswap().tobytes()
        assert x.tobytes() == values.tobytes()
        assert x.byteswap(inplace=True) is x
        assert x.tobytes() == values.byteswap().tobytes()


def test_swapped_bytes_of_a_dtype_that_numpy_lacks(device):
    x = xp.asarray([1.0, -2.0], dtype="bfloat16", device=device)
    assert x.tobytes() == bytes([0x80, 0x3F, 0x00, 0xC0])
    assert x.byteswap().tobytes() == bytes([0x3F, 0x80, 0xC0, 0x00])


def test_views_are_swapped_in_place(device):
    x = xp.asarray(VALUES, device=device, copy=True)
    x[:, 1].byteswap(inplace=True)
    expected = VALUES.copy()
    expected[:, 1].byteswap(inplace=True)
    assert x.tobytes() == expected.tobytes()


def test_elements_that_share_memory_are_not_swapped(device):
    with pytest.raises(OverlapError, match="write to a copy"):
        xp.broadcast_to(xp.ones(1, device=device), (3,)).byteswap(inplace=True)


def test_files_are_those_of_numpy(device, tmp_path):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for values in (VALUES, VALUES.T, VALUES[:, ::-2], VALUES[0, 0]):
        x = xp.asarray(values, device=device)
        for options in ({}, {"sep": ","}, {"sep": " ", "format": "%.3f"}):
            x.tofile(ours, **options)
            np.asarray(values).tofile(theirs, **options)
            assert ours.read_bytes() == theirs.read_bytes()
    with ours.open("wb") as file:
        file.write(b"head")
        file.flush()
        xp.asarray(VALUES, device=device).tofile(file)
    assert ours.read_bytes() == b"head" + VALUES.tobytes()


def test_pickles_are_of_the_array(device, tmp_path):
    x, stream = xp.asarray(VALUES.T, device=device), io.BytesIO()
    x.dump(stream)
    x.dump(tmp_path / "file")
    for pickled in (x.dumps(), stream.getvalue(), (tmp_path / "file").read_bytes()):
        back = pickle.loads(pickled)
        assert (type(back), back.device, back.shape) == (xp.Array, x.device, x.shape)
        assert back.tobytes() == x.tobytes()
    assert np.load(tmp_path / "file", allow_pickle=True).tobytes() == x.tobytes()


def test_a_file_keeps_its_bytes_if_the_array_was_released(tmp_path, device):
    x = xp.ones(3, device=device)
    x.storage.release()
    (tmp_path / "file").write_bytes(b"before")
    for write in (x.dump, x.tofile):
        with pytest.raises(ReleasedError):
            write(tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == b"before"
