"""Arrays of `dask.array` become stores and come back, and their values stay on the cluster."""

import dask.array as da
import numpy as np
import pytest

from accel import xp
from accel.engines import engine
from accel.engines.dask import from_dask, to_dask
from accel.errors import StoreValueError
from accel.store import create_store, from_array
from accel.store.slices import Slice


def counted(*shape):
    return np.arange(np.prod(shape, dtype=float)).reshape(shape)


def computed(cluster, array):
    return cluster.cluster.client.compute(array).result()


@pytest.mark.parametrize("chunks", [(3, 4), (5, 5), ((1, 4, 2), (8,))])
def test_the_chunks_of_an_array_are_the_tiles_of_a_store(cluster, tasks, chunks):
    values = counted(7, 8)
    array = da.from_array(values, chunks=chunks)
    store = from_dask(array)
    assert len(store.root.contents.tiles()) == array.npartitions
    tasks.fill(-1.0, store.slice(0, Slice(2, 4)))
    assert (
        to_dask(store).sum().compute(scheduler=cluster.cluster.client).item() == values.sum() - values[2:4].sum() - 16
    )
    assert np.array_equal(computed(cluster, array), values)
    values[2:4] = -1
    assert np.array_equal(cluster.gather(store), values)


def test_chunks_may_be_arrays_of_accel(cluster):
    array = da.from_array(counted(6), chunks=2).map_blocks(xp.asarray)
    assert cluster.gather(from_dask(array)).tolist() == [*range(6)]


def test_chunks_of_unknown_size_are_counted(cluster):
    array = da.from_array(counted(6), chunks=2)
    assert cluster.gather(from_dask(array[array > 2])).tolist() == [3, 4, 5]


def test_a_view_of_a_store_is_the_same_view_of_the_array(cluster, tasks):
    store, values = create_store("float64", (6, 8)), counted(6, 8)
    tasks.copy(from_array(values).partition_by_tiling((4, 3)), store.partition_by_tiling((4, 3)))
    views = [
        (store, values),
        (store.transpose((1, 0)), values.T),
        (store.slice(0, Slice(1, 5)).project(1, 3), values[1:5, 3]),
        (store.delinearize(1, (2, 4)).transpose((2, 0, 1)), values.reshape(6, 2, 4).transpose(2, 0, 1)),
        (store.project(0, 2).promote(0, 3), np.broadcast_to(values[2], (3, 8))),
        (store.reinterpret_as("int64"), values.view("int64")),
    ]
    for view, expected in views:
        array = to_dask(view)
        assert (array.shape, array.dtype) == (expected.shape, expected.dtype)
        assert np.array_equal(computed(cluster, array), expected)
    assert store.root.contents.tiles()


def test_a_store_of_this_process_becomes_an_array(cluster):
    assert computed(cluster, to_dask(from_array(counted(4)))).tolist() == [0, 1, 2, 3]


def test_another_engine_is_refused(cluster):
    with engine("eager").using():
        with pytest.raises(StoreValueError, match="from_dask needs a cluster"):
            from_dask(da.ones(3))
        with pytest.raises(StoreValueError, match="to_dask needs a cluster"):
            to_dask(from_array(counted(4)))
