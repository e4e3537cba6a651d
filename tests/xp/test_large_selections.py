"""Selections from large arrays, in parts: indices, masks, and what NumPy selects by `where`, `clip` and `take`."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import accel
from accel import xp
from tests.tables import rows
from tests.xp.small_parts import THREADS, as_array, numbers, same_bits

pytestmark = pytest.mark.usefixtures("calls")


def same_selection(compute: Any, array: Any, key: Any) -> None:
    """Compare a selection with NumPy's: bits, order in memory, and errors."""
    x, ours = xp.asarray(array), xp.asarray(key)
    try:
        expected = compute(array, key)
    except IndexError as error:
        with pytest.raises(IndexError, match=re.escape(str(error))):
            compute(x, ours)
        return
    result = compute(x, ours)
    assert same_bits(result, expected)
    steps = [each.strides for each in (np.asarray(result), expected)]
    usual = zip(*steps, expected.shape, strict=True)
    assert not expected.size or all(one == other or extent == 1 for one, other, extent in usual)


def same_assignment(array: Any, key: Any, values: Any) -> None:
    """Compare an assignment with NumPy's, and that nothing is written if it fails."""
    expected, x = array.copy("K"), xp.asarray(array.copy("K"))
    try:
        expected[key] = values
    except (IndexError, ValueError) as error:
        with pytest.raises(type(error)):
            x[xp.asarray(key)] = as_array(values)
    else:
        x[xp.asarray(key)] = as_array(values)
    assert same_bits(x, expected)


class TestNumPysOwnFunctions:
    DTYPES = ("bool", "uint8", "int64", "float16", "float32", "float64", "complex64", "complex128")

    @rows("dtype", DTYPES)
    def test_where(self, dtype: str, calls: list[int]) -> None:
        a, b, condition = numbers(1003, dtype), numbers(1004, dtype)[1:], numbers(1003, "bool")
        others = (b, b[0], 0, -1, 300, 2.5, 1j, True, 1e300, float("nan"), numbers(1003, "float32"), np.float32(0.1))
        for other in others:
            for operands in ((condition, a, other), (condition, other, a), (condition[::-1], other, a[::-1])):
                with np.errstate(all="ignore"):
                    try:
                        expected = np.where(*operands)
                    except OverflowError:  # from NumPy 2.5 on, of an integer that the dtype cannot hold
                        with pytest.raises(OverflowError):
                            xp.where(*map(as_array, operands))
                        continue
                    for threads in THREADS:
                        with accel.using(threads=threads):
                            assert same_bits(xp.where(*map(as_array, operands)), expected), operands
                            assert same_bits(np.where(*map(as_array, operands)), expected), operands
        assert calls

    def test_all_that_is_true_in_a_view_of_bytes(self) -> None:
        condition = np.resize([0, 1, 2, 255], 1000).astype("uint8").view(bool)
        a, b = numbers(1000, "int8"), numbers(1001, "int8")[1:]
        assert same_bits(xp.where(xp.asarray(condition), xp.asarray(a), xp.asarray(b)), np.where(condition, a, b))
        assert same_bits(xp.asarray(a)[xp.asarray(condition)], a[condition])

    @rows("dtype", DTYPES)
    def test_clip(self, dtype: str, calls: list[int]) -> None:
        a, b = numbers(1003, dtype), numbers(1004, dtype)[1:]
        limits = ((1, 2), (1, None), (None, 2.5), (b, None), (b, 50), (-300, 300), (0.5, b[0]), (None, None))
        for low, high in limits:
            with np.errstate(all="ignore"):
                try:
                    expected = np.clip(a, low, high)
                except (TypeError, ValueError, OverflowError) as error:
                    with pytest.raises(type(error)):
                        np.clip(*map(as_array, (a, low, high)))
                    continue
                assert same_bits(np.clip(*map(as_array, (a, low, high))), expected), (low, high)
                assert same_bits(xp.asarray(a).clip(*map(as_array, (low, high))), expected), (low, high)
        assert calls or dtype == "bool"

    def test_take(self, calls: list[int]) -> None:
        array, indices = np.arange(3000.0).reshape(30, 100), np.arange(-30, 30).reshape(2, 30)
        x, i = xp.asarray(array), xp.asarray(indices)
        for axis in (None, 0, 1, -1):
            assert same_bits(np.take(x, i, axis=axis), np.take(array, indices, axis))
            assert same_bits(np.take(x, indices, axis), np.take(array, indices, axis))
        assert len(calls) == 6  # two are of one part
        for arguments, error in (((x, i + 31, 0), IndexError), ((x, i, 2), ValueError), ((x, i * 1.0), TypeError)):
            with pytest.raises(error):
                np.take(*arguments)

    def test_other_operands_and_keywords_are_those_of_numpy(self) -> None:
        x = xp.arange(1000.0)
        assert np.where(x > 5, x, [1.0]).tolist() == np.where(np.arange(1000) > 5, np.arange(1000.0), [1.0]).tolist()
        assert np.take(x, [3, 4]).tolist() == [3.0, 4.0]
        assert np.take(x, xp.asarray([999, 1000]), mode="wrap").tolist() == [999.0, 0.0]
        assert np.clip(x, max=3.0).max() == 3
        assert np.clip(x, 1, 2, out=x) is x
        assert np.where(x > 1)[0].shape == (998,)
        with pytest.raises(accel.errors.DTypeError, match="object"):
            np.where(x > 1, x, None)
        with pytest.raises(TypeError):
            np.where(x > 1, x, x, x)


