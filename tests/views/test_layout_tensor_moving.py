"""Copies between tensors, exchange with other libraries, read-only views, and arithmetic."""

import copy
import gc
import pickle

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import (
    DeviceMismatchError,
    DTypeError,
    FormatError,
    LayoutError,
    ReadOnlyError,
    ReleasedError,
)
from accel.layout import Layout, row_major

from .layout_tensors import DEVICES, tensor

on_devices = pytest.mark.parametrize("device", DEVICES)


@on_devices
def test_elements_go_between_devices(device):
    source = tensor(row_major(3, 4), device=device)
    for other in DEVICES:
        target = tensor(Layout((3, 4)), np.zeros(12), device=other)
        target.copy_from(source)
        assert np.array_equal(target.to_numpy(), source.to_numpy())


def test_a_copy_converts_only_if_it_is_told_to():
    target = tensor(Layout(3), dtype="int32")
    source = tensor(Layout(3), [0.5, 1.5, -2.5])
    with pytest.raises(TypeError, match="cast=True"):
        target.copy_from(source)
    target.copy_from(source, cast=True)
    assert target.to_numpy().tolist() == [0, 1, -2]


def test_a_copy_within_a_tensor_reads_before_it_writes():
    t = tensor(Layout(6))
    t[1:].copy_from(t[:-1])
    assert t.to_numpy().tolist() == [0, 0, 1, 2, 3, 4]


@on_devices
def test_read_only_views_are_read_only(device):
    t = tensor(row_major(2, 2), device=device)
    for view in (t.get_immutable(), t.get_immutable()[0:1, :], t.origin_cast(mutable=False)):
        assert view.readonly
        for write in (lambda v=view: v.fill(0), lambda v=view: v.copy_from(v), lambda v=view: v.__iadd__(1)):
            with pytest.raises(ReadOnlyError):
                write()
    t.get_immutable().origin_cast(mutable=True).fill(1)
    assert t.to_numpy().tolist() == [[1, 1], [1, 1]]


def test_single_elements_of_a_read_only_view_are_not_written():
    t = tensor(row_major(2, 2)).get_immutable()
    for write in (
        lambda: t.__setitem__((0, 0), 1),
        lambda: t.store(0, 0, [1]),
        lambda: t.vectorize(1, 2).__setitem__((0, 0), 1),
    ):
        with pytest.raises(ReadOnlyError):
            write()
    assert not np.asarray(t).flags.writeable


def test_memory_that_must_not_change_stays_so_through_views():
    array = np.arange(4.0)
    array.flags.writeable = False
    t = accel.from_numpy(array).view(Layout(4))
    assert t.readonly
    with pytest.raises(ReadOnlyError, match="read-only"):
        t[0] = 1
    with pytest.raises(ReadOnlyError, match="every view of it"):
        t.origin_cast(mutable=True)
    t.copy()[0] = 1


def test_numpy_shares_memory_and_keeps_it():
    t = tensor(row_major(3, 4)).transpose()
    shared = np.asarray(t)
    shared[2, 1] = 50
    assert t[2, 1] == 50
    assert np.from_dlpack(t).tolist() == shared.tolist()
    assert xp.asarray(t).shape == (4, 3)
    t.storage.release()
    gc.collect()
    assert shared[2, 1] == 50
    with pytest.raises(ReleasedError):
        t[2, 1]


def test_numpy_gets_a_copy_where_it_asks_for_one():
    t = tensor(row_major(2, 2))
    assert not np.shares_memory(np.array(t, copy=True), np.asarray(t))
    assert np.asarray(t, dtype="float64").dtype == np.float64
    with pytest.raises(ValueError, match="only by a copy"):
        np.asarray(t, dtype="float64", copy=False)


def test_what_strides_do_not_lead_through_is_not_shared():
    nested = tensor("((2,2),2):((1,4),2)")
    padded = tensor(row_major(1, 3)).tile((2, 2), (0, 1), "pad")
    for t in (nested, padded):
        for share in (np.asarray, np.from_dlpack, xp.asarray):
            with pytest.raises(LayoutError, match=r"write t\.to_numpy\(\)"):
                share(t)
    assert np.array(nested, copy=True).shape == (4, 2)


