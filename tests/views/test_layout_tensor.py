"""Properties and elements of tensors, on the host and on a device."""

import copy
import io
import pickle

import ml_dtypes
import numpy as np
import pytest

import accel
from accel.errors import BoundsError, LayoutError, ReleasedError
from accel.layout import Layout, row_major
from accel.memory import new_stream
from accel.views import AddressSpace, LayoutTensor, LayoutTensorIter

from .layout_tensors import DEVICES, tensor

on_devices = pytest.mark.parametrize("device", DEVICES)


@on_devices
def test_a_tensor_says_what_it_is(device):
    t = tensor(row_major(2, 3), offset=4, device=device)
    assert (t.rank, t.size, t.shape, t.offset) == (2, 6, (2, 3), 4)
    assert (str(t.layout), t.runtime_layout is t.layout) == ("(2,3):(3,1)", True)
    assert (str(t.element_layout), t.element_size) == ("1:1", 1)
    assert (t.dtype, str(t.device), t.readonly, t.masked) == (np.float32, device, False, False)
    assert t.ptr == t.storage.pointer + 16
    assert (t.dim(0), t.dim(-1), t.stride(0), t.stride(-1)) == (2, 3, 3, 1)
    assert t.address_space is (AddressSpace.GENERIC if device == "cpu" else AddressSpace.GLOBAL)
    assert repr(t) == f"<LayoutTensor float32, (2,3):(3,1), {device}, offset=4>"


def test_a_container_makes_the_same_view():
    c = accel.container(np.arange(8.0))
    t = c.view(row_major(2, 2), 3)
    assert (type(t), t.storage is c.storage, t.to_numpy().tolist()) == (LayoutTensor, True, [[3, 4], [5, 6]])


def test_a_view_of_a_view_starts_at_its_first_element():
    t = tensor(row_major(4, 4))[2:4, 1:3]
    assert accel.LayoutTensor(t, Layout(2, 4)).to_numpy().tolist() == [9, 13]
    assert accel.LayoutTensor(t, Layout(2), 1).to_numpy().tolist() == [10, 11]


@on_devices
def test_what_is_written_through_a_view_is_written_to_the_container(device):
    c = accel.container(np.zeros(16), device=device)
    t = c.view(row_major(4, 4))
    t.tile((2, 2), (1, 0)).fill(1)
    t.vectorize(1, 2)[3:4, 1:2].fill(2)
    t.split(2, axis=1)[1].slice(slice(0, 1), slice(0, 1)).fill(3)
    t.distribute(row_major(4, 4), 7).fill(4)
    for tile in t.tiled_iterator((1, 1), (0, 0)):
        tile.fill(tile.to_numpy()[0, 0] + 10)
    assert c.to_numpy().reshape(4, 4).tolist() == [[10, 0, 3, 0], [10, 0, 0, 4], [11, 1, 0, 0], [11, 1, 2, 2]]


def test_integers_that_are_not_pythons_are_coordinates_too():
    t = tensor(row_major(2, 3))
    assert t[np.int64(1), np.uint8(2)] == t[1, 2] == t[-1, -1] == 5


def test_a_single_integer_is_a_coordinate_of_a_single_mode_only():
    assert tensor(Layout(4))[2] == tensor(Layout((4,)))[2] == 2
    assert tensor("((2,2)):((2,1))")[1] == 2


def test_a_nested_mode_takes_an_integer_or_a_coordinate_as_nested():
    t = tensor("((2,3),2):((6,1),3)")
    assert t.shape == (6, 2)
    assert t[(1, 2), 1] == t[5, 1] == t[-1, -1] == 11


def test_a_tensor_of_rank_0_has_one_element():
    t = tensor(Layout((), ()), [7])
    assert (t.rank, t.shape, t.size, t[()]) == (0, (), 1, 7)
    t[()] = 8
    assert (t.to_numpy().shape, t.to_numpy()[()], str(t)) == ((), 8, "8.0")
    for ask in (len, iter):
        with pytest.raises(TypeError, match="rank 0"):
            ask(t)


def test_elements_are_scalars_of_the_dtype():
    c = accel.container([0.5, 1.5], dtype="bfloat16")
    assert type(c.view(Layout(2))[1]) is ml_dtypes.bfloat16
    assert type(tensor(Layout(2))[1]) is np.float32


