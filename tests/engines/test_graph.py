"""Graphs of calls within a budget of bytes."""

import os
import threading
from collections import Counter
from contextlib import suppress
from contextvars import copy_context

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import accel
from accel.engines.graph import Node, execute
from accel.engines.graph.blocks import Block, Estimate, Job
from accel.engines.graph.job_admission import JobAdmission
from accel.engines.memory_budget.evictable import State
from accel.errors import StoreError, StoreValueError

KIB = 1024


class Live:
    """Counts the bytes of arrays that tasks have made and that are alive, with finalisers: not what the ledger says."""

    def __init__(self):
        self.now = self.peak = 0
        self._lock = threading.RLock()

    def array(self, values):
        result = np.array(values, "uint8").view(Counted)
        with self._lock:
            self.now += result.nbytes
            self.peak = max(self.peak, self.now)
        result.live = self
        return result

    def end(self, nbytes):
        with self._lock:
            self.now -= nbytes


class Counted(np.ndarray):
    live = None

    def __del__(self):
        if self.live is not None:
            self.live.end(self.nbytes)


@st.composite
def graphs(draw):
    """Nodes whose value is a sum of their inputs and a number; each has a size of its own."""
    count = draw(st.integers(1, 14))
    nodes = {}
    for key in range(count):
        needs = draw(st.lists(st.integers(0, key - 1), max_size=3)) if key else []
        nodes[key] = (needs, draw(st.integers(1, 6)) * KIB, draw(st.sampled_from([0, 0, KIB])), draw(st.booleans()))
    targets = draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=2))
    return nodes, targets


def value_of(key, nbytes, *inputs):
    return np.full(nbytes, (key + sum([int(each[0]) for each in inputs])) % 251, "uint8")


def plainly(nodes, targets):
    values = {}
    for key, (needs, nbytes, *_) in nodes.items():
        values[key] = value_of(key, nbytes, *[values[each] for each in needs])
    return [values[target] for target in targets]


def least_budget(nodes, targets):
    single = [sum([nodes[each][1] for each in {*needs}]) + size + scratch for needs, size, scratch, _ in nodes.values()]
    return max([*single, sum([nodes[target][1] for target in {*targets}])])


@given(graphs(), st.integers(0, 12), st.integers(1, 3), st.data())
def test_a_graph_gives_its_plain_values_within_any_budget_that_its_largest_task_fits(given, more, threads, data):
    nodes, targets = given
    budget = least_budget(nodes, targets) + more * KIB
    calls = Counter()

    def call(key, size):
        def made(*inputs):
            calls[key] += 1
            return value_of(key, size, *inputs)

        return made

    graph = {
        key: Node(call(key, size), needs, size, scratch, remake=remake)
        for key, (needs, size, scratch, remake) in nodes.items()
    }
    result = []
    values = execute(graph, targets, budget=budget, threads=threads, statistics=result.append)
    for value, plain in zip(values, plainly(nodes, targets), strict=True):
        np.testing.assert_array_equal(value, plain)
    (statistics,) = result
    assert statistics.peak <= budget
    again = {key for key, number in calls.items() if number > 1}
    assert all(nodes[key][3] and not nodes[key][0] for key in again)
    assert statistics.remade == sum(calls.values()) - statistics.tasks
    assert statistics.tasks == len(calls)


@given(graphs(), st.integers(1, 3))
def test_a_graph_of_unknown_sizes_gives_its_plain_values(given, threads):
    nodes, targets = given
    graph = {
        key: Node(lambda *inputs, key=key, size=size: value_of(key, size, *inputs), needs, layer=size)
        for key, (needs, size, *_) in nodes.items()
    }
    budget = 4 * max([size for _, size, *_ in nodes.values()])
    values = execute(graph, targets, budget=budget, threads=threads)
    for value, plain in zip(values, plainly(nodes, targets), strict=True):
        np.testing.assert_array_equal(value, plain)


