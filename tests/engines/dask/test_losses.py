"""Workers that die, clusters that go away and bodies that raise."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from accel.engines import InOut, engine, task
from accel.errors import DeviceLostError, DeviceUnavailableError, StoreValueError
from accel.store import create_store, from_array
from accel.store.slices import Slice


def counted(shape):
    return np.arange(np.prod(shape, dtype=float)).reshape(shape)


@pytest.fixture
def mark(tmp_path):
    """A file that a body makes when it kills its worker."""
    return tmp_path / "killed"


@pytest.mark.slow
def test_a_worker_that_dies_in_a_task_changes_no_result(cluster, tasks, mark):
    values = counted((8, 4))
    x, y = create_store("float64", (8, 4)), from_array(np.ones((8, 4)), read_only=False)
    tasks.copy(from_array(values).partition_by_tiling((2, 4)), x.partition_by_tiling((2, 4)))
    tasks.dying(str(mark), x.partition_by_tiling((2, 4)), y.partition_by_tiling((2, 4)))
    assert np.array_equal(cluster.gather(y), values + 1)
    assert mark.exists()


@pytest.mark.slow
def test_a_worker_that_dies_between_two_tilings_changes_no_result(cluster, tasks, mark):
    values = counted((8, 6))
    x, y = create_store("float64", (8, 6)), create_store("float64", (8, 6))
    tasks.copy(from_array(values).partition_by_tiling((3, 6)), x.partition_by_tiling((3, 6)))
    y.fill(0)
    tasks.dying(str(mark), x.partition_by_tiling((8, 2)), y.partition_by_tiling((8, 2)))
    tasks.saxpy(1.0, y.partition_by_tiling((2, 3)), x.partition_by_tiling((2, 3)))
    assert np.array_equal(cluster.gather(x), 2 * values)
    assert np.array_equal(cluster.gather(y), values)
    assert mark.exists()


def test_a_worker_that_dies_in_a_reduction_changes_no_result(cluster, tasks, mark):
    values = counted((64,))
    total = from_array(np.array([10.0]), read_only=False)
    tasks.dying_sum(str(mark), from_array(values).partition_by_tiling((4,)), total)
    assert cluster.gather(total).tolist() == [10 + values.sum()]
    assert mark.exists()


@pytest.mark.slow
def test_the_loss_of_all_workers_after_a_launch_changes_no_result(cluster, tasks):
    values = counted((8,))
    x = from_array(values.copy(), read_only=False)
    tasks.saxpy(2.0, from_array(values).partition_by_tiling((4,)), x.partition_by_tiling((4,)))
    tasks.saxpy(1.0, from_array(values).partition_by_tiling((3,)), x.partition_by_tiling((3,))).wait()
    client = cluster.cluster.client
    client.restart_workers([*client.nthreads()])
    assert np.array_equal(cluster.gather(x), 4 * values)


@pytest.mark.slow
def test_a_body_that_always_ends_its_worker_is_given_up(cluster, tasks):
    x, y = (from_array(np.ones(4), read_only=False) for _ in range(2))
    future = tasks.deadly(x)
    with pytest.raises(DeviceLostError, match="was given up"):
        future.wait()
    tasks.fill(2.0, y)
    assert cluster.gather(y).tolist() == [2.0] * 4


def test_an_exception_of_a_body_comes_back_as_itself(cluster, tasks):
    x = from_array(np.ones(4), read_only=False)
    future = tasks.broken("the reason", x)
    with pytest.raises(KeyError, match="the reason"):
        future.wait()
    assert future.done()
    assert future.exception().args == ("the reason",)
    with pytest.raises(KeyError, match="the reason"):
        x.get_physical_store()


def test_a_body_that_raises_is_not_run_again(cluster, tmp_path):
    @task
    def broken(path: str, x: InOut):
        with Path(path).open("a") as file:
            file.write("ran\n")
        raise ValueError("no")

    log = tmp_path / "log"
    with pytest.raises(ValueError, match="no"):
        broken(str(log), from_array(np.ones(4), read_only=False)).wait()
    assert log.read_text().splitlines() == ["ran"]


def test_only_the_tiles_of_the_colors_that_failed_are_invalid(cluster, tasks):
    values = counted((8,))
    x, y = from_array(values.copy(), read_only=False), create_store("float64", (8,))
    future = tasks.broken_in_part(5.0, x.partition_by_tiling((2,)))
    with pytest.raises(ZeroDivisionError):
        future.wait()
    late = tasks.copy(x.partition_by_tiling((4,)), y.partition_by_tiling((4,)))
    assert isinstance(late.exception(), ZeroDivisionError)
    part = x.slice(0, Slice(0, 6))
    assert np.asarray(part.get_physical_store()).tolist() == [1, 2, 3, 4, 5, 6]
    for each in (x, y):
        with pytest.raises(ZeroDivisionError):
            each.get_physical_store()
    with pytest.raises(ZeroDivisionError):
        tasks.copy(x, y).wait()
    tasks.fill(9.0, x.slice(0, Slice(6, 8)))
    assert cluster.gather(x).tolist() == [1, 2, 3, 4, 5, 6, 9, 9]


def test_a_body_that_returns_something_is_refused(cluster):
    @task
    def wrong(x: InOut):
        return 1

    with pytest.raises(TypeError, match="returns nothing"):
        wrong(from_array(np.ones(4), read_only=False)).wait()


def test_no_cluster_at_the_address_is_said_in_seconds():
    with pytest.raises(DeviceUnavailableError, match=r"no Dask scheduler answers at 'tcp://127.0.0.1:9'.*workers=2"):
        engine("dask", address="tcp://127.0.0.1:9", timeout=1)


@pytest.mark.parametrize(
    "options", [{"address": "tcp://127.0.0.1:9", "workers": 2}, {"local_bytes": -1}, {"checkpoint_every": 0}]
)
def test_options_that_mean_nothing_are_refused(options):
    with pytest.raises(StoreValueError):
        engine("dask", **options)


def test_a_client_that_was_given_stays_open(cluster, tasks):
    client = cluster.cluster.client
    with engine("dask", client=client, local_bytes=0) as other, other.using():
        x = from_array(np.ones(4), read_only=False)
        tasks.fill(2.0, x)
        assert other.gather(x).tolist() == [2.0] * 4
    assert client.status == "running"


def test_stores_go_from_one_cluster_to_another_and_to_this_process(cluster, tasks):
    x = from_array(np.ones(4), read_only=False)
    tasks.saxpy(1.0, x, x2 := from_array(np.ones(4), read_only=False))
    with engine("dask", client=cluster.cluster.client, local_bytes=0).using():
        tasks.saxpy(1.0, x, x2)
    with engine("eager").using():
        tasks.saxpy(1.0, x, x2)
    with engine("threads").using():
        tasks.saxpy(1.0, x, x2)
    tasks.saxpy(1.0, x, x2)
    assert cluster.gather(x2).tolist() == [6.0] * 4


@pytest.mark.slow
def test_a_cluster_that_is_closed_in_mid_run_leaves_local_values_intact(tasks):
    values = np.ones(4)
    x, y = from_array(values), from_array(np.zeros(4), read_only=False)

    @task
    def slow(x: InOut):
        import time

        time.sleep(60)

    with engine("dask", workers=1, local_bytes=0) as lost, lost.using():
        tasks.saxpy(1.0, x, y).wait()
        future = slow(y)
        lost.close()
        with pytest.raises(DeviceLostError, match="the values that it held are gone"):
            future.wait()
        with pytest.raises(DeviceLostError):
            y.get_physical_store()
        with pytest.raises(DeviceLostError):
            tasks.saxpy(1.0, x, from_array(np.zeros(4), read_only=False))
        assert np.asarray(x.get_physical_store()).tolist() == [1.0] * 4
        lost.close()
    with engine("eager").using():
        tasks.fill(3.0, y)
    assert np.asarray(y.get_physical_store()).tolist() == [3.0] * 4


@pytest.mark.parametrize("others", ["eager", "threads", "dask"])
def test_stores_of_a_closed_cluster_are_unreadable_and_can_be_overwritten(cluster, tasks, others):
    values = counted((8,))
    x, y = create_store("float64", (8,)), from_array(values.copy(), read_only=False)
    client = cluster.cluster.distributed.Client(cluster.cluster.client.scheduler.address, set_as_default=False)
    with engine("dask", client=client, local_bytes=0).using() as lost:
        tasks.fill(1.0, x.partition_by_tiling((4,)))
        tasks.fill(2.0, y.slice(0, Slice(2, 5))).wait()
        client.close()
        lost.close()
    chosen = cluster if others == "dask" else engine(others)
    with chosen.using():
        with pytest.raises(DeviceLostError, match="the values that it held are gone"):
            tasks.copy(x, create_store("float64", (8,))).wait()
        tasks.fill(3.0, x.slice(0, Slice(0, 4)))
        with pytest.raises(DeviceLostError, match="the values that it held are gone"):
            chosen.gather(x)
        tasks.fill(4.0, x.slice(0, Slice(4, 8)))
        tasks.fill(5.0, y.slice(0, Slice(2, 5)))
        assert chosen.gather(x).tolist() == [3] * 4 + [4] * 4
        assert chosen.gather(y).tolist() == [0, 1, 5, 5, 5, *values[5:]]


@pytest.mark.slow
def test_a_scheduler_that_is_killed_is_noticed(tasks, tmp_path):
    file = tmp_path / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    scheduler = subprocess.Popen(
        [*command, "--dashboard-address", "127.0.0.1:0", "--scheduler-file", str(file)], stderr=subprocess.DEVNULL
    )
    try:
        from distributed import Client

        with Client(scheduler_file=str(file), timeout=20, set_as_default=False) as client:
            lost = engine("dask", client=client, local_bytes=0)
            with lost.using():
                x = from_array(np.zeros(4), read_only=False)
                future = tasks.fill(1.0, x)  # there is no worker, so it waits
                assert not future.done()
                scheduler.kill()
                with pytest.raises(DeviceLostError):
                    future.wait()
                with pytest.raises(DeviceLostError):
                    tasks.fill(1.0, from_array(np.zeros(4), read_only=False))
    finally:
        scheduler.kill()
        scheduler.wait()
