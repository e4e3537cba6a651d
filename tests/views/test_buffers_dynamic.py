"""`DynamicRankBuffer`, and partial vector loads and stores."""

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import accel
from accel.errors import BoundsError, DeviceMismatchError, DTypeError, LayoutError, ReadOnlyError, ReleasedError
from accel.views import (
    Buffer,
    BufferView,
    DynamicRankBuffer,
    NDBuffer,
    partial_simd_load,
    partial_simd_store,
    prod_dims,
)

QUICK = settings(max_examples=100, deadline=None, database=None)


class TestDynamicRank:
    @QUICK
    @given(st.lists(st.integers(0, 2), min_size=1, max_size=8).map(tuple))
    def test_becomes_a_buffer_of_its_rank(self, shape):
        model = np.arange(prod(shape), dtype="int16").reshape(shape)
        buffer = DynamicRankBuffer(accel.container(model), len(shape), shape, "int16")
        assert (buffer.rank, buffer.shape, buffer.type, buffer.num_elements()) == (
            model.ndim,
            shape,
            "int16",
            model.size,
        )
        assert (
            buffer.rank_dispatch(lambda rank: buffer.to_ndbuffer("int16", rank)).to_numpy().tolist() == model.tolist()
        )
        assert buffer.to_buffer("int16").to_numpy().tolist() == model.ravel().tolist()
        assert [buffer.dim(axis) for axis in range(len(shape))] == list(shape)
        assert [buffer.get_shape(rank) for rank in range(len(shape) + 1)] == [
            shape[:rank] for rank in range(len(shape) + 1)
        ]
        assert prod_dims(buffer, 0, buffer.rank) == model.size

    def test_shares_its_sources_memory(self, device):
        c = accel.zeros(8, device=device)
        buffer = DynamicRankBuffer(c, 2, (2, 3), "float64")
        buffer.to_ndbuffer("f64", 2).fill(1)
        assert c.to_numpy().tolist() == [1, 1, 1, 1, 1, 1, 0, 0]
        assert (buffer.data, buffer.device, buffer.storage) == (c.unsafe_ptr(), c.device, c.storage)
        assert repr(buffer) == "DynamicRankBuffer(rank=2, shape=(2, 3), dtype=float64)"

    def test_takes_strides_that_stay_inside(self):
        buffer = DynamicRankBuffer(np.arange(9.0), 2, (2, 3), "float64")
        assert buffer.to_ndbuffer("float64", 2, (1, 2)).to_numpy().tolist() == [[0, 2, 4], [1, 3, 5]]
        with pytest.raises(BoundsError, match="requires elements 0 to 7; there are 6 available"):
            buffer.to_ndbuffer("float64", 2, (3, 2))

    def test_has_eight_axes_at_most(self):
        with pytest.raises(LayoutError, match="a rank is 0 to 8; found 9"):
            DynamicRankBuffer(np.zeros(1), 9, (1,) * 9, "float64")

    def test_has_as_many_extents_as_axes(self):
        with pytest.raises(LayoutError, match=r"rank 2 needs a shape of 2 extents; found \(3,\)"):
            DynamicRankBuffer(np.zeros(3), 2, (3,), "float64")

    def test_without_axes_is_not_dispatched(self):
        buffer = DynamicRankBuffer(np.ones(1), 0, (), "float64")
        assert buffer.to_ndbuffer("float64", 0)[()] == 1
        with pytest.raises(LayoutError, match="ranks of 1 to 8; this buffer has rank 0"):
            buffer.rank_dispatch(print)

    def test_is_read_as_what_it_is(self):
        for wrong in (
            lambda: DynamicRankBuffer(np.zeros(3), 1, 3, "float32"),
            lambda: DynamicRankBuffer(np.zeros(3), 1, 3, "float64").to_buffer("int64"),
            lambda: DynamicRankBuffer(np.zeros(3), 1, 3, "float64").to_ndbuffer("int64", 1),
        ):
            with pytest.raises(DTypeError, match=r"the elements are float64, .* write dtype='float64'"):
                wrong()
        with pytest.raises(LayoutError, match="the rank is 1, and 2 is asked for"):
            DynamicRankBuffer(np.zeros(3), 1, 3, "float64").to_ndbuffer("float64", 2)

    def test_has_the_extents_it_has(self):
        buffer = DynamicRankBuffer(np.zeros(6), 2, (2, 3), "float64")
        with pytest.raises(BoundsError, match="3 extents are asked for; there are 2"):
            buffer.get_shape(3)
        with pytest.raises(BoundsError, match="axis 2 is out of range"):
            buffer.dim(2)

    def test_is_within_its_source(self):
        with pytest.raises(BoundsError, match="there are 5 available"):
            DynamicRankBuffer(np.zeros(5), 2, (2, 3), "float64")


