"""Work in the background: each piece is done once, and forks, interrupts and the end of a process are safe."""

import os
import threading
from functools import partial
from textwrap import dedent
from typing import Any

import pytest

from accel.support import background
from accel.support.background import Background

from ..children import code_for_children
from ..threads import run_at_once

SECONDS = 60

FORKING = """
import os, signal, threading, time
from accel.support.background import BACKGROUND as work

state, begun, go_on = [], threading.Event(), threading.Event()
def change():
    begun.set()
    state.append("half")
    assert go_on.wait(60)
    time.sleep(0.05)  # time for a fork that does not wait
    state.append("whole")
    return "done"
"""


@pytest.fixture
def work() -> Background:
    return Background()


class Gate:
    """Work that ends when it is told to."""

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()

    def __call__(self) -> str:
        self.begun.set()
        assert self.go_on.wait(SECONDS)
        return "done"


def test_who_asks_never_waits_and_finds_the_result_later(work: Background) -> None:
    gate = Gate()
    assert work.submit("a", gate) is None
    assert gate.begun.wait(SECONDS)
    assert work.submit("a", gate) is None
    gate.go_on.set()
    assert work.wait(SECONDS)
    assert work.submit("a", gate) == "done"


def test_it_is_done_in_another_thread_in_the_order_of_the_questions(work: Background) -> None:
    gate, order = Gate(), []
    work.submit("gate", gate)
    for number in range(5):
        work.submit(number, partial(order.append, number))
    work.submit("thread", lambda: threading.current_thread().name)
    gate.go_on.set()
    assert work.wait(SECONDS)
    assert order == [*range(5)]
    assert work.results["thread"] == "accel-background"


def test_each_piece_is_done_once_however_many_threads_ask(work: Background) -> None:
    done: list[int] = []

    def ask() -> None:
        for number in range(50):
            work.submit(number, partial(done.append, number))

    run_at_once([ask] * 4)
    assert work.wait(SECONDS)
    assert sorted(done) == [*range(50)]


def test_what_fails_gives_none_and_is_not_tried_again(work: Background) -> None:
    def fail() -> None:
        done.append(1)
        raise SystemExit("broken")

    done: list[int] = []
    for _ in range(3):
        assert work.submit("a", fail) is None
        assert work.wait(SECONDS)
    assert len(done) == 1
    assert str(work.errors["a"]) == "broken"
    assert work.errors["a"].__traceback__ is None
    assert work.submit("b", lambda: 2) is None
    assert work.wait(SECONDS)
    assert work.submit("b", fail) == 2


def test_work_may_ask_for_more(work: Background) -> None:
    work.submit("a", lambda: work.submit("b", lambda: 3))
    assert work.wait(SECONDS)
    assert work.submit("b", lambda: 4) == 3


def test_the_thread_ends_when_nothing_is_left_and_begins_again(work: Background) -> None:
    threads: list[threading.Thread] = []
    for number in range(3):
        work.submit(number, lambda: threads.append(threading.current_thread()))
        assert work.wait(SECONDS)
        threads[-1].join(SECONDS)
        assert not threads[-1].is_alive()
    assert len({*threads}) == len(threads) == 3


def test_without_threads_the_next_call_tries_again(work: Background, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(background, "start", refuse)
        assert work.submit("a", lambda: 1) is None
    assert work.submit("a", lambda: 1) is None
    assert work.wait(SECONDS)
    assert work.submit("a", lambda: 1) == 1


@pytest.mark.parametrize("runs", [False, True])
def test_an_interrupt_while_the_thread_starts_loses_nothing(
    work: Background, monkeypatch: pytest.MonkeyPatch, runs: bool
) -> None:
    start, done = background.start, []

    def interrupted(thread: threading.Thread) -> None:
        if runs:
            start(thread)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(background, "start", interrupted)
        with pytest.raises(KeyboardInterrupt):
            work.submit("a", lambda: done.append(1))
    work.submit("a", lambda: done.append(1))
    assert work.wait(SECONDS)
    assert done == [1]


def test_after_the_end_nothing_begins(work: Background) -> None:
    gate = Gate()
    work.submit("a", gate)
    work.submit("b", lambda: 1)
    assert gate.begun.wait(SECONDS)
    closing = threading.Thread(target=work.close)
    closing.start()
    gate.go_on.set()
    closing.join(SECONDS)
    assert not closing.is_alive()
    assert work.results == {"a": "done"}
    assert work.submit("c", lambda: 1) is None
    assert work.results == {"a": "done"}


def test_the_end_waits_for_some_seconds_at_most(work: Background, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_LONGEST", 0.01)
    gate = Gate()
    work.submit("a", gate)
    assert gate.begun.wait(SECONDS)
    work.close()
    gate.go_on.set()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
class TestForks:
    @pytest.fixture
    def printed(self, python: Any) -> Any:
        return lambda code: python(FORKING + code_for_children() + dedent(code))

    def test_wait_for_what_is_being_done_so_the_child_finds_no_half_of_it(self, printed: Any) -> None:
        code = """
            work.submit("a", change)
            begun.wait()
            threading.Timer(0.05, go_on.set).start()
            ended = in_child(lambda: state == ["half", "whole"] and work.submit("b", lambda: 2) is None
                             and work.wait(30) and work.submit("b", None) == 2)
            print(ended, work.wait(30), work.submit("a", None))
        """
        assert printed(code) == "0 True done"

    def test_leave_the_child_what_was_made_before_and_forget_what_was_not(self, printed: Any) -> None:
        code = """
            work.submit("a", lambda: 1)
            assert work.wait(30)
            work._start = lambda: None
            work.submit("b", lambda: 2)
            del work._start
            print(in_child(lambda: work.submit("a", None) == 1 and not work._pieces), work.wait(30), work.results)
        """
        assert printed(code) == "0 True {'a': 1, 'b': 2}"

    def test_wait_for_some_seconds_at_most(self, printed: Any) -> None:
        code = """
            from accel.support import background
            background._LONGEST = 0.01
            work.submit("a", change)
            begun.wait()
            ended = in_child(lambda: state == ["half"] and work.submit("b", lambda: 2) is None and work.wait(30))
            go_on.set()
            print(ended, work.wait(30), state)
        """
        assert printed(code) == "0 True ['half', 'whole']"

    def test_of_several_threads_at_once_let_work_go_on(self, printed: Any) -> None:
        code = """
            ended = []
            threads = [threading.Thread(target=lambda: ended.append(in_child(lambda: True))) for _ in range(4)]
            for number in range(20):
                work.submit(number, lambda: time.sleep(0.001))
            for each in threads: each.start()
            for each in threads: each.join()
            print(ended, work.wait(30), len(work.results))
        """
        assert printed(code) == "[0, 0, 0, 0] True 20"

    def test_within_a_piece_the_child_goes_on(self, printed: Any) -> None:
        code = """
            work.submit("a", lambda: in_child(lambda: work.submit("b", lambda: 1) is None and work.wait(30)))
            print(work.wait(30), work.results)
        """
        assert printed(code) == "True {'a': 0}"


def test_a_process_ends_while_work_is_done(python: Any) -> None:
    code = """
        import time
        from accel.support.background import BACKGROUND as work
        def long():
            begun.append(1)
            time.sleep(0.2)
            print("whole")
        begun = []
        work.submit("a", long)
        work.submit("b", lambda: print("never"))
        while not begun: time.sleep(0.001)
    """
    assert python(dedent(code)) == "whole"