def test_a_vector_is_read_as_a_copy_and_written_as_a_whole():
    t = tensor(row_major(2, 8)).vectorize(2, 4)
    vector = t[0, 1]
    vector[:] = 0
    assert t[0, 1].tolist() == [4, 5, 6, 7, 12, 13, 14, 15]
    t[0, 1] = np.arange(8)
    assert t[0, 1].tolist() == list(range(8))
    t[0, 0] = 9
    assert t.to_numpy().shape == (1, 2, 2, 4)
    assert np.unique(t[0, 0]).tolist() == [9]


def test_vectors_of_elements_with_other_modes_have_both():
    row = tensor(row_major(2, 4)).vectorize(1, 2)[1, :].vectorize(2)
    assert (str(row.element_layout), row[0].tolist()) == ("(2,1,2):(2,0,1)", [4, 5, 6, 7])


def test_slices_take_numbers_arrays_and_tensors():
    t = tensor(row_major(3, 4), np.zeros(12))
    t[1:3, 0:2] = 5
    t[0, 1:] = [1, 2, 3]
    t[1:2, 2:] = t[0:1, 1:3]
    t[2, :] += 1
    assert t.to_numpy().tolist() == [[0, 1, 2, 3], [5, 5, 1, 2], [6, 6, 1, 1]]


@on_devices
def test_a_vectorised_tensor_appends_the_modes_of_its_elements(device):
    values = tensor(row_major(4, 4), device=device).vectorize(2, 4).to_numpy()
    assert values.shape == (2, 1, 2, 4)
    assert values.reshape(-1).tolist() == list(range(16))


def test_the_tail_of_a_tile_is_masked_shrunk_padded_or_refused():
    t = tensor(row_major(5, 3))
    masked, shrunk, padded = (t.tile((4, 2), (1, 1), tail) for tail in ("mask", "shrink", "pad"))
    assert (masked.shape, str(masked.layout), masked.masked, masked.size) == ((1, 1), "(4,2):(3,1)", True, 1)
    assert (shrunk.shape, str(shrunk.layout), shrunk.masked) == ((1, 1), "(1,1):(3,1)", False)
    assert (padded.shape, padded.masked, padded[0, 0], padded[3, 1]) == ((4, 2), True, 14, 0)
    with pytest.raises(BoundsError, match=r"\(1, 1\) is in bounds"):
        t.tile((4, 2), (1, 1), "raise")
    assert t.tile((4, 2), (0, 0), "raise").masked is False


def test_what_is_written_into_padding_is_dropped():
    t = tensor(row_major(1, 3))
    tile = t.tile((2, 2), (0, 1), "pad", pad_value=7)
    tile[1, 1] = 100
    tile.fill(5)
    assert t.to_numpy().tolist() == [[0, 1, 5]]
    assert tile.to_numpy().tolist() == [[5, 7], [7, 7]]
    assert tile[1, :].to_numpy().tolist() == [7, 7]
    tile.copy_from(tensor(row_major(2, 2)))
    assert t.to_numpy().tolist() == [[0, 1, 0]]
    target = tensor(Layout(4))
    target.copy_from(tile)
    assert target.to_numpy().tolist() == [0, 7, 7, 7]


def test_vectors_of_padding_are_the_pad():
    t = tensor(row_major(1, 4)).tile((2, 4), (0, 0), "pad", pad_value=-1).vectorize(1, 2)
    assert (t[0, 1].tolist(), t[1, 0].tolist()) == ([2, 3], [-1, -1])


@on_devices
def test_an_iterator_advances_in_place_wraps_if_circular_and_ends(device):
    t = tensor(row_major(2, 6), device=device)
    tiles = t.tiled_iterator((2, 2), (0, 1), axis=1)
    assert isinstance(tiles, LayoutTensorIter)
    assert [tile.offset for tile in tiles] == [2, 4]
    assert list(tiles) == []
    with pytest.raises(BoundsError, match="tile 3 is out of range on axis 1"):
        tiles.get()
    tiles.next(-2)
    assert tiles.get().offset == 2
    around = t.tiled_iterator((2, 2), (0, 0), axis=1, circular=True)
    assert [next(around).offset for _ in range(5)] == [0, 2, 4, 0, 2]
    around += 5
    assert around.get().offset == 2