@given(graphs(), st.integers(0, 3), st.integers(1, 3), st.data())
def test_a_graph_whose_sizes_are_missing_or_too_small_keeps_within_the_budget(given, more, threads, data):
    nodes, _ = given
    said = st.sampled_from([None, 0, KIB])
    graph = {
        key: Node(
            lambda *inputs, key=key, size=size: value_of(key, size, *inputs), needs, data.draw(said), layer=key % 3
        )
        for key, (needs, size, *_) in nodes.items()
    }
    # All values are made before one is read again.
    graph |= {("made", key): Node(lambda _: None, [key], 0) for key in nodes}
    graph["all"] = Node(lambda *_: None, [("made", key) for key in nodes], 0)
    graph |= {("late", key): Node(lambda value, _: int(value[-1]), [key, "all"], 0) for key in nodes}
    graph = {key: node._replace(priority=float(rank)) for rank, (key, node) in enumerate(graph.items())}
    result = []
    values = execute(
        graph,
        [("late", key) for key in nodes],
        budget=least_budget(nodes, [0]) + more * KIB,
        threads=threads,
        statistics=result.append,
    )
    assert values == [int(plain[-1]) for plain in plainly(nodes, [*nodes])]
    assert result[0].peak <= result[0].budget


def test_results_are_expected_to_be_as_large_as_their_inputs_or_as_others_of_their_layer():
    size = 8 * KIB
    live = Live()
    nodes = {("load", i): Node(lambda: np.zeros(size, "uint8"), [], size) for i in range(8)}
    # The first of the layer is small, and the others are not.
    nodes |= {("part", i): Node(lambda x, i=i: live.array(x[: 1 if i == 0 else size]), [("load", i)]) for i in range(8)}
    nodes["end"] = Node(lambda *parts: len(parts), [("part", i) for i in range(0, 8, 7)], 0)
    nodes |= {("length", i): Node(len, [("part", i)], 0) for i in range(8)}
    result = []
    execute(nodes, ["end", *nodes], budget=20 * size, threads=2, statistics=result.append)
    execute(nodes, ["end"], budget=3 * size, threads=2, statistics=result.append)
    assert [each.excess for each in result] == [0, 0]
    assert result[1].peak <= 3 * size


def test_a_result_that_is_larger_than_expected_makes_room_before_it_is_kept():
    size = 8 * KIB
    nodes = {i: Node(lambda i=i: np.full(size, i, "uint8"), [], size) for i in range(3)}
    nodes["big"] = Node(lambda x: np.tile(x, 3), [0])
    nodes["end"] = Node(lambda big: int(big[0]), ["big"], 0)
    nodes["sum"] = Node(lambda *parts: sum([int(np.max(each)) for each in parts]), [1, 2, "end"], 0)
    nodes = {key: node._replace(priority=float(rank)) for rank, (key, node) in enumerate(nodes.items())}
    result = []
    assert execute(nodes, ["sum"], budget=4 * size, threads=1, statistics=result.append) == [3]
    assert result[0].peak <= 4 * size
    assert 0 < result[0].excess <= size


def test_a_value_that_is_made_again_counts_with_all_that_it_keeps_alive():
    size = 8 * KIB
    nodes = {("view", i): Node(lambda i=i: np.full(size, i, "uint8")[:1], [], 1, remake=True) for i in range(4)}
    nodes |= {("part", i): Node(lambda x: int(x[0]), [("view", i)], 0) for i in range(4)}
    nodes["total"] = Node(lambda *parts: sum(parts), [("part", i) for i in range(4)], 0)
    nodes |= {("late", i): Node(lambda x, t: int(x[0]) + t, [("view", i), "total"], 0) for i in range(4)}
    result = []
    values = execute(nodes, [("late", i) for i in range(4)], budget=2 * size, threads=1, statistics=result.append)
    assert values == [6, 7, 8, 9]
    assert result[0].peak <= 2 * size


