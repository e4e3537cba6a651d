"""Laws of transforms: random chains against views of NumPy, partitions, boxes, indexing; on the host and simulated."""

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accel import xp
from accel.errors import NonInvertibleTransformation, StoreIndexError, StoreValueError
from accel.store import Slice, create_store, from_array
from accel.store.boxes import box_of, extents, overlap, volume
from accel.store.index_maps import IndexMap

SHAPES = st.lists(st.integers(0, 4), max_size=4).map(tuple)


def split_sizes(draw, extent):
    """Return sizes whose product is an extent."""
    if extent == 0:
        return draw(st.sampled_from([(0,), (0, 3), (2, 0, 1)]))
    sizes = []
    while extent > 1:
        divisors = [each for each in range(2, extent + 1) if extent % each == 0]
        sizes.append(draw(st.sampled_from(divisors)))
        extent //= sizes[-1]
    return tuple(sizes) or (1,)


class Pair:
    """A store and the array of NumPy that it stands for.

    ``kinds`` has for each dimension whether it is whole, an inner part of one that was split, or repeats values.
    """

    def __init__(self, store, array, kinds=None):
        self.store = store
        self.array = array
        self.kinds = ["whole"] * array.ndim if kinds is None else kinds

    @property
    def ndim(self):
        return self.array.ndim

    @property
    def inner(self):
        return [dim for dim, kind in enumerate(self.kinds) if kind == "inner"]

    def promote(self, dim, size):
        shape = (*self.array.shape[:dim], size, *self.array.shape[dim:])
        array = np.broadcast_to(np.expand_dims(self.array, dim), shape)
        return Pair(self.store.promote(dim, size), array, [*self.kinds[:dim], "repeats", *self.kinds[dim:]])

    def project(self, dim, at):
        array = self.array[(slice(None),) * dim + (at, ...)]
        return Pair(self.store.project(dim, at), array, self.kinds[:dim] + self.kinds[dim + 1 :])

    def slice(self, dim, start, stop):
        array = self.array[(slice(None),) * dim + (slice(start, stop),)]
        return Pair(self.store.slice(dim, Slice(start, stop)), array, self.kinds)

    def broadcast(self, dim, size):
        shape = (*self.array.shape[:dim], size, *self.array.shape[dim + 1 :])
        kinds = [*self.kinds[:dim], "repeats", *self.kinds[dim + 1 :]]
        return Pair(self.store.broadcast(dim, size), np.broadcast_to(self.array, shape), kinds)

    def transpose(self, axes):
        return Pair(self.store.transpose(axes), self.array.transpose(axes), [self.kinds[axis] for axis in axes])

    def delinearize(self, dim, sizes):
        shape = (*self.array.shape[:dim], *sizes, *self.array.shape[dim + 1 :])
        strides, kind = list(self.array.strides), self.kinds[dim]
        steps = [strides[dim] * prod(sizes[at + 1 :]) for at in range(len(sizes))]
        array = np.lib.stride_tricks.as_strided(self.array, shape, (*strides[:dim], *steps, *strides[dim + 1 :]))
        parts = [kind] + [kind if kind == "repeats" else "inner"] * (len(sizes) - 1)
        return Pair(self.store.delinearize(dim, sizes), array, [*self.kinds[:dim], *parts, *self.kinds[dim + 1 :]])


