"""Swizzled tensors and their views against arrays of offsets, on the host and on a device."""

import copy
import pickle
from math import gcd

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import accel
from accel import xp
from accel.errors import BoundsError, FormatError, LayoutError, OverlapError, ReadOnlyError
from accel.layout import ComposedLayout, Layout, Swizzle, offsets, row_major
from accel.testing import compact_layouts, layouts, shapes

from .layout_tensor_walks import distributed, indexed, sliced, tiled, transposed, walked
from .layout_tensors import DEVICES, QUICK, composed_layouts, flat_layouts, placed, tensor

DRAWN = st.data()
EACH = settings(QUICK, max_examples=75)
on_devices = pytest.mark.parametrize("device", DEVICES)
composed = composed_layouts()
nested = composed_layouts(layouts(shapes(max_size=64), st.integers(-20, 20)))
alike = compact_layouts(st.sampled_from([(4, 6), (6, 4), (24,), ((2, 2), 6), (3, (2, 4)), (2, 3, 4)]))
banks = Swizzle(3, 0, 3) @ row_major(8, 8)


def memory_of(found):
    return accel.LayoutTensor(found.storage, Layout(found.storage.size)).to_numpy()


def named_twice(model):
    return np.unique(model).size < model.size


@given(composed, DRAWN)
@EACH
@on_devices
def test_views_of_views_have_the_cells_of_the_model(device, layout, data):
    found, model = walked(placed(layout, device), data, 4)
    assert found.shape == model.shape[: found.rank]
    assert found.size * found.element_size == model.size
    assert np.array_equal(found.to_numpy(), model)


@given(nested, DRAWN)
@EACH
@on_devices
def test_views_of_nested_modes_are_right_or_refused(device, layout, data):
    try:
        found, model = walked(placed(layout, device), data, 2)
    except LayoutError:
        return
    assert np.array_equal(found.to_numpy(), model)


@given(composed, DRAWN)
@QUICK
def test_the_layout_is_the_composed_one_of_what_is_seen(layout, data):
    whole, _ = placed(layout)
    found, model = walked(placed(layout), data, 4, (sliced, indexed, transposed))
    assert (whole.layout, found.offset, found.layout.swizzle) == (layout, whole.offset, layout.swizzle)
    assert np.array_equal(offsets(found.layout) + found.offset, model.reshape(-1, order="F"))
    again = accel.LayoutTensor(found, found.layout)
    assert (again.layout, again.offset) == (found.layout, found.offset)


@given(composed, DRAWN)
@EACH
@on_devices
def test_addresses_are_those_of_the_first_elements(device, layout, data):
    whole, whole_model = placed(layout, device)
    found, model = walked((whole, whole_model), data, 3)
    assume(model.size)
    start, itemsize = found.storage.pointer, found.dtype.itemsize
    assert found.ptr == start + model.reshape(-1)[0] * itemsize
    assert found.ptr % found.alignment == 0
    assert whole.distance(found) == model.reshape(-1)[0] - whole_model.reshape(-1)[0]
    assert whole.distance(found.ptr) == whole.distance(found)


@given(composed, DRAWN)
@QUICK
def test_elements_are_those_of_the_model(layout, data):
    found, model = walked(placed(layout), data, 3)
    assume(found.size and found.rank)
    where = tuple([data.draw(st.integers(-extent, extent - 1)) for extent in found.shape])
    expected = model[where].reshape(-1) if found.element_size > 1 else model[where]
    assert np.array_equal(found[where], expected)
    memory = memory_of(found)
    if not named_twice(model[where]):
        found[where] = -expected
        memory[model[where]] *= -1
    assert np.array_equal(memory_of(found), memory)


@given(composed, DRAWN)
@EACH
@on_devices
def test_what_is_written_to_a_view_is_written_to_its_cells_and_no_others(device, layout, data):
    found, model = walked(placed(layout, device), data, 4)
    expected = memory_of(found)
    if named_twice(model):
        with pytest.raises(OverlapError):
            found.fill(-1)
    else:
        assert found.fill(-1) is found
        expected[model] = -1
    assert np.array_equal(memory_of(found), expected)


@given(composed, DRAWN)
@EACH
@on_devices
def test_arrays_are_written_to_ranges(device, layout, data):
    found, model = walked(placed(layout, device), data, 2)
    expected, values = memory_of(found), np.arange(model.size).reshape(model.shape) - 1000
    if named_twice(model):
        with pytest.raises(OverlapError):
            found[(slice(None),) * found.rank] = values
    else:
        found[(slice(None),) * found.rank] = values
        expected[model] = values
    assert np.array_equal(memory_of(found), expected)


