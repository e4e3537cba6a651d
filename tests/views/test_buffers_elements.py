"""Elements and vectors of buffers: checked, and for host memory only."""

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import accel
from accel.errors import BoundsError, DeviceMismatchError, DTypeError, LayoutError
from accel.views import Buffer, NDBuffer, PrefetchOptions

QUICK = settings(max_examples=100, deadline=None, database=None)
shapes = st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple)


def numbers(size=64, dtype="float64"):
    return np.arange(size).astype(dtype)


class TestElements:
    @QUICK
    @given(shapes, st.data())
    def test_are_numpys_at_every_coordinate(self, shape, data):
        model = numbers(prod(shape)).reshape(shape)
        buffer = NDBuffer(accel.container(model), shape)
        index = tuple(data.draw(st.integers(-5, 4)) for _ in shape)
        outside = [axis for axis, (i, n) in enumerate(zip(index, shape, strict=True)) if not -n <= i < n]
        if outside:
            axis = outside[0]
            message = rf"index {index[axis]} is out of range on axis {axis}: its extent is {shape[axis]}"
            for touch in (lambda: buffer[index], lambda: buffer.__setitem__(index, 0), lambda: buffer.prefetch(*index)):
                with pytest.raises(BoundsError, match=message):
                    touch()
        else:
            assert buffer[index] == model[index]
            assert type(buffer[index]) is np.float64
            assert buffer.prefetch(index) is None
            buffer[index] = model[index] = -7
        assert buffer.to_numpy().tolist() == model.tolist()

    def test_are_written_where_the_strides_say(self):
        c = accel.zeros(6)
        NDBuffer(c, (3, 2), (1, 3))[2, 1] = 5
        NDBuffer(c, (3,), (-2,), offset=4)[0] = 6
        assert c.to_numpy().tolist() == [0, 0, 0, 0, 6, 5]

    def test_have_one_coordinate_for_each_axis(self):
        buffer = NDBuffer(numbers(6), (2, 3))
        for index in (1, (), (0, 0, 0)):
            with pytest.raises(BoundsError, match=r"2 coordinates are needed for shape \(2, 3\); found [013]"):
                buffer[index]
        for access in (buffer.load, buffer.prefetch):
            with pytest.raises(BoundsError, match="found 1"):
                access(1)

    def test_without_axes_there_is_one(self):
        buffer = NDBuffer(numbers(), ())
        buffer[()] = 5
        assert (buffer[()], buffer.load(), buffer.size, buffer.to_numpy().shape) == (5, 5, 1, ())

    def test_coordinates_are_whole_numbers(self):
        for index in (0.5, slice(2), None):
            with pytest.raises(TypeError, match="an index is a whole number"):
                Buffer(numbers())[index]

    def test_take_a_vector_of_one(self):
        buffer = Buffer(accel.zeros(2, "int8"))
        buffer[1] = np.array([5], "int8")
        assert buffer[1] == 5
        with pytest.raises(ValueError, match="an element takes one value; found 2"):
            buffer[0] = [1, 2]
        with pytest.raises(DTypeError):
            buffer[0] = 1.5
        with pytest.raises(OverflowError):
            buffer[0] = 128

    def test_are_iterated_over_as_numpys_are(self, device):
        rows = list(NDBuffer(accel.container(numbers(6), device=device), (3, 2), (1, 3)))
        assert [row.to_numpy().tolist() for row in rows] == [[0, 3], [1, 4], [2, 5]]
        assert list(NDBuffer(numbers(6), (3,), (2,))) == [0, 2, 4]

    @pytest.mark.parametrize(
        "access",
        [
            lambda b: b[0, 0],
            lambda b: b.__setitem__((0, 0), 1),
            lambda b: b.load(0, 0),
            lambda b: b.store((0, 0), [1]),
            lambda b: b.simd_nt_store((0, 0), [1, 2]),
            lambda b: iter(b.flatten()),
            np.asarray,
        ],
        ids=["read", "write", "load", "store", "simd_nt_store", "iter", "numpy"],
    )
    def test_of_a_device_are_out_of_the_hosts_reach(self, access):
        with pytest.raises(DeviceMismatchError, match=r"on sim: write x.to_numpy\(\) for a copy"):
            access(NDBuffer(accel.zeros(6, device="sim"), (2, 3)))