def stepped(draw, pair):  # noqa: PLR0911 - one for each transform
    """Return a pair after one random transform."""
    ndim, shape = pair.ndim, pair.array.shape
    name = draw(st.sampled_from(["promote", "project", "slice", "broadcast", "transpose", "delinearize"]))
    if name == "promote" and ndim < 9:
        return pair.promote(draw(st.integers(0, ndim)), draw(st.integers(0, 3)))
    if name == "transpose":
        return pair.transpose(draw(st.permutations(range(ndim))))
    free = [dim for dim in range(ndim) if dim not in pair.inner]
    if name == "project" and any(shape[dim] for dim in free):
        dim = draw(st.sampled_from([dim for dim in free if shape[dim]]))
        return pair.project(dim, draw(st.integers(0, shape[dim] - 1)))
    if name == "slice" and free:
        dim = draw(st.sampled_from(free))
        start = draw(st.integers(-shape[dim] - 1, shape[dim] + 1) | st.none())
        return pair.slice(dim, start, draw(st.integers(-shape[dim] - 1, shape[dim]) | st.none()))
    ones = [dim for dim in range(ndim) if shape[dim] == 1]
    if name == "broadcast" and ones:
        return pair.broadcast(draw(st.sampled_from(ones)), draw(st.integers(0, 3)))
    if name == "delinearize" and ndim and ndim < 9:
        dim = draw(st.integers(0, ndim - 1))
        return pair.delinearize(dim, split_sizes(draw, shape[dim]))
    return pair


@st.composite
def chains(draw, start=None):
    shape = draw(SHAPES) if start is None else start
    array = np.arange(prod(shape)).reshape(shape)
    pair = Pair(from_array(array, read_only=False), array)
    for _ in range(draw(st.integers(0, 6))):
        pair = stepped(draw, pair)
    return array, pair


@settings(max_examples=300)
@given(chains())
def test_a_chain_of_transforms_is_a_view_of_numpy(chain):
    _, pair = chain
    physical = pair.store.get_physical_store()
    assert pair.store.shape == physical.shape == pair.array.shape
    result = np.asarray(physical)
    assert result.tolist() == pair.array.tolist()
    if result.size:
        assert result.__array_interface__["data"][0] == pair.array.__array_interface__["data"][0]


@settings(max_examples=60)
@given(chains())
def test_a_chain_has_the_same_elements_on_a_device_and_in_memory_of_its_box_alone(chain):
    array, pair = chain
    index_map = pair.store.map
    boxed = np.ascontiguousarray(array[tuple(slice(*pair) for pair in index_map.box)])
    alone = index_map.on_box()
    assert alone.offset == 0
    assert alone.layout.size == pair.array.size
    reach = sum((extent - 1) * stride for extent, stride in zip(alone.shape, alone.strides, strict=True))
    assert pair.array.size == 0 or reach < boxed.size
    strides = [8 * stride for stride in alone.strides]
    view = np.lib.stride_tricks.as_strided(boxed.reshape(-1), alone.shape, strides) if pair.array.size else pair.array
    assert view.tolist() == pair.array.tolist()
    physical = pair.store.get_physical_store("sim")
    assert physical.span_read_accessor().to_numpy().tolist() == pair.array.tolist()
    assert np.from_dlpack(xp.asarray(physical), device="cpu", copy=True).tolist() == pair.array.tolist()


@given(chains())
def test_the_box_has_the_elements_of_the_store_and_no_others(chain):
    array, pair = chain
    box = pair.store.map.box
    inside = array[tuple(slice(*ends) for ends in box)]
    assert volume(box) == inside.size
    if pair.array.size:
        assert set(pair.array.ravel().tolist()) == set(inside.ravel().tolist())
    assert pair.store.map.distinct().layout.size == (inside.size if pair.array.size else 0)


@settings(max_examples=60)
@given(chains(), st.sampled_from([None, "sim"]))
def test_a_fill_through_a_chain_changes_its_elements_alone(chain, target):
    array, pair = chain
    expected = array.copy()
    expected[np.isin(array, pair.array)] = -5
    if target is not None:
        pair.store.offload_to(target)
    pair.store.fill(-5)
    pair.store.detach()
    assert array.tolist() == expected.tolist()


@given(st.data(), SHAPES)
def test_stores_overlap_where_their_elements_do(data, shape):
    array = np.arange(prod(shape)).reshape(shape)
    root = from_array(array)
    one, other = Pair(root, array), Pair(root, array)
    for _ in range(3):
        one, other = stepped(data.draw, one), stepped(data.draw, other)
    if one.array.size and other.array.size:
        shared = bool(set(one.array.ravel().tolist()) & set(other.array.ravel().tolist()))
        assert one.store.overlaps(other.store) == other.store.overlaps(one.store) == shared
    if one.store.equal_storage(other.store) and one.array.size and other.array.size:
        assert set(one.array.ravel().tolist()) == set(other.array.ravel().tolist())
    assert not one.store.overlaps(create_store("int64", shape))