def test_elements_in_reverse_are_lent_as_a_copy():
    t = tensor(Layout(3, -1), np.arange(3), offset=2)
    assert np.from_dlpack(t).tolist() == [2, 1, 0]
    assert not np.shares_memory(np.from_dlpack(t), np.asarray(t))


@on_devices
def test_arrays_share_the_memory_of_tensors_on_every_device(device):
    t = tensor(row_major(2, 3), device=device)
    x = xp.asarray(t[:, 1:])
    assert (x.shape, str(x.device)) == ((2, 2), device)
    t.fill(8)
    assert float(xp.sum(x)) == 32


def test_another_library_takes_a_device_tensor_through_the_host():
    t = tensor(row_major(2, 2), device="sim")
    assert np.from_dlpack(t[:, 1:], device="cpu").tolist() == [[1], [3]]


def test_elements_of_a_device_are_not_read_one_by_one():
    t = tensor(row_major(2, 2), device="sim")
    asked = (
        lambda: t[0, 0],
        lambda: t.__setitem__((0, 0), 1),
        lambda: t.load(0, 0),
        lambda: t.store(0, 0, [1]),
        lambda: np.asarray(t),
        lambda: np.array(t, copy=True),
        lambda: list(t[0, :]),
    )
    for ask in asked:
        with pytest.raises(DeviceMismatchError, match=r"to_numpy\(\).*to\('cpu'\)"):
            ask()
    assert t[0, :].to_numpy().tolist() == [0, 1]


@on_devices
def test_pickles_are_by_value(device):
    t = tensor(row_major(5, 4), device=device)
    for view in (t, t[1:3, 1:], t.tile((3, 3), (1, 1)), t.vectorize(1, 2), t.tile((3, 3), (1, 1), "pad", pad_value=4)):
        back = pickle.loads(pickle.dumps(view))
        assert (repr(back.device), back.layout, back.masked) == (repr(view.device), view.layout, view.masked)
        assert np.array_equal(back.to_numpy(), view.to_numpy())
        view.fill(0)
        assert back.to_numpy().any()
        t.copy_from(tensor(row_major(5, 4)))


def test_a_pickle_that_is_no_tensor_is_refused():
    make, (kind, storage, offset, parts, pad) = tensor(row_major(2, 2)).__reduce__()
    for wrong in (
        (None, storage, offset, parts, pad),
        (kind, None, offset, parts, pad),
        (kind, storage, offset + 1, parts, pad),
        (kind, storage, offset, ((2, 2), *parts[1:]), pad),
        (kind, storage, offset, parts, "00"),
    ):
        with pytest.raises(FormatError, match="no pickled tensor"):
            make(*wrong)


def test_copies_of_the_copy_module():
    t = tensor(row_major(2, 2))
    same, deep = copy.copy(t), copy.deepcopy(t)
    t[0, 0] = 9
    assert (same[0, 0], deep[0, 0], same.storage is t.storage) == (9, 0, True)


@on_devices
def test_arithmetic_takes_rows_and_says_how_to_take_columns(device):
    t = tensor(row_major(2, 3), device=device)
    rows, columns = tensor(Layout(2), [10, 20], device=device), tensor(Layout(3), [1, 2, 3], device=device)
    assert (t + rows).to_numpy().tolist() == [[10, 11, 12], [23, 24, 25]]
    assert t.sub(columns, axis=1).to_numpy().tolist() == [[-1, -1, -1], [2, 2, 2]]
    with pytest.raises(LayoutError, match=r"ROW.*add\(b, axis=1\)"):
        t + columns


