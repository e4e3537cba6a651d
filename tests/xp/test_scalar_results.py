"""Results without axes: their arithmetic is NumPy's, and they are arrays that can be written to and viewed."""

import operator
import threading

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from accel import xp
from accel.dtypes import supported
from accel.errors import DTypeError

from ..tables import rows

DTYPES = tuple(dtype for dtype in supported() if dtype.isbuiltin == 1)
BINARY = "add sub mul truediv floordiv mod pow eq ne lt le gt ge and_ or_ xor lshift rshift"
IN_PLACE = "iadd isub imul itruediv ifloordiv imod ipow iand ior ixor"
UNARY = (operator.neg, operator.pos, operator.abs, operator.invert)
ELEMENTS = {"b": [False, True], "u": [1, 3], "i": [2, 5], "f": [0.5, 3.0], "c": [1.5 + 2j, 2.0 - 1j]}
"""In range for all that is computed here, so that nothing warns."""


def named(names):
    return [getattr(operator, name) for name in names.split()]


def elements(dtype, device="cpu"):
    """Return two results without axes of a dtype: one of indexing, and one of a reduction."""
    values = xp.asarray(np.asarray(ELEMENTS[dtype.kind], dtype), device=device)
    return values[1], xp.any(values) if dtype.kind == "b" else xp.max(values) if dtype.kind != "c" else values[0]


def outcome(function, *operands):
    """Return the elements and the dtype that a function computes, or the kind of its error."""
    try:
        result = function(*operands)
    except (TypeError, ValueError) as error:
        return TypeError if isinstance(error, TypeError) else ValueError
    return np.asarray(result.to_device("cpu") if isinstance(result, xp.Array) else result).tolist(), result.dtype


@rows("dtype", DTYPES)
def test_operators_compute_what_they_do_on_arrays_with_axes(dtype):
    for device in ("cpu", "sim"):
        for x in elements(dtype, device):
            row = xp.reshape(x, (1,))
            others = [(2, 2), (2.0, 2.0), (xp.asarray(2, device=device), xp.asarray([2], device=device)), (x, row)]
            for function in named(BINARY):
                for other, in_row in others:
                    for one, two in ((x, row), (other, in_row)), ((other, in_row), (x, row)):
                        expected = outcome(function, one[1], two[1])
                        found = outcome(function, one[0], two[0])
                        where = function.__name__, device, other
                        if isinstance(expected, type):
                            assert found is expected, where
                        else:
                            assert found[1] == expected[1], where
                            np.testing.assert_allclose(found[0], expected[0][0], rtol=1e-15, err_msg=str(where))
            for function in UNARY:
                expected, found = outcome(function, row), outcome(function, x)
                assert (found if isinstance(found, type) else ([found[0]], found[1])) == expected, function


@rows("dtype", DTYPES)
def test_they_change_in_place_as_arrays_with_axes_do(dtype):
    for device in ("cpu", "sim"):
        for function in named(IN_PLACE):
            for other in (2, 2.0, 1j, xp.asarray(2, device=device)):
                for x in elements(dtype, device):
                    row = xp.reshape(xp.asarray(x, copy=True), (1,))
                    expected, found, same = outcome(function, row, other), outcome(function, x, other), x
                    if isinstance(expected, type):
                        assert found is expected, (function, other)
                    else:
                        assert found[1] == dtype
                        np.testing.assert_allclose(found[0], expected[0][0], rtol=1e-15)
                        assert same.tolist() == found[0]


def results():
    """Return results without axes, each 3.0, of arrays that would show a write to them."""
    x = xp.asarray([1.0, 3.0])
    return x, [x[1], xp.max(x), x.max(), next(iter(x[1:])), x[0] + 2, xp.sqrt(x[0] * 9)]


