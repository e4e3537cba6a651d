"""Signals while kernels run on the host: an interrupt stops a long one, and a fault names the kernel."""

import signal
import subprocess
import sys
from textwrap import dedent

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the structures of signals are those of Linux")

PREPARED = """
    import ctypes, faulthandler, mmap, os, signal, sys, tempfile, threading
    import numpy as np
    import accel

    from accel.dtypes import f32, i64
    from accel.kernels import accumulator, barrier, kernel, thread_index

    signal.alarm(60)
    LONG = 1 << 44

    @kernel
    def serial(v, n: i64):
        for i in range(1):
            v[0] = 1
            s = i64(1)
            for j in range(n):
                s = (s ^ j) * i64(3)
            v[1] = s

    @kernel
    def nested(v, n: i64):
        for i in range(1):
            s = i64(1)
            for j in range(n):
                v[0] = 1
                for k in range(v.size):
                    s = (s ^ k) * i64(3) + j
            v[1] = s

    @kernel
    def without_number(v, n: i64):
        for i in range(v.size):
            v[i] = 1
            s = i64(1)
            while s != n:
                s = s * i64(3)
            v[i] = 2

    @kernel
    def parallel(v, n: i64):
        for i in range(n):
            v[i & 3] = 1 + (i & 3)

    @kernel
    def rows(v, n: i64):
        for i, j in accel.kernels.grid(n, 2):
            v[j] = 1 + (i & 3)

    @kernel
    def reduced(v, n: i64):
        s = accumulator(i64, 0)
        for i in range(n):
            v[0] = 1
            s += i * i
        return s

    @kernel
    def of_threads(v, n: i64):
        s = i64(1)
        v[thread_index.x] = 1
        for j in range(n):
            s = (s ^ j) * i64(3)
        v[thread_index.x] = s

    @kernel
    def of_blocks(v, n: i64):
        v[thread_index.x] = 1

    @kernel
    def waiting(v, n: i64):
        for j in range(n):
            v[thread_index.x] = 1
            barrier()

    def plain(kernel):
        return lambda v, n: kernel(v, n)

    FORMS = {
        "serial": plain(serial), "nested": plain(nested), "without_number": plain(without_number),
        "parallel": plain(parallel), "rows": plain(rows), "reduced": plain(reduced),
        "of_threads": of_threads.on(grid=1, block=4), "of_blocks": of_blocks.on(grid=(2**31 - 1, 65_535), block=4),
        "waiting": waiting.on(grid=1, block=4),
    }

    def pressed(v):
        while not v[0]:
            pass
        os.kill(os.getpid(), signal.SIGINT)

    def interrupted(form, n=LONG):
        v = np.zeros(4, "int64")
        thread = threading.Thread(target=pressed, args=(v,), daemon=True)
        thread.start()
        try:
            FORMS[form](v, n)
        except KeyboardInterrupt as error:
            return v[0] != 0, error.__notes__[0]
        finally:
            thread.join()

    @kernel
    def runaway(v, by: i64):
        for i in range(v.size):
            v[i + by] = 1
"""
NOTE = "kernel {} was stopped before its end; the elements that it had written stay as it wrote them"
QUICK = "serial", "parallel"
FORMS = "nested", "without_number", "rows", "reduced", "of_threads", "of_blocks", "waiting"


@pytest.fixture
def ended(tmp_path):
    """A function that runs PREPARED and more code in a new process, and returns that process."""

    def run(code):
        script = tmp_path / "script.py"
        script.write_text(dedent(PREPARED) + dedent(code))
        return subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=200)

    return run


@pytest.fixture
def printed(ended):
    """As `ended`, for a process that succeeds; returns what it prints."""

    def run(code):
        done = ended(code)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


