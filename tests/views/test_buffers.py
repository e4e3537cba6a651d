"""Buffers behave like NumPy's strided arrays, on any device."""

import io
from itertools import product
from math import prod
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import accel
from accel import xp
from accel.dtypes import as_dtype, supported
from accel.errors import BoundsError, DTypeError, LayoutError, OverlapError, ReadOnlyError, ReleasedError
from accel.testing import no_leaks
from accel.views import Buffer, BufferView, NDBuffer, prod_dims

DEVICES = ["cpu", "sim"]
QUICK = settings(max_examples=80, deadline=None, database=None)
shapes = st.lists(st.integers(0, 4), max_size=4).map(tuple)


def numbers(size=64, dtype="float64"):
    return np.arange(size).astype(as_dtype(dtype))


@st.composite
def strided(draw, size=64):
    """Draw shape, strides and offset of elements within a memory of this size."""
    shape = draw(shapes.filter(all))
    strides = tuple(draw(st.integers(-5, 5)) for _ in shape)
    steps = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    low, high = sum(min(step, 0) for step in steps), sum(max(step, 0) for step in steps)
    if high - low >= size:
        strides, low, high = (0,) * len(shape), 0, 0
    return shape, strides, draw(st.integers(-low, size - 1 - high))


def model_of(array, shape, strides, offset):
    return np.ndarray(shape, array.dtype, array, offset * 8, [stride * 8 for stride in strides])