def test_tiles_and_parts_are_counted_from_the_end_where_negative():
    t = tensor(row_major(5, 6))
    for coords in ((-1, -2), (-3, 0), (0, -1)):
        assert t.tile((2, 3), coords).offset == t.tile((2, 3), (coords[0] % 3, coords[1] % 2)).offset
        assert t.tiled_iterator((2, 3), coords).get().offset == t.tile((2, 3), coords).offset
    assert [t.split_part(3, k).shape for k in (-1, -2, -3)] == [(1, 6), (2, 6), (2, 6)]
    tiles = t.tiled_iterator((2, 3), (-2, 0))
    assert len(list(tiles)) == 2
    tiles.next(-4)
    with pytest.raises(BoundsError, match=r"tile \(-1, 0\) is before the first"):
        tiles.get()
    with pytest.raises(BoundsError, match=r"part -4 is out of range: there are 3, so it must be in \[-3, 3\)"):
        t.split_part(3, -4)


def test_load_and_store_go_through_memory_past_the_end_of_a_row():
    t = tensor(row_major(2, 3))
    assert (t.load(0, 2), t.load(0, 2, 3).tolist()) == (2, [2, 3, 4])
    t.store(0, -1, [7, 8])
    assert t.to_numpy().tolist() == [[0, 1, 7], [8, 4, 5]]


def test_aligned_access_looks_at_the_address():
    t = tensor(row_major(2, 8))  # containers are aligned to 64 bytes
    assert t.aligned_load(1, 4, 4).tolist() == [12, 13, 14, 15]
    t.aligned_store(0, 4, [1, 1, 1, 1])
    assert t.aligned_load(0, 5) == 1
    with pytest.raises(LayoutError, match="write load or store"):
        t.aligned_load(0, 1, 4)
    with pytest.raises(LayoutError, match="write load or store"):
        t.aligned_store(0, 1, [1, 2])
    t.prefetch(1, 7)


def test_an_alignment_is_checked_and_followed_from_view_to_view():
    t = tensor(row_major(2, 16), alignment=64)
    assert (t.alignment, t.tile((1, 4), (0, 1)).alignment, t[:, 1:].alignment) == (64, 16, 4)
    assert tensor(Layout(4)).alignment == 4
    with pytest.raises(LayoutError, match="not a multiple of 64 bytes"):
        accel.LayoutTensor(t, Layout(4), 1, alignment=64)
    for wrong in (2, 48):
        with pytest.raises(ValueError, match="power of two"):
            accel.LayoutTensor(t, Layout(4), alignment=wrong)


@on_devices
def test_contiguous_is_a_stretch_of_memory_in_any_order(device):
    t = tensor(row_major(4, 4), device=device)
    assert all(
        x.is_contiguous for x in (t, t.transpose(), t.vectorize(2, 2), t[1:3, :], t[0:0, :], t[:, 2]) if x.size != 4
    )
    assert not t[:, 1:3].is_contiguous
    assert not tensor("(2,2):(0,1)", device=device).is_contiguous
    assert tensor(Layout(4, -1), offset=3, values=np.arange(4), device=device).is_contiguous


def test_distance_is_from_here_to_there():
    t = tensor(row_major(4, 4))
    assert (t.distance(t[2:, 1:]), t[2:, 1:].distance(t), t.distance(t.ptr + 8)) == (9, -9, 2)


def test_bytes_are_read_as_another_dtype():
    t = tensor(row_major(2, 2), [1.0, -1.0, 0.5, 2.0])
    bits = t.bitcast("uint32")
    assert (hex(bits[0, 1]), bits.offset, bits.storage is t.storage) == ("0xbf800000", 0, True)
    bits[0, 1] = 0x3F800000
    assert t[0, 1] == 1
    assert t[1:, :].bitcast("uint8", allow_resize=True).offset == 8
    assert t.get_immutable().bitcast("int32").readonly


def test_stack_memory_is_given_back_at_the_end_of_the_block():
    with LayoutTensor.stack_allocation(Layout((4, 3), (-3, 1)), "float32", alignment=128) as t:
        t.fill(2)
        assert (t.ptr % 128, t.alignment, t.to_numpy().sum()) == (0, 128, 24)
    with pytest.raises(ReleasedError):
        t[0, 0]
    with LayoutTensor.stack_allocation(Layout(0), "int8") as t:
        assert t.size == 0


