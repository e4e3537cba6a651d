"""Arrays and storages of ours in messages of Dask and in its accounts of memory."""

import numpy as np
import pytest
from dask.sizeof import sizeof
from distributed.protocol import deserialize, serialize

from accel import xp
from accel.device import resolve
from accel.dtypes import as_dtype
from accel.memory import allocate
from accel.store import from_array


def carried(x):
    """Return the header, and what is received when the frames went through a connection."""
    header, frames = serialize(x)
    return header, deserialize(header, [bytes(frame) for frame in frames])


@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize("dtype", ["float32", "complex128", "bool", "bfloat16"])
@pytest.mark.parametrize("shape", [(), (0, 3), (4, 3)])
def test_arrays_are_sent_to_the_same_device_without_a_pickle(device, dtype, shape):
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    x = xp.astype(xp.asarray(values, device=device), as_dtype(dtype))
    header, received = carried(x)
    assert header["serializer"] == "dask"
    assert type(received) is type(x)
    assert (received.shape, received.dtype, received.device) == (x.shape, x.dtype, x.device)
    assert np.asarray(received.to_device("cpu")).tolist() == np.asarray(x.to_device("cpu")).tolist()


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_strided_arrays_are_sent_as_their_elements(device):
    x = xp.reshape(xp.arange(12, device=device), (3, 4))
    for view in (x[::2, 1:], xp.permute_dims(x, (1, 0)), xp.flip(x)):
        _, received = carried(view)
        assert np.array_equal(np.asarray(received.to_device("cpu")), np.asarray(view.to_device("cpu")))


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_dask_knows_the_bytes_of_arrays_and_storages(device):
    x = xp.zeros((4, 5), dtype=xp.float64, device=device)
    assert sizeof(x) == 160
    assert sizeof(allocate(resolve(device), 6, np.dtype("float32"))) == 24


def test_arrays_come_back_from_a_worker(cluster):
    client = cluster.cluster.client
    # Made there: Dask keeps the memory of messages that this process has sent, and other tests count what is kept.
    x = client.submit(lambda: xp.asarray([1.0, 2.0, 3.0]), pure=False)
    future = client.submit(lambda y: y + 1, x, pure=False)
    assert np.asarray(future.result()).tolist() == [2.0, 3.0, 4.0]
    assert from_array(future.result()).shape == (3,)