class TestShape:
    @QUICK
    @given(st.sampled_from(DEVICES), strided())
    def test_shape_and_strides_are_numpys(self, device, geometry):
        shape, strides, offset = geometry
        buffer = NDBuffer(accel.container(numbers(), device=device), shape, strides, offset=offset)
        model = model_of(numbers(), *geometry)
        assert buffer.to_numpy().tolist() == model.tolist()
        assert (buffer.dynamic_shape, buffer.dynamic_stride) == (shape, strides)
        assert buffer.is_contiguous == model.flags.c_contiguous
        assert buffer.data == buffer.storage.pointer + offset * 8

    @QUICK
    @given(shapes)
    def test_without_strides_it_is_row_major(self, shape):
        model = numbers(prod(shape)).reshape(shape)
        buffer = NDBuffer(numbers(prod(shape)), shape)
        assert buffer.is_contiguous
        assert buffer.to_numpy().tolist() == model.tolist()
        assert [buffer.stride(axis) * 8 for axis in range(len(shape))] == list(model.strides) or not model.size
        assert [buffer.dim(axis) for axis in range(len(shape))] == list(shape)
        assert (buffer.get_rank(), buffer.get_shape(), buffer.bytecount()) == (model.ndim, shape, model.nbytes)

    @QUICK
    @given(shapes)
    def test_facts_are_properties_that_count_as_numpy_does(self, shape):
        buffer, model = NDBuffer(numbers(256), shape), numbers(prod(shape)).reshape(shape)
        assert (buffer.size, buffer.rank, buffer.nbytes) == (model.size, model.ndim, model.nbytes)
        assert buffer.num_elements() == model.size
        if shape:
            assert len(buffer) == len(list(buffer)) == len(model)
        else:
            for ask in (len, iter):
                with pytest.raises(TypeError, match=r"without axes .* b\[\(\)\]"):
                    ask(buffer)

    @QUICK
    @given(shapes.filter(all))
    def test_get_nd_index_counts_row_major(self, shape):
        buffer = NDBuffer(numbers(256), shape)
        found = [buffer.get_nd_index(place) for place in range(buffer.size)]
        assert found == list(product(*map(range, shape)))
        assert buffer.get_nd_index(-1) == found[-1]
        with pytest.raises(BoundsError, match=f"index {buffer.size} is out of range"):
            buffer.get_nd_index(buffer.size)

    def test_without_a_source_there_is_nothing(self):
        for nothing in (NDBuffer(), Buffer()):
            assert (nothing.data, len(nothing), nothing.get_shape(), list(nothing)) == (0, 0, (0,), [])
        with pytest.raises(BoundsError, match="0 available"):
            NDBuffer(shape=(2, 3))

    def test_without_a_shape_it_has_its_sources(self):
        x = xp.permute_dims(xp.reshape(xp.asarray(numbers(6)), (2, 3)), (1, 0))
        assert (NDBuffer(x).get_shape(), NDBuffer(x).dynamic_stride) == ((3, 2), (1, 3))
        assert NDBuffer(SimpleNamespace(__dlpack__=x.__dlpack__, __dlpack_device__=x.__dlpack_device__))[2, 0] == 2
        assert NDBuffer(numbers(6), offset=2).get_shape() == (4,)
        assert NDBuffer(BufferView(numbers(6), offset=1), (2, 2), offset=1)[0, 0] == 2

    @pytest.mark.parametrize(
        "arguments",
        [{"strides": (1,)}, {"offset": 1}, {"shape": 2.5}, {"shape": (2, "a")}],
        ids=lambda a: next(iter(a)),
    )
    def test_what_is_no_shape_is_a_type_error(self, arguments):
        with pytest.raises(TypeError, match=r"whole number|need a shape"):
            NDBuffer(numbers(6).reshape(2, 3), **arguments)

    def test_a_shape_has_no_negative_extent_and_as_many_strides(self):
        with pytest.raises(ValueError, match="0 or more; found -1"):
            NDBuffer(numbers(), (-1, 2))
        with pytest.raises(LayoutError, match="needs as many strides"):
            NDBuffer(numbers(), (2, 2), (1,))
        with pytest.raises(LayoutError, match="needs a contiguous source"):
            NDBuffer(NDBuffer(numbers(), (2, 2), (8, 1)), (4,))

    @QUICK
    @given(shapes, st.lists(st.integers(-30, 30), min_size=4, max_size=4), st.integers(-5, 70))
    def test_every_element_is_in_the_source(self, shape, strides, offset):
        strides = tuple(strides[: len(shape)])
        cells = [offset + sum(map(int.__mul__, place, strides)) for place in np.ndindex(shape)]
        reaches = cells or [offset]
        if min(reaches) >= 0 and max(reaches) < 64 + (not cells):
            assert NDBuffer(numbers(), shape, strides, offset=offset).to_numpy().ravel().tolist() == cells
        else:
            with pytest.raises(BoundsError, match=r"requires elements .* there are 64 available"):
                NDBuffer(numbers(), shape, strides, offset=offset)

    def test_an_axis_is_one_of_its_own(self):
        buffer = NDBuffer(numbers(6), (2, 3))
        assert (buffer.dim(-1), buffer.stride(-2)) == (3, 3)
        for ask in (buffer.dim, buffer.stride):
            with pytest.raises(BoundsError, match="axis 2 is out of range"):
                ask(2)


