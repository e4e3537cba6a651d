"""Raw kernels are ordered; streams run late here, so a missing wait gives wrong results with some seed."""

import numpy as np
import pytest

import accel
from accel import Device, RawKernel
from accel.errors import DeviceLostError

from .raw_kernels import SIZE, container

pytestmark = pytest.mark.usefixtures("gpu_machine")


def test_a_launch_comes_after_copies_in_flight_on_other_streams(following, stream):
    source, target = accel.zeros(SIZE, "float32", device="gpu"), container(np.zeros(SIZE))
    source.copy_from_async(accel.full(SIZE, 4, "float32"), stream=stream)
    following(source, target, SIZE, over=SIZE)
    assert set(target.to_numpy()) == {5}


def test_launches_on_two_streams_keep_their_order_where_one_writes(scale, following, stream):
    source, target = container(np.ones(SIZE)), container(np.zeros(SIZE))
    scale(source, 3, over=SIZE, stream=stream)
    following(source, target, SIZE, over=SIZE)
    scale(source, 0, over=SIZE, stream=stream)
    assert set(target.to_numpy()) == {4}
    assert set(source.to_numpy()) == {0}


def test_the_host_reads_and_writes_when_it_is_over(scale, stream):
    c = container(np.ones(SIZE))
    scale(c, 2, over=SIZE, stream=stream)
    assert set(c.to_numpy()) == {2}
    scale(c, 2, over=SIZE, stream=stream)
    c.fill(7)
    assert set(c.to_numpy()) == {7}


def test_a_later_copy_waits_too(scale, stream):
    c, target = container(np.ones(SIZE)), accel.zeros(SIZE, "float32")
    scale(c, 2, over=SIZE, stream=stream)
    with accel.new_stream("gpu") as other:
        target.copy_from_async(c, stream=other).wait()
    assert set(target.to_numpy()) == {2}


def test_memory_stays_until_the_kernel_is_done(following, stream):
    target = container(np.zeros(SIZE))
    source = container(np.full(SIZE, 3))
    following(source, target, SIZE, over=SIZE, stream=stream)
    source.release()
    others = [accel.full(SIZE, 9, "float32", device="gpu") for _ in range(3)]
    assert set(target.to_numpy()) == {4}
    assert len(others) == 3


def test_the_current_stream_is_the_one_that_is_used(scale, stream):
    c = container(np.ones(SIZE))
    with stream:
        scale(c, 2, over=SIZE)
    assert not stream.native.done
    assert set(c.to_numpy()) == {2}


def test_a_kernel_without_memory_runs_on_its_streams_device_or_the_first():
    nothing = RawKernel.from_source('extern "C" __global__ void nothing(int number) {}')
    assert nothing(1, grid=1).device == Device.best()
    second = Device.best().type + ":1"
    with accel.new_stream(second) as other:
        pass
    assert str(nothing(1, grid=1, stream=other).device) == second


def test_a_device_that_is_lost_says_so(gpu_machine, scale):
    c = container(np.ones(SIZE))
    gpu_machine.lose(0)
    with pytest.raises(DeviceLostError):
        scale(c, 2, over=SIZE)
