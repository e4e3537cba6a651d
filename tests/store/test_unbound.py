"""Unbound stores: a task binds their data once; bad buffers are refused."""

import numpy as np
import pytest

import accel
from accel.errors import StoreError, StoreValueError
from accel.store import (
    PhysicalStore,
    StoreTarget,
    TaskLocalBuffer,
    create_buffer,
    create_store,
    task_scope,
)
from accel.store.store_targets import Place, place_of

DEVICES = ["cpu", "sim"]


def unbound(ndim=1, device="cpu", dtype="int32"):
    return PhysicalStore.unbound(np.dtype(dtype), ndim, place_of(device))


def fill(buffer, values):
    tensor = accel.LayoutTensor(
        buffer._storage().window(0, values.size, buffer.type), accel.layout.row_major(*values.shape)
    )
    tensor.copy_from(values)
    return buffer


def content(store):
    storage, extents = store.bound
    return accel.LayoutTensor(storage, accel.layout.row_major(storage.size)).to_numpy().reshape(extents)


def test_a_store_in_pinned_memory_gets_pinned_buffers():
    store = PhysicalStore.unbound(np.dtype("int32"), 1, Place(StoreTarget.ZCMEM, accel.Device("sim")))
    buffer = store.create_output_buffer(2, bind_buffer=True)
    assert (buffer.memory_kind, buffer.device) == (StoreTarget.ZCMEM, accel.Device("sim"))
    with pytest.raises(StoreError, match="bound already"):
        store.bind_empty_data()


@pytest.mark.parametrize("device", DEVICES)
def test_a_bound_output_buffer_gives_the_store_its_elements(device):
    store = unbound(2, device)
    values = np.arange(6, dtype="i4").reshape(2, 3)
    with task_scope():
        fill(store.create_output_buffer((2, 3), bind_buffer=True), values)
    assert content(store).tolist() == values.tolist()
    assert store.is_unbound_store


@pytest.mark.parametrize("device", DEVICES)
def test_smaller_extents_keep_the_first_points_of_the_buffer(device):
    values = np.arange(12, dtype="i4").reshape(3, 4)
    for extents in ((2, 4), (2, 3), (3, 1), (0, 4), (3, 0), (3, 4)):
        store = unbound(2, device)
        with task_scope():
            store.bind_data(fill(store.create_output_buffer((3, 4)), values), extents)
        assert content(store).tolist() == values[: extents[0], : extents[1]].tolist()


def test_the_buffers_that_are_not_bound_are_freed_with_the_task():
    store = unbound()
    with accel.memory.track() as tracked, task_scope():
        others = [store.create_output_buffer(1000), store.create_output_buffer(1000)]
        store.bind_data(store.create_output_buffer(3))
    assert (tracked.on("cpu").live_blocks, store.bound[1]) == (1, (3,))
    with pytest.raises(accel.errors.ReleasedError):
        others[0].get_inline_allocation()


def test_a_destroyed_buffer_leaves_the_bound_data():
    store = unbound()
    buffer = fill(store.create_output_buffer(2), np.array([4, 5], "i4"))
    store.bind_data(buffer)
    buffer.destroy()
    assert content(store).tolist() == [4, 5]


def test_bytes_are_bound_as_elements():
    store = unbound()
    store.bind_untyped_data(fill(create_buffer("uint8", 8, "cpu"), np.array([1, 0, 0, 0, 2, 0, 0, 0], "u1")))
    assert content(store).tolist() == [1, 2]
    store = unbound()
    store.bind_untyped_data(fill(create_buffer("int8", 8, "cpu"), np.array([1, 0, 0, 0, 2, 0, 0, 0], "i1")), 1)
    assert content(store).tolist() == [1]


def test_no_data_makes_the_store_empty():
    store = unbound(3)
    store.bind_empty_data()
    assert (store.bound[1], content(store).shape) == ((0, 0, 0), (0, 0, 0))


BINDINGS = {
    "bind_data": lambda store: store.bind_data(create_buffer("int32", 2, "cpu")),
    "bind_untyped_data": lambda store: store.bind_untyped_data(create_buffer("uint8", 8, "cpu")),
    "bind_empty_data": lambda store: store.bind_empty_data(),
    "create_output_buffer": lambda store: store.create_output_buffer(2, bind_buffer=True),
}


@pytest.mark.parametrize("second", BINDINGS)
@pytest.mark.parametrize("first", BINDINGS)
def test_a_store_is_bound_once(first, second):
    store = unbound()
    BINDINGS[first](store)
    bound = store.bound
    with pytest.raises(StoreError, match="bound already"):
        BINDINGS[second](store)
    assert store.bound == bound