class TestBuffer:
    def test_is_consecutive_elements(self, device):
        buffer = Buffer(accel.container(numbers(), device=device), offset=3, size=4)
        assert (len(buffer), buffer.dynamic_size, buffer.get_rank()) == (4, 4, 1)
        assert buffer.to_numpy().tolist() == [3, 4, 5, 6]
        assert repr(buffer) == "Buffer([3., 4., 5., 6.], dtype=float64, shape=4)"

    def test_takes_its_size_second(self):
        assert Buffer(numbers(), 5).to_numpy().tolist() == [0, 1, 2, 3, 4]
        assert Buffer(numbers(), 2, offset=3).to_numpy().tolist() == [3, 4]
        with pytest.raises(TypeError):
            Buffer(numbers(), 5, 3)
        assert NDBuffer(numbers(), 5).get_shape() == (5,)

    @pytest.mark.parametrize("shape", [(), (2, 3), (1, 6), [2, 3]])
    def test_has_one_axis_whatever_it_is_made_of(self, shape):
        for allocate in (
            lambda: Buffer.stack_allocation(shape, "int8"),
            lambda: Buffer.aligned_stack_allocation(8, shape, "int8"),
        ):
            with pytest.raises(LayoutError, match=r"a Buffer has one axis; .* write NDBuffer"), allocate():
                pass
        for source in (numbers(6).reshape(shape or 6), xp.zeros(tuple(shape)), NDBuffer(numbers(), shape)):
            if len(source.shape) != 1:
                with pytest.raises(TypeError, match=r"needs a source of one axis, .* write NDBuffer\(x\)\.flatten\(\)"):
                    Buffer(source)
                assert NDBuffer(source).flatten().rank == 1

    def test_stays_of_one_axis(self):
        buffer = Buffer(numbers(6), 5)
        with Buffer.stack_allocation([4], "int8") as scoped:
            same = (
                buffer,
                buffer.tile(2, 1),
                buffer + 1,
                1 - buffer,
                buffer.copy(),
                buffer.make_dims_unknown(),
                scoped,
            )
            for found in (*same, buffer.flatten(), NDBuffer(numbers(6), (2, 3)).flatten()):
                assert (type(found), found.rank, found.dynamic_size) == (Buffer, 1, len(found))
        with pytest.raises(LayoutError, match="one number for each of the 1 modes"):
            buffer.tile((2, 2), (0, 0))

    def test_never_clips(self):
        with pytest.raises(
            BoundsError, match="5 elements from offset 60 are required, and this ndarray has 64 available"
        ):
            Buffer(numbers(), offset=60, size=5)

    def test_has_one_axis(self):
        with pytest.raises(TypeError, match="a Buffer needs a source of one axis"):
            Buffer(numbers().reshape(8, 8))


