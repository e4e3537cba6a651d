"""Errors of tensors and their messages."""

import operator

import numpy as np
import pytest

import accel
from accel.errors import (
    BoundsError,
    DTypeError,
    LayoutError,
    OverlapError,
    ReleasedError,
)
from accel.layout import Layout, Swizzle, row_major
from accel.views import LayoutTensor

from .layout_tensors import DEVICES, tensor

on_devices = pytest.mark.parametrize("device", DEVICES)
HERE = slice(0, 1)


@pytest.mark.parametrize("key", [(), 1, (1,), (1, 1, 1), (slice(None),), (slice(None), 0, 0)])
def test_the_number_of_coordinates_is_that_of_the_modes(key):
    t = tensor(row_major(2, 2))
    for ask in (lambda: t[key], lambda: t.__setitem__(key, 0)):
        with pytest.raises(BoundsError, match=r"\(2,2\):\(2,1\) expects 2 coordinates"):
            ask()


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ((0, 3), r"index 3 is out of range on axis 1: its extent is 3, so it must be in \[-3, 3\)"),
        ((-3, 0), "index -3 is out of range on axis 0: its extent is 2"),
        ((2, slice(None)), "index 2 is out of range on axis 0: its extent is 2"),
    ],
)
def test_a_coordinate_outside_names_axis_index_and_extent(key, message):
    t = tensor(row_major(2, 3))
    for ask in (lambda: t[key], lambda: t.__setitem__(key, 0)):
        with pytest.raises(BoundsError, match=message):
            ask()


def test_the_masked_part_is_outside():
    tile = tensor(row_major(3, 3)).tile((2, 2), (1, 1))
    for key in ((1, 0), (0, 1), (-2, 0)):
        with pytest.raises(BoundsError, match="its extent is 1"):
            tile[key]


def test_a_coordinate_of_a_nested_mode_fits_it():
    t = tensor("((2,2),2):((1,2),4)")
    with pytest.raises(BoundsError, match="extent is 2"):
        t[(2, 0), 0]
    with pytest.raises(LayoutError, match="expects 2 coordinates"):
        t[(1, 0, 0), 0]
    for ask in (t.dim, t.stride):
        with pytest.raises(LayoutError, match="mode 0 is nested"):
            ask(0)
    assert (t.dim(1), t.stride(1)) == (2, 4)


@pytest.mark.parametrize("key", [("a", 0), (0.5, 0), (None, 0), (..., 0)])
def test_coordinates_are_whole_numbers(key):
    with pytest.raises(TypeError, match="whole number"):
        tensor(row_major(2, 2))[key]


def test_slices_have_no_step():
    t = tensor(row_major(4, 4))
    asked = (
        lambda: t[::2, :],
        lambda: t[::-1, :],
        lambda: t.slice(slice(0, 4, 2), HERE),
        lambda: t.slice_1d(slice(0, 4, 2), (0,), (0,)),
    )
    for ask in asked:
        with pytest.raises(LayoutError, match="step"):
            ask()


def test_slices_name_ascending_modes_and_the_others_coordinates():
    t = tensor(row_major(2, 3, 4))
    with pytest.raises(LayoutError, match="ascending order"):
        t.slice(HERE, HERE, (2, 0), (0,))
    with pytest.raises(LayoutError, match="ascending order"):
        t.slice(HERE, HERE, (0, 3), (0,))
    with pytest.raises(LayoutError, match="1 offsets"):
        t.slice(HERE, HERE)
    with pytest.raises(BoundsError, match="index 3 is out of range on axis 1"):
        t.slice(HERE, HERE, (0, 2), (3,))
    with pytest.raises(TypeError, match="ranges are slices"):
        t.slice(0, HERE, (0, 2), (0,))


def test_a_block_of_a_nested_mode_is_sliced_and_nothing_else():
    t = tensor("((2,3),2):((6,1),3)")
    assert t[2:4, 1].to_numpy().tolist() == [4, 10]
    with pytest.raises(LayoutError, match="no block of it"):
        t[1:3, :]


