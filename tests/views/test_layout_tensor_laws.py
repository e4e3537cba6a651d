"""Random views of views against NumPy views of arrays of offsets."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import accel
from accel.errors import LayoutError, OverlapError
from accel.layout import Layout, Swizzle, row_major
from accel.testing import compact_layouts, layouts, shapes

from .layout_tensor_walks import applies, distributed, tiled, walked
from .layout_tensors import QUICK, flat_layouts, lowest, model_of, modelled, tensor, vectors

DRAWN = st.data()


@given(flat_layouts, DRAWN)
@QUICK
def test_views_of_views_have_the_cells_of_the_model(layout, data):
    found, model = walked(modelled(layout), data, 4)
    assert found.shape == model.shape[: found.rank]
    assert found.size * found.element_size == model.size
    assert np.array_equal(found.to_numpy(), model)


@given(layouts(shapes(max_size=64), st.integers(-20, 20)), DRAWN)
@QUICK
def test_views_of_nested_modes_are_right_or_refused(layout, data):
    try:
        found, model = walked(modelled(layout), data, 2)
    except LayoutError:
        return
    assert np.array_equal(found.to_numpy(), model)


@given(layouts(shapes(max_size=96), st.integers(-20, 20)), DRAWN)
@QUICK
def test_parts_of_nested_tiles_are_right_or_refused(layout, data):
    try:
        found, model = tiled(*modelled(layout), data.draw)
        for step in data.draw(st.lists(st.sampled_from([tiled, distributed]), max_size=2)):
            if applies(step, found):
                found, model = step(found, model, data.draw)
    except LayoutError:
        return
    assert np.array_equal(found.to_numpy(), model)


@given(flat_layouts, DRAWN)
@QUICK
def test_elements_are_those_of_the_model(layout, data):
    found, model = walked(modelled(layout), data, 3)
    assume(found.size and found.rank)
    where = tuple([data.draw(st.integers(-extent, extent - 1)) for extent in found.shape])
    assert np.array_equal(found[where], model[where].reshape(-1) if found.element_size > 1 else model[where])


@given(flat_layouts, DRAWN)
@QUICK
def test_what_is_written_to_a_view_is_written_to_its_cells_and_no_others(layout, data):
    found, model = walked(modelled(layout), data, 4)
    memory = np.asarray(found.storage)
    before = memory.copy()
    try:
        assert found.fill(-1) is found
    except OverlapError:
        assert np.unique(model).size < model.size
        assert np.array_equal(memory, before)
        return
    before[model] = -1
    assert np.array_equal(memory, before)


@given(flat_layouts, flat_layouts, DRAWN)
@QUICK
def test_copies_pair_elements_by_colexicographic_index(first, second, data):
    source, source_model = walked(modelled(first), data, 2)
    target, target_model = walked(modelled(second), data, 2)
    assume(source.element_size == target.element_size == 1)
    memory = np.asarray(target.storage)
    expected = memory.copy()
    if source.size != target.size:
        with pytest.raises(ValueError, match="both must be equal"):
            target.copy_from(source)
    elif np.unique(target_model).size < target_model.size:
        with pytest.raises(OverlapError):
            target.copy_from(source)
    else:
        expected[target_model.reshape(-1, order="F")] = source_model.reshape(-1, order="F")
        target.copy_from(source)
    assert np.array_equal(memory, expected)


@given(flat_layouts, DRAWN)
@QUICK
def test_a_copy_has_the_same_layout_and_memory_of_its_own(layout, data):
    found, model = walked(modelled(layout), data, 3)
    copied = found.copy()
    assert (copied.layout, copied.element_layout, copied.masked) == (found.layout, found.element_layout, found.masked)
    np.asarray(found.storage)[...] = -5
    assert np.array_equal(copied.to_numpy(), model)


@given(flat_layouts, DRAWN)
@QUICK
def test_numpy_shares_the_cells_of_the_model(layout, data):
    found, model = walked(modelled(layout), data, 3)
    try:
        shared = np.asarray(found)
    except LayoutError:  # the element of vectors of distributed vectors is nested
        assert found.element_layout.depth > 1
        return
    assert np.array_equal(shared, model)
    if model.size:
        assert np.shares_memory(shared, np.asarray(found.storage))


@given(compact_layouts(shapes(max_size=64)), compact_layouts(shapes(max_size=64)))
@QUICK
def test_reshape_relabels_what_addresses_the_same_cells(layout, wanted):
    found, _ = modelled(layout)
    if layout.size == wanted.size:
        assert np.array_equal(found.reshape(wanted).to_numpy(), model_of(wanted))
    else:
        with pytest.raises(LayoutError, match=r"composition.*copy_from\(t\)"):
            found.reshape(wanted)


@given(flat_layouts, flat_layouts)
@QUICK
def test_reshape_is_allowed_exactly_where_the_cells_are_the_same(layout, wanted):
    found, model = modelled(layout)
    start = found.offset
    same = np.array_equal(np.unique(model), np.unique(model_of(wanted, start)))
    if same:
        assert np.array_equal(found.reshape(wanted).to_numpy(), model_of(wanted, start))
    else:
        with pytest.raises(LayoutError):
            found.reshape(wanted)


@given(layouts(shapes(max_size=64), st.integers(-20, 20)), st.booleans())
@QUICK
def test_coalescing_keeps_the_elements_in_order(layout, keep_rank):
    found, model = modelled(layout)
    coalesced = found.coalesce(keep_rank)
    assert np.array_equal(coalesced.to_numpy().reshape(-1, order="F"), model.reshape(-1, order="F"))
    assert coalesced.rank == found.rank or (not keep_rank and coalesced.rank <= len(layout.leaves))


@given(st.integers(1, 6), st.integers(0, 5), flat_layouts)
@QUICK
def test_composition_takes_the_elements_at_the_integers_of_a_layout(count, step, layout):
    in_order = model_of(layout, -lowest(layout)).reshape(-1, order="F")
    places = np.arange(count) * step
    if places[-1] >= layout.size:
        with pytest.raises(LayoutError, match="stays inside"):
            modelled(layout)[0].composition(Layout(count, step))
        return
    try:
        composed = modelled(layout)[0].composition(Layout(count, step))
    except LayoutError:
        assert layout.rank > 1
        return
    assert np.array_equal(composed.to_numpy().reshape(-1, order="F"), in_order[places])


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 5), st.integers(1, 5), st.sampled_from(["mask", "shrink"]))
@QUICK
def test_tiles_have_every_element_once(rows, columns, height, width, tail):
    found = tensor(row_major(rows, columns))
    seen = np.concatenate([tile.to_numpy().reshape(-1) for tile in found.tiles((height, width), tail)])
    assert sorted(seen) == list(range(rows * columns))


@given(flat_layouts, DRAWN)
@QUICK
def test_a_padded_tile_reads_the_pad_and_drops_what_is_written_there(layout, data):
    found, model = modelled(layout)
    assume(layout.size and np.unique(model).size == model.size)
    sizes = tuple([data.draw(st.integers(1, 4)) for _ in range(found.rank)])
    coords = tuple([data.draw(st.integers(0, (e - 1) // s)) for e, s in zip(found.shape, sizes, strict=True)])
    key = tuple([slice(c * size, (c + 1) * size) for c, size in zip(coords, sizes, strict=True)])
    there = model[key]
    expected = np.full(sizes, -9)
    expected[tuple(map(slice, there.shape))] = there
    tile = found.tile(sizes, coords, tail="pad", pad_value=-9)
    assert tile.shape == sizes
    assert np.array_equal(tile.to_numpy(), expected)
    assert all(tile[where] == expected[where] for where in np.ndindex(sizes))
    tile[(slice(None),) * found.rank] = tile + 100
    assert np.array_equal(found.to_numpy()[key], there + 100)
    assert np.array_equal(tile.to_numpy() == -9, expected == -9)


@given(st.tuples(*[st.integers(1, 3)] * 6))
@QUICK
def test_vectors_of_vectors_are_larger_blocks(counts):
    first, second, outer = counts[0:2], counts[2:4], counts[4:6]
    sizes = [a * b * c for a, b, c in zip(first, second, outer, strict=True)]
    found, model = modelled(row_major(*sizes))
    twice = vectors(vectors(model, 0, first), 0 if first == (1, 1) else 2, second)
    assert np.array_equal(found.vectorize(*first).vectorize(*second).to_numpy(), twice)


def test_cells_that_leaves_reach_more_than_once_are_compared_one_by_one():
    found, _ = modelled(Layout((2, 2), (1, 1)))
    assert found.reshape(Layout(3)).to_numpy().tolist() == [0, 1, 2]
    assert modelled(Layout((3, 2), (2, 3)))[0].reshape(Layout((2, 3), (3, 2))).shape == (2, 3)


@pytest.mark.parametrize("swizzle", [Swizzle(1, 0, 1), Swizzle(2, 0, 2), Swizzle(1, 0, 3)])
def test_a_swizzle_moves_threads_among_the_elements_that_threads_begin_at(swizzle):
    found, grid = tensor(row_major(8, 8)), row_major(4, 4)
    first = [found.distribute(grid, k).offset for k in range(16)]
    assert [found.distribute(grid, k, swizzle=swizzle).offset for k in range(16)] == [swizzle(k) for k in first]


def test_the_rows_of_a_tensor_are_what_it_iterates_over():
    found = tensor(row_major(3, 2))
    assert len(found) == 3
    assert [row.to_numpy().tolist() for row in found] == [[0, 1], [2, 3], [4, 5]]
    assert list(accel.LayoutTensor(found, Layout(4))) == [0, 1, 2, 3]


def test_elements_of_one_number_leave_no_axes_in_vectors_of_fewer_modes():
    row = accel.container(range(6)).view(row_major(2, 3)).vectorize(1, 1)[1, :]
    assert np.array_equal(row.vectorize(3).to_numpy(), [[3, 4, 5]])
