"""Physical stores: accessors by points and as arrays, reductions, DLPack, validity; on the host and simulated."""

import threading
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import accel
from accel import Device, xp
from accel.errors import DeviceMismatchError, ReadOnlyError, StoreError, StoreIndexError, StoreValueError
from accel.memory.any_storage import allocate
from accel.store import ADD, MAX, OR, Domain, PhysicalStore, Slice, StoreTarget, create_buffer, create_store, from_array
from accel.store.index_maps import IndexMap
from accel.store.regions import Access
from accel.store.root import HOST
from accel.store.store_targets import place_of

DEVICES = ["cpu", "sim"]


def filled(shape=(3, 4), dtype="int64"):
    store = create_store(dtype, shape)
    np.asarray(store.get_physical_store())[...] = np.arange(store.volume).reshape(shape)
    return store


def of_task(access, shape=(3, 4), origin=None, device="cpu", dtype="int64", op=None):
    """Return a physical store as an engine makes it for a task."""
    place, size = place_of(device), int(np.prod(shape))
    storage = allocate(place.device, size, np.dtype(dtype))
    if device == "cpu":
        storage.export()[...] = np.arange(size)
    return PhysicalStore.on(
        storage, IndexMap.whole(shape), np.dtype(dtype), access=access, place=place, origin=origin, op=op
    )


def on_host(elements):
    return elements if isinstance(elements, np.ndarray) else elements.to_numpy()


@pytest.mark.parametrize("device", DEVICES)
def test_spans_are_arrays_that_count_from_0_and_see_each_others_writes(device):
    store = filled().get_physical_store(device)
    store.span_write_accessor()[0, 1:3] = 50
    store.span_read_write_accessor()[2:, :] = 9
    expected = np.arange(12).reshape(3, 4)
    expected[0, 1:3], expected[2] = 50, 9
    assert on_host(store.span_read_accessor()).tolist() == expected.tolist()


@pytest.mark.parametrize("device", DEVICES)
def test_bounds_keep_the_points_that_are_in_the_domain_too(device):
    store = filled().get_physical_store(device)
    part = store.span_read_accessor(bounds=Domain((1, 2), (9, 9)))
    assert on_host(part).tolist() == np.arange(12).reshape(3, 4)[1:, 2:].tolist()
    assert store.read_accessor(bounds=((1, 2), (9, 9))).domain == Domain((1, 2), (2, 3))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", ["read", "write", "read_write"])
def test_empty_bounds_give_no_points_and_zero_strides(device, kind):
    store = filled().get_physical_store(device)
    accessor = getattr(store, f"{kind}_accessor")(bounds=((2, 3), (1, 9)))
    assert (accessor.shape, accessor.strides, accessor.domain.volume) == ((0, 1), (0, 0), 0)
    span = getattr(store, f"span_{kind}_accessor")(bounds=((2, 3), (1, 9)))
    assert span.shape == (0, 1)
    if device == "cpu":
        assert span.strides == (0, 0)


def test_accessors_of_a_task_take_global_points():
    accessor = of_task(Access.READ_WRITE, origin=(10, 20)).read_write_accessor()
    assert accessor.domain == Domain((10, 20), (12, 23))
    assert accessor[11, 22] == 6
    accessor[12, 20:22] = [70, 71]
    assert accessor[12, :].tolist() == [70, 71, 10, 11]
    assert accessor[..., 23].tolist() == [3, 7, 11]
    assert accessor[10:13:2, 20].tolist() == [0, 70]


@pytest.mark.parametrize("point", [(9, 20), (13, 20), (10, 24), (10,), (10, 20, 0), (slice(9, 11), 20), (-1, 20)])
def test_points_outside_of_the_domain_are_refused(point):
    accessor = of_task(Access.READ_WRITE, origin=(10, 20)).read_write_accessor()
    with pytest.raises(StoreIndexError) as raised:
        accessor[point]
    assert isinstance(raised.value, IndexError | ValueError)
    with pytest.raises(IndexError):
        accessor[point] = 1


@pytest.mark.parametrize("point", [("a", 20), (1.5, 20), (np.array([1.5]), 20)])
def test_coordinates_are_integers(point):
    with pytest.raises(TypeError, match="integers"):
        of_task(Access.READ, origin=(10, 20)).read_accessor()[point]