def test_tiles_have_an_extent_and_a_coordinate_for_each_mode():
    t = tensor(row_major(4, 4))
    with pytest.raises(LayoutError, match="2 modes"):
        t.tile((2,), (0, 0))
    with pytest.raises(LayoutError, match="2 modes"):
        t.tile((2, 2), (0,))
    with pytest.raises(ValueError, match="at least 1"):
        t.tile((0, 2), (0, 0))
    with pytest.raises(BoundsError, match=r"tile 2 is out of range on axis 1: extent 4 has 2 tiles of 2"):
        t.tile((2, 2), (0, 2))
    with pytest.raises(BoundsError, match=r"tile -3 is out of range on axis 0: .* must be in \[-2, 2\)"):
        t.tile((2, 2), (-3, 0))
    with pytest.raises(ValueError, match="mask, shrink, pad, raise"):
        t.tile((2, 2), (0, 0), tail="wrap")
    with pytest.raises(DTypeError, match="without loss"):
        t.tile((3, 3), (1, 1), "pad", pad_value=1j)


def test_a_nested_mode_is_masked_and_not_shrunk():
    t = tensor("((2,3)):((1,4))")
    tile = t.tile((4,), (1,))
    assert (tile.shape, tile.to_numpy().tolist()) == ((2,), [8, 9])
    with pytest.raises(LayoutError, match="nested mode"):
        t.tile((4,), (1,), "shrink")


def test_the_cells_of_a_nested_mode_that_is_cut_short_are_no_loops():
    t = tensor("((2,3)):((1,4))").tile((6,), (0,))
    ragged = tensor("((2,3)):((1,4))").tile((4,), (0,)).get_immutable()
    assert ragged.to_numpy().tolist() == [0, 1, 4, 5]
    assert t.to_numpy().tolist() == [0, 1, 4, 5, 8, 9]
    short = tensor("((4,3)):((1,8))")
    part = short.tile((8,), (1,))
    part.fill(-1)
    assert (part.shape, short.to_numpy().tolist()) == ((4,), [0, 1, 2, 3, 8, 9, 10, 11, -1, -1, -1, -1])


def test_a_nested_mode_that_ends_with_one_element_is_cut_as_without_it():
    t = tensor("((4,1),6):((1,0),4)")
    tile = t.tile((3, 2), (1, 0))
    assert (tile.shape, tile.to_numpy().tolist()) == ((1, 2), [[3, 7]])


def test_vectors_divide_the_extents():
    t = tensor(row_major(4, 6))
    with pytest.raises(LayoutError, match="vectors of 4 do not divide the extent 6 of axis 1"):
        t.vectorize(1, 4)
    with pytest.raises(LayoutError, match="vectors of 2 do not divide the extent 1 of axis 0"):
        tensor(row_major(3, 2)).tile((2, 2), (1, 0)).vectorize(2, 1)
    with pytest.raises(LayoutError, match="2 modes"):
        t.vectorize(2)
    with pytest.raises(ValueError, match="at least 1"):
        t.vectorize(0, 1)


def test_splits_divide_and_parts_exist():
    t = tensor(row_major(4, 6))
    with pytest.raises(
        LayoutError, match=r"cannot be split into 4 equal parts; write t\.split_part\(4, index, axis=1\)"
    ):
        t.split(4, axis=1)
    with pytest.raises(BoundsError, match="part 2 is out of range"):
        t.split_part(2, 2)
    with pytest.raises(BoundsError, match="axis 2 is out of range"):
        t.split(2, axis=2)
    with pytest.raises(ValueError, match="at least 1"):
        t.split(0)


def test_threads_exist_and_have_a_mode_for_each():
    t = tensor(row_major(4, 4))
    with pytest.raises(BoundsError, match=r"thread 4 is out of range: \(2,2\):\(2,1\) has the threads \[0, 4\)"):
        t.distribute(row_major(2, 2), 4)
    with pytest.raises(LayoutError, match="1 modes, and the tensor has 2"):
        t.distribute(Layout(4), 0)
    with pytest.raises(LayoutError, match="numbers no threads"):
        t.distribute(Layout((2, 2), (0, 1)), 0)
    with pytest.raises(LayoutError, match="masked"):
        tensor(row_major(5, 5)).distribute(row_major(2, 2), 0, swizzle=Swizzle(1, 0, 1))
    with pytest.raises(BoundsError, match="16 available"):
        t.distribute(row_major(4, 4), 15, swizzle=Swizzle(1, 0, -4))