class TestOtherWindows:
    @QUICK
    @given(st.sampled_from(["mask", "shrink", "raise"]), st.data())
    def test_tiles_at_the_edge_end_there(self, tail, data):
        model = numbers(60).reshape(5, 12)
        sizes = data.draw(st.tuples(st.integers(1, 7), st.integers(1, 14)))
        counts = [-(-extent // size) for extent, size in zip(model.shape, sizes, strict=True)]
        coords = [data.draw(st.integers(0, count - 1)) for count in counts]
        places = [slice(size * coord, size * (coord + 1)) for size, coord in zip(sizes, coords, strict=True)]
        expected = model[tuple(places)]
        buffer = NDBuffer(accel.container(model), model.shape)
        if tail == "raise" and expected.shape != sizes:
            with pytest.raises(BoundsError, match="is in bounds; write tail='mask'"):
                buffer.tile(sizes, coords, tail)
        else:
            tile = buffer.tile(sizes, coords, tail)
            assert tile.to_numpy().tolist() == expected.tolist()
            assert tile.dynamic_stride == (12, 1)

    def test_a_tile_is_one_that_there_is(self):
        buffer = NDBuffer(numbers(), (8, 8))
        with pytest.raises(BoundsError, match=r"tile 3 is out of range on axis 1: extent 8 has 3 tiles of 3"):
            buffer.tile((3, 3), (0, 3))
        for sizes, coords in (((3,), (0, 0)), ((3, 3), (0,)), ((3, 3, 1), (0, 0, 0))):
            with pytest.raises(LayoutError, match="one number for each of the 2 modes"):
                buffer.tile(sizes, coords)
        with pytest.raises(ValueError, match="at least 1; found 0"):
            buffer.tile((3, 0), (0, 0))
        with pytest.raises(ValueError, match="'mask', 'shrink' or 'raise'; found 'pad'"):
            buffer.tile((3, 3), (0, 0), "pad")

    def test_a_tile_of_a_buffer_of_one_axis_is_one_too(self):
        assert repr(Buffer(numbers(5)).tile(2, 2)) == "Buffer([4.], dtype=float64, shape=1)"

    def test_tiles_write_into_the_whole(self, device):
        whole = NDBuffer(accel.zeros(6, device=device), (2, 3))
        whole.tile((1, 2), (1, 1)).fill(7)
        assert whole.to_numpy().tolist() == [[0, 0, 0], [0, 0, 7]]

    def test_flatten_shares(self, device):
        whole = NDBuffer(accel.container(numbers(6), device=device), (2, 2), offset=1)
        flat = whole.flatten()
        assert type(flat) is Buffer
        flat.fill(0)
        assert whole.to_numpy().tolist() == [[0, 0], [0, 0]]

    def test_make_dims_unknown_changes_nothing(self):
        buffer = NDBuffer(numbers(6), (2, 3))
        unknown = buffer.make_dims_unknown()
        unknown[0, 0] = 5
        assert (unknown.get_shape(), buffer[0, 0]) == ((2, 3), 5)

    @QUICK
    @given(shapes, st.integers(-1, 5), st.integers(-1, 5))
    def test_prod_dims_multiplies_extents(self, shape, start, end):
        if 0 <= start <= end <= len(shape):
            assert prod_dims(NDBuffer(numbers(256), shape), start, end) == prod(shape[start:end])
        else:
            with pytest.raises(BoundsError, match=f"axes {start} to {end} of {len(shape)}"):
                prod_dims(NDBuffer(numbers(256), shape), start, end)


class TestContents:
    @QUICK
    @given(st.sampled_from(DEVICES), strided(), st.booleans())
    def test_fill_and_from_numpy_leave_the_rest_alone(self, device, geometry, one):
        shape, strides, offset = geometry
        c, model = accel.container(numbers(), device=device), numbers()
        buffer, window = NDBuffer(c, shape, strides, offset=offset), model_of(model, *geometry)
        values = np.float64(-1) if one else -numbers(window.size).reshape(shape)
        write = buffer.fill if one else buffer.from_numpy
        if window.size != len({offset + sum(map(int.__mul__, place, strides)) for place in np.ndindex(shape)}):
            with pytest.raises(OverlapError):
                write(values)
        else:
            write(values)
            window[...] = values
        assert c.to_numpy().tolist() == model.tolist()

    def test_copy_from_may_overlap_itself(self, device):
        c = accel.container(numbers(9), device=device)
        NDBuffer(c, (3, 3)).copy_from(NDBuffer(c, (3, 3), (1, 3)))
        assert c.to_numpy().tolist() == numbers(9).reshape(3, 3).T.ravel().tolist()

    def test_copy_from_needs_the_same_shape(self):
        with pytest.raises(LayoutError, match=r"shape \(6,\) cannot be copied into shape \(2, 3\): write NDBuffer\("):
            NDBuffer(numbers(6), (2, 3)).copy_from(numbers(6))
        with pytest.raises(DTypeError, match="float32 elements cannot be copied into float64"):
            NDBuffer(numbers(6)).copy_from(numbers(6, "float32"))

    def test_zero_and_flatten_need_contiguous_elements(self, device):
        c = accel.container(numbers(6), device=device)
        NDBuffer(c, (2, 2), offset=1).zero()
        assert c.to_numpy().tolist() == [0, 0, 0, 0, 0, 5]
        gaps = NDBuffer(c, (2, 2), (3, 1))
        for method in (gaps.zero, gaps.flatten):
            with pytest.raises(LayoutError, match=r"^Function requires contiguous buffer\."):
                method()

    @pytest.mark.parametrize("dtype", supported(), ids=str)
    def test_zero_sets_every_byte_of_any_dtype(self, device, dtype):
        buffer = NDBuffer(accel.container(np.ones(6).astype(dtype), device=device), (2, 2), offset=1)
        buffer.zero()
        assert buffer.to_numpy().tobytes() == bytes(4 * dtype.itemsize)
        assert NDBuffer(buffer.storage).to_numpy().astype(bool).tolist() == [True, *[False] * 4, True]

    @pytest.mark.parametrize("dtype", ["int16", "complex64", "bool", "bfloat16"])
    def test_a_file_has_the_bytes_in_logical_order(self, device, dtype, tmp_path):
        buffer = NDBuffer(accel.container(numbers(6, dtype), device=device), (3, 2), (1, 3))
        buffer.tofile(tmp_path / "raw")
        expected = numbers(6, dtype).reshape(2, 3).T
        assert (tmp_path / "raw").read_bytes() == expected.tobytes()
        again = np.fromfile(tmp_path / "raw", "uint8").view(expected.dtype)
        assert again.tolist() == expected.ravel().tolist()

    def test_a_file_may_be_open(self, tmp_path):
        with (tmp_path / "raw").open("wb") as file:
            file.write(b"head")
            Buffer(numbers(2, "uint8")).tofile(file)
        assert (tmp_path / "raw").read_bytes() == b"head\0\1"

    def test_of_released_memory_are_refused(self, device):
        c = accel.zeros(6, device=device)
        buffer = NDBuffer(c, (2, 3))
        c.release()
        for use in (buffer.to_numpy, buffer.zero, lambda: buffer + 1, lambda: buffer.tofile(io.BytesIO())):
            with pytest.raises(ReleasedError):
                use()
        assert str(buffer) == "NDBuffer(released, dtype=float64, shape=2x3)"

    def test_are_read_only_where_their_source_is(self):
        array = numbers(6)
        array.flags.writeable = False
        buffer = NDBuffer(array, (2, 3))
        for write in (
            buffer.zero,
            lambda: buffer.fill(1),
            lambda: buffer.__setitem__((0, 0), 1),
            lambda: buffer.store((0, 0), [1]),
            lambda: buffer.__iadd__(1),
        ):
            with pytest.raises(ReadOnlyError):
                write()

    def test_are_shared_with_arrays(self, device):
        c = accel.container(numbers(6), device=device)
        buffer = NDBuffer(c, (3, 2), (1, 3))
        x = xp.asarray(buffer)
        x[2, 1] = 9
        assert x.shape == (3, 2)
        assert c.to_numpy()[5] == 9
        assert xp.from_dlpack(buffer).shape == (3, 2)


class TestStackAllocation:
    def test_is_released_with_its_scope(self):
        with no_leaks(), NDBuffer.stack_allocation((2, 3), "int32") as buffer:
            buffer.fill(4)
            assert (buffer.get_shape(), buffer[1, 2], buffer.dtype) == ((2, 3), 4, np.int32)
        with pytest.raises(ReleasedError):
            buffer[0, 0]

    @pytest.mark.parametrize("alignment", [1, 2, 64, 1 << 20])
    def test_is_aligned(self, alignment):
        with no_leaks(), Buffer.aligned_stack_allocation(alignment, 5, "int8") as buffer:
            assert buffer.data % alignment == 0
            assert type(buffer) is Buffer
            assert len(buffer) == 5

    @pytest.mark.parametrize("alignment", [0, 3, -4])
    def test_is_aligned_to_a_power_of_two(self, alignment):
        with pytest.raises(ValueError, match=f"power of two in bytes; found {alignment}"):
            Buffer.aligned_stack_allocation(alignment, 5, "int8").__enter__()

    def test_of_nothing_is_empty(self):
        with Buffer.stack_allocation(0, "int8") as buffer:
            assert len(buffer) == 0


class TestText:
    def test_shows_elements_where_they_are(self, device):
        c = accel.container(numbers(6, "int64"), device=device)
        assert str(NDBuffer(c, (3, 2), (1, 3))) == (
            "NDBuffer([[0, 3],\n          [1, 4],\n          [2, 5]], dtype=int64, shape=3x2)"
        )
        assert repr(NDBuffer()) == "NDBuffer([], dtype=float64, shape=0)"

    @QUICK
    @given(st.lists(st.integers(1, 12), min_size=1, max_size=3), st.integers(0, 60))
    def test_of_many_elements_shows_the_ends_as_numpy_does(self, shape, threshold):
        values = np.full(prod(shape), 7)
        with np.printoptions(threshold=threshold):
            text = np.array2string(values.reshape(shape), separator=", ", prefix="NDBuffer(")
            assert str(NDBuffer(values, shape)).startswith(f"NDBuffer({text}, dtype")

    def test_of_many_elements_reads_only_what_it_shows(self):
        assert str(NDBuffer(np.zeros(1), 1 << 40, (0,))).startswith("NDBuffer([0., 0., 0., ..., 0., 0., 0.]")