VIEWS = {
    "ellipsis": lambda x: x[...],
    "empty tuple of axes": lambda x: x.reshape(()),
    "new axis": lambda x: x[None],
    "reshaped": lambda x: xp.reshape(x, (1,)),
    "transposed": lambda x: x.T,
    "expanded": lambda x: xp.expand_dims(x, 0),
    "real": lambda x: x.real,
    "function real": xp.real,
    "of NumPy": lambda x: xp.asarray(np.asarray(x)),
    "of a container": lambda x: xp.asarray(x.container()),
    "function of NumPy": lambda x: np.expand_dims(x, 0),
    "function of NumPy's name": xp.atleast_1d,
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_writes_are_seen_through_views(view):
    x, found = results()
    for each in found:
        seen = view(each)
        assert seen.reshape(-1).tolist() == [3.0]
        operator.iadd(each, 1)
        assert seen.reshape(-1).tolist() == [4.0]
        seen[...] = 5
        assert float(each) == 5.0
        each[...] = 6
        assert seen.reshape(-1).tolist() == [6.0]
    assert x.tolist() == [1.0, 3.0]


def test_they_are_refused_where_an_array_with_axes_is():
    count, text = xp.sum(xp.asarray([1, 2])), xp.asarray([1.5])[0]
    with pytest.raises(DTypeError, match="write x = x"):
        count += 0.5
    with pytest.raises(DTypeError):
        count[...] = 0.5
    with pytest.raises(ValueError, match="keeps its shape"):
        text += xp.ones(3)
    with pytest.raises(IndexError, match=r"shape is \(\)"):
        text[0]
    assert (int(count), float(text)) == (3, 1.5)


def test_they_have_the_flags_and_the_storage_of_an_array():
    for each in results()[1]:
        assert each.flags.writeable
        assert each.storage is each.storage
        assert each.storage[0] == 3.0
        operator.iadd(each, 1)
        assert each.storage[0] == 4.0
        each.storage.release()
        with pytest.raises(RuntimeError, match="released"):
            each + 1


def test_an_element_is_an_index():
    x, index = xp.asarray([[1, 2], [3, 4]]), xp.asarray([1, 0])
    assert [int(x[i, j]) for i in index for j in index] == [4, 3, 2, 1]
    for i in index:
        x[i][...] = i
    assert x.tolist() == [[0, 0], [1, 1]]
    assert x[index[0] > 0].shape == (1, 2, 2)


def test_threads_that_take_the_memory_of_one_share_it():
    for _ in range(50):
        x = xp.max(xp.asarray([1.0, 3.0]))
        views, start = [], threading.Barrier(4)

        def take(x=x, views=views, start=start):
            start.wait()
            views.append(x[...])

        threads = [threading.Thread(target=take) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        x += 1
        assert [float(each) for each in views] == [4.0] * 4


def pairs_of_slices(extent):
    """Return two slices that select equally many elements of an axis."""

    def ends(count):
        def one(step):
            reach = (count - 1) * abs(step) + 1
            return st.integers(0, extent - reach).map(
                lambda low: (
                    slice(low, low + reach, step)
                    if step > 0
                    else slice(low + reach - 1, low - 1 if low else None, step)
                )
            )

        longest = max((extent - 1) // (count - 1), 1) if count > 1 else 3
        steps = st.integers(1, longest).flatmap(lambda step: st.sampled_from([step, -step]))
        return st.tuples(steps.flatmap(one), steps.flatmap(one))

    return st.integers(1, extent).flatmap(ends)


@settings(deadline=None)
@given(pairs_of_slices(6), pairs_of_slices(6), st.booleans())
def test_assignments_within_one_array_read_before_they_write(first, second, turned):
    basic = (first[0], second[0]), (first[1], second[1])
    for device in ("cpu", "sim"):
        for into, out_of in (basic, ([1, 0, 2], [0, 2, 1]), ([1, 0], slice(2))):
            x, expected = xp.reshape(xp.arange(36, device=device), (6, 6)), np.arange(36).reshape(6, 6)
            if turned:
                x, expected = x.T, expected.T
            x[into] = x[out_of]
            expected[into] = expected[out_of].copy()
            assert x.tolist() == expected.tolist()
