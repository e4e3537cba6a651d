"""Arrays go to Arrow and come from there, on the host and on the simulated device."""

import gc

import nanoarrow
import nanoarrow.device
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accel.device import Device
from accel.errors import DeviceMismatchError, DTypeError, InterchangeError, ReadOnlyError, StoreValueError
from accel.store import Slice, create_store, from_array
from accel.store.arrays import LogicalArray, create_struct_array, from_arrow, from_strings

SAMPLES = [
    pa.array([1, 2, None], pa.int16()),
    pa.array([1.5, 2.5], pa.float32()),
    pa.array([True, None, False] * 7),
    pa.array(["a", "bé", None, ""]),
    pa.array(["a", "b"], pa.large_utf8()),
    pa.array([[1, 2], None, [], [3]]),
    pa.array([[["a"], None], [], None, [["b", None], []]], pa.large_list(pa.list_(pa.utf8()))),
    pa.array([{"x": 1, "y": ["q"]}, None, {"x": None, "y": []}]),
    pa.array([[{"x": 1}], [{"x": 2}, None]]),
]


@pytest.mark.parametrize("array", SAMPLES, ids=lambda array: str(array.type))
def test_arrays_go_through_the_simulated_device_and_nanoarrow(array):
    for part in (array, array[1:], array[:0]):
        logical = from_arrow(part)
        assert logical.shape == (len(part),)
        logical.offload_to("sim")
        physical = nanoarrow.device.c_device_array(logical)
        assert (physical.device_type.value, physical.device_id) == Device.SIM.dlpack
        back = from_arrow(physical)
        assert {store.root.place.device for store in back.stores()} == {Device.SIM}
        assert back.dtype == logical.dtype
        del physical, logical
        gc.collect()
        assert back.to_arrow().to_pylist() == part.to_pylist()


@pytest.mark.parametrize("array", SAMPLES, ids=lambda array: str(array.type))
def test_every_library_gets_the_same_values(array):
    logical = from_arrow(array)
    assert pa.array(logical).to_pylist() == array.to_pylist()
    assert nanoarrow.Array(logical).to_pylist() == nanoarrow.Array(array).to_pylist()
    assert pa.field(logical).type == pa.array(logical).type


def test_elements_are_those_of_arrow():
    physical = from_arrow(SAMPLES[5]).get_physical_array()
    assert [None if each is None else each.tolist() for each in physical] == [[1, 2], None, [], [3]]
    deep = from_arrow(SAMPLES[6]).get_physical_array()
    assert deep.elements() == SAMPLES[6].to_pylist()
    rows = from_arrow(pa.array([[{"x": "a"}], []])).get_physical_array()
    assert rows.lists() == [{"x": ["a"]}, {"x": []}]


def test_tables_and_batches_are_structs_and_chunks_are_joined():
    table = pa.table({"n": ["a", "b", None], "v": [1, 2, 3]})
    for given_table in (table, table.to_batches()[0], pa.concat_tables([table.slice(1), table])):
        array = from_arrow(given_table)
        assert list(array.fields) == ["n", "v"]
        assert array.to_arrow().to_pylist() == given_table.to_pylist()
    chunked = pa.chunked_array([["a"], ["b", None], []])
    assert from_arrow(chunked).get_physical_array().strings() == ["a", "b", None]


def test_memory_is_shared_with_arrow_both_ways():
    array = pa.array(["a", "bc"], pa.large_utf8())
    logical = from_arrow(array)
    back = logical.to_arrow()
    for mine, theirs in zip(back.buffers()[1:], array.buffers()[1:], strict=True):
        assert mine.address == theirs.address
    values = np.arange(10.0)
    part = LogicalArray(from_array(values)).slice(0, Slice(2, 5)).to_arrow()
    assert part.buffers()[1].address == values.ctypes.data + 16
    assert part.to_pylist() == [2, 3, 4]


def test_arrow_keeps_the_memory_of_a_store_that_is_gone():
    store = create_store("int64", (1000,))
    store.fill(3)
    array = LogicalArray(store).to_arrow()
    del store
    gc.collect()
    assert array.to_pylist() == [3] * 1000


def test_elements_that_are_not_contiguous_are_copied():
    matrix = np.arange(12).reshape(3, 4)
    for device in ("cpu", "sim"):
        store = from_array(matrix)
        store.offload_to(device)
        assert LogicalArray(store.project(1, 1)).to_arrow().to_pylist() == [1, 5, 9]
        assert LogicalArray(store.project(0, 1).slice(0, Slice(0, 1)).broadcast(0, 3)).to_arrow().to_pylist() == [4] * 3


@given(st.lists(st.none() | st.booleans(), max_size=40), st.integers(0, 9))
def test_booleans_and_masks_of_any_length_have_the_right_bits(values, start):
    part = pa.array(values, pa.bool_())[start:]
    back = from_arrow(part).to_arrow()
    back.validate(full=True)
    assert back.to_pylist() == part.to_pylist()
    assert back.null_count == part.null_count


def test_what_arrow_cannot_have_is_refused():
    with pytest.raises(StoreValueError, match="have 1 dimension, and this array has 2"):
        LogicalArray(create_store("int8", (2, 2))).to_arrow()
    with pytest.raises(DTypeError, match="complex64"):
        pa.array(LogicalArray(create_store("complex64", (2,))))


def test_structs_that_have_no_counterpart_are_refused():
    twice = pa.StructArray.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    for array in (twice, pa.array([{}])):
        with pytest.raises(DTypeError, match="different names"):
            from_arrow(array)


def test_a_stream_without_pieces_is_refused():
    with pytest.raises(InterchangeError, match="no pieces"):
        from_arrow(pa.chunked_array([], pa.int8()))


def test_memory_of_a_device_is_not_given_to_readers_of_the_host():
    array = from_strings(["a"])
    array.offload_to("sim")
    with pytest.raises(DeviceMismatchError, match="offload_to"):
        array.__arrow_c_array__()
    assert array.to_arrow().to_pylist() == ["a"]


def test_what_came_from_arrow_cannot_be_written():
    array = from_arrow(pa.array([1, 2]))
    with pytest.raises(ReadOnlyError):
        array.data.fill(0)


def test_a_store_that_was_detached_is_refused():
    store = from_array(np.arange(3))
    array = create_struct_array({"x": store})
    store.detach()
    with pytest.raises(RuntimeError, match="detached"):
        array.to_arrow()