@on_devices
def test_the_result_of_arithmetic_is_compact(device):
    t = tensor("(2,3):(8,2)", device=device)
    found = t[:, 0:2] * 2
    assert (str(found.layout), found.is_contiguous, found.offset) == ("(2,2):(2,1)", True, 0)
    assert found.to_numpy().tolist() == [[0, 4], [16, 20]]
    vectors = tensor(row_major(2, 4), device=device).vectorize(1, 2) + 1
    assert (vectors.element_size, vectors.is_contiguous) == (2, True)
    assert vectors.to_numpy().reshape(2, 4).tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]]
    apart = tensor(row_major(2, 6), device=device)[:, 2:].vectorize(1, 2) * 2
    assert (apart.element_size, apart.is_contiguous) == (2, True)
    assert apart.to_numpy().reshape(2, 4).tolist() == [[4, 6, 8, 10], [16, 18, 20, 22]]


@on_devices
@pytest.mark.parametrize("number", [2, 2.0, np.float32(2), np.float64(2), np.int8(2), np.array(2.0)])
def test_a_number_may_stand_on_either_side(device, number):
    t = tensor(row_major(2, 2), [1, 2, 4, 8], device=device)
    for result, expected in (
        (number + t, [3, 4, 6, 10]),
        (number - t, [1, 0, -2, -6]),
        (number * t, [2, 4, 8, 16]),
        (number / t, [2, 1, 0.5, 0.25]),
    ):
        assert (type(result), result.dtype, result.device) == (accel.LayoutTensor, t.dtype, t.device)
        assert result.to_numpy().reshape(-1).tolist() == expected
    nested = tensor("((2,2),2):((1,4),2)", device=device)
    assert np.array_equal((number - nested).to_numpy(), number - nested.to_numpy())


@on_devices
def test_a_number_on_the_left_follows_the_rules_of_one_on_the_right(device):
    t = tensor(Layout(4), [-7, -1, 0, 7], dtype="int32", device=device)
    assert (7 / t[0:2]).to_numpy().tolist() == [-1, -7]
    with pytest.raises(ZeroDivisionError, match="nothing was written"):
        1 / t
    for wrong in (lambda: 0.5 * t, lambda: np.float64(0.5) - t):
        with pytest.raises(DTypeError, match="without loss"):
            wrong()
    with pytest.raises(DTypeError, match="booleans"):
        1 + tensor(Layout(2), dtype="bool", device=device)
    with pytest.raises(TypeError, match=r"found tuple .* write numpy\.asarray"):
        (1, 2, 3, 4) - t


def test_numpy_computes_with_the_elements_as_an_array():
    t, array = tensor(Layout(3)), np.full(3, 2, np.float32)
    for result, expected in (
        (array + t, [2, 3, 4]),
        (array**t, [1, 2, 4]),
        (array == t, [False, False, True]),
        (t == array, [False, False, True]),
        (np.add(t, 1), [1, 2, 3]),
        (np.add(1, t, dtype="float64"), [1, 2, 3]),
        (np.negative(t), [0, -1, -2]),
        (np.add.accumulate(t), [0, 1, 3]),
    ):
        assert (type(result), result.tolist()) == (np.ndarray, expected)
    array += t
    assert array.tolist() == [2, 3, 4]
    assert np.sum(t) == 3
    with pytest.raises(TypeError, match="__array_ufunc__"):
        np.add(array, array, out=t)
    with pytest.raises(DeviceMismatchError, match=r"to_numpy\(\)"):
        array + tensor(Layout(3), device="sim")


@on_devices
def test_integers_divide_downwards_and_not_by_zero(device):
    t = tensor(Layout(4), [-7, -1, 1, 7], dtype="int32", device=device)
    assert (t / 2).to_numpy().tolist() == [-4, -1, 0, 3]
    for divisor in (0, tensor(Layout(4), [1, 1, 0, 1], dtype="int32", device=device)):
        with pytest.raises(ZeroDivisionError):
            t /= divisor
    assert t.to_numpy().tolist() == [-7, -1, 1, 7]
    assert str(tensor(Layout(2), [0.0, 1.0]) / 0) == "nan inf"


def test_arithmetic_touches_the_valid_part_only():
    t = tensor(row_major(3, 3))
    tile = t.tile((2, 2), (1, 1))
    tile += 100
    assert t.to_numpy().reshape(-1).tolist() == [*range(8), 108]
    assert ((tile + tile).shape, (tile + tile).masked) == ((1, 1), False)
