"""Debug mode of kernels on views, as Quadrants' and beyond, on the host and on `sim`."""

import re

import numpy as np
import pytest

import accel
from accel import BufferView
from accel.dtypes import i32
from accel.errors import (
    BoundsError,
    KernelBoundsError,
)
from accel.kernels import kernel

from .on_views import (
    counted,
    read_at,
    shift_by_size,
    unchanged_but,
    write_at,
    write_at_in_a_loop,
    write_in_constructed,
    write_in_nested,
    write_in_subview,
    write_nested,
)


@pytest.fixture(params=["cpu", "sim"])
def device(request):
    """A device that runs kernels without a GPU."""
    return request.param


def done(launched):
    """Wait for a launch; one that returns a number was waited for."""
    if not isinstance(launched, np.generic):
        launched.wait()


def bounds_error(launch, *arguments):
    """Return the message of a launch in debug mode that leaves a view."""
    with accel.debug(), pytest.raises(KernelBoundsError) as failure:
        done(launch(*arguments))
    return str(failure.value)


def not_written(data):
    """Tell whether a failed kernel wrote nothing.

    On the CPU the launch has raised the error, and the memory is read. Where kernels run late, a read raises the error
    again until the memory is overwritten.
    """
    if data.device is not accel.Device.CPU:
        with pytest.raises(KernelBoundsError):
            data.to_numpy()
        data[:] = np.arange(data.size, dtype=data.dtype)
    return unchanged_but(data)