def test_a_negative_step_is_refused():
    with pytest.raises(StoreIndexError, match="positive"):
        of_task(Access.READ).read_accessor()[::-1, 0]


def test_an_accessor_tells_the_address_of_a_point():
    store = of_task(Access.READ, origin=(1, 1))
    accessor = store.read_accessor(bounds=((2, 2), (9, 9)))
    first = store.get_inline_allocation().ptr
    assert accessor.ptr() == first + (4 + 1) * 8
    assert accessor.ptr((3, 4)) == first + (2 * 4 + 3) * 8
    with pytest.raises(StoreIndexError, match="one element"):
        accessor.ptr((slice(2, 3), 2))


def test_a_read_accessor_writes_nothing_and_a_write_accessor_reads_nothing():
    store = filled().get_physical_store()
    with pytest.raises(ReadOnlyError):
        store.read_accessor()[0, 0] = 1
    with pytest.raises(ValueError, match="only writes"):
        store.write_accessor()[0, 0]
    with pytest.raises(ValueError, match="read-only"):
        store.span_read_accessor()[0, 0] = 1


@pytest.mark.parametrize("device", DEVICES)
def test_a_read_only_store_is_read_only_through_every_accessor(device):
    values = np.arange(4.0) if device == "cpu" else accel.container(range(4), "float64", device=device)
    store = from_array(values).get_physical_store(device)
    assert (store.is_readable, store.is_writable, store.is_reducible) == (True, False, False)
    for refused in (store.write_accessor, store.read_write_accessor, store.span_write_accessor):
        with pytest.raises(ReadOnlyError):
            refused()
    with pytest.raises(StoreValueError):
        store.reduce_accessor(ADD)
    with pytest.raises(ValueError, match=r"read-only|immutable"):
        store.span_read_accessor()[0:1] = 1.0
    assert xp.asarray(store).device is Device(device)


def test_the_access_of_a_task_decides_what_is_allowed():
    rights = {
        Access.READ: (True, False, False),
        Access.WRITE: (False, True, False),
        Access.READ_WRITE: (True, True, True),
        Access.REDUCE: (False, False, True),
    }
    for access, expected in rights.items():
        store = of_task(access, op=ADD if access is Access.REDUCE else None)
        assert (store.is_readable, store.is_writable, store.is_reducible) == expected
        for kind, allowed in (("read", expected[0]), ("write", expected[1]), ("read_write", all(expected[:2]))):
            for name in (f"{kind}_accessor", f"span_{kind}_accessor"):
                if allowed:
                    getattr(store, name)()
                else:
                    with pytest.raises(ValueError, match="physical store is"):
                        getattr(store, name)()


def test_the_output_of_a_task_is_poisoned_on_the_simulated_device_once():
    store = of_task(Access.WRITE, device="sim", dtype="float32")
    accel.LayoutTensor(store._storage, store._map.layout).fill(1)
    output = store.span_write_accessor()
    assert np.isnan(output.to_numpy()).all()
    output[0, :] = 5
    store.span_write_accessor()[1, :] = 6
    assert output.to_numpy()[:2].tolist() == [[5] * 4, [6] * 4]


def test_only_the_part_of_an_output_is_poisoned():
    storage = allocate(Device("sim"), 12, np.dtype("float32"))
    whole = IndexMap.whole((3, 4))
    accel.LayoutTensor(storage, whole.layout).fill(1)
    column = whole.slice(1, 1, 3).promote(0, 2)
    place = place_of("sim")
    PhysicalStore.on(storage, column, np.dtype("float32"), access=Access.WRITE, place=place).span_write_accessor()
    result = accel.LayoutTensor(storage, whole.layout).to_numpy()
    assert np.isnan(result[:, 1:3]).all()
    assert (result[:, [0, 3]] == 1).all()


@pytest.mark.parametrize(
    "wrong", [{"dtype": "int32"}, {"dtype": "uint64"}, {"elem_size": 4}, {"dtype": "int64", "elem_size": 4}]
)
def test_a_wrong_type_or_size_is_refused(wrong):
    with pytest.raises(StoreValueError):
        filled().get_physical_store().read_accessor(**wrong)