def test_transpose_has_two_modes():
    for text in ("4:1", "(2,2,2):(4,2,1)"):
        with pytest.raises(LayoutError, match="exchanges two modes"):
            tensor(text).transpose()


def test_reshape_keeps_the_cells():
    t = tensor("(4,6):(8,1)")
    for wanted in (row_major(6, 4), Layout(24), Layout(23), Layout((4, 6), (8, -1))):
        with pytest.raises(LayoutError, match=r"t\.composition\(layout\).*u\.copy_from\(t\)"):
            t.reshape(wanted)
    assert np.array_equal(t.reshape(Layout((6, 4), (1, 8))), t.to_numpy().T)


@pytest.mark.parametrize("method", ["reshape", "composition", "coalesce"])
def test_a_masked_tensor_is_not_relabelled(method):
    tile = tensor(row_major(3, 3)).tile((2, 2), (1, 1))
    with pytest.raises(LayoutError, match=f"Masked tensor does not support {method}."):
        getattr(tile, method)(*([] if method == "coalesce" else [Layout(1)]))
    assert tile.coalesce(keep_rank=True).shape == (1, 1)


def test_composition_stays_inside():
    t = tensor(row_major(4, 4))
    for wanted in (Layout(17), Layout(2, -1), Layout(3, 8)):
        with pytest.raises(LayoutError, match="0 to 15; compose with a layout that stays inside"):
            t.composition(wanted)


def test_operands_are_alike():
    t = tensor(row_major(2, 3))
    with pytest.raises(DTypeError, match="float32 and float64 do not mix"):
        t + tensor(row_major(2, 3), dtype="float64")
    with pytest.raises(DTypeError, match="vectorize alike"):
        t + tensor(row_major(2, 6)).vectorize(1, 2)
    for other in (tensor(row_major(3, 2)), tensor(row_major(2, 3, 1))):
        with pytest.raises(LayoutError, match="the same shape, or rank 2 and rank 1"):
            t + other
    with pytest.raises(LayoutError, match="rank 2 and rank 1"):
        tensor(Layout(2)) + t
    with pytest.raises(LayoutError, match="4 numbers do not fit mode 0"):
        t + tensor(Layout(4))
    with pytest.raises(TypeError, match="an operand is a number or a tensor"):
        operator.add(t, [[1, 2, 3], [4, 5, 6]])
    with pytest.raises(DTypeError, match="without loss"):
        tensor(Layout(2), dtype="int32") * 0.5
    with pytest.raises(DTypeError, match="booleans"):
        tensor(Layout(2), dtype="bool") + True


@on_devices
def test_a_tensor_that_names_a_cell_twice_is_not_written(device):
    t = tensor("(4,4):(0,1)", device=device)
    for write in (lambda: t.fill(1), lambda: t.copy_from(tensor(row_major(4, 4))), lambda: t.__iadd__(1)):
        with pytest.raises(OverlapError):
            write()
    assert t.to_numpy()[0].tolist() == [0, 1, 2, 3]


def test_copies_are_between_tensors_of_one_size():
    t = tensor(row_major(2, 4))
    with pytest.raises(TypeError, match=r"found list: write accel\.container"):
        t.copy_from([[0] * 4] * 2)
    with pytest.raises(ValueError, match=r"shape \(8,\) cannot be copied into shape \(2, 4\): write LayoutTensor"):
        t.copy_from(accel.zeros(8, "float32"))
    with pytest.raises(ValueError, match="4 elements of 2 numbers cannot be copied into 8 of 1"):
        t.copy_from(tensor(row_major(2, 4)).vectorize(1, 2))


def test_values_fit_where_they_are_written():
    t = tensor(row_major(2, 4))
    with pytest.raises(ValueError, match=r"shape \(3,\) cannot be written to shape \(4,\)"):
        t[0, :] = [1, 2, 3]
    with pytest.raises(ValueError, match="an element takes 2 numbers"):
        t.vectorize(1, 2)[0, 0] = [1, 2, 3]
    with pytest.raises(ValueError, match="an element takes 1 numbers"):
        t[0, 0] = [1, 2]
    with pytest.raises(ValueError, match=r"fill takes one value; found 2: write t\.copy_from\(array\)"):
        t.fill([1, 2])
    with pytest.raises(DTypeError, match="without loss"):
        t[0, 0] = 1j
    assert t.to_numpy().reshape(-1).tolist() == list(range(8))