@given(chains())
def test_a_slice_or_projection_of_an_inner_part_is_refused(chain):
    _, pair = chain
    for dim in pair.inner:
        if pair.array.shape[dim] > 1 and pair.array.size:
            with pytest.raises(NonInvertibleTransformation):
                pair.store.project(dim, 0)
            with pytest.raises(NonInvertibleTransformation):
                pair.store.slice(dim, Slice(0, 1))


@given(chains(), st.data())
def test_tiles_cover_each_element_once_and_write_through(chain, data):
    _, pair = chain
    store = pair.store
    shape = store.shape
    if not shape or 0 in shape or prod(shape) > 500:
        return
    tile = tuple(extent if dim in pair.inner else data.draw(st.integers(1, extent)) for dim, extent in enumerate(shape))
    partition = store.partition_by_tiling(tile)
    assert partition.color_shape == tuple(-(-extent // size) for extent, size in zip(shape, tile, strict=True))
    assert len(partition) == len(list(partition.colors()))
    counts = np.zeros(shape, int)
    for color in partition.colors():
        child, ((index_map, origin),) = partition.get_child_store(*color), partition.tiles([color])
        assert index_map == child.map
        where = tuple(slice(low, low + extent) for low, extent in zip(origin, child.shape, strict=True))
        counts[where] += 1
        assert np.asarray(child.get_physical_store()).tolist() == pair.array[where].tolist()
    assert (counts == 1).all()
    chosen = data.draw(st.sampled_from(list(partition.colors())))
    child, ((_, origin),) = partition.get_child_store(*chosen), partition.tiles([chosen])
    where = tuple(slice(low, low + extent) for low, extent in zip(origin, child.shape, strict=True))
    child.fill(-9)
    assert (np.asarray(store.get_physical_store())[where] == -9).all()


def test_a_forced_color_shape_truncates_or_adds_empty_tiles():
    store = create_store("int64", (5, 4))
    assert store.partition_by_tiling((2, 2), (2, 1)).get_child_store(1, 0).shape == (2, 2)
    longer = store.partition_by_tiling((2, 2), (4, 2))
    assert [longer.get_child_store(row, 1).shape for row in range(4)] == [(2, 2), (2, 2), (1, 2), (0, 2)]
    with pytest.raises(StoreIndexError):
        longer.get_child_store(4, 0)
    with pytest.raises(StoreIndexError):
        longer.get_child_store(0)


KEYS = st.one_of(
    st.integers(-5, 5),
    st.slices(6),
    st.none(),
    st.just(Ellipsis),
)


@settings(max_examples=300)
@given(st.data(), SHAPES)
def test_indexing_is_that_of_numpy(data, shape):
    array = np.arange(prod(shape)).reshape(shape)
    store = from_array(array)
    key = data.draw(KEYS | st.lists(KEYS, max_size=5).map(tuple))
    given_keys = key if isinstance(key, tuple) else (key,)
    if any(isinstance(each, slice) and each.step not in (None, 1) for each in given_keys):
        return
    try:
        expected = array[key]
    except IndexError:
        with pytest.raises(IndexError):
            store[key]
        return
    assert np.asarray(store[key].get_physical_store()).tolist() == expected.tolist()


@pytest.mark.parametrize("key", [1.5, "a", True, [0, 1], np.array([0, 1]), np.array([True, False])])
def test_an_index_of_another_kind_is_refused(key):
    with pytest.raises(TypeError):
        create_store("int64", (2, 3))[key]


def test_a_step_is_refused():
    with pytest.raises(NotImplementedError, match="no steps"):
        create_store("int64", (6,))[::2]
    with pytest.raises(NotImplementedError, match="no steps"):
        create_store("int64", (6,)).slice(0, slice(0, 6, 2))


def test_there_may_be_more_than_six_dimensions():
    shape = (2, 1, 3, 1, 2, 1, 2, 2, 1)
    store = create_store("int64", shape)
    np.asarray(store.get_physical_store())[...] = values = np.arange(prod(shape)).reshape(shape)
    turned = store.transpose(range(8, -1, -1)).promote(4, 2).project(9, 1)
    expected = np.broadcast_to(np.expand_dims(values.transpose(range(8, -1, -1)), 4), (*turned.shape, 2))[..., 1]
    assert np.asarray(turned.get_physical_store()).tolist() == expected.tolist()
    assert turned.get_physical_store("sim").span_read_accessor().to_numpy().tolist() == expected.tolist()


def test_a_full_slice_is_the_same_store():
    store = create_store("int64", (3, 4))
    for bounds in (slice(None), Slice(0, 4), Slice(-4, None), slice(0, 4, 1)):
        assert store.slice(1, bounds) is store
    assert store[:, :] is store


def test_a_store_iterates_over_its_first_dimension():
    store = from_array(np.arange(6).reshape(3, 2))
    assert [np.asarray(row.get_physical_store()).tolist() for row in store] == [[0, 1], [2, 3], [4, 5]]


@pytest.mark.parametrize("value", [1.5, 300, -1, "a", [1, 2], None, 1j])
def test_a_value_that_the_type_cannot_hold_is_not_filled_in(value):
    store = create_store("uint8", (3,))
    store.fill(7)
    with pytest.raises((TypeError, ValueError, OverflowError)):
        store.fill(value)
    assert np.asarray(store.get_physical_store()).tolist() == [7] * 3


def test_all_types_can_be_filled():
    for dtype, value in {
        "bool": True,
        "complex64": 1 + 2j,
        "bfloat16": 1.5,
        "int8": -3,
        "float16": np.float16(2),
    }.items():
        for target in (None, "sim"):
            store = create_store(dtype, (2, 2)).transpose((1, 0)).promote(0, 2)
            if target:
                store.offload_to(target)
            store.fill(value)
            assert np.asarray(store.get_physical_store()).tolist() == [[[value] * 2] * 2] * 2


def test_bad_shapes_are_refused_before_anything_is_allocated():
    for shape in ((-1,), (2, -3)):
        with pytest.raises(OverflowError):
            create_store("int64", shape)
    with pytest.raises((ValueError, OverflowError)):
        create_store("int64", (1 << 40, 1 << 40))
    with pytest.raises(StoreValueError, match="one element"):
        create_store("int64", (2,), scalar=True)
    with pytest.raises(StoreValueError, match="Expected an iterable"):
        create_store("int64", 3)


@given(SHAPES, st.data())
def test_an_index_map_of_a_tile_has_its_box(shape, data):
    whole = IndexMap.whole(shape)
    tile = [sorted(data.draw(st.tuples(st.integers(0, each), st.integers(0, each)))) for each in shape]
    result = whole.of_tile([low for low, _ in tile], [high - low for low, high in tile], first=False)
    if prod(result.shape):
        assert result.box == tuple(map(tuple, tile))
        assert extents(result.box) == result.shape
    assert overlap(result.box, box_of(shape)) == bool(prod(result.shape))
    assert len(list(product(*map(range, result.shape)))) == result.layout.size


@pytest.mark.parametrize("sizes", [(-6,), (-2, -3), (2, -3), (-1, 6, -1)])
def test_a_dimension_is_not_split_into_negative_sizes(sizes):
    with pytest.raises(StoreValueError, match="can't convert negative value"):
        create_store("int8", (6,)).delinearize(0, sizes)


def test_a_part_of_an_empty_dimension_that_was_split_has_an_empty_box():
    split = create_store("int8", (0,)).delinearize(0, (1, 0))
    assert split.project(0, 0).map.box == ((0, 0),)
