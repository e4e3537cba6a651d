"""Kernels on Quadrants' BufferViews: what they promise there, and where they fail there, on the host and on `sim`."""

import gc
import re
from typing import Literal, NamedTuple

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import accel
from accel import BufferView, LayoutTensor, NDBuffer
from accel.dtypes import bf16, boolean, c64, c128, f16, f32, f64, i32, i64
from accel.errors import (
    BoundsError,
    DeviceMismatchError,
    DTypeError,
    KernelSignatureError,
    KernelSyntaxError,
    LayoutError,
    ReadOnlyError,
)
from accel.kernels import accumulator, grid, kernel
from accel.layout import row_major

from .on_views import (
    add,
    counted,
    fill_with,
    read_at,
    scale,
    scale_floats,
    unchanged_but,
    write_in_constructed,
    write_in_slice,
    write_in_subview,
    write_nested,
)

BOUNDS = st.none() | st.integers(-70, 70)


@pytest.fixture(params=["cpu", "sim"])
def device(request):
    """A device that runs kernels without a GPU."""
    return request.param


class TestSlices:
    @given(start=BOUNDS, stop=BOUNDS)
    def test_a_slice_passed_to_a_kernel_is_clipped_as_pythons(self, start, stop):
        data, expected = counted("cpu"), np.arange(64)
        fill_with(data[start:stop], 7)
        expected[start:stop] = 7
        assert data.to_numpy().tolist() == expected.tolist()

    @pytest.mark.parametrize(
        "part", [np.s_[:16], np.s_[8:24], np.s_[:], np.s_[8:], np.s_[-8:], np.s_[:100], np.s_[70:90]]
    )
    def test_a_kernel_writes_a_slice_and_leaves_its_neighbours(self, device, part):
        data, expected = counted(device), np.arange(64)
        fill_with(data[part], 7)
        expected[part] = 7
        assert data.to_numpy().tolist() == expected.tolist()

    @given(start=st.integers(-70, 70), stop=st.integers(-70, 70))
    def test_a_slice_in_a_kernel_is_clipped_as_pythons(self, start, stop):
        data, expected = counted("cpu"), np.arange(64)
        write_in_slice(data[:], start, stop)
        expected[start:stop] = 7
        assert data.to_numpy().tolist() == expected.tolist()

    def test_a_step_is_a_value_error_on_the_host_and_a_syntax_error_in_a_kernel(self, device):
        data = counted(device)
        with pytest.raises(ValueError, match="step 1"):
            data[::2]

        @kernel
        def every_second(v: BufferView[i32]):
            for i in range(v[::2].size):
                v[i] = 0

        with pytest.raises(KernelSyntaxError, match="step 1"):
            every_second(data[:])

    def test_an_array_of_two_axes_is_refused_with_how_to_get_a_view_of_one(self):
        with pytest.raises(TypeError, match=r"one axis|1 axis") as failure:
            BufferView(np.zeros((2, 3), "float32"))
        assert "flatten()" in str(failure.value)

    def test_a_constructor_takes_offset_and_size(self, device):
        data = counted(device)
        fill_with(BufferView(data, offset=8, size=3), 7)
        assert unchanged_but(data, 8, 9, 10)

    def test_a_subview_takes_offset_and_size(self, device):
        data = counted(device)
        fill_with(data[8:].subview(2, 3), 7)
        assert unchanged_but(data, 10, 11, 12)

    def test_offsets_of_slices_of_slices_add_up(self, device):
        data = counted(device)
        part = data[8:40][4:20][2:]
        assert (part.offset, part.size) == (14, 14)
        fill_with(part[:2], 7)
        assert unchanged_but(data, 14, 15)

    def test_each_step_is_checked_against_its_parent(self, device):
        part = counted(device)[8:40]
        with pytest.raises(BoundsError):
            part.subview(30, 3)
        with pytest.raises(BoundsError):
            BufferView(counted(device), offset=60, size=5)