class TestInterrupts:
    @pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.slow), 3])
    def test_stop_a_long_kernel_which_says_what_it_left(self, printed, threads):
        code = f"accel.configure(threads={threads})\nfor each in {QUICK}: print(*interrupted(each))"
        assert printed(code).splitlines() == [f"True {NOTE.format(each)}" for each in QUICK]

    @pytest.mark.slow
    @pytest.mark.parametrize("debug", [False, True])
    def test_stop_a_kernel_of_any_form(self, printed, debug):
        code = f"accel.configure(threads=3, debug={debug})\nfor each in {FORMS}: print(*interrupted(each))"
        assert printed(code).splitlines() == [f"True {NOTE.format(each)}" for each in FORMS]

    def test_leave_all_as_it_was_for_the_next_launch(self, printed):
        code = """
            accel.configure(threads=3)
            interrupted("parallel")
            c = accel.zeros(1_000_000, "int64")
            parallel(c[:], 8)
            print(c.to_numpy()[:4].tolist())
        """
        assert printed(code) == "[1, 2, 3, 4]"

    def test_whose_handler_raises_nothing_let_the_kernel_go_on(self, printed):
        code = """
            seen = []
            signal.signal(signal.SIGINT, lambda *_: (seen.append(1), state.__setitem__(1, 1)))
            state = np.zeros(4, "int64")

            @kernel
            def until(v):
                for i in range(1):
                    v[0] = 1
                    while v[1] == 0:
                        v[2] += 1
                    v[3] = 7

            thread = threading.Thread(target=pressed, args=(state,))
            thread.start()
            until(state)
            print(seen, state[3])
        """
        assert printed(code) == "[1] 7"

    def test_whose_handler_launches_kernels_and_raises_stop_the_first(self, printed):
        code = """
            class Stop(Exception): pass
            other = accel.zeros(500_000, "int64")
            def handler(*_):
                parallel(other[:], 500_000)
                raise Stop
            signal.signal(signal.SIGINT, handler)
            parallel(other[:], 8)
            try:
                interrupted("serial")
            except Stop as error:
                print(error.__notes__[0], other.to_numpy()[:4].tolist())
        """
        assert printed(code) == f"{NOTE.format('serial')} [1, 2, 3, 4]"

    def test_whose_handler_forks_end_in_the_child_and_not_in_the_parent(self, printed):
        code = """
            accel.configure(threads=3)
            children = []
            def handler(*_):
                children.append(os.fork())
                if children[0]:
                    raise KeyboardInterrupt
            signal.signal(signal.SIGINT, handler)
            try:
                print(interrupted("parallel")[1], flush=True)
            except RuntimeError as error:
                os._exit(7 if "forked" in str(error) and error.__notes__ else 1)
            print(os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]))
        """
        assert printed(code) == f"{NOTE.format('parallel')}\n7"

    def test_end_a_launch_in_another_thread_only_where_that_ends_itself(self, printed):
        code = """
            v = np.zeros(4, "int64")
            thread = threading.Thread(target=without_number, args=(v, 9**9 * 3))
            thread.start()
            try:
                pressed(v)
                threading.Event().wait(50)
            except KeyboardInterrupt:
                print("interrupted")
            thread.join()
            print(v.tolist())
        """
        assert printed(code) == "interrupted\n[2, 2, 2, 2]"

    @pytest.mark.parametrize("form", ["serial", "of_threads"])
    def test_stop_a_long_kernel_on_a_simulated_device(self, printed, form):
        code = f"""
            c = accel.zeros(8, "int64", device="sim")
            launch = FORMS[{form!r}]
            launch(c[:], 10)
            c.to_numpy()
            event = launch(c[:], LONG)
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
            try:
                event.wait()
            except KeyboardInterrupt:
                print("interrupted")
            try:
                event.wait()
            except RuntimeError as error:
                print("what it writes is incomplete" in str(error))
        """
        assert printed(code) == "interrupted\nTrue"


REPORT = "accel: kernel runaway used memory that is not there: an index is far outside of its view"


class TestFaults:
    @pytest.mark.parametrize("size", [10, 3_000_000])
    def test_name_the_kernel_and_end_the_process_by_the_signal(self, ended, size):
        done = ended(f"""
            accel.configure(threads=3)
            runaway(accel.zeros({size}, "float32")[:], 2**40)
        """)
        assert done.returncode == -signal.SIGSEGV
        assert done.stderr.startswith(REPORT)
        assert done.stderr.count(REPORT) == 1
        assert "with accel.debug(): ..." in done.stderr

    def test_find_the_line_as_the_report_says(self, ended):
        done = ended("with accel.debug(): runaway(accel.zeros(10, 'float32')[:], 2**40)")
        assert "KernelBoundsError" in done.stderr
        assert "script.py:" in done.stderr.rsplit("KernelBoundsError", 1)[1]

    @pytest.mark.parametrize("first", [True, False])
    def test_are_shown_by_faulthandler_too(self, ended, first):
        launch = "runaway(accel.zeros(10, 'float32')[:], 0)"
        lines = ["faulthandler.enable()", launch] if first else [launch, "faulthandler.enable()"]
        done = ended("\n".join([*lines, launch.replace("0)", "2**40)")]))
        assert done.returncode == -signal.SIGSEGV
        assert done.stderr.count(REPORT) == 1
        assert done.stderr.count("Fatal Python error: Segmentation fault") == 1

    def test_end_the_process_also_if_a_handler_of_python_is_called(self, ended):
        done = ended("""
            signal.signal(signal.SIGSEGV, lambda *_: None)
            runaway(accel.zeros(10, "float32")[:], 2**40)
        """)
        assert done.returncode == -signal.SIGSEGV
        assert done.stderr.count(REPORT) == 1

    def test_of_a_file_that_was_cut_are_reported(self, ended):
        done = ended("""
            with tempfile.TemporaryFile() as file:
                file.truncate(1 << 20)
                v = np.memmap(file, "float32")
                runaway(v, 0)
                file.truncate(0)
                runaway(v, 0)
        """)
        assert done.returncode == -signal.SIGBUS
        assert done.stderr.startswith(REPORT)
        assert done.stderr.count(REPORT) == 1

    def test_outside_of_kernels_are_left_to_others(self, ended):
        done = ended("""
            faulthandler.enable()
            runaway(accel.zeros(3_000_000, "float32")[:], 0)
            ctypes.string_at(8)
        """)
        assert done.returncode == -signal.SIGSEGV
        assert "Fatal Python error: Segmentation fault" in done.stderr
        assert "accel: kernel" not in done.stderr

    def test_that_are_only_signals_reach_the_handlers_before_ours_each_time(self, printed):
        code = """
            seen = []
            signal.signal(signal.SIGSEGV, lambda *_: seen.append(1))
            runaway(accel.zeros(10, "float32")[:], 0)
            for _ in range(3):
                os.kill(os.getpid(), signal.SIGSEGV)
            print(seen)
        """
        assert printed(code) == "[1, 1, 1]"
