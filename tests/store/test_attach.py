"""Attached memory, moves between kinds of memory, detachment and lifetime."""

import gc
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest

import accel
from accel import Device, xp
from accel.errors import OutOfMemoryError, ReadOnlyError, StoreError, StoreValueError
from accel.memory import assert_no_leak, track
from accel.store import Slice, StoreTarget, box_order, create_store, from_array
from accel.store.box_order import Use
from accel.store.regions import Access
from accel.store.root import HOST
from accel.store.store_targets import Place, place_of

SIM, OTHER = Device("sim"), Device("sim:1")


def values_of(store):
    physical = store.get_physical_store(store.root.place)
    result = physical.span_read_accessor()
    return (result if isinstance(result, np.ndarray) else result.to_numpy()).tolist()


def strided(whole, case):
    """Return an array of 6 rows and 4 columns on memory of 200 elements, with strides of some kind."""
    return (
        whole[:24].reshape(6, 4),
        whole[:24].reshape(4, 6).T,
        whole[:96].reshape(12, 8)[::2, 1:5],
        whole[8:104].reshape(6, 4, 4)[:, :, 1],
        whole[:24].reshape(6, 1, 4)[:, 0],
    )[case]


@pytest.mark.parametrize("case", range(5))
def test_a_store_on_an_array_sees_and_changes_its_memory(case):
    array = strided(np.arange(200.0), case)
    expected = array.copy()
    store = from_array(array, read_only=False)
    assert np.asarray(store.get_physical_store()).tolist() == expected.tolist()
    store.slice(0, Slice(1, 3)).fill(-1)
    expected[1:3] = -1
    assert array.tolist() == expected.tolist()
    array[0, 0] = 99
    assert np.asarray(store.get_physical_store())[0, 0] == 99


@pytest.mark.parametrize("case", range(5))
def test_detach_brings_the_memory_up_to_date_and_leaves_what_is_between_the_elements(case):
    whole, others = np.zeros(200), np.ones(200, bool)
    array = strided(whole, case)
    strided(others, case)[...] = False
    store = from_array(array, read_only=False)
    store.offload_to("sim")
    store.fill(5)
    assert not (array == 5).any()
    whole[others] = -7  # the user may change what is not attached
    store.detach()
    assert (array == 5).all()
    assert (whole[others] == -7).all()


def test_a_detached_store_and_its_views_are_refused():
    store = from_array(np.arange(4), read_only=False)
    child, physical = store.slice(0, Slice(0, 2)), store.get_physical_store()
    store.detach()
    assert not physical.valid
    for use in (
        store.get_physical_store,
        child.get_physical_store,
        store.detach,
        child.detach,
        physical.read_accessor,
        lambda: store.fill(1),
        lambda: child.offload_to("sim"),
    ):
        with pytest.raises(StoreError, match="detached"):
            use()
    assert store.shape == (4,)


def test_a_store_without_attachment_is_not_detached():
    store = create_store("int64", (3,))
    with pytest.raises(StoreError, match="Store has no attachment to detach"):
        store.detach()
    store.fill(1)
    assert values_of(store) == [1, 1, 1]


def test_a_sub_store_detaches_the_whole():
    array = np.arange(4)
    store = from_array(array, read_only=False)
    store.slice(0, Slice(0, 2)).detach()
    with pytest.raises(StoreError, match="detached"):
        store.get_physical_store()


def test_read_only_memory_is_never_written():
    array = np.arange(4.0)
    store = from_array(array)
    for use in (lambda: store.fill(1), store.get_physical_store().write_accessor):
        with pytest.raises(ReadOnlyError):
            use()
    store.offload_to("sim")
    with pytest.raises(ReadOnlyError):
        store.get_physical_store("sim").span_write_accessor()
    with pytest.raises(ReadOnlyError):
        store.fill(1)
    store.detach()
    assert array.tolist() == [0, 1, 2, 3]
    array.flags.writeable = False
    with pytest.raises(StoreValueError, match="read-only"):
        from_array(array, read_only=False)
    assert values_of(from_array(array)) == [0, 1, 2, 3]


WINDOWS = np.lib.stride_tricks.sliding_window_view(np.arange(5), 3)