def test_work_in_flight_is_waited_for():
    c, stream = accel.container(np.zeros(1 << 16)), new_stream("cpu")
    t = c.view(row_major(256, 256))
    c.copy_from_async(accel.container(np.ones(1 << 16)), stream=stream)
    assert (t[255, 255], t.to_numpy().min()) == (1, 1)


def test_long_text_shows_three_at_each_end():
    t = tensor(row_major(40, 40))
    lines = str(t).split("\n")
    assert len(lines) == 7
    assert (lines[0], lines[3]) == ("0.0 1.0 2.0 ... 37.0 38.0 39.0 ", "... ")
    assert str(tensor(Layout(1001))) == "0.0 1.0 2.0 ... 998.0 999.0 1000.0"
    assert tensor(Layout(5)).text(limit=4, edge=1) == "0.0 ... 4.0"
    assert "..." not in tensor(Layout(1001)).text(limit=1001)


def test_text_is_written_and_drawn():
    t, file = tensor(row_major(2, 2)).vectorize(1, 2), io.StringIO()
    t.write_to(file)
    assert file.getvalue() == str(t) == "[0.0, 1.0] \n[2.0, 3.0] "
    assert repr(t) == "<LayoutTensor float32, (2,1):(2,0), cpu, element_layout=(1,2):(0,1)>"
    assert repr(t.tile((2, 2), (0, 0))).endswith("valid=(2, 1)>")


def test_a_notebook_shows_the_facts_the_elements_and_the_layout():
    t = tensor(row_major(2, 2))
    shown = t._repr_html_()
    assert "<b>LayoutTensor</b> float32, (2,2):(2,1), cpu</summary>" in shown
    assert str(t) in shown
    assert t.layout._repr_html_() in shown
    t.storage.release()
    assert "(2,2):(2,1), released</summary><details>" in t._repr_html_()


def test_a_notebook_shows_no_elements_of_large_tensors():
    t = accel.container(np.ones(1)).view(Layout((1 << 20, 1 << 20), (0, 0)))
    assert "<pre" not in t._repr_html_()


EMPTY = ("0:1", "(0,3):(3,1)", "(3,0):(1,-2)", "((2,0),2):((1,1),1)")
ADVERSARIAL = ("(1,1):(7,-7)", "(4,3):(-3,1)", "(3,2):(0,0)", "((2,2),(1,3)):((-1,4),(9,-2))")


@on_devices
@pytest.mark.parametrize("text", [*EMPTY, *ADVERSARIAL])
def test_every_method_takes_every_layout(device, text):
    layout = Layout.parse(text)
    low = sum(min(0, (extent - 1) * stride) for extent, stride in layout.leaves) if layout.size else 0
    t = accel.LayoutTensor(accel.container(np.arange(64.0), device=device), layout, -low)
    whole = (slice(None),) * t.rank
    values = t.to_numpy()
    for same in (t[whole], t.split(1)[0], t.split_part(1, 0), t.copy(), copy.copy(t), pickle.loads(pickle.dumps(t))):
        assert np.array_equal(same.to_numpy(), values)
    assert np.array_equal(t.vectorize(*[1] * t.rank).to_numpy(), values)
    assert np.array_equal((t + 1).to_numpy(), values + 1)
    assert np.array_equal(t.coalesce().to_numpy().reshape(-1, order="F"), values.reshape(-1, order="F"))
    assert np.array_equal(t.reshape(layout).to_numpy(), values)
    assert np.array_equal(t.distribute(row_major(*[1] * t.rank), 0).to_numpy(), values)
    assert t.size == values.size == len(list(t.tiles([1] * t.rank)))
    assert (str(t) == "") == (t.size == 0)
    if t.rank == 2:
        assert np.array_equal(t.transpose().to_numpy(), values.T)


def test_what_was_released_can_still_be_printed_by_a_debugger():
    c = accel.zeros(6)
    t = accel.LayoutTensor(c, row_major(2, 3))
    c.release()
    assert repr(t) == "<LayoutTensor float64, (2,3):(3,1), released>"
