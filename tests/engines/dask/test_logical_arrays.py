"""Tasks on arrays of strings, lists and structs, in tiles on the workers."""

import numpy as np
import pytest

from accel.engines import InOut, Input, Output, Reduce, task
from accel.store import ADD, create_store, from_array
from accel.store.arrays import LogicalArray, create_list_array, create_struct_array, from_strings

NAMES = ["Aachen", "", None, "Zürich", "北京", "x" * 300, "Łódź"]
LISTS = [[1.0, 2.0], [], [3.0], [4.0, 5.0, 6.0], []]


def lists(values=LISTS):
    ends = np.cumsum([len(each) for each in values])
    ranges = np.stack([ends - [len(each) for each in values], ends - 1], axis=1)
    elements = np.array([element for each in values for element in each])
    return create_list_array(*[from_array(each, read_only=False) for each in (ranges, elements)])


@pytest.mark.parametrize("tile", [1, 3, 7])
def test_each_color_gets_its_strings(cluster, tile):
    @task
    def measure(names: Input, lengths: Output, valid: Reduce[ADD]):
        lengths.span_write_accessor()[...] = [-1 if each is None else len(each) for each in names]
        np.asarray(valid)[...] += np.asarray(names.null_mask).sum()

    lengths, valid = create_store("int64", (len(NAMES),)), create_store("int64", (1,))
    valid.fill(0)
    measure(from_strings(NAMES).partition_by_tiling(tile), lengths.partition_by_tiling((tile,)), valid)
    assert cluster.gather(lengths).tolist() == [-1 if each is None else len(each) for each in NAMES]
    assert cluster.gather(valid).tolist() == [6]


@pytest.mark.parametrize("tile", [1, 2, 5])
def test_each_color_gets_its_lists(cluster, tile):
    @task
    def summed(given: Input, sums: Output):
        sums.span_write_accessor()[...] = [sum(each) for each in given]

    sums = create_store("float64", (len(LISTS),))
    summed(lists().partition_by_tiling(tile), sums.partition_by_tiling((tile,)))
    assert cluster.gather(sums).tolist() == [sum(each) for each in LISTS]


def test_values_of_lists_that_a_task_has_changed_stay_on_the_workers(cluster):
    @task
    def doubled(given: InOut):
        given.vardata.data.span_read_write_accessor()[...] *= 2

    array = lists()
    values = array.vardata.data
    doubled(array.partition_by_tiling(2))
    doubled(array.partition_by_tiling(3))
    assert values.root.contents.tiles()
    assert cluster.gather(values).tolist() == [4, 8, 12, 16, 20, 24]


def test_a_nullable_array_and_a_struct_are_arguments(cluster):
    @task
    def fill(x: Output, y: Output):
        x.data.span_write_accessor()[...] = 3
        x.null_mask.span_write_accessor()[...] = [True, False]
        y.child(0).data.span_write_accessor()[...] = 4
        y.child(1).data.span_write_accessor()[...] = True

    x = LogicalArray(create_store("int32", (4,)), create_store("bool", (4,)))
    y = create_struct_array({"a": create_store("float64", (4,)), "b": create_store("bool", (4,))})
    fill(x.partition_by_tiling(2), y.partition_by_tiling(2))
    assert cluster.gather(x.data).tolist() == [3] * 4
    assert cluster.gather(x.null_mask).tolist() == [True, False] * 2
    assert cluster.gather(y.child(0).data).tolist() == [4.0] * 4
    assert cluster.gather(y.child(1).data).tolist() == [True] * 4


def test_a_whole_array_goes_to_each_color_within_a_budget(cluster):
    @task
    def count(names: Input, x: Input, y: Output):
        y.span_write_accessor()[...] = x.span_read_accessor() + len(names)

    x, y = from_array(np.arange(6.0)), create_store("float64", (6,))
    with cluster.using(budget="64 KiB"):
        count(from_strings(NAMES), x.partition_by_tiling((2,)), y.partition_by_tiling((2,)))
        assert cluster.gather(y).tolist() == [7, 8, 9, 10, 11, 12]