def test_a_value_that_was_used_out_of_turn_leaves_the_memory_once():
    block = Block("x", Estimate(KIB))
    call, context = (lambda: None), copy_context()
    jobs = [
        Job(call, [block], Block(rank, Estimate(0)), rank=rank, scratch=0, temporaries=0, context=context)
        for rank in (1, 2)
    ]
    admission = JobAdmission(4 * KIB)
    for job in jobs:
        block.add_use(job)
    block.value, block.buffers, block.state = np.zeros(KIB, "uint8"), {1: KIB}, State.HELD
    admission.ledger().hold(block.buffers)
    admission.settle(block)
    with admission.changed:
        admission.begin_job(jobs[1])
        admission.leave(jobs[1])  # its next use is still that of the first job
        admission.end_job(jobs[1])
    assert admission.latest(2 * KIB) == ([block], KIB)


def test_temporaries_are_promised_as_far_as_the_budget_leaves_room():
    size = 8 * KIB
    nodes = {
        "x": Node(lambda: np.zeros(size, "uint8"), [], size),
        "y": Node(lambda x: x[:1].copy(), ["x"], 1, temporaries=3),
    }
    for budget, peak in [(10 * size, 4 * size + 1), (3 * size, 3 * size)]:
        result = []
        execute(nodes, ["y"], budget=budget, threads=1, statistics=result.append)
        assert result[0].peak == peak


@pytest.mark.parametrize("threads", [1, 3])
def test_what_is_alive_never_exceeds_the_budget_by_a_count_of_finalisers(threads):
    live = Live()
    size, count = 4 * KIB, 24
    nodes = {("load", i): Node(lambda i=i: live.array(np.full(size, i)), [], size, remake=True) for i in range(count)}
    total = Node(
        lambda *parts: np.array([int(each[0]) for each in parts]), [("part", i) for i in range(count)], 8 * count
    )
    nodes |= {("part", i): Node(lambda x: x[:1].copy().view(np.ndarray), [("load", i)], 1) for i in range(count)}
    nodes["total"] = total
    nodes |= {("late", i): Node(lambda x, t: int(x[0]) + int(t.sum()), [("load", i), "total"], 0) for i in range(count)}
    values = execute(nodes, [("late", i) for i in range(count)], budget=4 * size, threads=threads)
    assert values == [i + sum(range(count)) for i in range(count)]
    assert 0 < live.peak <= 4 * size
    assert live.now == 0


def chain(count, size):
    """Load everything, reduce it, and use everything again: no order keeps this in little memory."""
    nodes = {("load", i): Node(lambda i=i: np.full(size, i, "uint8"), [], size) for i in range(count)}
    nodes |= {("part", i): Node(lambda x: x[:1].copy(), [("load", i)], 1) for i in range(count)}
    nodes["total"] = Node(lambda *parts: sum([int(each[0]) for each in parts]), [("part", i) for i in range(count)], 0)
    nodes |= {("late", i): Node(lambda x, t: int(x[-1]) + t, [("load", i), "total"], 0) for i in range(count)}
    return nodes, [("late", i) for i in range(count)]


def test_values_that_wait_are_written_to_a_file_without_a_name(tmp_path):
    nodes, targets = chain(20, 4 * KIB)
    seen = []

    def look(x, t, call=nodes["late", 3].call):
        seen.append([*tmp_path.iterdir()])
        return call(x, t)

    nodes["late", 3] = nodes["late", 3]._replace(call=look)
    result = []
    values = execute(nodes, targets, budget=16 * KIB, threads=2, spill_folder=str(tmp_path), statistics=result.append)
    assert values == [i + sum(range(20)) for i in range(20)]
    assert result[0].spilled >= 16 * 4 * KIB <= result[0].restored
    assert seen == [[]]
    assert not [*tmp_path.iterdir()]


def test_a_value_that_was_written_once_is_not_written_again():
    size = 4 * KIB
    nodes = {("load", i): Node(lambda i=i: np.full(size, i, "uint8"), [], size) for i in range(6)}
    for turn in range(4):
        before = [("turn", turn - 1)] if turn else []
        for i in range(6):
            nodes["use", turn, i] = Node(lambda x, *_: int(x[0]), [("load", i), *before], 0)
        nodes["turn", turn] = Node(lambda *parts: sum(parts), [("use", turn, i) for i in range(6)], 0)
    result = []
    assert execute(nodes, [("turn", 3)], budget=2 * size, threads=1, statistics=result.append) == [15]
    assert result[0].spilled <= 6 * size
    assert result[0].restored >= 8 * size