@on_devices
def test_a_tensor_does_not_reach_past_its_storage(device):
    c = accel.container(np.arange(8.0), device=device)
    for layout, offset in ((row_major(4, 4), 0), (Layout(8), 1), (Layout(2, -1), 0), (Layout(1), -1)):
        with pytest.raises(BoundsError, match=r"required.* 8 available"):
            c.view(layout, offset)
    with pytest.raises(BoundsError, match=r"required.* 8 available"):
        LayoutTensor(c, Layout(4), element_layout=Layout(2, 5))
    assert c.view(row_major(0, 3), 100).size == 0


def test_neighbours_stay_in_the_storage():
    t = tensor(row_major(2, 3))
    with pytest.raises(BoundsError, match="6 available"):
        t.load(1, 1, 3)
    with pytest.raises(BoundsError, match="6 available"):
        t.store(1, 1, [7, 7, 7])
    with pytest.raises(BoundsError, match="index 2 is out of range on axis 0"):
        t.load(2, 0)
    for coordinates in ((), (0,), (0, 0, 1, 1, 1), ((0, 0, 0),)):
        with pytest.raises(BoundsError, match="2 coordinates are needed, one for each axis, then width"):
            t.load(*coordinates)
    with pytest.raises(ValueError, match="a width is at least 1"):
        t.load(0, 0, 0)
    assert t.to_numpy().tolist() == [[0, 1, 2], [3, 4, 5]]


@on_devices
def test_a_released_storage_is_not_used(device):
    c = accel.container(np.arange(8.0), device=device)
    t = c.view(row_major(2, 4))
    c.release()
    asked = (t.to_numpy, t.copy, lambda: t.fill(0), lambda: t.ptr, lambda: t + 1, lambda: str(t))
    for ask in (*asked, lambda: c.view(Layout(4))):
        with pytest.raises(ReleasedError):
            ask()


def test_other_bytes_are_asked_for_by_name():
    t = tensor(row_major(2, 3))
    with pytest.raises(DTypeError, match="allow_resize=True"):
        t.bitcast("int8")
    with pytest.raises(BoundsError, match="3 available"):
        t.bitcast("int64", allow_resize=True)
    with pytest.raises(LayoutError, match="where no int64 can be"):
        t[:, 1:].bitcast("int64", allow_resize=True)


def test_distances_are_within_one_storage():
    t = tensor(Layout(4))
    with pytest.raises(ValueError, match="on two"):
        t.distance(tensor(Layout(4)))
    with pytest.raises(ValueError, match="in another storage"):
        t.distance(t.ptr - 4)
    with pytest.raises(ValueError, match="no whole number"):
        t.distance(t.ptr + 2)
    with pytest.raises(DTypeError, match="equal dtypes"):
        t.distance(t.bitcast("int32"))


@pytest.mark.parametrize("source", [None, 3, [1, 2]])
def test_a_tensor_is_a_view_of_memory(source):
    with pytest.raises(TypeError, match="a view needs a container, a storage, or an array"):
        LayoutTensor(source, Layout(2))
    with pytest.raises(TypeError, match="a layout is needed"):
        LayoutTensor(accel.zeros(4), "4:1")


@on_devices
def test_a_layout_does_not_follow_the_strides_of_a_buffer(device):
    c = accel.container(np.arange(24.0), device=device)
    for strides in ((12, 2), (1, 2), (0, 1)):
        strided = accel.NDBuffer(c, (2, 3), strides, offset=1)
        with pytest.raises(
            LayoutError, match=r"needs contiguous memory, .* has strides .* write LayoutTensor\(x\), which keeps"
        ):
            LayoutTensor(strided, row_major(2, 3))
        assert np.array_equal(LayoutTensor(strided).to_numpy(), strided.to_numpy())
    whole = accel.NDBuffer(c, (4, 6))
    for source, first in ((whole, 0), (whole.flatten(), 0), (c[6:18], 6), (whole.tile((1, 6), (2, 0)), 12)):
        assert LayoutTensor(source, row_major(2, 3)).to_numpy().reshape(-1).tolist() == [*range(first, first + 6)]


def test_an_element_has_a_number():
    with pytest.raises(LayoutError, match="at least one number"):
        LayoutTensor(accel.zeros(4), Layout(2), element_layout=Layout(0))
