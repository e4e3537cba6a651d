"""The threads of copies on the host: concurrent callers, forks, failures, and the exit of the process."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from accel.backends.common import compiled, host_copies, strided_copy, thresholds
from accel.backends.common.blocks import Block
from accel.backends.common.workers import WORKERS, Workers

import accel
from accel.abc import Leaf, Operand, Plan
from accel.support import host_compiler
from accel.testing.blocks import host_span, random_bytes

SIDE = 1024
BYTE = np.dtype("uint8")
BYTES = Block("turn", 1, 2)
TRANSPOSE = Plan((Leaf(SIDE, SIDE, 1), Leaf(SIDE, 1, SIDE)), 1, "transpose", tile=(1, 0), buffered=False)

PREPARED = f"""
    import os, signal, sys, threading
    import numpy as np
    import accel
    from accel.backends.common import compiled, host_copies, thresholds
    from accel.backends.common.variants import USUAL
    from accel.abc import Block, Leaf, Operand, Plan, Span

    thresholds.AT_ONCE = 0
    compiled._variant = USUAL
    side = int(os.environ.get("SIDE", {SIDE}))
    plan = Plan((Leaf(side, side, 1), Leaf(side, 1, side)), 1, "transpose", tile=(1, 0), buffered=False)
    out_of = np.random.default_rng(0).integers(0, 256, side * side, np.uint8)

    def operand(data):
        span = Span(Block(data.ctypes.data, data.nbytes, data), 0, data.nbytes)
        return Operand(span, 0, data.dtype, (), ())

    def transposed():
        into = np.empty_like(out_of)
        host_copies.copy(operand(into), into, operand(out_of), out_of, plan)
        return into

    def right():
        return np.array_equal(transposed().reshape(side, side), out_of.reshape(side, side).T)

    accel.configure(threads=3)
    assert right()
"""


@pytest.fixture
def started():
    """A function that starts a new process with PREPARED and more code."""

    def start(code, **environment):
        text = textwrap.dedent(PREPARED) + textwrap.dedent(code)
        return subprocess.Popen(
            [sys.executable, "-W", "error", "-c", text],
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(thresholds, "AT_ONCE", 0)


def transposed(out_of):
    into = np.empty_like(out_of)
    ends = (Operand(host_span(each), 0, BYTE, (), ()) for each in (into, out_of))
    host_copies.copy(next(ends), into, next(ends), out_of, TRANSPOSE)
    return into.reshape(SIDE, SIDE)


def ended(process):
    """Return what a process printed; it must exit by itself with status 0."""
    with process:
        try:
            output, errors = process.communicate(timeout=120)
        finally:
            process.kill()
    assert process.returncode == 0, errors
    return output.strip()


class TestCallers:
    def test_eight_at_once(self, at_once):
        sources = [random_bytes(SIDE * SIDE)[::-1].copy() + np.uint8(number) for number in range(8)]

        def work(out_of):
            with accel.using(threads=3):
                return all(np.array_equal(transposed(out_of), out_of.reshape(SIDE, SIDE).T) for _ in range(10))

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(work, sources))

    def test_the_thread_of_a_stream(self, at_once, stream):
        out_of = random_bytes(SIDE * SIDE)
        result = []
        with accel.using(threads=2):
            stream.submit(lambda: result.append(transposed(out_of))).wait()
        assert np.array_equal(result[0], out_of.reshape(SIDE, SIDE).T)

    def test_one_thread_needs_no_helpers(self):
        pool = Workers()
        done = []
        with accel.using(threads=1):
            pool.share(lambda *part: done.append(part), 100, 1 << 30)
        assert done == [(0, 100)]
        assert pool._threads == 0


class TestSharing:
    @pytest.mark.parametrize("threads", [1, 2, 5])
    @pytest.mark.parametrize("total", [1, 7, 1000])
    def test_each_part_is_done_once(self, threads, total):
        done = []
        with accel.using(threads=threads):
            Workers().share(lambda low, high: done.extend(range(low, high)), total, 1 << 30)
        assert sorted(done) == list(range(total))

    def test_a_failure_of_a_helper_is_raised_by_the_caller(self):
        caller = threading.current_thread()
        failed = threading.Event()

        def work(low, high):
            if threading.current_thread() is not caller:
                failed.set()
                raise MemoryError("no room")
            assert failed.wait(30)

        with accel.using(threads=2), pytest.raises(MemoryError, match="no room"):
            Workers().share(work, 100, 1 << 30)

    def test_an_interrupt_waits_for_those_who_still_write(self):
        caller = threading.current_thread()
        begun, over = threading.Event(), []

        def work(low, high):
            if threading.current_thread() is caller:
                assert begun.wait(30)
                raise KeyboardInterrupt
            begun.set()
            threading.Event().wait(0.05)
            over.append(low)

        with accel.using(threads=2), pytest.raises(KeyboardInterrupt):
            Workers().share(work, 100, 1 << 30)
        assert len(over) == 1

    def test_where_no_thread_can_be_had_the_caller_does_all(self, monkeypatch):
        def refuse(self):
            raise RuntimeError("can't create new thread at interpreter shutdown")

        monkeypatch.setattr(threading.Thread, "start", refuse)
        done = []
        with accel.using(threads=4):
            Workers().share(lambda low, high: done.extend(range(low, high)), 100, 1 << 30)
        assert sorted(done) == list(range(100))

    def test_a_finaliser_may_share_work_while_its_thread_hires_helpers(self, monkeypatch):
        start, workers, done = threading.Thread.start, Workers(), []

        def share(done=done):
            with accel.using(threads=3):
                workers.share(lambda low, high: done.extend(range(low, high)), 100, 1 << 30)

        def collected(thread):
            if thread.name == "accel-copy" and not result:
                result.append(1)
                share(result)
            start(thread)

        result = []
        monkeypatch.setattr(threading.Thread, "start", collected)
        sharing = threading.Thread(target=share, daemon=True)  # it would not end by itself
        sharing.start()
        sharing.join(10)
        assert sorted(done) == list(range(100))
        assert len(result) == 101

    def test_a_copy_that_fails_leaves_nothing_behind(self, monkeypatch):
        def fails(*_):
            raise MemoryError

        monkeypatch.setattr(strided_copy, "_by_kernel", lambda *_: False)
        monkeypatch.setattr(strided_copy, "_by_numpy", fails)
        before = len(WORKERS.callers)
        with pytest.raises(accel.errors.OutOfMemoryError):
            transposed(np.zeros(SIDE * SIDE, np.uint8))
        assert len(WORKERS.callers) == before

    def test_nothing_holds_the_memory_afterwards(self):
        class Held:
            alive = True

            def __del__(self):
                Held.alive = False

        def share(held):
            with accel.using(threads=2):
                Workers().share(lambda low, high: held, 100, 1 << 30)

        share(Held())
        assert not Held.alive


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
class TestForks:
    @pytest.mark.slow
    def test_a_child_starts_helpers_of_its_own(self, started):
        code = """
            child = os.fork()
            if not child:
                os._exit(0 if right() and right() else 1)
            assert right()
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
        assert ended(started(code)) == "0"

    @pytest.mark.slow
    def test_a_child_of_a_process_in_the_midst_of_copies(self, started):
        code = """
            stop = threading.Event()
            def keep_on():
                while not stop.is_set():
                    transposed()
            threads = [threading.Thread(target=keep_on) for _ in range(2)]
            for thread in threads:
                thread.start()
            for _ in range(5):
                child = os.fork()
                if not child:
                    signal.alarm(60)
                    os._exit(0 if right() else 1)
                assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            stop.set()
            for thread in threads:
                thread.join()
            print("done")
        """
        assert ended(started(code)) == "done"