def test_sources_that_can_be_made_again_are_not_written():
    nodes, targets = chain(20, 4 * KIB)
    nodes = {key: node._replace(remake=key[0] == "load") for key, node in nodes.items()}
    result = []
    assert execute(nodes, targets, budget=16 * KIB, threads=2, statistics=result.append)[-1] == 19 + sum(range(20))
    assert result[0].spilled == 0
    assert result[0].remade >= 16


@pytest.mark.parametrize(
    "value",
    [
        np.arange(12.0).reshape(3, 4),
        np.asfortranarray(np.arange(12.0).reshape(3, 4)),
        np.arange(24.0)[::2],
        np.arange(60).reshape(3, 4, 5)[::-1, 1:3, ::2],
        np.broadcast_to(np.arange(4.0), (3, 4)),
        np.broadcast_to(np.arange(12)[::3, None], (4, 5)),
        np.array(5.0),
        np.zeros((0, 3), "float32"),
        np.array(["2020-01-01", "NaT"], "datetime64[D]"),
        np.zeros(3, [("a", "i4"), ("b", "f8", 2)]),
        {"n": np.arange(3), "parts": (np.ones(2), [np.zeros(2), "text", None])},
    ],
    ids=str,
)
def test_values_of_all_kinds_come_back_from_the_file_as_they_were(value):
    big = 8 * KIB
    nodes = {
        "value": Node(lambda: value, [], 0, layer="value"),
        "other": Node(lambda x: np.zeros(big, "uint8"), ["value"], big),
        "end": Node(lambda x, y: x, ["value", "other"], 0),
    }
    nodes["value"] = Node(lambda: value, [], KIB)
    nodes["hold"] = Node(lambda x: np.ones(big, "uint8"), ["value"], big)
    result = []
    (came,) = execute(nodes, ["end"], budget=big + 2 * KIB, threads=1, statistics=result.append)
    flat, expected = str(came), str(value)
    assert flat == expected
    if isinstance(value, np.ndarray):
        assert came.dtype == value.dtype


def test_a_task_that_does_not_fit_is_refused_with_numbers_before_anything_runs():
    ran = []
    nodes = {
        "x": Node(lambda: ran.append("x"), [], 64 << 20),
        ("write", 3, 0): Node(lambda x: ran.append("y"), ["x"], 32 << 20),
    }
    with pytest.raises(
        StoreError, match=r"task \('write', 3, 0\) needs 96.0 MiB at once \(inputs 64.0 MiB, result 32.0 MiB"
    ) as error:
        execute(nodes, [("write", 3, 0)], budget="80 MiB")
    assert "the budget is 80.0 MiB" in str(error.value)
    assert not ran


def test_results_that_do_not_fit_together_are_refused_before_anything_runs():
    nodes = {i: Node(lambda: pytest.fail("ran"), [], 3 * KIB) for i in range(3)}
    with pytest.raises(StoreError, match="the results need 9216 bytes together; the budget is 8192 bytes"):
        execute(nodes, [0, 1, 2], budget=8 * KIB)


