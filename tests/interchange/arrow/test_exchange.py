"""Columns go to Arrow libraries and come back, sharing memory where the layouts agree."""

import gc
import threading
import weakref

import nanoarrow
import nanoarrow.device
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accel.device import Device
from accel.errors import DeviceMismatchError, DTypeError, InterchangeError
from accel.interchange.arrow import (
    Lists,
    Strings,
    Struct,
    Values,
    array_capsules,
    device_array_capsules,
    receive_column,
    receive_columns,
)
from accel.interchange.arrow.host_columns import column_on_host, joined, rows_of
from accel.memory import HostStorage, allocate

from ...threads import run_at_once

PRIMITIVES = {
    pa.bool_(): st.booleans(),
    pa.int8(): st.integers(-(2**7), 2**7 - 1),
    pa.uint16(): st.integers(0, 2**16 - 1),
    pa.int32(): st.integers(-(2**31), 2**31 - 1),
    pa.uint64(): st.integers(0, 2**64 - 1),
    pa.float16(): st.floats(width=16, allow_nan=False),
    pa.float64(): st.floats(allow_nan=False),
    pa.utf8(): st.text(max_size=5),
    pa.large_utf8(): st.text(max_size=5),
}


@st.composite
def types(draw, depth=2):
    """A type, and a strategy for its values without None."""
    leaf, values = draw(st.sampled_from(list(PRIMITIVES.items())))
    kind = draw(st.sampled_from(["leaf", "list", "large_list", "struct"])) if depth else "leaf"
    if kind == "leaf":
        return leaf, values
    child, inner = draw(types(depth=depth - 1))
    inner = st.none() | inner
    if kind == "struct":
        second, other = draw(types(depth=depth - 1))
        return pa.struct({"a": child, "b": second}), st.fixed_dictionaries({"a": inner, "b": st.none() | other})
    return (pa.list_ if kind == "list" else pa.large_list)(child), st.lists(inner, max_size=3)


@st.composite
def pyarrow_arrays(draw):
    kind, values = draw(types())
    whole = pa.array(draw(st.lists(st.none() | values, max_size=12)), kind)
    low = draw(st.integers(0, len(whole)))
    return whole.slice(low, draw(st.integers(0, len(whole) - low)))


class Exported:
    def __init__(self, column):
        self.column = column

    def __arrow_c_array__(self, requested_schema=None):
        return array_capsules(self.column)


class ExportedOnDevice(Exported):
    def __arrow_c_device_array__(self, requested_schema=None, **options):
        return device_array_capsules(self.column)


def host(values, dtype):
    return HostStorage.on_array(np.array(values, dtype))


@pytest.mark.slow
@given(pyarrow_arrays())
def test_what_comes_from_pyarrow_goes_back_the_same(array):
    back = pa.array(Exported(receive_column(array)))
    back.validate(full=True)
    assert back.type == array.type
    assert back.to_pylist() == array.to_pylist()


@given(pyarrow_arrays(), st.data())
def test_taken_elements_are_those_that_pyarrow_takes(array, data):
    if len(array):
        order = np.array(data.draw(st.lists(st.integers(0, len(array) - 1), max_size=9)), np.int64)
        moved = pa.array(Exported(rows_of(receive_column(array), order)))
        moved.validate(full=True)
        assert moved.to_pylist() == array.take(pa.array(order, pa.int64())).to_pylist()


@given(pyarrow_arrays(), st.data())
def test_joined_pieces_are_the_chunked_array(array, data):
    cut = data.draw(st.integers(0, len(array)))
    chunked = pa.chunked_array([array[:cut], array[cut:], array[:cut]])
    whole = pa.array(Exported(joined(receive_columns(chunked))))
    whole.validate(full=True)
    assert whole.to_pylist() == chunked.to_pylist()


@given(pyarrow_arrays())
def test_what_comes_from_nanoarrow_goes_back_the_same(array):
    column = receive_column(nanoarrow.c_array(array))
    assert pa.array(nanoarrow.c_array(Exported(column))).to_pylist() == array.to_pylist()


@pytest.mark.parametrize(
    ("array", "shared"),
    [
        (pa.array([1.5, 2.5, None])[1:], 1),
        (pa.array(["a", "bc"]), 1),
        (pa.array(["a", "bc"])[1:], 1),
        (pa.array(["a", "bc"]), 2),
        (pa.array(["a", "bc"], pa.large_utf8()), 2),
        (pa.array([[1], [2, 3]], pa.large_list(pa.int16())), 3),
    ],
)
def test_memory_is_shared_in_both_directions(array, shared):
    column = receive_column(array)
    back = pa.array(Exported(column))
    address = array.buffers()[shared].address
    shift = array.offset * (8 if shared == 1 and array.type == pa.float64() else 4 * (shared == 1))
    assert back.buffers()[shared].address == address + shift


def test_what_pyarrow_gave_is_read_only():
    assert receive_column(pa.array([1, 2])).values.readonly


def test_memory_of_the_producer_lives_as_long_as_the_column():
    before = pa.total_allocated_bytes()
    array = pa.array(np.arange(10_000))
    column = receive_column(array)
    del array
    seen = np.asarray(column.values)
    del column
    gc.collect()
    assert pa.total_allocated_bytes() > before
    assert seen.sum() == 9999 * 5000
    del seen
    gc.collect()
    assert pa.total_allocated_bytes() == before


def test_our_memory_lives_as_long_as_the_consumer_has_it():
    storage = host(range(1000), "int64")
    known = weakref.ref(storage.owner)
    array = pa.array(Exported(Values(storage)))
    del storage
    gc.collect()
    assert known() is not None
    assert array.to_pylist() == list(range(1000))
    del array
    gc.collect()
    assert known() is None