def test_a_type_is_checked_or_seen_otherwise_without_validation():
    store = filled((4,)).get_physical_store()
    assert store.span_read_accessor(dtype="int64").dtype == np.int64
    halves = store.span_read_accessor(dtype="int16", elem_size=8, validate=False)
    assert (halves.tolist(), halves.strides) == ([0, 1, 2, 3], (8,))
    assert store.span_read_accessor(dtype="float64", validate=False)[0] == 0.0
    with pytest.raises(StoreValueError, match="8 bytes"):
        store.span_read_accessor(dtype="int16", validate=False)
    with pytest.raises(StoreValueError, match="not larger"):
        store.span_read_accessor(dtype="complex128", elem_size=8, validate=False)


def test_a_device_sees_elements_as_a_smaller_type():
    store = filled((4,)).get_physical_store("sim")
    assert store.span_read_accessor(dtype="int16", elem_size=8, validate=False).to_numpy().tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("bounds", [((0,), (1,)), ((0, 0, 0), (1, 1, 1)), ((0, 0), (1,))])
def test_bounds_of_another_rank_are_refused(bounds):
    with pytest.raises(StoreValueError):
        filled().get_physical_store().read_accessor(bounds=bounds)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("exclusive", [False, True])
def test_reductions_combine_values_at_points_slices_and_repeated_points(device, exclusive):
    store = filled((3, 4)).get_physical_store(device)
    accessor = store.reduce_accessor(ADD, exclusive)
    accessor.reduce((0, 1), 100)
    accessor.reduce((1, slice(1, 3)), np.array([10, 20]))
    accessor.reduce(([2, 2, 0], [0, 0, 0]), 1)
    expected = np.arange(12).reshape(3, 4)
    expected[0, 1] += 100
    expected[1, 1:3] += [10, 20]
    np.add.at(expected, ([2, 2, 0], [0, 0, 0]), 1)
    assert on_host(store.span_read_accessor()).tolist() == expected.tolist()


@pytest.mark.parametrize("dtype", ["int8", "float64", "bfloat16", "complex64"])
@pytest.mark.parametrize("device", DEVICES)
def test_an_element_that_is_repeated_gets_the_values_of_all_its_points(device, dtype):
    store = create_store(dtype, (3, 1))
    store.fill(1)
    repeated = store.broadcast(1, 4).promote(1, 5).get_physical_store(device)
    repeated.span_reduce_accessor(ADD).reduce(..., np.ones((3, 5, 4), repeated.dtype))
    repeated.span_reduce_accessor(ADD).reduce((slice(0, 2), slice(0, 3), 0), np.ones((2, 1), repeated.dtype))
    repeated.span_reduce_accessor(ADD).reduce((2, [0, 4, 4], 1), 1)
    assert np.asarray(store.get_physical_store()).reshape(-1).tolist() == [24, 24, 24]


@pytest.mark.parametrize("shape", [(), (0,), (1,), (0, 2), (2,)])
@pytest.mark.parametrize("device", DEVICES)
def test_reductions_take_stores_of_any_shape(device, shape):
    store = create_store("float64", shape)
    store.fill(2)
    store.get_physical_store(device).span_reduce_accessor(ADD).reduce(..., np.ones(shape))
    assert np.asarray(store.get_physical_store()).tolist() == np.full(shape, 3.0).tolist()


def test_points_of_reductions_are_global_and_those_of_spans_count_from_0():
    store = of_task(Access.REDUCE, (4,), origin=(10,), op=MAX)
    store.reduce_accessor().reduce(13, 50)
    store.span_reduce_accessor(bounds=(11, 12)).reduce(0, 60)
    assert np.asarray(store).tolist() == [0, 60, 2, 50]
    with pytest.raises(StoreIndexError):
        store.reduce_accessor().reduce([10, 14], 1)


def test_reduction_accessors_read_and_overwrite_nothing():
    accessor = filled().get_physical_store().reduce_accessor(ADD)
    with pytest.raises(StoreValueError, match="reads nothing"):
        accessor[0, 0]
    with pytest.raises(StoreValueError, match="overwrites nothing"):
        accessor[0, 0] = 1