class TestVectors:
    @QUICK
    @given(shapes, st.integers(0, 20), st.data())
    def test_are_consecutive_and_stay_inside(self, shape, width, data):
        model = numbers(prod(shape))
        buffer = NDBuffer(accel.container(model), shape)
        place = data.draw(st.integers(0, model.size - 1))
        index = buffer.get_nd_index(place)
        values = np.full(width, -1.0)
        if place + width <= model.size:
            loaded = buffer.load(*index, width=width)
            assert np.atleast_1d(loaded).tolist() == model[place : place + width].tolist()
            assert np.ndim(loaded) == (width != 1)
            buffer.store(index, values)
            model[place : place + width] = values
        else:
            message = (
                rf"{width} elements from offset {place} are required, and this NDBuffer has {model.size} available"
            )
            for access in (lambda: buffer.load(index, width=width), lambda: buffer.store(index, values)):
                with pytest.raises(BoundsError, match=message):
                    access()
        assert buffer.to_numpy().ravel().tolist() == model.tolist()

    def test_never_leave_the_buffer_for_the_rest_of_the_memory(self):
        buffer = Buffer(numbers(), offset=8, size=4)
        assert buffer.load(1, width=3).tolist() == [9, 10, 11]
        with pytest.raises(BoundsError, match="4 available"):
            buffer.load(2, width=3)

    def test_loaded_are_copies(self):
        buffer = Buffer(accel.container(numbers(4)))
        buffer.load(0, width=2)[0] = 9
        assert buffer[0] == 0

    def test_take_coordinates_together_or_apart(self):
        buffer = NDBuffer(numbers(6), (2, 3))
        assert buffer.load(1, 1) == buffer.load((1, 1)) == buffer.load([1, 1]) == 4
        Buffer(array := numbers(3)).store(1, 8)
        assert array.tolist() == [0, 8, 2]

    def test_wide_ones_need_contiguous_elements(self):
        gaps = NDBuffer(accel.zeros(8), (2, 2), (4, 1))
        gaps.store((1, 0), 5)
        assert gaps.load(1, 0) == 5
        for access in (
            lambda: gaps.load(0, 0, width=2),
            lambda: gaps.store((0, 0), [1, 2]),
            lambda: gaps.simd_nt_store((0, 0), [1]),
        ):
            with pytest.raises(LayoutError, match=r"^Function requires contiguous buffer\."):
                access()

    def test_have_a_width_and_a_size(self):
        with pytest.raises(ValueError, match="0 or more; found -1"):
            Buffer(numbers()).load(0, width=-1)
        with pytest.raises(OverflowError):
            Buffer(accel.zeros(4, "int8")).store(0, [1, 300])


class TestAlignment:
    @QUICK
    @given(st.integers(0, 15), st.sampled_from([1, 2, 4, 8, 16, 32, 64]))
    def test_is_checked_against_the_address(self, place, alignment):
        with Buffer.aligned_stack_allocation(64, 32, "int32") as buffer:
            buffer.fill(0)
            if place * 4 % alignment:
                for access in (
                    lambda: buffer.load(place, alignment=alignment),
                    lambda: buffer.store(place, 1, alignment),
                ):
                    with pytest.raises(LayoutError, match=rf"no multiple of {alignment}.*aligned_stack_allocation"):
                        access()
            else:
                buffer.store(place, [3, 4], alignment)
                assert buffer.load(place, width=2, alignment=alignment).tolist() == [3, 4]

    def test_is_a_power_of_two(self):
        with pytest.raises(ValueError, match="power of two in bytes; found 3"):
            Buffer(numbers()).load(0, alignment=3)

    @pytest.mark.parametrize(("width", "needed"), [(4, 16), (8, 32), (16, 64), (20, 64), (2, 16)])
    def test_of_non_temporal_stores_goes_by_their_width(self, width, needed):
        with Buffer.aligned_stack_allocation(128, 64, "int32") as buffer:
            buffer.zero()
            step = needed // 4
            buffer.simd_nt_store(step, np.arange(width, dtype="int32"))
            assert buffer.load(step, width=width).tolist() == list(range(width))
            with pytest.raises(LayoutError, match=f"no multiple of {needed}"):
                buffer.simd_nt_store(step // 2, np.ones(width, "int32"))
            assert buffer.load(0, width=step).tolist() == [0] * step


class TestPrefetch:
    def test_is_a_hint(self, device):
        buffer = NDBuffer(accel.zeros(6, device=device), (2, 3))
        assert buffer.prefetch(1, 2, params=PrefetchOptions(read=False, locality=0)) is None
        assert PrefetchOptions() == PrefetchOptions(read=True, locality=3, cache="data")

    def test_has_options_that_there_are(self):
        with pytest.raises(ValueError, match="0, 1, 2 or 3; found 4"):
            PrefetchOptions(locality=4)
        with pytest.raises(ValueError, match="'data' or 'instruction'; found 'L2'"):
            PrefetchOptions(cache="L2")
        with pytest.raises(TypeError, match="PrefetchOptions"):
            Buffer(numbers()).prefetch(0, params=3)