bounds = st.integers(-3, 12)


class TestPartialVectors:
    @QUICK
    @given(bounds, bounds, st.integers(0, 9))
    def test_load_reads_the_lanes_in_bounds(self, lbound, rbound, width):
        lanes = [lane if max(0, lbound) <= lane < min(width, rbound) else -1 for lane in range(width)]
        memory = np.arange(9)
        for source in (memory, accel.container(memory), BufferView(memory), Buffer(memory)):
            assert partial_simd_load(source, lbound, rbound, -1, width).tolist() == lanes

    @QUICK
    @given(bounds, bounds, st.integers(0, 9))
    def test_store_writes_the_lanes_in_bounds(self, lbound, rbound, width):
        c = accel.zeros(9, "int64")
        partial_simd_store(c, lbound, rbound, np.arange(1, width + 1))
        expected = [lane + 1 if max(0, lbound) <= lane < min(width, rbound) else 0 for lane in range(9)]
        assert c.to_numpy().tolist() == expected

    @QUICK
    @given(bounds, bounds, st.integers(0, 9), st.integers(0, 9))
    def test_lanes_in_bounds_must_be_in_the_memory(self, lbound, rbound, width, size):
        view = BufferView(np.zeros(12), offset=1, size=size)
        last = min(width, rbound) - 1
        if max(0, lbound) <= last and last >= size:
            for access in (
                lambda: partial_simd_load(view, lbound, rbound, 0, width),
                lambda: partial_simd_store(view, lbound, rbound, np.ones(width)),
            ):
                with pytest.raises(BoundsError, match=f"the memory of the vector has {size} available"):
                    access()
        else:
            assert not partial_simd_load(view, lbound, rbound, 0, width).any()
            partial_simd_store(view, lbound, rbound, np.zeros(width))

    def test_the_vector_is_a_copy_of_its_dtype(self):
        memory = np.ones(3, "float32")
        vector = partial_simd_load(memory, 0, 3, 0, 3)
        vector[:] = 5
        assert vector.dtype == np.float32
        assert memory.tolist() == [1, 1, 1]

    def test_a_pad_or_a_lane_fits_the_dtype(self):
        memory = np.zeros(3, "int8")
        with pytest.raises(OverflowError):
            partial_simd_load(memory, 0, 1, 300, 3)
        with pytest.raises(DTypeError):
            partial_simd_store(memory, 0, 1, [0.5, 1])
        assert not memory.any()

    def test_a_pad_is_one_value(self):
        with pytest.raises(ValueError, match="a pad is one value; found 2"):
            partial_simd_load(np.zeros(3), 0, 1, [1, 2], 2)

    def test_bounds_are_whole_numbers(self):
        with pytest.raises(TypeError, match=r"a bound is a whole number; found 0\.5"):
            partial_simd_load(np.zeros(3), 0.5, 1, 0, 3)

    @pytest.mark.parametrize(
        "access", [lambda m: partial_simd_load(m, 0, 1, 0, 2), lambda m: partial_simd_store(m, 0, 1, [1.0, 2.0])]
    )
    def test_the_memory_is_flat_and_the_hosts(self, access):
        with pytest.raises(DeviceMismatchError, match="a vector needs host memory"):
            access(accel.zeros(3, device="sim"))
        with pytest.raises(TypeError, match="one axis"):
            access(NDBuffer(np.zeros((2, 2))))
        c = accel.zeros(3)
        c.release()
        with pytest.raises(ReleasedError):
            access(c)

    def test_read_only_memory_is_not_written(self):
        memory = np.zeros(3)
        memory.flags.writeable = False
        with pytest.raises(ReadOnlyError):
            partial_simd_store(memory, 0, 1, [1.0])