def test_a_child_that_a_consumer_keeps_outlives_its_parent():
    storage = host(range(5), "int64")
    known = weakref.ref(storage.owner)
    array = pa.array(Exported(Struct(5, (("x", Values(storage)), ("y", Values(host([1.0] * 5, "float64")))))))
    child = array.field(0)
    del array, storage
    gc.collect()
    assert child.to_pylist() == [0, 1, 2, 3, 4]
    del child
    gc.collect()
    assert known() is None


@pytest.mark.parametrize("capsules", [array_capsules, device_array_capsules])
def test_a_capsule_that_is_not_consumed_frees_its_memory(capsules):
    storage = host(range(5), "int64")
    known = weakref.ref(storage.owner)
    held = capsules(Lists(host([0, 2, 5], "int32"), Values(storage)))
    del storage
    gc.collect()
    assert known() is not None
    del held
    gc.collect()
    assert known() is None


def test_a_capsule_is_taken_once():
    class Twice:
        capsules = array_capsules(Values(host([1], "int8")))

        def __arrow_c_array__(self, requested_schema=None):
            return self.capsules

    twice = Twice()
    assert pa.array(twice).to_pylist() == [1]
    with pytest.raises(InterchangeError, match="taken over or released before"):
        receive_column(twice)


def test_a_consumer_may_release_on_another_thread():
    storage = host(range(5), "int64")
    known = weakref.ref(storage.owner)
    held = [pa.array(Exported(Values(storage)))]
    del storage
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    gc.collect()
    assert known() is None


def test_many_threads_exchange_at_once():
    array, wrong = pa.array([["a", None], [], ["b"]] * 50), []

    def exchange():
        for _ in range(50):
            back = pa.array(Exported(receive_column(array)))
            wrong.extend([back] * (back != array))

    run_at_once([exchange] * 4)
    assert not wrong


def test_a_device_array_on_sim_goes_through_nanoarrow_and_back():
    column = Strings(*(on_sim(each) for each in ([0, 1, 1, 4], np.frombuffer(b"abcd", np.uint8), [True, False, True])))
    held = nanoarrow.device.c_device_array(ExportedOnDevice(column))
    assert (held.device_type.value, held.device_id) == Device.SIM.dlpack
    back = receive_column(held)
    assert back.chars.device is Device.SIM
    assert back.chars.pointer == column.chars.pointer
    assert pa.array(Exported(column_on_host(back))).to_pylist() == ["a", None, "bcd"]


def on_sim(values):
    values = np.array(values)
    storage = allocate(Device.SIM, values.size, values.dtype)
    from accel.memory import copy_elements

    copy_elements(storage, HostStorage.on_array(values))
    return storage


def test_memory_of_a_device_is_refused_by_the_interface_of_the_host():
    with pytest.raises(DeviceMismatchError, match="offload_to"):
        array_capsules(Values(on_sim([1, 2])))


def test_a_column_on_two_devices_is_refused():
    with pytest.raises(InterchangeError, match="one device"):
        device_array_capsules(Values(on_sim([1, 2]), host([True, True], "bool")))


@pytest.mark.parametrize(
    "array",
    [
        pa.array([1, 2], pa.date32()),
        pa.array(["a"]).dictionary_encode(),
        pa.nulls(2),
        pa.array([b"a"]),
        pa.array([[1, 2]], pa.list_(pa.int8(), 2)),
    ],
)
def test_types_without_counterpart_are_refused(array):
    with pytest.raises((DTypeError, InterchangeError), match=r"pyarrow.*(cast|dictionary_decode)"):
        receive_column(array)


def test_elements_that_arrow_cannot_have_are_refused():
    with pytest.raises(DTypeError, match="complex64"):
        array_capsules(Values(host([1j], "complex64")))


def test_what_has_no_arrow_method_is_refused():
    with pytest.raises(TypeError, match="__arrow_c_array__"):
        receive_column([1, 2])


def test_a_producer_that_fails_is_named():
    class Fails:
        def __arrow_c_array__(self, requested_schema=None):
            raise OSError("no")

    with pytest.raises(InterchangeError, match="Fails failed: OSError"):
        receive_column(Fails())


def test_a_stream_that_fails_says_why():
    def batches():
        yield pa.record_batch({"a": [1]})
        raise OSError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"a": pa.int64()}), batches())
    with pytest.raises(InterchangeError, match="the disk is gone"):
        receive_columns(reader)


def test_what_is_held_at_exit_is_released_once_and_ends_quietly(python):
    python("""
        import pyarrow as pa
        from accel.store.arrays import from_arrow, from_strings

        kept = from_arrow(pa.array(["a", "b"]))
        given = pa.array(from_strings(["c", "d"]))
        capsule = from_strings(["e"]).__arrow_c_array__()
        chained = pa.array(from_arrow(pa.array(from_strings(["f"]))))
    """)


def test_what_is_held_at_exit_is_released_once_by_its_callback(python):
    printed = python("""
        import ctypes
        import pyarrow as pa
        from accel.interchange.arrow.abi import ArrowArray
        from accel.interchange.arrow import receive_column

        @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        def release(address):
            print("released")
            ArrowArray.from_address(address).release = None

        class Producer:
            def __arrow_c_array__(self, requested_schema=None):
                schema, array = pa.array([1, 2]).__arrow_c_array__()
                pointer = ctypes.pythonapi.PyCapsule_GetPointer
                pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
                held = ArrowArray.from_address(pointer(array, b"arrow_array"))
                held.release = ctypes.cast(release, ctypes.c_void_p)
                return schema, array

        kept = receive_column(Producer())
    """)
    assert printed == "released"