@given(st.one_of(alike, composed_layouts(alike)), composed_layouts(alike), st.booleans())
@EACH
@pytest.mark.parametrize("devices", [("cpu", "cpu"), ("sim", "cpu"), ("cpu", "sim"), ("sim", "sim")])
def test_copies_pair_elements_by_colexicographic_index(devices, first, second, back):
    pair = placed(first, devices[0]), placed(second, devices[1])
    (source, source_model), (target, target_model) = reversed(pair) if back else pair
    expected = memory_of(target)
    expected[target_model.reshape(-1, order="F")] = source_model.reshape(-1, order="F")
    target.copy_from(source)
    assert np.array_equal(memory_of(target), expected)


@given(st.integers(0, 6), st.integers(0, 6), st.integers(1, 10))
@EACH
@on_devices
def test_a_copy_within_a_tensor_reads_before_it_writes(device, source, target, rows):
    found, model = placed(Swizzle(2, 1, 2) @ row_major(16, 3), device)
    expected = memory_of(found)
    expected[model[target : target + rows]] = model[source : source + rows]
    found[target : target + rows, :].copy_from(found[source : source + rows, :])
    assert np.array_equal(memory_of(found), expected)


@given(composed, DRAWN)
@EACH
@on_devices
def test_a_copy_has_the_same_layout_and_memory_of_its_own(device, layout, data):
    found, model = walked(placed(layout, device), data, 3)
    copies = found.copy(), copy.deepcopy(found), pickle.loads(pickle.dumps(found))
    same = copy.copy(found)
    accel.LayoutTensor(found.storage, Layout(found.storage.size)).fill(-5)
    for copied in copies:
        assert (copied.layout, copied.element_layout, copied.masked) == (
            found.layout,
            found.element_layout,
            found.masked,
        )
        assert (copied.device, copied.storage.owner is found.storage.owner) == (found.device, False)
        assert np.array_equal(copied.to_numpy(), model)
    assert (same.to_numpy() == -5).all()