class TestDebugMode:
    """Every access is checked, and a store out of range is not done."""

    @pytest.mark.parametrize("launch", [read_at, write_at, write_at_in_a_loop, write_nested])
    @pytest.mark.parametrize("at", [16, -1, 2**40, -(2**40)])
    def test_an_index_out_of_range_is_an_error_and_nothing_is_written(self, device, launch, at):
        data = counted(device)
        assert f"got index {at} (offset=8, size=16)" in bounds_error(launch, data[8:24], at)
        assert launch is read_at or not_written(data)

    def test_checks_are_made_outside_of_loops_too(self, device):
        assert "got index 64 (offset=0, size=64)" in bounds_error(write_at, counted(device)[:], 64)

    @pytest.mark.parametrize("at", [0, 15])
    def test_the_first_and_the_last_index_pass(self, device, at):
        data = counted(device)
        with accel.debug():
            done(write_nested(data[8:24], at))
        assert unchanged_but(data, 8 + at)

    @pytest.mark.parametrize("launch", [write_in_subview, write_in_constructed])
    def test_an_index_past_a_view_made_in_the_kernel_is_an_error(self, device, launch):
        data = counted(device)
        assert "got index 2 (offset=12, size=2)" in bounds_error(launch, data[8:40], 4, 2, 2)
        assert not_written(data)

    @pytest.mark.parametrize("launch", [write_in_subview, write_in_constructed])
    @pytest.mark.parametrize(("offset", "size"), [(31, 2), (-1, 2), (0, 100), (40, 0), (4, -1)])
    def test_a_view_past_its_parent_is_an_error_in_the_kernel(self, device, launch, offset, size):
        data = counted(device)
        message = bounds_error(launch, data[8:40], offset, size, 0)
        assert f"got offset {offset} and size {size} (offset=8, size=32)" in message
        assert "sub-view of the parameter 'v', of dtype" in message

    @pytest.mark.parametrize(("offset", "size"), [(6, 3), (-1, 2), (9, 0), (0, -1)])
    def test_a_view_past_a_view_made_in_the_kernel_is_an_error(self, device, offset, size):
        message = bounds_error(write_in_nested, counted(device)[8:40], offset, size, 0)
        assert f"got offset {offset} and size {size} (size=8)" in message
        assert "nested sub-view of the parameter 'v', of dtype" in message

    def test_the_message_has_the_shape_that_quadrants_users_know(self, device):
        data = counted(device)
        message = bounds_error(write_nested, data[:16], 16).splitlines()
        assert message[0] == "BufferView Out Of Range: kernel[write_nested] tid=0, got index 16 (offset=0, size=16)."
        assert message[1] == "Callstack:"
        frames = [re.fullmatch(r"( *)(\w+) \(on_views\.py:\d+\)", line).groups() for line in message[2:5]]
        assert frames == [("", "write_nested"), ("  ", "write_through"), ("    ", "write_one")]

    @pytest.mark.parametrize(("launch", "what"), [(read_at, "read"), (write_at, "write")])
    def test_the_message_adds_parameter_access_dtype_and_length(self, device, launch, what):
        message = bounds_error(launch, counted(device)[:16], 16)
        for said in (what, "'v'", "int32", "64 elements"):
            assert said in message

    def test_all_accesses_out_of_range_are_counted_and_one_is_shown(self, device):
        @kernel
        def shifted(v: BufferView[i32]):
            for i in range(v.size):
                v[i + 4] = 7

        data = counted(device, 64)
        message = bounds_error(shifted, data[:16])
        assert "4 accesses out of range" in message
        tid, index = map(int, re.search(r"tid=(\d+), got index (\d+)", message).groups())
        assert 12 <= tid < 16
        assert index == tid + 4
        assert device == "sim" or unchanged_but(data, *range(4, 16))

    def test_all_failures_are_counted_where_threads_share_a_loop(self, device):
        data = counted(device, 2 * 10**5)
        message = bounds_error(shift_by_size, data[: 10**5])
        assert "100000 accesses out of range" in message

    def test_a_late_error_has_the_line_that_launched_the_kernel(self, device):
        stream = accel.new_stream(device)
        with accel.debug():
            event = write_at.on(stream)(counted(device)[:], 64)
        with pytest.raises(KernelBoundsError) as failure:
            event.wait()
        assert any(re.match(r"launched at .*test_quadrants_debug\.py:\d+", note) for note in failure.value.__notes__)

    def test_a_single_access_out_of_range_is_called_the_only_one(self, device):
        assert "There were no other accesses out of range." in bounds_error(write_at, counted(device)[:], 64)

    def test_after_an_error_the_device_and_the_kernel_can_be_used(self, device):
        data = counted(device)
        bounds_error(write_at, data[:], 64)
        assert not_written(data)
        with accel.debug():
            done(write_at(data[:], 63))
        assert unchanged_but(data, 63)

    def test_a_division_of_integers_by_zero_is_an_error(self, device):
        @kernel(debug=True)
        def divide(v: BufferView[i32]):
            for i in range(v.size):
                v[i] = 1 // v[i]

        with pytest.raises(ZeroDivisionError):
            done(divide(accel.zeros(4, "int32", device=device)[:]))

    def test_it_is_on_by_decorator_scope_or_setting(self, device):
        checked = kernel(debug=True)(write_at.__wrapped__)
        with pytest.raises(KernelBoundsError):
            done(checked(counted(device)[:4], 4))
        with accel.using(debug=True), pytest.raises(KernelBoundsError):
            done(write_at(counted(device)[:4], 4))

    def test_the_decorator_counts_more_than_the_scope(self, device):
        unchecked = kernel(debug=False)(write_at.__wrapped__)
        v = counted(device)[:]
        with accel.debug():
            assert unchecked.inspect("ir", v, 0) != write_at.inspect("ir", v, 0)
        assert unchecked.inspect("ir", v, 0) == write_at.inspect("ir", v, 0)

    @pytest.mark.parametrize("launch", [write_at, write_nested])
    def test_without_it_the_code_has_no_checks(self, device, launch):
        v = counted(device)[:]
        assert "site" not in launch.inspect("ir", v, 0)
        with accel.debug():
            assert "site" in launch.inspect("ir", v, 0)

    def test_without_it_an_index_past_the_view_and_inside_the_array_is_not_checked(self):
        data = counted("cpu")
        write_at(data[:16], 16)
        assert unchanged_but(data, 16)

    def test_without_it_the_simulated_device_still_refuses_what_is_outside_of_the_view(self):
        with pytest.raises(BoundsError, match=r"writes element 16 of v, which has elements 0 to 15"):
            done(write_at(counted("sim")[:16], 16))