class TestKernels:
    @pytest.mark.parametrize("launch", [scale, scale_floats])
    def test_annotations_with_and_without_dtype_take_a_view_of_floats(self, device, launch):
        data = counted(device, 8, "float32")
        launch(data[2:4], 2.0)
        assert data.to_numpy().tolist() == [0, 1, 4, 6, 4, 5, 6, 7]

    @pytest.mark.parametrize("dtype", ["int32", "int64", "float64"])
    def test_an_annotation_without_dtype_takes_that_of_the_memory(self, device, dtype):
        data = counted(device, 8, dtype)
        scale(data[:2], 3)
        assert data.to_numpy().tolist() == [0, 3, 2, 3, 4, 5, 6, 7]

    @pytest.mark.parametrize("size", [0, 1, 5, 64])
    def test_the_size_of_a_view_is_a_trip_count(self, device, size):
        @kernel
        def count(v: BufferView[i32]):
            n = accumulator(i64, 0)
            for _ in range(v.size):
                n += 1
            return n

        assert count(counted(device)[:size]) == size

    def test_two_views_of_one_array_are_arguments_of_one_kernel(self, device):
        data = counted(device)
        add(data[:4], data[32:36])
        assert data.to_numpy()[:6].tolist() == [32, 34, 36, 38, 4, 5]

    def test_views_are_passed_through_functions(self, device):
        data = counted(device)
        write_nested(data[8:], 1)
        assert unchanged_but(data, 9)

    def test_sub_views_are_made_in_kernels(self, device):
        data = counted(device)
        write_in_subview(data[8:40], 4, 2, 1)
        assert unchanged_but(data, 13)

    def test_views_are_constructed_in_kernels(self, device):
        data = counted(device)
        write_in_constructed(data[8:40], 4, 2, 1)
        assert unchanged_but(data, 13)

    def test_elements_can_be_vectors(self, device):
        @kernel
        def turn(v: LayoutTensor[f32]):
            for i in range(len(v)):
                x, y = v[i, 0]
                v[i, 0] = -y, x

        data = accel.container([1, 2, 3, 4], dtype="float32", device=device)
        turn(LayoutTensor(data, row_major(2, 2)).vectorize(1, 2))
        assert data.to_numpy().tolist() == [-2, 1, -4, 3]

    def test_elements_can_be_matrices(self, device):
        @kernel
        def transpose(v: LayoutTensor[f32]):
            for i in range(v.shape[0]):
                a, b, c, d = v[i, 0, 0]
                v[i, 0, 0] = a, c, b, d

        data = counted(device, 8, "float32")
        transpose(LayoutTensor(data, row_major(2, 2, 2)).vectorize(1, 2, 2))
        assert data.to_numpy().tolist() == [0, 2, 1, 3, 4, 6, 5, 7]

    @pytest.mark.parametrize("make", [np.zeros, accel.zeros, accel.xp.zeros])
    def test_an_array_in_place_of_a_view_is_refused_by_its_parameter_with_what_to_write(self, make):
        array = make(4, dtype="int32")
        with pytest.raises(TypeError, match="the parameter v of fill_with: BufferView is annotated") as failure:
            fill_with(array, 7)
        assert re.search(r"write (data\[:\]|BufferView\(data\))", str(failure.value))


