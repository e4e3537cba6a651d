"""Options of the engine, division of launches on aligned stores, and progress."""

import os

import numpy as np
import pytest

from accel.device import Device
from accel.engines import InOut, Output, align, engine, task
from accel.errors import CapabilityError
from accel.store import create_store, from_array


def test_large_aligned_stores_are_divided_into_tiles(cluster):
    x, y = create_store("float64", (3 << 20,)), create_store("float64", (3 << 20,))

    @task(constraints=[align("x", "y")])
    def start(x: Output, y: Output):
        x.span_write_accessor()[...] = 1
        y.span_write_accessor()[...] = os.getpid()

    assert cluster.preview(start.bind(x, y)).tasks > 2
    start(x, y)
    assert len(x.root.contents.tiles()) > 2
    assert (cluster.gather(x) == 1).all()
    assert os.getpid() not in cluster.gather(y)


def test_progress_is_told_after_each_point(cluster, tasks):
    seen = []
    with cluster.using(progress=seen.append):
        x = create_store("float64", (10,))
        tasks.fill(1.0, x.partition_by_tiling((2,))).wait()
    assert [(each.task, each.done, each.tasks, each.nbytes) for each in seen] == [
        ("fill", done, 5, 16 * done) for done in range(1, 6)
    ]


def test_progress_of_a_launch_in_this_process_is_told(cluster, tasks):
    seen = []
    with cluster.using(progress=seen.append, local_bytes=1000):
        tasks.fill(1.0, create_store("float64", (4,))).wait()
    assert [each.done for each in seen] == [1]


def test_a_variant_runs_on_its_device_in_the_workers(cluster):
    @task
    def double(x: InOut):
        raise AssertionError("the variant runs")

    @double.variant("sim")
    def _(x):
        x.span_read_write_accessor().fill(7.0)

    x = from_array(np.ones(4), read_only=False)
    with cluster.using(device="sim") as chosen:
        double(x.partition_by_tiling((2,)))
        assert chosen.device is Device.SIM
        assert chosen.gather(x).tolist() == [7.0] * 4


def test_a_task_without_a_body_for_the_device_is_refused_before_it_is_sent(cluster, tasks):
    with cluster.using(device="sim"), pytest.raises(CapabilityError, match=r"fill has no body for sim"):
        tasks.fill(1.0, create_store("float64", (4,)))


def test_inline_false_sends_small_launches_to_the_workers(cluster, tasks):
    with cluster.using(local_bytes=1 << 20, inline=False):
        x = create_store("float64", (4,))
        tasks.fill(1.0, x)
        assert x.root.contents.tiles()


def test_an_option_that_there_is_not_is_refused(cluster):
    with pytest.raises(TypeError, match="engine dask has no option 'spill_folder'"), cluster.using(spill_folder="/x"):
        pass
    with pytest.raises(TypeError, match="engine dask has no option 'colour'"):
        engine("dask", colour=1)
