"""Tiles of arrays have what they refer to, at its own coordinates."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accel.errors import StoreIndexError, StoreSizeError
from accel.store import Access, Domain, PhysicalStore, box_order, create_store, from_array
from accel.store.arrays import create_list_array, create_struct_array, from_arrow, from_strings
from accel.store.box_order import Use

VALUES = st.recursive(
    st.just(pa.int64()) | st.just(pa.utf8()),
    lambda kinds: kinds.map(pa.list_) | kinds.map(lambda kind: pa.struct({"a": kind, "b": pa.int64()})),
    max_leaves=3,
)


def values_of(kind):
    if pa.types.is_list(kind):
        return st.none() | st.lists(values_of(kind.value_type), max_size=3)
    if pa.types.is_struct(kind):
        return st.none() | st.fixed_dictionaries({"a": values_of(kind.field(0).type), "b": st.integers(0, 9)})
    return st.none() | (st.integers(0, 9) if kind == pa.int64() else st.text(max_size=3))


@st.composite
def arrays(draw):
    kind = draw(VALUES)
    return pa.array(draw(st.lists(values_of(kind), max_size=9)), kind)


@pytest.mark.parametrize("device", ["cpu", "sim"])
@given(arrays(), st.integers(1, 5))
def test_tiles_together_are_the_array(device, array, tile):
    logical = from_arrow(array)
    logical.offload_to(device)
    tiles = logical.partition_by_tiling(tile)
    assert len(tiles) == tiles.color_shape[0] == -(-len(array) // tile)
    elements = [each for color in tiles.colors() for each in tiles.get_child_array(*color).to_arrow().to_pylist()]
    assert elements == array.to_pylist()


@given(arrays(), st.integers(1, 5), st.integers(1, 3))
def test_tiles_of_tiles_are_slices(array, tile, inner):
    logical = from_arrow(array)
    for color in logical.partition_by_tiling(tile).colors():
        outer = logical.partition_by_tiling(tile).get_child_array(*color)
        expected = array[color[0] * tile :][:tile]
        for small in outer.partition_by_tiling(inner).colors():
            result = outer.partition_by_tiling(inner).get_child_array(*small)
            assert result.to_arrow().to_pylist() == expected[small[0] * inner :][:inner].to_pylist()


def test_values_of_a_tile_are_only_those_it_refers_to_and_keep_their_coordinates():
    array = create_list_array([[0, 1], [2, 1], [2, 4], [5, 5]], np.arange(10, 16))
    tile = array.partition_by_tiling(2).get_child_array(1)
    physical = tile.get_physical_array()
    assert physical.descriptor.elements().tolist() == [[2, 4], [5, 5]]
    assert physical.domain == Domain((2,), (3,))
    assert physical.descriptor.domain == Domain((2, 0), (3, 1))
    assert physical.vardata.domain == Domain((2,), (5,))
    assert physical.vardata.elements().tolist() == [12, 13, 14, 15]
    assert [each.tolist() for each in physical.lists()] == [[12, 13, 14], [15]]
    assert tile.origins() == ((2, 0), (2,))


def test_strings_of_a_tile_keep_their_coordinates():
    tile = from_strings(["ab", "cdé", "", None, "f"]).partition_by_tiling(2).get_child_array(1)
    physical = tile.get_physical_array()
    assert physical.strings() == ["", None]
    assert physical.domain == Domain((2,), (3,))
    assert physical.chars.shape == (0,)
    last = from_strings(["ab", "cdé", "f"]).partition_by_tiling(2).get_child_array(1).get_physical_array()
    assert last.chars.domain == Domain((6,), (6,))
    assert last.offsets.elements().tolist() == [6, 7]
    assert last.strings() == ["f"]


def test_tiles_of_structs_have_tiles_of_each_field():
    array = create_struct_array({"x": np.arange(5), "name": from_strings(list("abcde"))})
    physical = array.partition_by_tiling(2).get_child_array(1).get_physical_array()
    assert physical.fields["x"].elements().tolist() == [2, 3]
    assert physical.fields["name"].strings() == ["c", "d"]
    assert physical.domain == Domain((2,), (3,))


def test_tiles_of_a_matrix_are_rows():
    array = create_struct_array({"x": np.arange(12).reshape(4, 3)})
    tile = array.partition_by_tiling(3).get_child_array(1)
    assert tile.get_physical_array().fields["x"].elements().tolist() == [[9, 10, 11]]
    assert tile.get_physical_array().domain == Domain((3, 0), (3, 2))


def test_colors_may_be_fewer_or_more_than_tiles():
    array = from_strings(list("abc"))
    assert array.partition_by_tiling(1, 2).color_shape == (2,)
    more = array.partition_by_tiling(2, 4)
    assert [more.get_child_array(*color).shape for color in more.colors()] == [(2,), (1,), (0,), (0,)]


@pytest.mark.parametrize(
    ("color", "error", "message"),
    [
        ((2,), StoreIndexError, r"is invalid for partition of color shape \[2\]"),
        ((-1,), StoreSizeError, r"negative value to uint64_t: the color is \[-1\]"),
        ((0, 0), StoreIndexError, r"is invalid for partition of color shape \[2\]"),
        ((), StoreIndexError, r"is invalid for partition of color shape \[2\]"),
    ],
)
def test_colors_that_are_not_there_are_refused(color, error, message):
    with pytest.raises(error, match=message):
        from_strings(list("abc")).partition_by_tiling(2).get_child_array(*color)


def test_writes_through_a_tile_are_seen_in_the_array():
    values = np.arange(6)
    array = create_list_array([[0, 1], [2, 5]], from_array(values, read_only=False))
    tile = array.partition_by_tiling(1).get_child_array(1)
    tile.get_physical_array().vardata.data.span_write_accessor()[...] = 0
    assert values.tolist() == [0, 1, 0, 0, 0, 0]


def test_a_tile_does_not_wait_for_tasks_that_only_read():
    ranges = create_store("int64", (2, 2))
    ranges.get_physical_store().span_write_accessor()[...] = [[0, 0], [1, 1]]
    array = create_list_array(ranges, [5, 6])
    task = ReadsForever()
    uses = [Use(ranges.root, ranges.root.box, Access.READ)]
    box_order.enter(task, uses)
    tile = array.partition_by_tiling(1).get_child_array(1)
    assert tile.vardata.shape == (1,)
    box_order.leave(task, uses)


class ReadsForever:
    failure = None

    def done(self):
        return False

    def settle(self):
        raise AssertionError("a reader waited for a reader")


def test_a_tile_raises_the_failure_of_the_task_that_was_to_write_the_ranges():
    ranges = create_store("int64", (2, 2))
    task = Failed()
    uses = [Use(ranges.root, ranges.root.box, Access.WRITE)]
    box_order.enter(task, uses)
    box_order.leave(task, uses)
    with pytest.raises(OSError, match="the disk is gone"):
        create_list_array(ranges, [5, 6]).partition_by_tiling(1).get_child_array(0)


class Failed(ReadsForever):
    failure = OSError("the disk is gone")


def test_ranges_of_a_tile_index_its_values_by_accessors():
    array = create_list_array([[0, 1], [2, 1], [2, 4], [5, 5]], np.arange(10, 16))
    physical = array.partition_by_tiling(2).get_child_array(1).get_physical_array()
    ranges, values = physical.descriptor.data.read_accessor(), physical.vardata.data.read_accessor()
    assert [values[int(ranges[row, 0])] for row in (2, 3)] == [12, 15]
    assert PhysicalStore(physical.vardata).read_accessor()[5] == 15
    with pytest.raises(StoreIndexError):
        _ = values[1]
    with pytest.raises(ValueError, match="nested"):
        PhysicalStore(physical)