@given(composed)
@EACH
@on_devices
def test_arithmetic_is_that_of_the_elements_and_gives_a_compact_tensor(device, layout):
    found, model = placed(layout, device)
    other = tensor(row_major(*model.shape), np.full(model.size, 3), dtype="int64", device=device)
    for result, expected in (
        (found + 1, model + 1),
        (7 - found, 7 - model),
        (found * other, model * 3),
        (other - found, 3 - model),
        (found / 2, model // 2),
    ):
        assert np.array_equal(result.to_numpy(), expected)
        assert result.is_contiguous
        assert isinstance(result.layout, Layout)
    if not named_twice(model):
        found += other
        assert np.array_equal(found.to_numpy(), model + 3)


@given(composed, DRAWN)
@EACH
@on_devices
def test_text_is_that_of_the_elements(device, layout, data):
    found, model = walked(placed(layout, device), data, 3, (tiled, sliced, indexed, distributed))
    assert str(found) == str(tensor(row_major(*model.shape), model.reshape(-1), dtype="int64"))
    assert str(found.layout) in repr(found)


@given(composed, st.booleans())
@QUICK
def test_coalescing_keeps_the_elements_in_order(layout, keep_rank):
    found, model = placed(layout)
    assert np.array_equal(found.coalesce(keep_rank).to_numpy().reshape(-1, order="F"), model.reshape(-1, order="F"))


@given(composed, st.integers(1, 6), st.integers(0, 5))
@EACH
@on_devices
def test_composition_takes_the_elements_at_the_integers_of_a_layout(device, layout, count, step):
    found, model = placed(layout, device)
    assume((count - 1) * step < layout.size)
    try:
        composed_again = found.composition(Layout(count, step))
    except LayoutError:
        assert layout.rank > 1
        return
    in_order = composed_again.to_numpy().reshape(-1, order="F")
    assert in_order.tolist() == [model.reshape(-1, order="F")[k * step] for k in range(count)]


@given(st.sampled_from([Layout(24), row_major(6, 4), Layout((4, 6)), Layout(((2, 2), 6), ((12, 1), 2))]), DRAWN)
@QUICK
def test_reshape_relabels_the_layout_under_the_swizzle(wanted, data):
    layout = data.draw(composed_layouts(st.just(row_major(4, 6))))
    found, _ = placed(layout)
    again, model = placed(ComposedLayout(layout.swizzle, layout.offset, wanted))
    reshaped = found.reshape(wanted)
    assert (reshaped.layout, reshaped.offset) == (again.layout, again.offset)
    assert np.array_equal(reshaped.to_numpy(), model)
    with pytest.raises(LayoutError, match="does not address the same cells"):
        found.reshape(Layout(24, 2))


@given(composed_layouts(flat_layouts.filter(lambda layout: layout.rank == 2 and layout.size)), st.integers(1, 4), DRAWN)
@QUICK
def test_load_and_store_go_on_in_memory(layout, width, data):
    found, model = placed(layout)
    m, n = (data.draw(st.integers(0, extent - 1)) for extent in found.shape)
    place, memory = model[m, n], memory_of(found)
    if place + width > memory.size:
        with pytest.raises(BoundsError, match=r"required.*available"):
            found.load(m, n, width)
        return
    assert np.array_equal(found.load(m, n, width), memory[place] if width == 1 else memory[place : place + width])
    found.store(m, n, [-7] * width)
    memory[place : place + width] = -7
    assert np.array_equal(memory_of(found), memory)
    found.prefetch(m, n)


@given(composed, st.integers(-70, 70), st.integers(0, 140))
@EACH
@on_devices
def test_a_tensor_is_refused_exactly_where_a_cell_leaves_the_storage(device, layout, start, size):
    places = offsets(layout) + start
    storage = accel.zeros(size, "float32", device=device)
    if places.size and (places.min() < 0 or places.max() >= size):
        with pytest.raises(BoundsError, match=rf"{places.min()} to {places.max()} .*required.* {size} available"):
            storage.view(layout, start)
    else:
        assert storage.view(layout, start).size == layout.size


@given(composed, DRAWN)
@QUICK
def test_tails_are_padded_and_what_is_written_there_is_dropped(layout, data):
    found, model = placed(layout)
    assume(found.size)
    sizes = tuple([data.draw(st.integers(1, 4)) for _ in range(found.rank)])
    coords = tuple([data.draw(st.integers(0, (e - 1) // s)) for e, s in zip(found.shape, sizes, strict=True)])
    part = model[tuple([slice(c * s, (c + 1) * s) for c, s in zip(coords, sizes, strict=True)])]
    expected = np.full(sizes, -9)
    expected[tuple(map(slice, part.shape))] = part
    tile = found.tile(sizes, coords, "pad", pad_value=-9)
    assert np.array_equal(tile.to_numpy(), expected)
    memory = memory_of(found)
    if not named_twice(part):
        memory[part] = -1
        tile[(slice(None),) * tile.rank] = np.full(sizes, -1)
    assert np.array_equal(memory_of(found), memory)


@given(composed, DRAWN)
@EACH
@on_devices
def test_iterators_go_through_the_tiles(device, layout, data):
    found, model = placed(layout, device)
    assume(found.size)
    sizes = (data.draw(st.integers(1, 5)), *found.shape[1:])
    tiles = list(found.tiled_iterator(sizes, (0,) * found.rank))
    assert [tile.to_numpy().tolist() for tile in tiles] == [tile.to_numpy().tolist() for tile in found.tiles(sizes)]
    assert np.array_equal(np.concatenate([tile.to_numpy() for tile in tiles]), model)
    assert [part.to_numpy().tolist() for part in found.split(found.shape[0])] == model[:, None].tolist()


@given(composed, DRAWN)
@QUICK
def test_other_bits_of_the_same_size_lie_in_the_same_places(layout, data):
    found, model = walked(placed(layout), data, 2)
    other = found.bitcast("uint64")
    assert (other.layout, other.offset) == (found.layout, found.offset)
    assert np.array_equal(other.to_numpy(), model.astype("uint64"))


@pytest.mark.parametrize("swizzle", [Swizzle(1, 0, 1), Swizzle(2, 0, 2), Swizzle(1, 0, 3)])
@on_devices
def test_threads_may_be_swizzled_over_a_swizzled_tensor(device, swizzle):
    found, _ = placed(banks, device)
    grid = row_major(4, 4)
    for thread in range(16):
        inner = swizzle(8 * (thread // 4) + thread % 4)
        share = found.distribute(grid, thread, swizzle=swizzle)
        assert share.layout == ComposedLayout(banks.swizzle, inner, Layout((2, 2), (32, 4)))
        assert share.to_numpy().reshape(-1, order="F").tolist() == offsets(share.layout).tolist()


@on_devices
def test_a_read_only_view_is_not_written(device):
    found, model = placed(banks, device)
    frozen = found.get_immutable()
    for write in (lambda: frozen.fill(0), lambda: frozen.copy_from(found), lambda: frozen[0:2, :].__iadd__(1)):
        with pytest.raises(ReadOnlyError):
            write()
    assert np.array_equal(frozen.to_numpy(), model)


@on_devices
def test_memory_that_no_strides_lead_through_is_not_shared(device):
    found, model = placed(banks, device)
    refused = [xp.asarray] if device == "sim" else [xp.asarray, np.asarray, np.from_dlpack]
    for share in refused:
        with pytest.raises(LayoutError, match=r"S<3,0,3>.*to_numpy\(\).*copy_from\(t\)"):
            share(found)
    flat = tensor(row_major(8, 8), np.zeros(64), dtype="int64", device=device)
    flat.copy_from(found)
    assert bool(xp.all(xp.asarray(flat) == xp.asarray(model, device=device)))


def test_numpy_gets_a_copy_where_it_asks_for_one():
    found, model = placed(banks)
    assert np.array_equal(np.array(found, copy=True), model)


def test_a_mode_has_an_extent_and_no_stride():
    found, _ = placed(banks)
    assert (found.dim(1), found.is_contiguous, found.runtime_layout) == (8, False, banks)
    with pytest.raises(
        LayoutError, match=r"a tensor under S<3,0,3> has no constant strides.*t\.layout\.layout has the strides"
    ):
        found.stride(1)


def test_a_picture_shows_where_elements_lie():
    found, _ = placed(banks)
    assert banks._repr_html_() in found._repr_html_()
    assert "S&lt;3,0,3&gt; o 9 o (2,2):(8,1)" in found[1:3, 1:3]._repr_html_()


def test_elements_of_another_size_are_not_those_of_the_swizzle():
    found, _ = placed(banks)
    for allow_resize in (False, True):
        with pytest.raises(LayoutError, match=r"S<3,0,3> would address other bytes: write u\.copy_from\(t\)"):
            found.bitcast("int32", allow_resize=allow_resize)


@pytest.mark.parametrize("swizzle", [Swizzle(1, 62, 1), Swizzle(3, 0, -62), Swizzle(40, 40, 40)])
def test_a_swizzle_mixes_bits_that_offsets_have(swizzle):
    with pytest.raises(LayoutError, match="mixes bits that no offset in memory has"):
        accel.zeros(4).view(swizzle @ Layout(4))


def test_layouts_that_say_what_is_done_are_plain():
    found, _ = placed(banks)
    for ask in (found.reshape, found.composition, lambda layout: found.distribute(layout, 0)):
        with pytest.raises(TypeError, match="a layout is needed"):
            ask(banks)
    with pytest.raises(TypeError, match="a layout is needed"):
        accel.LayoutTensor(accel.zeros(64), Layout(1), element_layout=banks)


@given(composed, st.sampled_from([None, 8, 64]))
@QUICK
def test_memory_of_a_scope_is_as_large_as_the_layout_needs(layout, alignment):
    with accel.LayoutTensor.stack_allocation(layout, "float64", alignment) as t:
        assert (t.layout, t.shape) == (layout, tuple(layout.layout.mode(k).size for k in range(layout.rank)))
        assert t.ptr % (alignment or 8) == 0
        for part in t.split(t.shape[0] or 1):
            assert part.alignment == gcd(alignment or 8, 8 * t.distance(part))
        if not named_twice(offsets(layout)):
            assert (t.fill(2).to_numpy() == 2).all()


def test_aligned_access_looks_at_the_swizzled_address():
    with accel.LayoutTensor.stack_allocation(banks, "float32", 64) as t:
        t[:, :] = np.arange(64, dtype="float32").reshape(8, 8)
        assert t.aligned_load(1, 1, 1) == 9
        assert t.aligned_load(2, 2, 4)[0] == 18
        with pytest.raises(LayoutError, match="no multiple of 16 bytes"):
            t.aligned_load(1, 0, 4)


def test_a_pickle_that_is_no_tensor_is_refused():
    make, (kind, storage, offset, parts, pad) = placed(banks)[0].__reduce__()
    for wrong in ((storage, offset, (*parts[:-1], (3, 0, 3)), pad), (storage, offset + 64, parts, pad)):
        with pytest.raises(FormatError, match="no pickled tensor"):
            make(kind, *wrong)


@on_devices
def test_an_array_of_its_own_is_made_where_none_can_share(device):
    for layout in (Swizzle(2, 0, 3) @ row_major(8, 8), Layout(((2, 4), 8), ((32, 4), 1))):
        tensor = accel.container(np.arange(64.0), device=device).view(layout)
        before, array = tensor.to_numpy(), xp.asarray(tensor, copy=True)
        array += 1
        assert np.array_equal(np.asarray(array.to_device("cpu")), before + 1)
        assert np.array_equal(tensor.to_numpy(), before)
