"""Large computations in several threads: what NumPy returns, warns of and raises, in parts."""

import _thread
import math
import os
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from accel.backends.common.workers import WORKERS
from hypothesis import given
from hypothesis import strategies as st

import accel
from accel import xp
from accel.xp import signatures
from accel.xp.array_library import library_on
from tests.tables import rows
from tests.xp.small_parts import THREADS, as_array, numbers, same_bits

pytestmark = pytest.mark.usefixtures("calls")


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