def test_a_reduction_by_another_operator_than_declared_is_refused():
    store = of_task(Access.REDUCE, op=ADD)
    with pytest.raises(StoreValueError, match="declares a reduction by ADD; found MAX"):
        store.reduce_accessor(MAX)
    with pytest.raises(StoreValueError, match="operator is needed"):
        of_task(Access.READ_WRITE).reduce_accessor()


def test_a_reduction_of_a_wrong_type_is_refused():
    with pytest.raises(StoreValueError, match="OR"):
        filled(dtype="float64").get_physical_store().reduce_accessor(OR)
    accessor = filled().get_physical_store().reduce_accessor(ADD)
    with pytest.raises(StoreValueError, match="one dtype"):
        accessor.reduce((0, 0), np.float32(1))
    with pytest.raises((TypeError, OverflowError)):
        accessor.reduce((0, 0), 1.5)


def test_reductions_of_several_threads_are_atomic():
    store = create_store("int64", (4,))
    store.fill(0)
    physical = store.get_physical_store()

    def work():
        accessor = physical.reduce_accessor(ADD)
        for _ in range(300):
            accessor.reduce(np.array([0, 1, 1, 3]), 1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.asarray(physical).tolist() == [1200, 2400, 0, 1200]


@pytest.mark.parametrize("device", DEVICES)
def test_a_scalar_store_gives_its_value(device):
    store = create_store("float32", (1,), scalar=True)
    store.fill(2.5)
    physical = store.get_physical_store(device)
    assert physical.is_future
    assert (physical.scalar(), physical.scalar("float32").dtype) == (2.5, np.float32)
    with pytest.raises(StoreValueError, match="float32"):
        physical.scalar("int32")
    with pytest.raises(StoreValueError, match="no scalar store"):
        create_store("float32", (1,)).get_physical_store().scalar()


def test_moving_a_store_invalidates_its_physical_stores():
    store = filled()
    first = store.get_physical_store()
    assert store.get_physical_store().valid
    second = store.get_physical_store("sim")
    assert (first.valid, second.valid) == (False, True)
    for access in (first.read_accessor, first.span_write_accessor, first.get_inline_allocation, first.to_dlpack):
        with pytest.raises(StoreError, match="moved"):
            access()
    with pytest.raises(StoreError):
        np.asarray(first)


def test_targets_and_kinds():
    store = filled()
    assert store.get_physical_store().target is StoreTarget.SYSMEM
    assert store.get_physical_store(StoreTarget.SOCKETMEM).target is StoreTarget.SOCKETMEM
    simulated = store.get_physical_store("sim")
    assert (simulated.target, simulated.device) == (StoreTarget.FBMEM, Device("sim"))
    with pytest.raises(DeviceMismatchError):
        np.asarray(simulated)


@pytest.mark.parametrize("device", DEVICES)
def test_dlpack_copies_if_it_must_may_or_must_not(device):
    from accel.interchange.capsule import read_capsule

    store = filled((3, 4)).transpose((1, 0)).get_physical_store(device)
    for copy in (None, False, True):
        contents = read_capsule(store.to_dlpack(copy=copy))
        assert (contents.shape, contents.copied) == ((4, 3), copy is True)
        assert contents.device == Device(device).dlpack
    if device == "cpu":
        values = np.from_dlpack(store)
        values[0, 0] = 77
        assert store.read_accessor()[0, 0] == 77
    else:
        with pytest.raises(BufferError):
            store.__dlpack__(dl_device=(1, 0), copy=False)


def test_dlpack_of_a_read_only_store_is_read_only():
    from accel.interchange.capsule import read_capsule

    assert read_capsule(from_array(np.arange(3)).get_physical_store().to_dlpack()).readonly
    assert not np.from_dlpack(from_array(np.arange(3)).get_physical_store()).flags.writeable


@pytest.mark.parametrize("device", DEVICES)
def test_dlpack_keeps_the_memory_of_a_dropped_store(device):
    store = filled((1000,))
    array = xp.from_dlpack(store.get_physical_store(device))
    del store
    assert int(xp.sum(array)) == 999 * 500


def test_kernels_and_arrays_take_a_physical_store():
    physical = filled((4, 5)).slice(1, Slice(1, 4)).get_physical_store("sim")
    x = xp.asarray(physical)
    x += 1
    assert physical.span_read_accessor().to_numpy().tolist() == (np.arange(20).reshape(4, 5)[:, 1:4] + 1).tolist()


def test_a_reinterpreted_store_is_so_on_every_path():
    store = filled((4,), "float32").reinterpret_as("int32")
    bits = np.arange(4, dtype="f4").view("i4").tolist()
    for device in DEVICES:
        physical = store.get_physical_store(device)
        assert on_host(physical.span_read_accessor()).tolist() == bits
        assert xp.asarray(physical).dtype == np.int32
        assert np.from_dlpack(physical, device="cpu").tolist() == bits
        assert physical.read_accessor()[1:].dtype == np.int32
    store.fill(-1)
    assert np.asarray(store.get_physical_store()).tolist() == [-1] * 4


def test_the_store_of_a_plain_array_is_that_of_its_data():
    data = filled().get_physical_store()
    store = PhysicalStore(SimpleNamespace(nullable=False, nested=False, data=data))
    store.write_accessor()[0, 0] = 5
    assert (data.read_accessor()[0, 0], store.shape) == (5, (3, 4))
    for nullable, nested in ((True, False), (False, True)):
        with pytest.raises(StoreValueError, match="more than one store"):
            PhysicalStore(SimpleNamespace(nullable=nullable, nested=nested, data=data))


def test_numpy_converts_and_copies_as_asked():
    store, buffer = filled((3,)), create_buffer("int64", 3, "cpu")
    np.asarray(buffer)[...] = [0, 1, 2]
    for source in (store, store.get_physical_store(), buffer):
        assert np.asarray(source, dtype="float32").tolist() == [0, 1, 2]
        assert np.shares_memory(np.asarray(source), np.asarray(source, copy=False))
        assert not np.shares_memory(np.array(source, copy=True), np.asarray(source))
        with pytest.raises(ValueError, match="copy"):
            np.asarray(source, dtype="float32", copy=False)


def test_a_store_of_no_dimensions_has_one_element():
    physical = create_store("int64", ()).get_physical_store()
    physical.write_accessor()[()] = 5
    assert (physical.read_accessor()[()], physical.shape, physical.domain) == (5, (), Domain((), ()))
    physical.reduce_accessor(ADD).reduce((), 2)
    assert np.asarray(physical).tolist() == 7


@pytest.mark.parametrize("device", DEVICES)
def test_a_store_without_elements_works(device):
    physical = create_store("int64", (3, 0)).get_physical_store(device)
    assert on_host(physical.span_read_write_accessor()).shape == (3, 0)
    assert physical.get_inline_allocation().strides == (0, 0)
    assert xp.asarray(physical).shape == (3, 0)


@given(st.data())
def test_accessors_agree_with_numpy_for_all_bounds_and_points(data):
    shape = tuple(data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=3)))
    origin = tuple(data.draw(st.integers(-3, 3)) for _ in shape)
    storage = allocate(Device.CPU, int(np.prod(shape)), np.dtype("int64"))
    storage.export()[...] = values = np.arange(int(np.prod(shape)))
    physical = PhysicalStore.on(
        storage, IndexMap.whole(shape), np.dtype("int64"), access=Access.READ, place=HOST, origin=origin
    )
    lo = tuple(data.draw(st.integers(-5, 7)) for _ in shape)
    hi = tuple(data.draw(st.integers(-5, 7)) for _ in shape)
    inside = tuple(
        slice(max(first - start, 0), max(min(last + 1 - start, extent), first - start, 0))
        for first, last, start, extent in zip(lo, hi, origin, shape, strict=True)
    )
    accessor = physical.read_accessor(bounds=(lo, hi))
    values = values.reshape(shape)
    expected = values[inside]
    assert physical.span_read_accessor(bounds=(lo, hi)).tolist() == expected.tolist()
    everywhere = product(*[range(start - 1, start + extent + 1) for start, extent in zip(origin, shape, strict=True)])
    for point in everywhere:
        if point in accessor.domain:
            assert accessor[point] == values[tuple(np.subtract(point, origin))]
        else:
            with pytest.raises(IndexError):
                accessor[point]