@pytest.mark.parametrize("bind", BINDINGS.values(), ids=BINDINGS)
def test_data_is_bound_to_unbound_stores_only(bind):
    with pytest.raises(StoreValueError, match="unbound stores only"):
        bind(create_store("int32", (2,)).get_physical_store())


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (lambda: (create_buffer("int32", (2, 2), "cpu"),), "dimensions"),
        (lambda: (create_buffer("int32", 2, "cpu"), 3), "larger"),
        (lambda: (create_buffer("int32", 2, "cpu"), (1, 1)), "dimensions"),
        (lambda: (create_buffer("int32", 2, "cpu"), -1), "negative"),
        (lambda: (create_buffer("int64", 2, "cpu"),), "bytes"),
        (lambda: (create_buffer("float32", 2, "cpu"), None, True), "is of int32"),
        (lambda: (create_buffer("int32", 2, "sim"),), "create_output_buffer"),
        (lambda: (create_buffer("int32", 2, Place(StoreTarget.ZCMEM, accel.Device("sim"))),), "ZCMEM"),
    ],
)
def test_buffers_that_do_not_fit_are_refused(bad, message):
    store = unbound()
    with pytest.raises(StoreValueError, match=message):
        store.bind_data(*bad())
    assert store.bound is None


def test_a_buffer_of_another_type_of_the_same_size_is_taken_unless_types_are_checked():
    store = unbound()
    store.bind_data(fill(create_buffer("float32", 1, "cpu"), np.array([1.0], "f4")))
    assert content(store).tolist() == [0x3F800000]


@pytest.mark.parametrize(
    ("ndim", "bad", "message"),
    [
        (2, lambda: (create_buffer("uint8", 8, "cpu"),), "1 dimension"),
        (1, lambda: (create_buffer("uint8", (2, 4), "cpu"),), "1 dimension"),
        (1, lambda: (create_buffer("uint8", 7, "cpu"),), "no whole number"),
        (1, lambda: (create_buffer("uint8", 8, "cpu"), 3), "more than"),
        (1, lambda: (create_buffer("int32", 8, "cpu"),), "buffer of bytes"),
        (1, lambda: (create_buffer("uint8", 8, "sim"),), "create_output_buffer"),
    ],
)
def test_untyped_data_that_does_not_fit_is_refused(ndim, bad, message):
    store = unbound(ndim)
    with pytest.raises(StoreValueError, match=message):
        store.bind_untyped_data(*bad())
    assert store.bound is None


def test_an_array_is_no_buffer():
    with pytest.raises(TypeError, match="create_output_buffer"):
        unbound().bind_data(np.arange(3, dtype="i4"))


def test_the_elements_of_an_unbound_store_are_not_accessible_in_its_task():
    store = unbound(2)
    assert (store.ndim, store.is_writable, store.is_readable, store.transformed, store.valid) == (
        2,
        True,
        False,
        False,
        True,
    )
    for access in (store.read_accessor, store.span_write_accessor, store.to_dlpack, store.get_inline_allocation):
        with pytest.raises((StoreError, StoreValueError)):
            access()
    for query in ("shape", "domain", "target"):
        with pytest.raises(ValueError, match="unbound"):
            getattr(store, query)
    assert "unbound" in repr(store)


def test_shape_and_volume_of_a_store_that_was_never_written_are_refused():
    store = create_store("int32", ndim=2)
    assert (store.ndim, store.unbound) == (2, True)
    for query in ("shape", "volume"):
        with pytest.raises(StoreError, match="Illegal to access an uninitialized unbound store"):
            getattr(store, query)
    with pytest.raises(StoreError, match="Illegal to access an uninitialized unbound store"):
        store.get_physical_store()


def test_a_root_gets_what_a_task_bound():
    store, physical = create_store("int32"), unbound()
    fill(physical.create_output_buffer(3, bind_buffer=True), np.array([1, 2, 3], "i4"))
    store.root.bind(*physical.bound)
    assert (store.shape, store.volume, store.unbound) == ((3,), 3, False)
    assert np.asarray(store.get_physical_store()).tolist() == [1, 2, 3]
    with pytest.raises(StoreError, match="bound already"):
        store.root.bind(*physical.bound)


def test_a_buffer_of_a_task_is_of_the_stores_type_and_place():
    buffer = unbound(2, "sim", "float64").create_output_buffer((2, 3))
    assert isinstance(buffer, TaskLocalBuffer)
    assert (buffer.type, buffer.dim, buffer.device) == (np.float64, 2, accel.Device("sim"))


@pytest.mark.parametrize(("ndim", "error"), [(-1, StoreValueError), ("2", TypeError), (1.0, TypeError)])
def test_a_number_of_dimensions_is_a_natural_number(ndim, error):
    with pytest.raises(error):
        create_store("int32", ndim=ndim)


def test_data_is_not_bound_after_the_task_has_ended():
    store = unbound()
    buffer = store.create_output_buffer(3)
    store.expire()
    for bind in (
        lambda: store.bind_data(buffer),
        lambda: store.bind_untyped_data(buffer),
        lambda: store.create_output_buffer(3, bind_buffer=True),
        store.bind_empty_data,
    ):
        with pytest.raises(StoreError, match="no data any more, since its task has ended; bind the data in the body"):
            bind()
    assert store.bound is None


def test_a_shape_of_more_bytes_than_memory_has_is_refused():
    with pytest.raises(StoreValueError, match=r"\[4611686018427387904, 4\] takes 147573952589676412928 bytes.*smaller"):
        create_store("f8", (2**62, 4))
    assert create_store("int8", (2**63 - 1,)).volume == 2**63 - 1
