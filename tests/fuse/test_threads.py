"""Threads trace fused functions at once, and compute meanwhile, in each order."""

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Any

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import FuseError
from accel.xp.array_base import ArrayBase
from accel.xp.array_library import recorder

DEVICES = ("cpu", "sim")
LIMIT = 30.0  # seconds that nothing takes, unless threads wait for each other


def host(x: Any) -> Any:
    return np.asarray(x.to_device("cpu") if isinstance(x, xp.Array) else x)


def same(one: Any, other: Any) -> None:
    np.testing.assert_array_equal(host(one), host(other))


def result_in_thread(call: Callable[[], Any]) -> Any:
    """Return what a call returns in a thread of its own, which ends in time."""
    results: list[Any] = []

    def run() -> None:
        try:
            results.append(call())
        except BaseException as error:
            results.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(LIMIT)
    assert not thread.is_alive(), "the thread waits for ever"
    if isinstance(results[0], BaseException):
        raise results[0]
    return results[0]


@pytest.fixture(autouse=True)
def _nothing_is_recorded_afterwards() -> Any:
    fields = {name: vars(ArrayBase)[name] for name in ("_library", "_native")}
    yield
    assert {name: vars(ArrayBase)[name] for name in fields} == fields
    assert recorder.get() is None


@pytest.mark.parametrize("device", DEVICES)
def test_a_function_waits_for_a_thread_that_calls_another_one(device: str) -> None:
    x = xp.asarray([1.0, 2.0, 3.0], device=device)
    other = accel.fuse(lambda y: y * 3)

    @accel.fuse
    def waiting(y: Any) -> Any:
        same(result_in_thread(lambda: host(other(x))), [3.0, 6.0, 9.0])
        return y + 1

    same(waiting(x), [2.0, 3.0, 4.0])


def test_a_function_waits_for_a_thread_that_calls_itself() -> None:
    x, depth = xp.asarray([1.0, 2.0, 3.0]), threading.local()
    first = threading.get_ident()

    @accel.fuse
    def waiting(y: Any) -> Any:
        if threading.get_ident() == first and not hasattr(depth, "seen"):
            depth.seen = True
            same(result_in_thread(lambda: host(waiting(x))), [2.0, 3.0, 4.0])
        return y + 1

    same(waiting(x), [2.0, 3.0, 4.0])


@pytest.mark.parametrize("device", DEVICES)
def test_functions_are_traced_by_turns(device: str) -> None:
    """Each thread waits in the midst of its trace until all are there."""
    count = 4
    barrier = threading.Barrier(count, timeout=LIMIT)
    x, shared = xp.asarray([1.0, 2.0, 3.0], device=device), xp.ones(3, device=device)

    def stepwise(y: Any, factor: float) -> Any:
        for _ in range(3):
            barrier.wait()
            y = y * factor + shared
        return y

    common = accel.fuse(stepwise)
    results: dict[int, Any] = {}

    def run(number: int) -> None:
        fused = common if number % 2 else accel.fuse(stepwise)
        results[number] = fused(x, float(number)), fused.explain

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
    for number in range(count):
        y = np.array([1.0, 2.0, 3.0])
        for _ in range(3):
            y = y * number + 1
        same(results[number][0], y)


@pytest.mark.parametrize("device", DEVICES)
def test_other_threads_compute_while_one_traces(device: str) -> None:
    """The array that the trace refers to is an ordinary one for them."""
    shared = xp.asarray([1.0, 2.0, 3.0], device=device)

    def compute() -> Any:
        assert recorder.get() is None
        array = shared * 2 + xp.sum(shared)
        array[0] = shared[1]
        assert float(shared[2]) == 3.0
        return host(xp.concat([array, shared[:1]]))

    @accel.fuse
    def waiting(y: Any) -> Any:
        same(result_in_thread(compute), [2.0, 10.0, 12.0, 1.0])
        with accel.using(device="cpu"):
            assert result_in_thread(compute).shape == (4,)
        return y + shared

    same(waiting(shared), [2.0, 4.0, 6.0])
    same(compute(), [2.0, 10.0, 12.0, 1.0])


def test_a_thread_that_gets_an_array_of_a_trace_adds_to_that_trace() -> None:
    doubled = accel.fuse(lambda y: y * 2)

    @accel.fuse
    def outer(x: Any) -> Any:
        return result_in_thread(lambda: doubled(x) + 1)

    same(outer(xp.ones(3)), np.full(3, 3.0))
    same(outer(xp.ones(3)), np.full(3, 3.0))
    assert "1 loop" in str(outer.explain(xp.ones(3)))


def test_a_context_that_was_copied_in_a_trace_records_what_is_kept() -> None:
    contexts: list[Any] = []
    accel.fuse(lambda x: contexts.append(copy_context()))(xp.ones(3))
    with pytest.raises(FuseError, match="was kept"):
        contexts[0].run(lambda: np.asarray(xp.ones(3) + 1))
    same(xp.ones(3) + 1, np.full(3, 2.0))


def test_threads_that_call_a_function_first_at_once_get_results_of_their_own() -> None:
    fused, count = accel.fuse(lambda x, k: (x * k, x + k)), 8
    barrier = threading.Barrier(count, timeout=LIMIT)
    wrong: list[Any] = []

    def run(number: int) -> None:
        barrier.wait()
        for shape in ((3,), (2, 2), (number + 1,)):
            for _ in range(20):
                found = fused(xp.ones(shape), number)
                expected = np.full(shape, number), np.full(shape, number + 1)
                if not all(map(np.array_equal, map(np.asarray, found), expected)):
                    wrong.append((number, shape))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
    assert not wrong
