"""Stores through a masked tile leave memory outside the valid part unchanged; loads there give the pad value."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import accel
from accel import xp
from accel.errors import BoundsError
from accel.layout import Layout, Swizzle, offsets, row_major
from accel.views import NDBuffer

from .layout_tensor_walks import walked
from .layout_tensors import DEVICES, QUICK, composed_layouts, flat_layouts, modelled, placed, tensor

DRAWN = st.data()
on_devices = pytest.mark.parametrize("device", DEVICES)


def edge(pad_value=None, tail="mask", device="cpu"):
    """Return a tensor of 4 x 6 elements, and a tile of it with two valid columns."""
    t = tensor(row_major(4, 6), device=device)
    return t, t.tile((2, 4), (0, 1), tail, pad_value)


def a_vector(found, model, draw):
    """Draw coordinates and a width, and return them with the storage cells of that vector."""
    where = tuple([draw(st.integers(-extent, extent - 1)) for extent in found.shape])
    width = draw(st.integers(1, 12))
    first = int(np.asarray(model[where]).reshape(-1)[0])
    return where, width, np.arange(first, first + width)


def check_vectors(found, model, draw):
    memory = np.asarray(found.storage)
    where, width, cells = a_vector(found, model, draw)
    if not found.masked and cells[-1] >= memory.size:
        for access in (lambda: found.load(*where, width=width), lambda: found.store(*where, 7, width=width)):
            with pytest.raises(BoundsError, match="required"):
                access()
        return
    there = np.isin(cells, model) if found.masked else np.ones(width, bool)
    expected = np.where(there, memory[np.where(there, cells, 0)], 0)
    assert np.atleast_1d(found.load(*where, width=width)).tolist() == expected.tolist()
    after = memory.copy()
    after[cells[there]] = -np.arange(1, width + 1)[there]
    found.store(*where, -np.arange(1, width + 1))
    assert memory.tolist() == after.tolist()


@given(flat_layouts, DRAWN)
@QUICK
def test_vectors_of_any_view_stay_in_what_is_valid(layout, data):
    found, model = walked(modelled(layout), data, 3)
    assume(found.size and found.rank)
    check_vectors(found, model, data.draw)


@given(composed_layouts(), DRAWN)
@QUICK
def test_vectors_of_swizzled_views_too(layout, data):
    found, model = walked(placed(layout), data, 3)
    assume(found.size and found.rank)
    check_vectors(found, model, data.draw)


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 5), st.integers(1, 5), DRAWN)
@QUICK
def test_vectors_of_edge_tiles_stay_in_the_tile(rows, columns, height, width, data):
    found, model = modelled(row_major(rows, columns))
    tile = found.tile((height, width), (-1, -1))
    valid = model[(rows - 1) // height * height :, (columns - 1) // width * width :]
    check_vectors(tile, valid, data.draw)


@pytest.mark.parametrize("text", ["((2,3)):((1,4))", "((4,3)):((1,8))", "((2,2),3):((9,-2),4)"])
def test_vectors_of_nested_tiles_too(text):
    layout = Layout.parse(text)
    start = -int(offsets(layout).min())
    found = accel.LayoutTensor(accel.container(np.arange(64)), layout, start)
    for tile in found.tiles((4, 2)[: found.rank]):
        valid = set(tile.to_numpy().reshape(-1).tolist())
        for where in np.ndindex(tile.shape):
            cell = int(tile[where])
            loaded = tile.load(*where, width=9).tolist()
            inside = [cell + k if cell + k in valid else 0 for k in range(9)]
            assert loaded == (inside if tile.masked else list(range(cell, cell + 9)))


def test_a_store_into_an_edge_tile_leaves_its_neighbours_alone():
    t, tile = edge()
    tile.store(0, 0, [100, 101, 102, 103])
    assert t.to_numpy()[:2].tolist() == [[0, 1, 2, 3, 100, 101], [6, 7, 8, 9, 10, 11]]
    tile.aligned_store(0, 0, [5, 5, 5, 5])
    tile.store(1, 1, 6, width=100)
    assert t.to_numpy()[:3].tolist() == [[0, 1, 2, 3, 5, 5], [6, 7, 8, 9, 10, 6], [12, 13, 14, 15, 16, 17]]


def test_a_load_from_an_edge_tile_pads():
    for tile, pad in ((edge()[1], 0), (edge(-1)[1], -1), (edge(-1, "pad")[1], -1), (edge(None, "pad")[1], 0)):
        assert tile.load(0, 0, 4).tolist() == tile.aligned_load(0, 0, 4).tolist() == [4, 5, pad, pad]
        assert tile.load(0, 1, 7).tolist() == [5, *[pad] * 4, 10, 11]
    last = tensor(row_major(4, 6)).tile((2, 4), (1, 1), pad_value=9)
    assert last.load(1, 0, 4).tolist() == [22, 23, 9, 9]  # past the end of the memory
    assert last.tile((1, 4), (1, 0)).load(0, 1, 3).tolist() == [23, 9, 9]


def test_a_vector_may_be_much_longer_than_the_tile():
    for layout in (row_major(4, 6), Swizzle(1, 0, 2) @ row_major(4, 6)):
        tile = accel.container(range(32)).view(layout).tile((2, 4), (0, 1))
        after = tile.to_numpy() >= tile[0, 0]
        tile.store(0, 0, -1, width=1 << 50)
        loaded = tile.load(0, 0, 1 << 20)
        assert (loaded[0], loaded[1000:].any(), (np.asarray(tile.storage) < 0).sum()) == (-1, False, after.sum())


def test_a_pad_is_one_number_of_the_dtype():
    t = tensor(row_major(4, 6), dtype="int8")
    for tail in ("mask", "pad"):
        with pytest.raises(ValueError, match="a pad is one value; found 2"):
            t.tile((2, 4), (0, 1), tail, pad_value=[1, 2])
        with pytest.raises(OverflowError):
            t.tile((2, 4), (0, 1), tail, pad_value=300)


def test_an_element_of_the_padding_is_loaded_as_it_is_read():
    t, tile = edge(-1, "pad")
    for where in np.ndindex(2, 4):
        assert tile.load(where) == tile[where]
    tile.store(0, 3, [7] * 8)
    assert t.to_numpy()[1].tolist() == [6, 7, 8, 9, 7, 7]
    assert tile.load(0, 3, 8).tolist() == [-1, -1, -1, 7, 7, -1, -1, -1]
    with pytest.raises(BoundsError, match="extent is 2"):
        edge()[1].load(0, 2)


def test_a_vectorised_tile_is_loaded_lane_by_lane():
    t = tensor(row_major(4, 6))
    tile = t.tile((2, 4), (0, 1)).vectorize(1, 2)
    assert (tile.shape, tile.load(0, 0, 8).tolist()) == ((2, 1), [4, 5, 0, 0, 0, 0, 10, 11])


WRITES = {
    "fill": lambda part, values: part.fill(-1),
    "copy_from a tensor": lambda part, values: part.copy_from(
        accel.LayoutTensor(xp.asarray(values, device=part.device))
    ),
    "copy_from an array": lambda part, values: part.copy_from(values),
    "all elements": lambda part, values: part.__setitem__((slice(None),) * part.rank, values),
    "a number": lambda part, values: part.__setitem__((slice(None),) * part.rank, -1),
    "an operator": lambda part, values: part.__imul__(-1),
    "an operator with an array": lambda part, values: part.__imul__(xp.asarray(values, device=part.device)),
}


@on_devices
@pytest.mark.parametrize("write", WRITES.values(), ids=list(WRITES))
@pytest.mark.parametrize("tail", ["mask", "shrink", "pad"])
@given(st.tuples(*[st.integers(1, 7)] * 2), st.tuples(*[st.integers(1, 4)] * 2), DRAWN)
@settings(parent=QUICK, max_examples=12)
def test_no_writer_leaves_the_valid_part(device, write, tail, shape, sizes, data):
    before = np.arange(1, shape[0] * shape[1] + 9)
    c = accel.container(before, device=device)
    coords = [data.draw(st.integers(0, (extent - 1) // size)) for extent, size in zip(shape, sizes, strict=True)]
    place = tuple([slice(k * size, (k + 1) * size) for k, size in zip(coords, sizes, strict=True)])
    tile = accel.LayoutTensor(c, row_major(*shape), 4).tile(sizes, tuple(coords), tail)
    write(tile, np.full(tile.shape, -1))
    written = np.zeros(before.size, bool)
    written[4:-4].reshape(shape)[place] = True
    assert (c.to_numpy() < 0).tolist() == written.tolist()
    assert np.abs(c.to_numpy()[~written]).tolist() == before[~written].tolist()


@given(st.integers(1, 7), st.integers(1, 7), st.integers(1, 4), st.integers(1, 4), DRAWN)
@QUICK
def test_tiles_of_buffers_stay_in_the_tile(rows, columns, height, width, data):
    memory = np.arange(rows * columns)
    tile = NDBuffer(memory, (rows, columns)).tile((height, width), (-1, -1))
    assume(tile.is_contiguous)
    valid, count = tile.to_numpy().reshape(-1), data.draw(st.integers(1, 20))
    if count > tile.size:
        for access in (lambda: tile.load(0, 0, width=count), lambda: tile.store(0, 0, [9] * count)):
            with pytest.raises(BoundsError, match=f"this NDBuffer has {tile.size} available"):
                access()
    else:
        assert np.atleast_1d(tile.load(0, 0, width=count)).tolist() == valid[:count].tolist()
        tile.store(0, 0, [-1] * count)
        assert np.flatnonzero(memory == -1).tolist() == valid[:count].tolist()


def test_a_swizzled_tile_loads_its_own_cells():
    t = accel.container(range(35)).view(Swizzle(1, 0, 2) @ row_major(5, 7))
    tile = t.tile((2, 4), (2, 1))
    valid = set(tile.to_numpy().reshape(-1).tolist())
    first = int(tile[0, 0])
    assert tile.load(0, 0, 6).tolist() == [cell if cell in valid else 0 for cell in range(first, first + 6)]
