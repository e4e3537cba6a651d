"""Logical arrays: elements and null masks, nested or not."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accel.device import Device
from accel.errors import FormatError, ReadOnlyError, StoreError, StoreIndexError, StoreValueError
from accel.store import Domain, Slice, create_store, from_array
from accel.store.arrays import (
    ListType,
    LogicalArray,
    StringType,
    StructType,
    create_array,
    create_list_array,
    create_string_array,
    create_struct_array,
    from_strings,
)
from accel.store.arrays.physical_array import physical_array

from ...tables import rows


def numbers(values, mask=None):
    return LogicalArray(from_array(np.array(values)), None if mask is None else from_array(np.array(mask)))


def lists():
    return create_list_array([[0, 1], [2, 1], [2, 4]], [1.5, 2.5, 3.5, 4.5, 5.5], np.array([True, False, True]))


def strings():
    return from_strings(["Zürich", None, "", "Ulm"])


def structs():
    return create_struct_array({"x": numbers([1, 2, 3, 4]), "name": strings()}, np.array([True, True, False, True]))


def plain_structs():
    return create_struct_array({"x": np.arange(6).reshape(2, 3), "y": numbers(np.ones((2, 3)), np.eye(2, 3) == 1)})


@pytest.mark.parametrize(
    ("make", "dtype", "shape", "children", "stores"),
    [
        (lambda: numbers([1, 2]), np.dtype("int64"), (2,), 0, 1),
        (lambda: numbers([1.0], [True]), np.dtype("float64"), (1,), 0, 2),
        (lists, ListType(np.dtype("float64")), (3,), 2, 3),
        (strings, StringType(), (4,), 2, 3),
        (structs, StructType((("x", np.dtype("int64")), ("name", StringType()))), (4,), 2, 5),
    ],
)
def test_an_array_says_what_it_is(make, dtype, shape, children, stores):
    array = make()
    physical = array.get_physical_array()
    for each in (array, physical):
        assert (each.dtype, each.shape, each.ndim) == (dtype, shape, len(shape))
        assert (each.num_children, each.nested) == (children, children > 0)
    assert array.volume == shape[0]
    assert array.nullable == physical.nullable
    assert not array.unbound
    assert len(array.stores()) == stores == array.nesting.num_stores
    assert len(array.origins()) == stores
    assert physical.domain == Domain((0,), (shape[0] - 1,))


TRANSFORMS = [
    (lambda a: a.promote(1, 2), lambda a: np.broadcast_to(a[:, None, :], (2, 2, 3))),
    (lambda a: a.project(0, 1), lambda a: a[1]),
    (lambda a: a.slice(1, Slice(1, 3)), lambda a: a[:, 1:3]),
    (lambda a: a.slice(1, slice(0, 2)), lambda a: a[:, :2]),
    (lambda a: a.transpose([1, 0]), lambda a: a.T),
    (lambda a: a.transpose(iter([1, 0])), lambda a: a.T),
    (lambda a: a.delinearize(1, (3, 1)), lambda a: a.reshape(2, 3, 1)),
    (lambda a: a.delinearize(1, iter((3, 1))), lambda a: a.reshape(2, 3, 1)),
    (lambda a: a.slice(0, Slice(0, 1)).broadcast(0, 5), lambda a: np.broadcast_to(a[:1], (5, 3))),
]


@pytest.mark.parametrize(("ours", "numpy"), TRANSFORMS)
def test_transforms_apply_to_elements_and_mask(ours, numpy):
    values, mask = np.arange(6).reshape(2, 3), np.arange(6).reshape(2, 3) % 2 == 0
    result = ours(numbers(values, mask))
    physical = result.get_physical_array()
    assert np.array_equal(physical.elements(), numpy(values))
    assert np.array_equal(physical.valid(), numpy(mask))
    assert result.shape == physical.shape == numpy(values).shape


@pytest.mark.parametrize(("ours", "numpy"), TRANSFORMS)
def test_transforms_of_structs_apply_to_each_field(ours, numpy):
    structs = plain_structs()
    physical = ours(structs).get_physical_array().elements()
    for name, before in structs.get_physical_array().elements().items():
        assert np.array_equal(physical[name], numpy(before))


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lists, "List arrays do not support store transformations: this is a list array"),
        (strings, "List arrays do not support store transformations: this is a string array"),
        (structs, r"this struct array .*: its field 'name' holds lists or strings; .*, such as x.fields\['x'\]"),
        (
            lambda: create_struct_array({"s": structs()}),
            r"its field 's' holds lists or strings; write x.rows\(low, high\)",
        ),
    ],
)
@pytest.mark.parametrize(
    "transform",
    [
        lambda a: a.promote(0, 2),
        lambda a: a.project(0, 0),
        lambda a: a.broadcast(0, 2),
        lambda a: a.slice(0, Slice(0, 1)),
        lambda a: a.transpose([0]),
        lambda a: a.delinearize(0, (2, 2)),
    ],
)
def test_lists_and_what_contains_them_have_no_transforms(make, reason, transform):
    array = make()
    with pytest.raises(StoreError, match=reason) as caught:
        transform(array)
    assert isinstance(caught.value, RuntimeError)
    assert array.rows(0, 2).shape == (2,)  # which the messages name


def test_wrong_casts_are_refused():
    casts = {"list": lists(), "string": strings(), "struct": structs()}
    everything = [*casts.values(), numbers([1])]
    for kind, right in casts.items():
        for array in everything:
            for each in (array, array.get_physical_array()):
                cast = getattr(each, f"as_{kind}_array")
                if array is right:
                    assert cast() is each
                    continue
                with pytest.raises(ValueError, match=f"not a {kind} array"):
                    cast()


def test_children_are_those_of_legate():
    array = lists()
    assert array.child(0).shape == (3, 2)
    assert array.child(1) is array.vardata
    names = strings()
    assert np.array_equal(np.asarray(names.child(0).data.get_physical_store()), [0, 7, 7, 7, 10])
    assert names.child(1).data is names.chars.data
    fields = structs().fields
    assert list(fields) == ["x", "name"]
    for each in (structs(), structs().get_physical_array()):
        assert each.child(1).dtype == StringType()


def test_wrong_children_are_refused():
    for each in (lists(), lists().get_physical_array(), structs(), structs().get_physical_array()):
        for wrong in (2, -1):
            with pytest.raises(StoreIndexError, match="out of range"):
                each.child(wrong)
    for each in (numbers([1]), numbers([1]).get_physical_array()):
        with pytest.raises(StoreValueError, match="has no child sub-array"):
            each.child(0)


def test_data_of_nested_arrays_and_masks_that_are_not_there_are_refused():
    for each in (lists(), strings(), structs()):
        for array in (each, each.get_physical_array()):
            with pytest.raises(StoreValueError, match="nested array"):
                _ = array.data
    for array in (numbers([1]), numbers([1]).get_physical_array()):
        with pytest.raises(StoreValueError, match="non-nullable"):
            _ = array.null_mask


@rows(
    ("make", "message"),
    [
        (lambda: numbers([1, 2], [True]), "shape of its array, \\(2,\\); found \\(1,\\)"),
        (lambda: numbers([1, 2], [1, 0]), "mask is of dtype bool; found int64"),
        (lambda: create_list_array([[0.0, 1.0]], [1]), "dtype int64 and shape"),
        (lambda: create_list_array([0, 1], [1]), "in 1 dimensions"),
        (lambda: create_list_array([[0, 1, 2]], [1]), "shape \\(n, 2\\); found \\(1, 3\\)"),
        (lambda: create_list_array([[0, 0]], [1], np.array([True, True])), "null mask has the shape"),
        (lambda: create_string_array(np.array([0, 1]), np.array([1])), "chars of strings are uint8"),
        (lambda: create_string_array(np.array([0], np.int32), np.zeros(1, np.uint8)), "offsets of strings are int64"),
        (lambda: create_string_array(np.zeros(0, np.int64), np.zeros(1, np.uint8)), "one offset more"),
        (lambda: create_string_array(np.array([0])), "both offsets and chars"),
        (lambda: create_struct_array({}), "one field or more"),
        (lambda: create_struct_array({"a": [1], "b": [1, 2]}), "one shape, \\(1,\\); 'b' has \\(2,\\)"),
        (lambda: create_struct_array({"a": [1]}, np.array([True, False])), "null mask has the shape"),
        (lambda: create_array("int8", (-1,)), "negative"),
        (lambda: numbers([1]).partition_by_tiling(0), "volume greater than 0"),
        (lambda: numbers([1]).partition_by_tiling(-1), "negative"),
        (lambda: numbers(1).partition_by_tiling(1), "without dimensions"),
    ],
)
def test_what_does_not_fit_is_refused(make, message):
    with pytest.raises(StoreValueError, match=message):
        make()


def test_new_arrays_are_writable_and_cost_no_memory_before():
    array = create_array("float32", (2, 3), nullable=True)
    assert all(store.root.contents is None for store in array.stores())
    array.data.fill(2)
    array.null_mask.fill(True)
    physical = array.get_physical_array()
    physical.data.span_write_accessor()[0, 1] = 7
    physical.null_mask.span_write_accessor()[1, 1] = False
    assert array.get_physical_array().elements().tolist() == [[2, 7, 2], [2, 2, 2]]
    assert not array.get_physical_array().valid().all()


def test_unbound_arrays_say_so():
    text, ranges = create_string_array(), create_list_array(None, create_array("int8"))
    both = create_struct_array({"a": create_array("int8", nullable=True), "b": text})
    for array in (create_array("int8", ndim=2), text, ranges, both):
        assert array.unbound
        assert "unbound" in repr(array)
        with pytest.raises(StoreError, match="uninitialized unbound store"):
            _ = array.shape
    with pytest.raises(StoreValueError, match="unbound struct"):
        both.child(0)
    assert create_array("int8", ndim=2).ndim == 2


def test_unbound_arrays_take_what_is_bound_to_them():
    text, filled = create_string_array(), from_strings(["ab", "c"])
    for store, source in zip(text.stores(), filled.stores(), strict=True):
        store.root.bind(source.root.storage(), source.shape)
    assert text.shape == (2,)
    assert text.get_physical_array().strings() == ["ab", "c"]


def test_offload_moves_all_stores_and_values_stay():
    for make in (lists, strings, structs):
        array = make()
        expected = array.to_arrow()
        array.offload_to("sim")
        assert {store.root.place.device for store in array.stores()} == {Device.SIM}
        assert array.to_arrow() == expected
        physical = array.get_physical_array("cpu")
        assert {store.root.place.device for store in array.stores()} == {Device.CPU}
        assert len(physical) == len(expected)


def test_elements_on_a_device_are_not_read_by_the_host():
    with pytest.raises(ValueError, match="get_physical_array"):
        strings().get_physical_array("sim").strings()


def test_a_target_that_is_not_here_is_refused():
    with pytest.raises((RuntimeError, ValueError), match="cuda"):
        strings().get_physical_array("cuda:7")


def test_a_nesting_can_be_pickled_and_rebuilds_the_array():
    array = structs()
    nesting = pickle.loads(pickle.dumps(array.nesting))
    physical = physical_array(nesting, [store.get_physical_store() for store in array.stores()])
    assert physical.fields["name"].strings() == ["Zürich", None, "", "Ulm"]
    assert physical.dtype == array.dtype
    with pytest.raises(StoreValueError, match="5 stores; found 1"):
        physical_array(nesting, [array.stores()[0].get_physical_store()])


def test_ranges_of_lists_include_their_ends():
    array = lists()
    assert array.get_physical_array().descriptor.elements().tolist() == [[0, 1], [2, 1], [2, 4]]
    assert [None if x is None else x.tolist() for x in array.get_physical_array()] == [
        [1.5, 2.5],
        None,
        [3.5, 4.5, 5.5],
    ]
    assert strings().get_physical_array().ranges.tolist() == [[0, 6], [7, 6], [7, 6], [7, 9]]


def test_lists_may_overlap_and_come_in_any_order():
    array = create_list_array([[2, 3], [0, 2], [7, 6]], [10, 20, 30, 40])
    assert [each.tolist() for each in array.get_physical_array()] == [[30, 40], [10, 20, 30], []]
    assert array.to_arrow().to_pylist() == [[30, 40], [10, 20, 30], []]


@pytest.mark.parametrize(
    "wrong", [[0, 4], [-1, 2], [2, 0], [0, 2**63 - 1], [-(2**63), 2**63 - 1], [2**63 - 1, -(2**63)]]
)
def test_lists_outside_of_their_values_are_refused(wrong):
    array = create_list_array([[0, 1], wrong], [10, 20, 30, 40])
    for use in (lambda: array.get_physical_array().lists(), array.to_arrow, lambda: array.rows(0, 2)):
        with pytest.raises(FormatError, match="list 1 has the elements"):
            use()
    nullable = create_list_array([[0, 1], wrong], [10, 20, 30, 40], np.array([True, False]))
    assert nullable.to_arrow().to_pylist() == [[10, 20], None]
    assert nullable.rows(0, 2).get_physical_array().lists()[1] is None


@pytest.mark.parametrize("wrong", [[0, 3, 2], [0, 2, 9], [-2, 1, 2]])
def test_wrong_offsets_of_strings_are_refused(wrong):
    array = create_string_array(np.array(wrong), np.frombuffer(b"abcd", np.uint8))
    for use in (lambda: array.get_physical_array().strings(), lambda: array.rows(0, 2), array.to_arrow):
        with pytest.raises(FormatError, match="element"):
            use()


def test_text_that_is_no_utf8_is_refused_unless_it_is_null():
    offsets, chars = np.array([0, 1, 2, 3]), np.frombuffer(b"a\xffc", np.uint8)
    with pytest.raises(FormatError, match="string 1 is no UTF-8"):
        create_string_array(offsets, chars).get_physical_array().strings()
    nullable = create_string_array(offsets, chars, np.array([True, False, True]))
    assert nullable.get_physical_array().strings() == ["a", None, "c"]
    split = create_string_array(np.array([0, 1, 2]), np.frombuffer("é".encode(), np.uint8))
    with pytest.raises(FormatError, match="string 0 is no UTF-8"):
        split.get_physical_array().strings()


@given(st.lists(st.none() | st.text(max_size=6), max_size=12))
def test_strings_come_back(given_strings):
    array = from_strings(given_strings)
    assert array.get_physical_array().strings() == given_strings
    assert array.to_arrow().to_pylist() == given_strings
    assert array.nullable == (None in given_strings)


def test_writes_to_read_only_memory_are_refused():
    array = from_strings(["a"])
    physical = create_struct_array({"x": np.arange(3)}).get_physical_array()
    with pytest.raises(ReadOnlyError):
        physical.fields["x"].data.span_write_accessor()
    assert array.chars.shape == (1,)


def test_arrays_of_stores_see_later_writes():
    store = create_store("int64", (3,))
    store.fill(1)
    array = LogicalArray(store)
    store.fill(2)
    assert array.to_arrow().to_pylist() == [2, 2, 2]