@pytest.mark.parametrize("array", [np.arange(4)[::-1], np.broadcast_to(np.arange(3), (2, 3)), WINDOWS])
def test_memory_in_reverse_or_with_repetitions_is_refused(array):
    with pytest.raises(StoreValueError, match="positive strides"):
        from_array(array)


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_a_store_is_attached_to_arrays_and_containers_of_any_device(device):
    for attached in (
        xp.arange(6, device=device),
        accel.container(range(6), device=device),
        xp.reshape(xp.arange(12, device=device), (6, 2))[:, 0],
    ):
        store = from_array(attached, read_only=False)
        assert store.root.place.device is Device(device)
        store.slice(0, Slice(0, 2)).fill(50)
        assert int(xp.sum(xp.asarray(attached)[:2])) == 100
        assert len(values_of(store)) == 6


def test_an_object_without_memory_is_refused():
    with pytest.raises(TypeError):
        from_array([1, 2, 3])


def test_moves_keep_the_values_and_there_is_one_copy():
    store = create_store("int64", (2, 3))
    np.asarray(store.get_physical_store())[...] = np.arange(6).reshape(2, 3)
    places = [SIM, OTHER, StoreTarget.SYSMEM, Place(StoreTarget.ZCMEM, SIM), StoreTarget.SOCKETMEM, SIM]
    with track() as tracked:
        for place in places:
            before = store.root.instance
            store.offload_to(place)
            assert store.root.place == place_of(place)
            assert store.root.instance >= before
            assert store.transpose((1, 0)).root is store.root
            assert values_of(store) == [[0, 1, 2], [3, 4, 5]]
        gc.collect()
    live = [tracked.on(device).live_blocks for device in (SIM, OTHER)]
    assert live == [1, 0]


def test_pinned_memory_is_memory_of_the_host():
    store = create_store("int64", (4,))
    store.fill(2)
    physical = store.get_physical_store(Place(StoreTarget.ZCMEM, SIM))
    assert (physical.target, physical.device) == (StoreTarget.ZCMEM, Device.CPU)
    assert np.asarray(physical).tolist() == [2] * 4
    np.asarray(physical)[0] = 9
    assert values_of(store.project(0, 0)) == 9


@pytest.mark.parametrize("target", [StoreTarget.FBMEM, StoreTarget.ZCMEM, "cuda"])
def test_memory_that_is_not_here_is_a_wrong_argument(target):
    if Device.available("cuda", "rocm"):
        pytest.skip("there is a GPU")
    store = create_store("int64", (4,))
    store.fill(2)
    physical = store.get_physical_store()
    for use in (store.get_physical_store, store.offload_to):
        with pytest.raises(ValueError, match="asked for") as caught:
            use(target)
        assert "\n" not in str(caught.value)
    assert physical.valid
    assert values_of(store) == [2] * 4


def test_memory_that_is_too_small_leaves_all_as_it_was():
    store = create_store("int64", (1000,))
    store.fill(2)
    physical = store.get_physical_store()
    with accel.using(sim_memory=1000), track() as tracked:
        for use in (store.get_physical_store, store.offload_to):
            with pytest.raises(OutOfMemoryError):
                use("sim")
    assert tracked.on(SIM).live_blocks == 0
    assert (physical.valid, store.root.place) == (True, HOST)
    assert np.asarray(physical).tolist() == [2] * 1000


def test_a_store_that_was_never_written_costs_no_memory_where_it_is_moved():
    with track() as tracked:
        store = create_store("int64", (1000, 1000))
        store.offload_to("sim")
        child = store.slice(0, Slice(0, 10)).promote(0, 3)
        assert child.shape == (3, 10, 1000)
        assert (tracked.on(SIM).allocations, tracked.on("cpu").allocations) == (0, 0)
        store.get_physical_store("sim")
        assert (tracked.on(SIM).allocations, tracked.on("cpu").allocations) == (1, 0)


def test_the_memory_of_a_store_is_freed_with_its_last_view():
    with assert_no_leak():
        store = create_store("float32", (100, 100))
        store.fill(1)
        view = store.slice(0, Slice(2, 50)).transpose((1, 0))
        view.get_physical_store("sim").span_read_write_accessor()
        store.get_physical_store()
        store.reinterpret_as("int32").offload_to("sim")
        del store, view
        gc.collect()