class TestSelections:
    @given(st.data())
    def test_the_elements_are_those_of_numpy(self, data: st.DataObject) -> None:
        shape = data.draw(st.lists(st.integers(1, 40), min_size=1, max_size=3))
        array = numbers(int(np.prod(shape)), data.draw(st.sampled_from(["float64", "int8", "complex64", "bool"])))
        array = array.reshape(shape)
        axis = data.draw(st.none() | st.integers(-len(shape), len(shape) - 1))
        extent = array.size if axis is None else shape[axis]
        places = st.integers(-extent, extent - 1)
        indices = np.resize(data.draw(st.lists(places, min_size=1, max_size=20)), data.draw(st.sampled_from([3, 150])))
        indices = indices.astype(data.draw(st.sampled_from(["int64", "int32"])))
        if data.draw(st.booleans()):
            indices = indices.reshape(3, -1)
        x, i, first = xp.asarray(array), xp.asarray(indices), indices % shape[0]
        with accel.using(threads=data.draw(st.sampled_from(THREADS))):
            assert same_bits(xp.take(x, i, axis=axis), np.take(array, indices, axis))
            result, expected = x[xp.asarray(first)], array[first]
        assert same_bits(result, expected)
        assert np.asarray(result).strides == expected.strides

    def test_parts_of_indices_and_of_rows(self, calls: list[int]) -> None:
        table, rows_of = xp.arange(7.0), xp.reshape(xp.arange(2000), (1000, 2))
        assert same_bits(table[xp.arange(1000) % 7], np.arange(1000.0) % 7)
        assert same_bits(xp.take(rows_of, xp.asarray([1, -2, 1]), axis=1), np.asarray(rows_of)[:, [1, 0, 1]])
        assert same_bits(rows_of[xp.arange(999, -1, -1)], np.asarray(rows_of)[::-1])
        assert len(calls) == 4  # one for the remainder

    @given(st.data())
    def test_an_index_among_slices(self, data: st.DataObject) -> None:
        shape = data.draw(st.lists(st.integers(1, 30), min_size=1, max_size=4))
        dtype = data.draw(st.sampled_from(["float64", "int8", "complex64", "bool"]))
        array = numbers(int(np.prod(shape)), dtype).reshape(shape)
        array = data.draw(st.sampled_from([array, array.copy("F"), array[::-1]]))
        axis = data.draw(st.integers(0, len(shape) - 1))
        places = st.integers(-shape[axis], shape[axis] - data.draw(st.sampled_from([0, 0, 1])))
        indices: Any = np.resize(data.draw(st.lists(places, min_size=1, max_size=9)), data.draw(st.integers(1, 40)))
        indices = data.draw(st.sampled_from([indices, indices[:1], indices.reshape(1, -1), indices.astype("uint8")]))
        before = data.draw(st.sampled_from([[slice(None)] * axis, [...]]))
        behind = data.draw(st.sampled_from([[slice(None)] * (len(shape) - axis - 1), [...], [None], [slice(1)]]))

        def compute(x: Any, i: Any) -> Any:
            return x[(*before, i, *behind)]

        with accel.using(threads=data.draw(st.sampled_from(THREADS))):
            same_selection(compute, array, indices)

    @given(st.data())
    def test_a_mask(self, data: st.DataObject) -> None:
        shape = data.draw(
            st.lists(st.integers(0, 60), min_size=1, max_size=3).filter(lambda each: np.prod(each) < 9000)
        )
        dtype = data.draw(st.sampled_from(["float64", "int8", "complex64", "bool"]))
        array = numbers(int(np.prod(shape)), dtype).reshape(shape)
        array = data.draw(st.sampled_from([array, array.copy("F"), array[::-1]]))
        extents = data.draw(st.sampled_from([shape, shape, shape[:1], shape[:2], [*shape[:-1], shape[-1] + 1]]))
        mask: Any = np.random.default_rng(0).random(extents) < data.draw(st.sampled_from([0.0, 0.02, 0.5, 0.98, 1.0]))
        mask = data.draw(st.sampled_from([mask, mask.copy("F"), mask[::-1]]))
        with accel.using(threads=data.draw(st.sampled_from(THREADS))):
            same_selection(lambda x, m: x[m], array, mask)
            same_selection(lambda x, m: x[m, ...], array, mask)
            size = array[mask].shape if extents == shape else (1,)
            for values in (True, numbers(1, dtype)[0], numbers(9001, dtype)[: size[0]], numbers(3, dtype)):
                same_assignment(array, mask, values)

    def test_masks_of_short_runs_are_shared(self, calls: list[int]) -> None:
        array = np.arange(1000)
        short, long = array % 3 == 0, array >= 500
        x, in_runs = xp.asarray(array.copy()), xp.asarray(long)
        assert same_bits(x[xp.asarray(short)], array[short])
        assert calls == [16]
        assert same_bits(x[in_runs], array[long])
        assert calls == [16]
        x[xp.asarray(short)] = 7
        array[short] = 7
        assert same_bits(x, array)

    def test_an_index_behind_slices_is_shared(self, calls: list[int]) -> None:
        array = np.arange(3000.0).reshape(50, 3, 20)
        x, i = xp.asarray(array), xp.asarray([2, -3])
        for compute in (lambda x, i: x[:, i], lambda x, i: x[:, i, :], lambda x, i: x[..., i]):
            result, expected = compute(x, i), compute(array, np.asarray(i))
            assert same_bits(result, expected)
            assert np.asarray(result).strides == expected.strides
        assert calls == [50, 50, 150]
        same_selection(lambda x, i: x[:, i], array, np.asarray([[2, -3], [0, 3]]))

    def test_an_index_out_of_bounds_is_refused_as_numpy_does(self) -> None:
        array, x = np.arange(1000.0), xp.arange(1000.0)
        for place in (1000, -1001, 1 << 62, -(1 << 63)):
            indices = np.arange(1000)
            indices[700] = place
            for compute in (np.take, lambda a, i: a[i]):
                with pytest.raises(IndexError) as expected:
                    compute(array, indices)
                with pytest.raises(IndexError) as found:
                    compute(x, xp.asarray(indices))
                assert str(expected.value) in str(found.value)
            with pytest.raises(IndexError, match="out of bounds"):
                xp.take(x, xp.asarray(indices))
        with pytest.raises(IndexError):
            xp.take(xp.zeros(0), xp.asarray([0, 0]))
        assert xp.take(xp.zeros((0, 3)), xp.zeros(0, dtype="int64"), axis=0).shape == (0, 3)

    def test_what_numpy_refuses_is_refused(self) -> None:
        x = xp.arange(1000.0)
        with pytest.raises(TypeError):
            xp.take(x, xp.ones(1000))
        with pytest.raises(IndexError):
            x[xp.ones(1000)]
        with pytest.raises(ValueError, match="axis 1"):
            xp.take(x, xp.asarray([0, 1]), axis=1)