class TestBetter:
    """Where Quadrants fails its users."""

    def test_the_host_reads_and_writes_elements_with_checks(self):
        v = counted("cpu")[8:16]
        v[0] = 7
        assert (v[0], v[-1], len(v), [*v[:3]]) == (7, 15, 8, [7, 9, 10])
        for wrong in (8, -9):
            with pytest.raises(BoundsError):
                v[wrong]
            with pytest.raises(BoundsError):
                v[wrong] = 0

    def test_a_view_shows_its_elements_and_gives_them_to_numpy(self):
        v = counted("cpu")[8:12]
        assert repr(v) == "BufferView([ 8,  9, 10, 11], offset=8, size=4, dtype=int32, device=cpu)"
        assert v.to_numpy().tolist() == [8, 9, 10, 11]

    def test_a_view_is_shared_by_dlpack(self):
        data = counted("cpu")
        np.from_dlpack(data[8:12])[0] = 7
        assert unchanged_but(data, 8)

    def test_a_view_is_filled_and_copied(self, device):
        data = counted(device)
        data[8:10].fill(7)
        data[10:12] = data[8:10]
        assert unchanged_but(data, 8, 9, 10, 11)

    def test_a_view_is_not_widened(self):
        v = counted("cpu")[:4]
        with pytest.raises(AttributeError):
            v.size = 100

    def test_a_wrong_annotation_is_refused_when_the_kernel_is_made(self):
        with pytest.raises(TypeError, match="banana"):

            @kernel
            def wrong(v: BufferView["banana"]):  # noqa: F821
                pass

    def test_the_annotated_dtype_is_checked(self, device):
        with pytest.raises(DTypeError, match=r"the parameter v of fill_with: int32 .* float32"):
            fill_with(accel.zeros(4, "float32", device=device)[:], 7)

    @pytest.mark.parametrize("name", ["requires_grad", "needs_grad"])
    def test_an_array_that_requires_gradients_is_refused_with_how_to_detach_it(self, name):
        class Tensor:
            __dlpack__ = np.zeros(4, "int32").__dlpack__

        setattr(Tensor, name, True)
        with pytest.raises(TypeError, match=r"detach\(\)"):
            BufferView(Tensor())

        @kernel
        def clear(v):
            for i in v:
                v[i] = 0

        with pytest.raises(TypeError, match=r"the parameter v of clear: .*detach\(\)"):
            clear(Tensor())

    def test_the_type_of_what_has_memory_is_checked(self):
        with pytest.raises(TypeError, match="str"):
            BufferView("banana")
        with pytest.raises(KernelSignatureError, match="the parameter v"):
            fill_with([1, 2, 3], 7)

    def test_an_array_of_numpy_is_used_without_a_copy(self):
        x = np.arange(8, dtype="int32")
        fill_with(BufferView(x, offset=2, size=3), 7)
        assert x.tolist() == [0, 1, 7, 7, 7, 5, 6, 7]

    def test_a_kernel_that_writes_refuses_read_only_memory_and_one_that_reads_takes_it(self):
        x = np.arange(8, dtype="int32")
        x.flags.writeable = False
        with pytest.raises(ReadOnlyError, match="the parameter v of fill_with"):
            fill_with(BufferView(x), 7)
        assert read_at(BufferView(x), 3) == 3
        assert x.tolist() == [*range(8)]

    def test_an_empty_view_is_an_argument(self, device):
        data = counted(device)
        fill_with(data[8:8], 7)
        add(data[:0], data[64:])
        assert unchanged_but(data)

    @pytest.mark.parametrize("dtype", [f16, bf16, f32, f64, c64, c128])
    def test_a_kernel_computes_with(self, device, dtype):
        values = np.array([0, 1, 2.5, -3], ml_dtypes.bfloat16 if dtype is bf16 else dtype)
        data = accel.container(values, dtype=dtype, device=device)
        scale(data[1:], 2)
        assert data.to_numpy().tolist() == [0, 2, 5, -6]

    def test_a_kernel_computes_with_truth_values(self, device):
        @kernel
        def inverted(v: BufferView[boolean]):
            for i in range(v.size):
                v[i] = not v[i]

        data = accel.container([True, False, True], dtype="bool", device=device)
        inverted(data[1:])
        assert data.to_numpy().tolist() == [True, True, False]

    def test_an_offset_has_more_than_32_bits(self):
        last = 2**31 + 5
        data = accel.from_numpy(np.zeros(last + 1, "int8"))  # never touched, so it takes no memory

        @kernel
        def mark(v: BufferView):
            for i in range(v.size - 2, v.size):
                v[i] = 7

        try:
            mark(data[:])
            mark(data[5:last])
            assert data[last - 4 :].to_numpy().tolist() == [0, 0, 7, 7, 7]
        finally:
            del data
            gc.collect()

    def test_arguments_have_names_and_defaults(self, device):
        data = counted(device, 4, "float32")
        scale_floats(data[:])
        scale_floats(factor=5.0, v=data[:2])
        assert data.to_numpy().tolist() == [0, 10, 4, 6]
        with pytest.raises(KernelSignatureError, match="scale_floats"):
            scale_floats(data[:], faktor=1.0)

    def test_one_kernel_runs_on_several_devices_of_a_process(self):
        both = [counted("cpu"), counted("sim"), counted("sim:1")]
        for data in both:
            fill_with(data[8:10], 7)
        assert all(unchanged_but(data, 8, 9) for data in both)
        with pytest.raises(DeviceMismatchError, match="into on cpu and other on sim"):
            add(both[0][:], both[1][:])


class Pair(NamedTuple):
    left: BufferView
    right: BufferView


class TestMore:
    def test_a_named_tuple_carries_views(self, device):
        @kernel
        def swap(pair: Pair):
            for i in range(pair.left.size):
                pair.left[i], pair.right[i] = pair.right[i], pair.left[i]

        data = counted(device, 6)
        swap(Pair(data[:2], data[4:]))
        assert data.to_numpy().tolist() == [4, 5, 2, 3, 0, 1]

    def test_a_number_out_of_the_range_of_its_type_is_refused_by_name(self, device):
        with pytest.raises(OverflowError, match="the parameter value of fill_with"):
            fill_with(counted(device)[:], 2**31)

    def test_the_number_of_axes_is_checked(self, device):
        @kernel
        def clear(v: NDBuffer[f32, Literal[2]]):
            for i, j in grid(v.shape[0], v.shape[1]):
                v[i, j] = 0

        data = counted(device, 6, "float32")
        with pytest.raises(LayoutError, match="the parameter v of clear: 2 axes are annotated"):
            clear(NDBuffer(data, (6,)))
        clear(NDBuffer(data, (2, 2), (3, 1)))
        assert data.to_numpy().tolist() == [0, 0, 2, 0, 0, 5]
