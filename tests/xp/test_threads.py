"""Large computations in several threads: what NumPy returns, warns of and raises, in parts."""

import _thread
import math
import os
import re
import threading
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from accel.backends.common.workers import WORKERS
from accel.backends.cpu import BACKEND
from accel.backends.cpu.array_pool import ArrayPool
from hypothesis import given
from hypothesis import strategies as st

import accel
from accel import xp
from accel.xp import signatures
from accel.xp.array_library import library_on
from tests.tables import rows

THREADS = (1, 2, 3, 7)


@pytest.fixture(autouse=True)
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Cut small arrays too; lists the number of parts of each computation that was shared."""
    monkeypatch.setattr("accel.backends.cpu.array_pool.SMALLEST", 1)
    monkeypatch.setattr("accel.xp.parts.SHARED", 1)
    monkeypatch.setattr("accel.xp.parts.PART", 1)
    monkeypatch.setattr("accel.xp.parts._RUN", 64)
    monkeypatch.setattr("accel.xp.large_selections._ROWS", 1)
    monkeypatch.setattr("accel.xp.large_choices._PART", 64)
    monkeypatch.setattr(BACKEND, "_arrays", ArrayPool(1 << 24))
    library = library_on("cpu")
    monkeypatch.setattr(library, "large", 1)
    shared: list[int] = []

    def share(task: Any, count: int, *, whole: bool = False) -> bool:
        done = WORKERS.compute(task, count, whole=whole)
        shared.extend([count] * done)
        return done

    monkeypatch.setattr(library, "share", share)
    with accel.using(threads=3):
        yield shared


def numbers(size: int, dtype: str) -> Any:
    """Return elements of all magnitudes, with NaN, infinities and subnormal numbers at places of all remainders."""
    random = np.random.default_rng(0)
    if dtype == "bool":
        return random.integers(0, 2, size).astype(bool)
    if np.dtype(dtype).kind in "iu":
        return random.integers(0, 100, size).astype(dtype)
    values = random.standard_normal(size) * 10.0 ** random.integers(-3, 7, size)
    values[::37] = np.resize([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-310, 1e-40, 1e38, 4e5], len(values[::37]))
    with np.errstate(all="ignore"):
        return values.astype(dtype) * (1 + 2j if np.dtype(dtype).kind == "c" else 1)


def as_array(value: Any) -> Any:
    return xp.asarray(value) if isinstance(value, np.ndarray) else value


def same_bits(result: Any, expected: Any) -> bool:
    result = np.asarray(result)
    return (
        result.dtype == expected.dtype
        and result.shape == expected.shape
        and np.ascontiguousarray(result).tobytes() == np.ascontiguousarray(expected).tobytes()
    )


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


class TestBits:
    @rows("name", sorted({*f"{signatures.UNARY} {signatures.BINARY}".split()} - signatures.PARTS))
    def test_each_function(self, name: str, calls: list[int]) -> None:
        function, native = getattr(xp, name), getattr(library_on("cpu").namespace, name)
        arity = 1 if name in signatures.UNARY.split() else 2
        for dtype in ("bool", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"):
            operands = [numbers(1003, dtype), numbers(1004, dtype)[1:]][:arity]
            with np.errstate(all="ignore"):
                try:
                    expected = native(*operands)
                except TypeError:
                    continue
                for threads in THREADS:
                    with accel.using(threads=threads):
                        assert same_bits(function(*map(xp.asarray, operands)), expected), dtype
        if type(native) is np.ufunc:
            assert 16 in calls

    @rows("source", ["int32", "float32", "float64", "bool"])
    def test_casts(self, source: str, calls: list[int]) -> None:
        values = np.nan_to_num(numbers(1003, source), posinf=7, neginf=7) % 1000
        x = xp.asarray(values.astype(source))
        for target in ("int32", "float32", "float64", "bool", "complex64"):
            calls.clear()
            for threads in THREADS:
                with accel.using(threads=threads):
                    assert same_bits(x.astype(target), values.astype(source).astype(target))
            assert calls == [16] * 3

    @given(st.data())
    def test_shapes_steps_and_broadcasts(self, data: st.DataObject) -> None:
        shape = data.draw(st.lists(st.integers(1, 70), min_size=1, max_size=3))
        operands = []
        for seed in range(2):
            extents = [extent if data.draw(st.booleans()) else 1 for extent in shape[data.draw(st.integers(0, 1)) :]]
            steps = [data.draw(st.sampled_from([1, 2, -1])) for _ in extents]
            values = np.random.default_rng(seed).standard_normal([2 * each for each in extents]) * 1e5
            ends = [
                slice(extent) if abs(step) == 1 else slice(None) for extent, step in zip(extents, steps, strict=True)
            ]
            values = values[(*ends, ...)][tuple(slice(None, None, step) for step in steps)]
            operands.append(values.copy(order="F") if data.draw(st.booleans()) else values)
        x, y = map(xp.asarray, operands)
        with accel.using(threads=data.draw(st.sampled_from(THREADS))):
            assert same_bits(x * y, operands[0] * operands[1])
            assert same_bits(xp.sin(x), np.sin(operands[0]))
            assert same_bits(x > y, operands[0] > operands[1])
            assert same_bits(xp.hypot(y, 2.0), np.hypot(operands[1], 2.0))

    @rows("dtype", ["bool", "int8", "int64", "float16", "float32", "float64", "complex128"])
    def test_functions_that_are_no_ufuncs(self, dtype: str, calls: list[int]) -> None:
        a, b = numbers(1003, dtype), numbers(1004, dtype)[1:]
        condition = numbers(1003, "bool")
        namespace = library_on("cpu").namespace
        exponents = (*range(-2, 5), -1.0, 0.0, 0.5, 1.0, 1.5, 2.0, np.float32(0.5), np.float64(2), b)
        programs = [("pow", (a, each)) for each in exponents] + [("pow", (2, a)), ("pow", (-0.0, a))]
        programs += [("floor_divide", each) for each in ((a, b), (a, 3), (7.5, b))]
        programs += [("clip", (a, *each)) for each in ((1, None), (None, 2), (0.5, 2.5), (b, None), (300, -300))]
        programs += [("where", (condition, *each)) for each in ((a, b), (a, 0), (1.5, b), (a, condition), (1, 2.0))]
        for name, operands in programs:
            with np.errstate(all="ignore"):
                try:
                    expected = getattr(namespace, name)(*operands)
                except (TypeError, ValueError, OverflowError) as error:
                    with pytest.raises(type(error)):
                        getattr(xp, name)(*map(as_array, operands))
                    continue
                for threads in THREADS:
                    with accel.using(threads=threads):
                        result = getattr(xp, name)(*map(as_array, operands))
                        assert same_bits(result, expected), (name, operands)
        assert 16 in calls

    @given(st.data())
    def test_where_and_clip_of_operands_that_are_broadcast(self, data: st.DataObject) -> None:
        shape = data.draw(st.lists(st.integers(1, 70), min_size=1, max_size=3))
        operands = []
        for seed in range(3):
            extents = [extent if data.draw(st.booleans()) else 1 for extent in shape[data.draw(st.integers(0, 1)) :]]
            values = np.random.default_rng(seed).standard_normal(extents)
            operands.append(values.copy(order="F") if data.draw(st.booleans()) else values)
        a, b, c = operands
        x, y, z = map(xp.asarray, operands)
        with accel.using(threads=data.draw(st.sampled_from(THREADS))):
            assert same_bits(xp.where(x > 0, y, z), np.where(a > 0, b, c))
            assert same_bits(np.where(x > 0, y, z), np.where(a > 0, b, c))
            assert same_bits(xp.clip(x, y, z), np.clip(a, b, c))
            assert same_bits(x // y, a // b)
            assert same_bits(x**2, a**2)


class TestNumPysOwnFunctions:
    DTYPES = ("bool", "uint8", "int64", "float16", "float32", "float64", "complex64", "complex128")

    @rows("dtype", DTYPES)
    def test_where(self, dtype: str, calls: list[int]) -> None:
        a, b, condition = numbers(1003, dtype), numbers(1004, dtype)[1:], numbers(1003, "bool")
        others = (b, b[0], 0, -1, 300, 2.5, 1j, True, 1e300, float("nan"), numbers(1003, "float32"), np.float32(0.1))
        for other in others:
            for operands in ((condition, a, other), (condition, other, a), (condition[::-1], other, a[::-1])):
                with np.errstate(all="ignore"):
                    expected = np.where(*operands)
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


class TestFloatingPointErrors:
    def test_one_warning_for_each_kind(self, calls: list[int]) -> None:
        x = xp.asarray(np.tile([0.0, 1.0], 500))
        for threads in THREADS:
            with accel.using(threads=threads), warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                x / xp.zeros(1000)
            assert [str(each.message) for each in seen] == [
                "divide by zero encountered in divide",
                "invalid value encountered in divide",
            ]
            assert {each.category for each in seen} == {RuntimeWarning}
            assert {Path(each.filename).name for each in seen} == {"large_functions.py"}
        assert calls

    def test_a_cast_warns_as_numpy_does(self) -> None:
        with pytest.warns(RuntimeWarning, match="invalid value encountered in cast"):
            xp.full(1000, np.nan).astype("int32")

    def test_the_state_of_the_caller_counts(self, calls: list[int]) -> None:
        x = xp.zeros(1000)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with np.errstate(all="ignore"):
                x / 0.0
            with pytest.raises(RuntimeWarning, match="invalid"):
                x / 0.0
            with np.errstate(invalid="raise"), pytest.raises(FloatingPointError, match="invalid value encountered in"):
                x / 0.0
        assert len(calls) == 3

    def test_a_function_of_the_caller_is_called_in_its_thread(self, calls: list[int]) -> None:
        seen: list[Any] = []
        x = xp.zeros(1000)
        with np.errstate(invalid="call", call=lambda kind, _: seen.append((kind, threading.get_ident()))):
            x / 0.0
        assert seen == [("invalid value", threading.get_ident())]
        assert not calls

    def test_helpers_keep_no_state(self) -> None:
        x = xp.zeros(1000)
        with np.errstate(all="raise"), pytest.raises(FloatingPointError):
            x / 0.0
        with pytest.warns(RuntimeWarning, match="invalid"):
            x / 0.0


class TestOneCallAtATime:
    def test_who_finds_the_threads_busy_computes_alone(self, calls: list[int]) -> None:
        begun, go = threading.Event(), threading.Event()

        def wait(_: int) -> None:
            begun.set()
            assert go.wait(30)

        x = xp.asarray(numbers(1003, "int64"))
        with ThreadPoolExecutor(1) as pool:
            held = pool.submit(accel_using_two, WORKERS.compute, wait, 2)
            assert begun.wait(30)
            calls.clear()
            assert same_bits(x + x, np.asarray(x) * 2)
            assert not calls
            go.set()
            assert held.result(30)
        x + x
        assert calls == [16]

    def test_a_part_computes_alone(self) -> None:
        inside: list[bool] = []
        assert WORKERS.compute(lambda _: inside.append(WORKERS.compute(lambda _: None, 2)), 5)
        assert inside == [False] * 5

    def test_after_an_error_the_threads_are_free(self) -> None:
        with pytest.raises(ZeroDivisionError):
            WORKERS.compute(lambda number: 1 // (number - 1), 5)
        assert WORKERS.compute(lambda _: None, 5)

    def test_many_callers(self) -> None:
        values = [numbers(1003, "int64") + number for number in range(8)]

        def work(each: Any) -> bool:
            x = xp.asarray(each)
            with accel.using(threads=3):
                return all(same_bits(x * x + x, each * each + each) for _ in range(30))

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(work, values))

    def test_after_an_interrupt_no_thread_writes(self) -> None:
        caller, out, begun = threading.current_thread(), np.zeros(8), threading.Event()

        def work(number: int) -> None:
            if threading.current_thread() is caller:
                assert begun.wait(30)
                raise KeyboardInterrupt
            begun.set()
            threading.Event().wait(0.02)
            out[number] = 1

        with pytest.raises(KeyboardInterrupt):
            WORKERS.compute(work, 8)
        written = out.copy()
        threading.Event().wait(0.05)
        assert np.array_equal(out, written)
        assert WORKERS.compute(lambda _: None, 2)

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
    @pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
    def test_a_child_of_a_fork_has_threads_of_its_own(self) -> None:
        x = xp.asarray(numbers(1003, "int64"))
        expected = np.asarray(x) * 3
        assert same_bits(x * 3, expected)
        child = os.fork()
        if child == 0:
            os._exit(0 if same_bits(x * 3, expected) and WORKERS._threads == 2 else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def accel_using_two(function: Any, *arguments: Any) -> Any:
    with accel.using(threads=2):
        return function(*arguments)


class TestReductions:
    @given(st.data())
    def test_along_axes_the_bits_are_those_of_numpy(self, data: st.DataObject) -> None:
        shape = data.draw(
            st.lists(st.integers(1, 150), min_size=1, max_size=4).filter(lambda each: np.prod(each) < 50_000)
        )
        dtype = data.draw(st.sampled_from(["float32", "float64", "int8", "int64", "bool", "complex128"]))
        values = numbers(int(np.prod(shape)), dtype).reshape(shape)
        one = st.integers(-len(shape), len(shape) - 1)
        several = st.sets(st.integers(0, len(shape) - 1), max_size=max(len(shape) - 1, 1)).map(tuple)
        axis, keepdims = data.draw(one | several), data.draw(st.booleans())
        x = xp.asarray(values)
        with np.errstate(all="ignore"), accel.using(threads=data.draw(st.sampled_from(THREADS))):
            for name in ("sum", "mean", "prod", "max", "min", "any", "all"):
                if dtype == "complex128" and name in ("max", "min"):
                    continue
                expected = getattr(values, name)(axis, keepdims=keepdims)
                if len(shape) > 1:
                    assert same_bits(getattr(x, name)(axis, keepdims=keepdims), np.asarray(expected)), name

    @rows("dtype", ["float32", "float64", "int8", "uint64", "bool", "complex64"])
    def test_of_all_elements(self, dtype: str, calls: list[int]) -> None:
        for shape in ((5003,), (71, 71), (3, 1700), (1700, 3), (9, 8, 70)):
            self.compare_of_all_elements(dtype, shape, calls)

    def compare_of_all_elements(self, dtype: str, shape: tuple[int, ...], calls: list[int]) -> None:
        values = np.nan_to_num(numbers(int(np.prod(shape)), dtype), posinf=3, neginf=3).reshape(shape)
        if values.dtype.kind in "fc":
            values = np.clip(values.real, -1e4, 1e4).astype(dtype)
        x = xp.asarray(values)
        calls.clear()
        for name in ("sum", "mean", "prod", "max", "min", "any", "all"):
            if values.dtype.kind in "fc" and name == "prod":
                continue
            for keepdims in (False, True):
                expected = np.asarray(getattr(values, name)(keepdims=keepdims))
                found = []
                for threads in THREADS:
                    with accel.using(threads=threads):
                        found.append(np.asarray(getattr(x, name)(keepdims=keepdims)))
                assert all(same_bits(each, found[0]) for each in found)
                assert (found[0].dtype, found[0].shape) == (expected.dtype, expected.shape)
                if values.dtype.kind in "fc" and name in ("sum", "mean"):
                    np.testing.assert_allclose(found[0], expected, rtol=1e-4, atol=1e-2)
                else:
                    assert same_bits(found[0], expected), name
        assert calls

    def test_sums_are_at_least_as_accurate_as_those_of_numpy(self) -> None:
        random = np.random.default_rng(0)
        for dtype in ("float32", "float64"):
            ours, theirs = [], []
            for _ in range(100):
                values = random.random(5003).astype(dtype)
                exact = math.fsum(values.tolist())
                ours.append(abs(float(xp.sum(xp.asarray(values))) - exact))
                theirs.append(abs(float(values.sum()) - exact))
            assert np.mean(ours) <= np.mean(theirs)

    def test_nan_is_found_by_max_and_min(self) -> None:
        values = np.arange(5003.0)
        values[4000] = np.nan
        for name in ("max", "min", "sum", "mean"):
            assert np.isnan(float(getattr(xp.asarray(values), name)()))

    def test_one_warning(self) -> None:
        x = xp.full(5003, 1e308)
        for function in (xp.sum, xp.mean):
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                assert float(function(x)) == np.inf
            assert [str(each.message) for each in seen] == ["overflow encountered in reduce"]

    def test_a_part_of_several_axes_has_more_than_one_element(self) -> None:
        random = np.random.default_rng(0)
        for shape, axes in (
            ((8, 1, 13, 64, 64), (0, 3, 4)),
            ((2, 129, 64, 64), (0, 1, 3)),
            ((64, 8, 2, 13, 64), (0, 2, 3, 4)),
        ):
            values = random.standard_normal(shape) * 10.0 ** random.integers(-4, 5, shape)
            assert same_bits(xp.sum(xp.asarray(values), axis=axes), values.sum(axes))

    def test_several_axes_and_wrong_ones(self) -> None:
        x = xp.reshape(xp.arange(6000.0), (10, 20, 30))
        assert same_bits(x.sum((0, 2)), np.asarray(x).sum((0, 2)))
        with pytest.raises(ValueError, match="duplicate"):
            x.sum((0, 0))
        with pytest.raises(ValueError, match="out of bounds"):
            x.sum((0, 3))
        with pytest.raises(ValueError, match="out of bounds"):
            x.sum(3)


@pytest.mark.usefixtures("calls")
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


@pytest.mark.usefixtures("calls")
class TestInPlace:
    @rows("name", ["add", "subtract", "multiply", "divide", "bitwise_and", "left_shift", "maximum", "less"])
    def test_the_bits_are_those_of_numpy(self, name: str, calls: list[int]) -> None:
        function, operator_name = getattr(np, name), {"bitwise_and": "and", "left_shift": "lshift", "divide": "truediv"}
        in_place = f"__i{operator_name.get(name, name[:3])}__"
        for dtype in ("bool", "int64", "float32", "float64", "complex64"):
            for other in (
                numbers(1004, dtype)[1:],
                2,
                np.float64(1.5),
                numbers(1003, "float32"),
                numbers(1, "float64"),
            ):
                target = numbers(1003, dtype)
                expected, ours, theirs = target.copy(), xp.asarray(target.copy()), xp.asarray(target.copy())
                with np.errstate(all="ignore"):
                    try:
                        function(expected, other, out=expected)
                    except TypeError:
                        with pytest.raises(TypeError):
                            getattr(xp, name)(ours, as_array(other), out=ours)
                        assert same_bits(ours, target)
                        continue
                    assert getattr(xp, name)(ours, as_array(other), out=ours) is ours
                    assert function(theirs, other, out=theirs) is theirs
                    assert same_bits(ours, expected)
                    assert same_bits(theirs, expected)
                    if hasattr(xp.Array, in_place) and name not in ("maximum", "less"):
                        again = xp.asarray(target.copy())
                        assert getattr(again, in_place)(as_array(other)) is again
                        assert same_bits(again, expected)
        assert 16 in calls

    @given(st.data())
    def test_views_that_overlap(self, data: st.DataObject) -> None:
        x, array = xp.arange(1000.0), np.arange(1000.0)
        starts = [data.draw(st.integers(0, 40)) for _ in range(2)]
        steps = [data.draw(st.sampled_from([1, 2, -1])) for _ in range(2)]
        one, other = [
            slice(start + 400, start, -1) if step < 0 else slice(start, start + 400 * step, step)
            for start, step in zip(starts, steps, strict=True)
        ]
        with accel.using(threads=3):
            x[one] += x[other]
            x[one] *= x[one]
            xp.subtract(x[other], x[one], out=x[other])
        array[one] += array[other]
        array[one] *= array[one]
        np.subtract(array[other], array[one], out=array[other])
        assert same_bits(x, array)

    def test_products_of_matrices_are_not_shared(self, calls: list[int]) -> None:
        a, b = np.random.default_rng(0).random((2, 400, 400))
        out = xp.zeros((400, 400))
        for call in (np.matmul, xp.matmul):
            out[...] = 0
            assert call(xp.asarray(a), xp.asarray(b), out=out) is out
            np.testing.assert_array_equal(out.to_numpy(), np.matmul(a, b))
        assert calls == []

    def test_lists_are_not_shared(self, calls: list[int]) -> None:
        x, values = xp.ones(1000), list(range(1000))
        out = xp.zeros(1000)
        assert np.add(x, values, out=out) is out
        assert out.tolist() == [1.0 + value for value in values]
        assert calls == []

    def test_only_results_of_the_shape_and_dtype_of_out_are_shared(self, calls: list[int]) -> None:
        x = xp.ones((500, 2))
        repeated = xp.broadcast_to(xp.ones(2), (500, 2))
        for compute, error in (
            (lambda: xp.add(x, xp.ones((3, 500, 2)), out=x), ValueError),
            (lambda: xp.add(x, xp.ones(500), out=x), ValueError),
            (lambda: xp.add(x, 1, out=xp.ones((500, 2), dtype="int64")), TypeError),
            (lambda: xp.add(x, 1, out=repeated), ValueError),
        ):
            with pytest.raises(error):
                compute()
        assert (np.asarray(x) == 1).all()
        assert not calls
        out = xp.zeros((2, 500, 2))
        assert xp.add(x, 1, out=out) is out
        assert (np.asarray(out) == 2).all()
        assert calls

    def test_errors_are_reported_once_and_after_all_elements(self) -> None:
        x = xp.ones(1000)
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            x /= xp.zeros(1000)
        assert [str(each.message) for each in seen] == ["divide by zero encountered in divide"]
        assert np.isinf(np.asarray(x)).all()
        x = xp.ones(1000)
        with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
            x /= xp.zeros(1000)
        assert np.isinf(np.asarray(x)).all()

    def test_an_interrupt_is_raised_when_all_is_written(self) -> None:
        done: list[int] = []

        def work(number: int) -> None:
            if number == 0:
                _thread.interrupt_main()
            threading.Event().wait(0.01)
            done.append(number)

        for _ in range(5):
            done.clear()
            with pytest.raises(KeyboardInterrupt):
                WORKERS.compute(work, 8, whole=True)
            assert sorted(done) == [*range(8)]
        assert WORKERS.compute(done.append, 8, whole=True)

    def test_an_error_of_a_helper_is_raised(self) -> None:
        for _ in range(20):
            with pytest.raises(ZeroDivisionError):
                WORKERS.compute(lambda number: 1 // (number - 3), 8, whole=True)

    def test_without_helpers_one_thread_computes(self, monkeypatch: pytest.MonkeyPatch, calls: list[int]) -> None:
        x = xp.ones(1000)
        with accel.using(threads=1):
            x += 1
        monkeypatch.setattr(WORKERS, "_start_helpers", lambda _: 0)
        x += 1
        assert (np.asarray(x) == 3).all()
        assert not calls