def test_values_that_cannot_leave_the_memory_end_the_run_with_an_error():
    size = 4 * KIB
    nodes = {i: Node(lambda: np.zeros(size // 8, object), [], size) for i in range(3)}
    pairs = [(0, 1), (0, 2), (1, 2)]
    nodes |= {pair: Node(lambda x, y: 0, pair, 0) for pair in pairs}
    with pytest.raises(StoreError, match="cannot be written to a file"):
        execute(nodes, pairs, budget=2 * size, threads=2)


@given(graphs(), st.integers(1, 3), st.data())
def test_the_error_of_a_task_is_raised_and_nothing_stays(given, threads, data):
    nodes, targets = given
    broken = data.draw(st.sampled_from([*nodes]))

    def call(key, size):
        def made(*inputs):
            if key == broken:
                raise ZeroDivisionError(key)
            return value_of(key, size, *inputs)

        return made

    graph = {key: Node(call(key, size), needs, size) for key, (needs, size, *_) in nodes.items()}
    before = threading.active_count()
    with suppress(ZeroDivisionError):
        execute(graph, targets, budget=least_budget(nodes, targets), threads=threads)
    with pytest.raises(ZeroDivisionError):
        execute(graph, [broken], budget=least_budget(nodes, [broken]), threads=threads)
    assert threading.active_count() == before


def test_an_interrupt_cancels_what_has_not_begun():
    ran = []

    def interrupt():
        raise KeyboardInterrupt

    nodes = {0: Node(interrupt, priority=0.0)}
    nodes |= {i: Node(lambda i=i: ran.append(i), [0], priority=float(i)) for i in range(1, 9)}
    with pytest.raises(KeyboardInterrupt):
        execute(nodes, [*nodes], threads=2)
    assert not ran


def test_tasks_run_at_the_same_time_on_several_threads():
    barrier = threading.Barrier(2, timeout=60)
    nodes = {i: Node(barrier.wait) for i in range(2)}
    assert sorted(execute(nodes, [0, 1], threads=2)) == [0, 1]


def test_tasks_have_the_settings_of_the_caller():
    with accel.using(sim_seed=17):
        assert execute({"x": Node(lambda: accel.config.current().sim_seed)}, ["x"]) == [17]


def test_views_of_one_array_are_counted_once():
    size = 8 * KIB
    nodes = {"x": Node(lambda: np.zeros(size, "uint8"), [], size)}
    nodes |= {i: Node(lambda x, i=i: x[i:], ["x"], 0) for i in range(8)}
    nodes["end"] = Node(lambda *views: sum([view.base is not None for view in views]), [*range(8)], 0)
    result = []
    assert execute(nodes, ["end"], budget="1 MiB", statistics=result.append) == [8]
    assert result[0].peak == size


def test_inputs_that_are_given_twice_are_passed_twice():
    nodes = {
        "x": Node(lambda: np.ones(4)),
        "y": Node(lambda: 3.0),
        "sum": Node(lambda a, b, c: a + b + c, ["x", "y", "x"]),
    }
    assert execute(nodes, ["sum"])[0].tolist() == [5.0] * 4


def test_a_graph_with_a_cycle_or_without_a_node_is_refused():
    with pytest.raises(StoreValueError, match="'a' depends on itself: 'a' <- 'b' <- 'a'"):
        execute({"a": Node(abs, ["b"]), "b": Node(abs, ["a"])}, ["a"])
    with pytest.raises(StoreValueError, match="node 'a' depends on 'c', and the graph has no such node"):
        execute({"a": Node(abs, ["c"])}, ["a"])


def test_a_full_disk_is_an_error_that_says_so(tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    nodes, targets = chain(20, 4 * KIB)
    with pytest.raises(StoreError, match=r"could not be spilled to .*: No space left on device"):
        execute(nodes, targets, budget=16 * KIB, spill_folder=str(tmp_path))


def test_an_interrupt_of_the_waiting_thread_ends_all_threads(python):
    program = """
import _thread, threading
from accel.engines.graph import Node, execute

ran = []
released = threading.Event()

def interrupt():
    _thread.interrupt_main()
    released.wait(0.2)

nodes = {0: Node(interrupt, priority=0.0)}
nodes |= {i: Node(lambda i=i: ran.append(i), [0], priority=float(i)) for i in range(1, 100)}
try:
    execute(nodes, [*nodes], budget="1 MiB", threads=2)
except KeyboardInterrupt:
    print(len(ran) < 99, threading.active_count())
"""
    assert python(program).strip() == "True 1"


def test_a_graph_deeper_than_the_stack_of_python_is_computed():
    nodes = {0: Node(lambda: np.zeros(4), [], 32)}
    nodes |= {i: Node(lambda x: x + 1, [i - 1], 32) for i in range(1, 3000)}
    result = []
    assert execute(nodes, [2999], budget=64, threads=2, statistics=result.append)[0].tolist() == [2999.0] * 4
    assert result[0].peak == 64
