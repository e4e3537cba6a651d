"""A store remembers how it was partitioned last."""

import gc

import numpy as np
import pytest

from accel.errors import StoreValueError
from accel.memory import snapshot
from accel.store import create_store, from_array


def test_there_is_none_before_the_first_partition():
    store = create_store("int64", (4, 6))
    assert store.get_partition() is None
    assert store.transpose((1, 0)).get_partition() is None


def test_it_is_the_last_one_of_this_view():
    store = from_array(np.arange(24).reshape(4, 6))
    view = store.transpose((1, 0))
    store.partition_by_tiling((2, 2))
    store.partition_by_tiling((3, 3), (2, 3))
    result = store.get_partition()
    assert (result.tile_shape, result.color_shape, result.store) == ((3, 3), (2, 3), store)
    assert np.asarray(result.get_child_store(1, 1).get_physical_store()).tolist() == [[21, 22, 23]]
    assert view.get_partition() is None
    view.partition_by_tiling((6, 1))
    assert np.asarray(view.get_partition().get_child_store(0, 1).get_physical_store()).ravel().tolist() == [
        *range(6, 12)
    ]
    with pytest.raises(StoreValueError):
        store.partition_by_tiling((0, 1))
    assert store.get_partition().tile_shape == (3, 3)


@pytest.mark.usefixtures("no_leaks")
def test_it_keeps_no_memory_alive():
    store = create_store("int64", (4,))
    store.partition_by_tiling((2,))
    store.fill(1)
    gc.disable()
    try:
        before = snapshot().live_blocks
        del store
        assert snapshot().live_blocks == before - 1
    finally:
        gc.enable()


def test_a_tile_shape_of_other_values_than_integers_is_refused():
    store = create_store("float64", (4, 4))
    with pytest.raises(StoreValueError, match=r"integers are needed here; found \(2.0, 2\)"):
        store.partition_by_tiling((2.0, 2))