class TestEnd:
    @pytest.mark.slow
    def test_during_copies_of_a_daemon(self, started):
        code = """
            begun = threading.Event()
            def keep_on():
                while True:
                    transposed()
                    begun.set()
            for _ in range(3):
                threading.Thread(target=keep_on, daemon=True).start()
            begun.wait()
        """
        assert ended(started(code, SIDE="4096")) == ""

    @pytest.mark.slow
    def test_during_copies_of_a_stream(self, started):
        code = """
            found = []
            stream = accel.new_stream("cpu")
            for _ in range(5):
                stream.submit(lambda: print(right()))
        """
        assert ended(started(code, SIDE="2048")).split() == ["True"] * 5

    @pytest.mark.slow
    def test_by_an_interrupt_from_the_keyboard(self, started):
        code = """
            try:
                print("begun", flush=True)
                while True:
                    transposed()
            except KeyboardInterrupt:
                print(right())
        """
        process = started(code, SIDE="4096")
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        assert ended(process) == "True"


class TestCompiling:
    def test_small_copies_need_no_compiler(self, python):
        code = """
            import sys
            import accel
            from accel import xp
            a = xp.zeros((300, 200))
            b = xp.asarray(a.T, copy=True)
            print("llvmlite" in sys.modules)
        """
        assert python(code) == "False"

    def test_a_kernel_comes_when_numpy_has_lost_what_it_costs(self, monkeypatch):
        monkeypatch.setattr(compiled, "_numpy_seconds", {})
        monkeypatch.setattr(compiled, "_kernels", {})
        assert compiled.kernel(BYTES, 1 << 16) is None
        compiled.add_numpy_time(BYTES, 1e-9)
        assert compiled.kernel(BYTES, 1 << 16) is None
        compiled._numpy_seconds[BYTES] += thresholds.COMPILING
        assert compiled.kernel(BYTES, 1 << 16) is not None

    def test_what_cannot_be_compiled_is_left_to_numpy(self, monkeypatch):
        monkeypatch.setattr(compiled, "_kernels", {})
        monkeypatch.setattr(host_compiler, "missing", lambda: host_compiler.INSTALL)
        assert compiled.kernel(BYTES, 1 << 30) is None

    @pytest.mark.slow
    def test_what_was_compiled_lies_in_the_folder_for_it(self, started, tmp_path):
        assert ended(started("print(right())", ACCEL_CACHE_DIR=str(tmp_path))) == "True"
        assert len([*tmp_path.glob("kernels/*.o")]) == 2
