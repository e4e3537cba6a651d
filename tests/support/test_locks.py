"""Threads that the library starts: one that ends before it runs, as where memory is short, is waited for by nobody."""

import gc
import threading
import weakref

import pytest

from accel.engines.graph.scheduler import Scheduler
from accel.support.locks import start

CASES = """
    import signal, threading, time
    import numpy as np
    import accel

    signal.alarm(60)
    dies, bootstrap = set(), threading.Thread._bootstrap_inner

    def dying(thread):
        if thread.name in dies:
            raise MemoryError
        bootstrap(thread)

    threading.Thread._bootstrap_inner = dying

    def said(work):
        try:
            return work()
        except RuntimeError as error:
            return str(error)

    def copied():
        c = accel.container(np.arange(4 << 20, dtype="float32"))
        with accel.using(threads=3):
            return bool((c.deep_copy().to_numpy() == c.to_numpy()).all())

    def streamed():
        target = accel.empty(1 << 17, "uint8")
        target.copy_from_async(accel.full(1 << 17, 7, "uint8"), stream=stream).wait()
        return bool((target.to_numpy() == 7).all())

    def simulated():
        return bool((accel.full(9, 7, "uint8", device="sim").to_numpy() == 7).all())

    stream = accel.new_stream("cpu")
    for name, work in {"accel-copy": copied, "accel-stream": streamed, "accel-sim": simulated}.items():
        dies.add(name)
        print(name, said(work))
        dies.clear()
        print(name, said(work))
"""
NO_ROOM = "can't start new thread: there is too little memory for it; release memory"


def test_a_thread_that_ends_before_it_runs_is_an_error_and_never_a_wait_without_end(python):
    lines = python(CASES).splitlines()
    assert lines == [
        "accel-copy True",
        "accel-copy True",
        f"accel-stream {NO_ROOM}",
        "accel-stream True",
        "accel-sim True",
        "accel-sim True",
    ]


@pytest.fixture
def dying(monkeypatch):
    """The names of threads that end before they run."""
    names, bootstrap = set(), threading.Thread._bootstrap_inner

    def begin(thread):
        if thread.name in names:
            raise MemoryError
        bootstrap(thread)

    monkeypatch.setattr(threading.Thread, "_bootstrap_inner", begin)
    return names


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
class TestStart:
    def test_returns_when_the_thread_runs(self):
        ran = threading.Event()
        thread = threading.Thread(target=ran.set, name="named")
        start(thread)
        assert ran.wait(30)
        thread.join(30)
        assert not thread.is_alive()

    def test_forgets_a_thread_that_died(self, dying):
        dying.add("short")
        before = threading.enumerate()
        with pytest.raises(RuntimeError, match="too little memory"):
            start(threading.Thread(target=int, name="short"))
        assert threading.enumerate() == before

    def test_keeps_no_thread_alive_by_itself(self):
        thread = threading.Thread(target=int)
        start(thread)
        thread.join(30)
        gone = weakref.ref(thread)
        gc.disable()
        try:
            del thread
            assert gone() is None
        finally:
            gc.enable()

    def test_a_graph_without_threads_is_an_error_and_ends(self, dying):
        dying.add("accel-budget")
        scheduler = Scheduler(1000, 3)
        scheduler._remaining = 3
        with pytest.raises(RuntimeError, match="too little memory"):
            scheduler.add([])
        assert scheduler._threads == []