def test_several_threads_that_use_a_store_first_get_one_memory():
    for _ in range(20):
        store = create_store("int64", (64,))
        start = threading.Barrier(4)

        def write(number, store=store, start=start):
            start.wait()
            np.asarray(store.slice(0, Slice(16 * number, 16 * number + 16)).get_physical_store())[...] = number

        with track() as tracked, ThreadPoolExecutor(4) as pool:
            list(pool.map(write, range(4)))
        assert tracked.on("cpu").allocations == 1
        assert np.asarray(store.get_physical_store()).tolist() == np.repeat(range(4), 16).tolist()


def test_threads_that_move_a_store_to_and_fro_lose_no_values():
    store = create_store("int64", (64,))
    store.fill(7)
    wrong = []

    def move(place):
        for _ in range(25):
            physical = store.get_physical_store(place)
            if physical.device is not place.device:
                wrong.append(physical)
            store.offload_to(place)

    places = [HOST, Place(StoreTarget.FBMEM, SIM), Place(StoreTarget.FBMEM, OTHER)]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(move, places))
    assert wrong == []
    assert values_of(store) == [7] * 64
    assert not store.root.regions.uses


class Planned:
    """A work in flight that ends when the test says so."""

    def __init__(self, store, access, failure=None):
        self.failure = failure
        self.uses = [Use(store.root, store.map.box, access)]
        self.over = threading.Event()
        box_order.enter(self, self.uses)

    def done(self):
        return self.over.is_set()

    def settle(self):
        assert self.over.wait(20)

    def end(self):
        box_order.leave(self, self.uses)
        self.over.set()


@pytest.mark.parametrize("use", ["detach", "offload_to", "get_physical_store", "fill"])
def test_the_host_waits_for_tasks_in_flight(use):
    array = np.zeros(8)
    store = from_array(array, read_only=False)
    work = Planned(store, Access.READ)
    arguments = {"detach": (), "offload_to": ("sim",), "get_physical_store": ("sim",), "fill": (1,)}[use]
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(getattr(store, use), *arguments)
        later = threading.Event()
        later.wait(0.02)
        assert not done.done()
        assert not store.root.detached
        work.end()
        done.result(20)


def test_the_failure_of_a_task_is_raised_when_its_output_is_read():
    store = create_store("int64", (8,))
    store.fill(1)
    left, right = store.slice(0, Slice(0, 4)), store.slice(0, Slice(4, 8))
    work = Planned(left, Access.WRITE, ZeroDivisionError("planted"))
    work.end()
    for _ in range(2):
        for target in (None, "sim"):
            with pytest.raises(ZeroDivisionError, match="planted"):
                left.get_physical_store(target)
            with pytest.raises(ZeroDivisionError, match="planted"):
                store.get_physical_store(target)
    assert values_of(right) == [1] * 4
    assert right.get_physical_store("sim").valid  # the invalid elements move along
    left.slice(0, Slice(0, 2)).fill(5)
    with pytest.raises(ZeroDivisionError):
        left.get_physical_store()
    assert values_of(left.slice(0, Slice(0, 2))) == [5, 5]
    left.fill(6)
    assert np.asarray(store.get_physical_store()).tolist() == [6] * 4 + [1] * 4


def test_detaching_after_a_failure_gives_the_memory_back_and_raises_it():
    array = np.zeros(8)
    store = from_array(array, read_only=False)
    Planned(store, Access.WRITE, ZeroDivisionError("planted")).end()
    with pytest.raises(ZeroDivisionError):
        store.detach()
    assert store.root.detached


class EngineValues:
    """Values that an engine holds."""

    nbytes = 0

    def __init__(self, values):
        self.values, self.gathered = values, 0

    def gather(self):
        self.gathered += 1
        return accel.HostStorage(self.values)


def test_the_values_that_an_engine_holds_are_gathered_at_the_first_use():
    for target, (views, _) in product((None, "sim"), enumerate("ab")):
        store = create_store("int64", (4,))
        store.root.contents = contents = EngineValues(np.arange(4))
        if views:
            store.offload_to(target or "cpu")
        physical = store.slice(0, Slice(1, 3)).get_physical_store(target)
        result = physical.span_read_accessor()
        assert (result if target is None else result.to_numpy()).tolist() == [1, 2]
        assert contents.gathered == 1
