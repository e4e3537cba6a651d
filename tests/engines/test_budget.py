"""Launches within a budget of bytes."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.device import Device
from accel.engines import InOut, Input, Output, Reduce, engine, task
from accel.errors import StoreError
from accel.store import create_store, from_array
from accel.store.reductions import ADD

KIB = 1024


@task
def put(value: float, x: Output):
    x.span_write_accessor()[...] = value + np.arange(x.domain.lo[0], x.domain.lo[0] + x.shape[0])


@task
def double(x: Input, y: Output):
    y.span_write_accessor()[...] = 2 * x.span_read_accessor()


@task
def increase(x: InOut):
    x.span_read_write_accessor()[...] += 1


@task
def total(x: Input, s: Reduce[ADD]):
    np.asarray(s)[0] += x.span_read_accessor().sum()


@pytest.mark.parametrize("name", ["threads", "eager"])
def test_a_store_larger_than_the_budget_is_written_and_read_by_tiles(name, tmp_path):
    count, tile = 32_768, 1024  # 256 KiB in tiles of 8 KiB
    x, y = create_store("float64", (count,)), create_store("float64", (count,))
    with engine(name).using(budget="40 KiB", spill_folder=str(tmp_path)) as chosen:
        put(1.0, x.partition_by_tiling((tile,)))
        double(x.partition_by_tiling((tile,)), y.partition_by_tiling((tile,))).wait()
        increase(y.partition_by_tiling((tile,))).wait()
        assert chosen.budget.usage(Device.CPU).peak <= 40 * KIB
        assert chosen.budget.spilled > 400 * KIB
        expected = 2 * (1.0 + np.arange(count)) + 1
        np.testing.assert_array_equal(chosen.gather(y[5000:7000]), expected[5000:7000])
        assert chosen.budget.usage(Device.CPU).peak <= 40 * KIB
        assert not [*tmp_path.iterdir()]
    np.testing.assert_array_equal(y.get_physical_store(), expected)
    np.testing.assert_array_equal(x.get_physical_store(), 1.0 + np.arange(count))
    del x, y
    assert chosen.budget.usage(Device.CPU).held == 0


def test_memory_of_the_user_is_used_in_place():
    array = np.arange(4096.0)
    x = from_array(array, read_only=False)
    with engine("threads").using(budget="1 KiB") as chosen:
        increase(x.partition_by_tiling((512,))).wait()
        assert chosen.budget.usage(Device.CPU).peak == 0
    np.testing.assert_array_equal(array, np.arange(4096.0) + 1)


def test_a_launch_that_does_not_fit_is_refused_before_it_begins():
    x, y = create_store("float64", (1 << 20,)), create_store("float64", (1 << 20,))
    tile = (1 << 18,)
    with (
        engine("threads").using(budget="3 MiB"),
        pytest.raises(StoreError, match=r"task double, color \(0,\) needs 4.0 MiB at once \(x 2.0 MiB, y 2.0 MiB\)"),
    ):
        double(x.partition_by_tiling(tile), y.partition_by_tiling(tile))
    assert y.root.contents is None or y.root.contents.nbytes == 0


def test_tiles_of_another_shape_are_put_together():
    x, y = create_store("float64", (64, 64)), create_store("float64", (64, 64))
    expected = np.zeros((64, 64))

    @task
    def number(a: Output):
        (i, j) = a.domain.lo
        a.span_write_accessor()[...] = i * 100 + j

    with engine("threads").using(budget="16 KiB") as chosen:
        number(x.partition_by_tiling((16, 16)))
        for i in range(0, 64, 16):
            for j in range(0, 64, 16):
                expected[i : i + 16, j : j + 16] = i * 100 + j
        double(x.partition_by_tiling((8, 64)), y.partition_by_tiling((8, 64)))
        increase(y.transpose((1, 0)).partition_by_tiling((10, 30))).wait()
        assert chosen.budget.usage(Device.CPU).peak <= 16 * KIB
        np.testing.assert_array_equal(chosen.gather(y), 2 * expected + 1)


def test_a_store_is_processed_by_a_device_that_cannot_hold_it():
    @task
    def scale(x: Input, y: Output):
        raise AssertionError("the variant of the device runs")

    @scale.variant("sim")
    def _(x, y):
        assert x.device.type == "sim"
        y.span_write_accessor().copy_from(x.span_read_accessor())

    x, y = create_store("float32", (40, 50)), create_store("float32", (40, 50))
    x.fill(3.0)
    y.fill(0.0)
    with engine("threads", device="sim").using(budget="2 KiB") as chosen:
        scale(x.partition_by_tiling((4, 50)), y.partition_by_tiling((4, 50))).wait()
        assert 1600 <= chosen.budget.usage(Device("sim")).peak <= 2 * KIB
        assert chosen.budget.usage(Device("sim")).held == 0
    np.testing.assert_array_equal(y.get_physical_store(), np.full((40, 50), 3.0))


def test_reductions_and_whole_stores_work_under_a_budget():
    x, s = create_store("float64", (1000,)), create_store("float64", (1,))
    s.fill(0.0)
    with engine("threads").using(budget="4 KiB"):
        put(0.0, x.partition_by_tiling((100,)))
        total(x.partition_by_tiling((100,)), s).wait()
    assert float(np.asarray(s.get_physical_store())[0]) == sum(range(1000))


def test_a_task_that_fails_gives_back_its_memory():
    @task
    def fail(x: Output):
        raise ZeroDivisionError

    x = create_store("float64", (1000,))
    with engine("threads").using(budget="4 KiB") as chosen:
        with pytest.raises(ZeroDivisionError):
            fail(x.partition_by_tiling((100,))).wait()
        usage = chosen.budget.usage(Device.CPU)
        assert usage.held == 0
        with pytest.raises(ZeroDivisionError):
            chosen.gather(x)
        put(0.0, x.partition_by_tiling((100,))).wait()
        np.testing.assert_array_equal(chosen.gather(x), np.arange(1000.0))


def test_a_body_cannot_launch_tasks_under_a_budget():
    x, y = create_store("float64", (10,)), create_store("float64", (10,))

    @task
    def nested(a: Output):
        put(0.0, y).wait()

    with engine("threads").using(budget="4 KiB"), pytest.raises(StoreError, match="cannot launch tasks under a budget"):
        nested(x).wait()


def test_a_store_that_is_gathered_while_tasks_write_other_tiles_keeps_what_they_write():
    x = create_store("float64", (4, 100))
    entered, gathered = threading.Event(), threading.Event()

    @task
    def slow(a: Output):
        if a.domain.lo[0] == 3:
            entered.set()
            assert gathered.wait(60)
        a.span_write_accessor()[...] = a.domain.lo[0]

    with engine("threads").using(budget="64 KiB"):
        future = slow(x.partition_by_tiling((1, 100)))
        assert entered.wait(60)
        np.testing.assert_array_equal(x[0:1].get_physical_store(), np.zeros((1, 100)))
        gathered.set()
        future.wait()
    np.testing.assert_array_equal(x.get_physical_store(), np.repeat(np.arange(4.0), 100).reshape(4, 100))


class Lazy:
    """Values that are read box by box; they record the largest box, and refuse to be gathered."""

    def __init__(self, array, tile):
        self.array = array
        self.tile_shape = tile
        self.nbytes = 0
        self.reads = []

    def read(self, box):
        part = self.array[tuple([slice(low, high) for low, high in box])].copy()
        self.reads.append(part.nbytes)
        return part

    def gather(self):
        raise AssertionError("only tiles are needed")


def lazy(array, tile):
    store = create_store(array.dtype, array.shape)
    store.root.contents = Lazy(array, tile)
    store.root.readonly = True
    return store


@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize("budget", [None, "5 KiB"])
def test_tasks_on_tiles_of_a_store_in_a_file_read_these_tiles_only(device, budget):
    @task
    def negate(x: Input, y: Output):
        y.span_write_accessor()[...] = -x.span_read_accessor()

    @negate.variant("sim")
    def _(x, y):
        y.span_write_accessor().copy_from(x.span_read_accessor())

    array = np.arange(4096.0).reshape(64, 64)
    x, y = lazy(array, (8, 64)), create_store("float64", (64, 64))
    y.fill(0.0)
    rows = (4, 64)
    with engine("threads", device=device).using(budget=budget) as chosen:
        negate(x.partition_by_tiling(rows), y.partition_by_tiling(rows)).wait()
        negate(x[3:9, 5:8].transpose((1, 0)), y[3:9, 5:8].transpose((1, 0))).wait()
        if budget is not None:
            peaks = [chosen.budget.usage(Device(each)).peak for each in {"cpu", device}]
            assert all(2048 <= peak <= 5 * KIB for peak in peaks)
            assert chosen.budget.usage(Device.CPU).held == 0
            assert chosen.budget.spilled == 0
    assert max(x.root.contents.reads) == 2048
    np.testing.assert_array_equal(y.get_physical_store(), array if device == "sim" else -array)


def test_a_store_in_a_file_of_more_than_the_budget_is_not_given_whole():
    x, y = lazy(np.arange(4096.0), (512,)), create_store("float64", (4096,))
    with (
        engine("threads").using(budget="5 KiB"),
        pytest.raises(StoreError, match=r"needs 64.0 KiB at once \(x 32.0 KiB, y 32.0 KiB\)"),
    ):
        double(x, y)


@settings(max_examples=30)
@given(st.data())
def test_random_launches_give_the_values_that_they_give_without_a_budget(data):
    shape = (12, 10)
    stores = [create_store("int64", shape) for _ in range(2)]
    arrays = [np.zeros(shape, "int64") for _ in range(2)]

    @task
    def fill(a: Output, value: int):
        a.span_write_accessor()[...] = value

    @task
    def accumulate(a: Input, b: InOut):
        b.span_read_write_accessor()[...] += a.span_read_accessor()

    with engine("threads").using(budget=3 * 120 * 8) as chosen:
        for store in stores:
            fill(store, 0)
        for _ in range(data.draw(st.integers(1, 6))):
            tile = (data.draw(st.integers(3, 12)), data.draw(st.integers(3, 10)))
            rows, columns = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 10))
            at = data.draw(st.integers(0, 1))
            part = stores[at][:rows, :columns].partition_by_tiling(tile)
            if data.draw(st.booleans()):
                value = data.draw(st.integers(0, 100))
                fill(part, value)
                arrays[at][:rows, :columns] = value
            else:
                accumulate(stores[1 - at][:rows, :columns].partition_by_tiling(tile), part)
                arrays[at][:rows, :columns] += arrays[1 - at][:rows, :columns]
            if data.draw(st.integers(0, 5)) == 0:
                np.testing.assert_array_equal(stores[at].get_physical_store(), arrays[at])
        for store, array in zip(stores, arrays, strict=True):
            np.testing.assert_array_equal(chosen.gather(store), array)
        assert chosen.budget.usage(Device.CPU).peak <= 3 * 120 * 8
