"""Elementwise functions in parts: each element, warning and error is that of one call of NumPy."""

import threading
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from accel.backends.common.workers import WORKERS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import accel
from accel import xp
from accel.xp import parts as parts_of_arrays
from accel.xp.array_library import library_on
from tests.tables import rows
from tests.threads import run_at_once

SIZE = 3001
UFUNCS = {
    name: function
    for name, function in vars(np).items()
    if isinstance(function, np.ufunc) and function.nout == 1 and function.signature is None and function.nin <= 2
}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make threads share arrays of any size, in parts of any size."""
    monkeypatch.setattr(parts_of_arrays, "SHARED", 1)
    monkeypatch.setattr(parts_of_arrays, "PART", 512)
    monkeypatch.setattr(parts_of_arrays, "_RUN", 64)
    with accel.using(threads=3):
        yield


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of parts into which calls were cut."""
    counts: list[int] = []

    def counting(task: Any, count: int) -> bool:
        shared = WORKERS.compute(task, count)
        counts.extend([count] * shared)
        return shared

    monkeypatch.setattr(library_on("cpu"), "share", counting)
    return counts


def compute(function: Any, values: Any, out: Any) -> None:
    if not parts_of_arrays.compute(function, library_on("cpu"), values, out):
        function(*values, out=out)


def operands(dtype: str, count: int) -> list[Any]:
    draw = np.random.default_rng(0)
    if np.dtype(dtype).kind in "iu":
        return [draw.integers(1, 60, SIZE).astype(dtype) for _ in range(count)]
    values = draw.uniform(-2, 3, (count, SIZE)).astype(dtype)
    values[:, ::97] = np.nan
    values[:, 5::89] = np.inf
    if dtype == "complex128":
        values.imag = values.real[:, ::-1]
    return [*values]


@rows("name", UFUNCS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "complex128"])
def test_each_element_is_that_of_one_call(name: str, dtype: str, parts: list[int]) -> None:
    function = UFUNCS[name]
    values = operands(dtype, function.nin)
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        try:
            expected = function(*values)
        except TypeError:  # not for this dtype
            return
        out = np.empty_like(expected)
        compute(function, values, out)
    assert parts[-1] > 3
    assert out.tobytes() == expected.tobytes()


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), hnp.array_shapes(min_dims=1, max_dims=3, max_side=40), st.integers(1, 7))
def test_any_shapes_and_strides(data: st.DataObject, shape: tuple[int, ...], threads: int) -> None:
    sources = []
    for _ in range(2):
        kept = data.draw(st.tuples(*[st.booleans()] * len(shape)))
        whole = np.arange(1.0, 1 + np.prod(shape) * 2**3).reshape([2 * extent for extent in shape] + [-1])[..., 0]
        source = whole[tuple(slice(0, extent if keep else 1) for extent, keep in zip(shape, kept, strict=True))]
        sources.append(data.draw(st.sampled_from([source, source[::-1], 2.5])))
    expected = np.asarray(np.divide(*sources))
    out = np.empty_like(expected)
    with accel.using(threads=threads):
        compute(np.divide, sources, out)
    assert out.tobytes() == expected.tobytes()


class TestErrors:
    X = np.r_[np.ones(SIZE), 0.0, np.inf, 1e200]

    def outcome(self, function: np.ufunc, *values: Any, **state: Any) -> tuple[list[str], str]:
        def result(call: Any) -> tuple[list[str], str]:
            with warnings.catch_warnings(record=True) as found, np.errstate(**state):
                warnings.simplefilter("always")
                try:
                    call()
                except FloatingPointError as error:
                    return [str(each.message) for each in found], str(error)
            return [str(each.message) for each in found], ""

        alone = result(lambda: function(*values))
        shared = result(lambda: compute(function, values, np.empty(self.X.shape)))
        assert alone == shared
        return shared

    @pytest.mark.parametrize("mode", ["ignore", "warn", "raise"])
    def test_are_reported_once_as_the_state_of_the_caller_says(self, mode: str) -> None:
        texts, error = self.outcome(np.divide, 1.0, self.X, divide=mode)
        assert (len(texts), bool(error)) == (mode == "warn", mode == "raise")
        self.outcome(np.subtract, self.X, self.X, invalid=mode)
        self.outcome(np.multiply, self.X, self.X, over=mode, invalid=mode)
        self.outcome(np.exp, -self.X * 1000, under=mode)

    def test_of_several_kinds_have_the_order_of_numpy(self) -> None:
        values = np.r_[np.ones(SIZE), 0.0, -1.0, 1.0]
        texts, _ = self.outcome(np.log, values, all="warn")
        assert texts == ["divide by zero encountered in log", "invalid value encountered in log"]
        self.outcome(np.log, values, all="raise")
        self.outcome(np.log, values, divide="raise", invalid="warn")
        self.outcome(np.log, values, divide="warn", invalid="raise")

    def test_that_the_caller_handles_are_handled_by_numpy(self, parts: list[int]) -> None:
        seen: list[str] = []
        with np.errstate(divide="call", call=lambda error, _: seen.append(error)):
            compute(np.divide, (1.0, self.X), np.empty(self.X.shape))
        assert seen == ["divide by zero"]
        assert parts == []

    def test_of_operands_are_those_of_numpy(self) -> None:
        with pytest.raises(OverflowError):
            compute(np.add, (np.ones(SIZE, "uint8"), 300), np.empty(SIZE, "uint8"))


class TestThreads:
    def test_one_computes_alone_where_the_settings_say_so(self, parts: list[int]) -> None:
        with accel.using(threads=1):
            compute(np.add, (np.ones(SIZE), 1.0), np.empty(SIZE))
        assert parts == []

    def test_many_at_once_have_their_own_results(self) -> None:
        wrong: list[int] = []

        def work(number: int) -> None:
            values = np.arange(SIZE) + float(number)
            for _ in range(50):
                out = np.empty(SIZE)
                compute(np.multiply, (values, 2.0), out)
                if not (out == values * 2).all():
                    wrong.append(number)

        run_at_once([lambda number=number: work(number) for number in range(5)])
        assert not wrong

    def test_an_interrupt_leaves_no_thread_that_writes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        started, going = threading.Event(), threading.Event()
        main, done = threading.current_thread(), []

        class Slow:
            """A function of which each call takes part of the work, and that is interrupted in the calling thread."""

            __name__ = "slow"

            def __call__(self, values: Any, out: Any) -> None:
                if threading.current_thread() is main:
                    started.wait(10)
                    going.set()
                    raise KeyboardInterrupt
                started.set()
                going.wait(10)
                out[...] = values
                done.append(None)

        out = np.zeros(SIZE)
        with pytest.raises(KeyboardInterrupt):
            compute(Slow(), (np.ones(SIZE),), out)  # type: ignore[arg-type]
        finished, written = len(done), out.copy()
        compute(np.add, (np.ones(SIZE), 1.0), np.empty(SIZE))
        assert (len(done), out.tolist()) == (finished, written.tolist())


def test_arrays_compute_so(parts: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    n = 1 << 17
    values = np.linspace(0, 1, n)
    x = xp.asarray(values, copy=True)
    for result, expected in ((x + x, values + values), (xp.sqrt(x), np.sqrt(values)), (x < 0.5, values < 0.5)):
        assert np.array_equal(result, expected)
    assert len(parts) == 2  # a result of booleans is small
    assert min(parts) > 1
