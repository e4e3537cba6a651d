"""Compilation of kernels, and copies without them: no llvmlite or a broken one, little memory, caches, and forks."""

import os
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from accel.backends.common import compiled, thresholds
from accel.backends.common.blocks import Block
from accel.backends.common.host_code import machine_code
from accel.backends.common.variants import USUAL

from accel.errors import CapabilityError, OutOfMemoryError

BYTES = Block("turn", 1, 2)

PREPARED = """
    import os, signal, sys, threading, warnings
    import numpy as np
    import accel
    from accel.backends.common import compiled, thresholds
    from accel.backends.common.blocks import Block
    from accel.backends.common.host_code import machine_code
    from accel.backends.common.variants import USUAL
    from accel.layout import Layout

    accel.configure(threads=1)
    compiled._variant = USUAL
    thresholds.AT_ONCE = 0
    side = 256
    block, other, third = (Block("turn", itemsize, 2) for itemsize in (4, 8, 2))
    source = accel.container(np.arange(side * side, dtype="float32"))

    def right():
        target = accel.zeros(side * side, "float32")
        columns, rows = Layout((side, side), (1, side)), Layout((side, side), (side, 1))
        accel.LayoutTensor(target, columns).copy_from(accel.LayoutTensor(source, rows))
        return np.array_equal(target.to_numpy().reshape(side, side).T, source.to_numpy().reshape(side, side))

    def by_kernels():
        return compiled._kernels.get(block) is not None
"""


@pytest.fixture
def printed():
    """A function that runs PREPARED and more code in a new process, and returns what it prints."""

    def run(code, *options, **environment):
        done = subprocess.run(
            [sys.executable, *options, "-c", textwrap.dedent(PREPARED) + textwrap.dedent(code)],
            check=False,
            capture_output=True,
            text=True,
            timeout=100,
            env={**os.environ, **environment},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip(), done.stderr.strip()

    return run


class TestWithoutLLVM:
    def test_that_is_not_installed_numpy_does_all_in_silence(self, printed):
        code = "sys.modules['llvmlite'] = None\nprint(right(), right(), by_kernels())"
        assert printed(code, "-W", "error") == ("True True False", "")

    BROKEN = pytest.mark.parametrize(
        "broken", ["sys.modules['llvmlite.binding'] = None", "import llvmlite.binding as b; b.JITLibraryBuilder = None"]
    )

    @BROKEN
    def test_that_can_be_used_numpy_does_all_and_it_is_said_once(self, printed, broken):
        code = f"{broken}\nprint(right(), right(), compiled.kernel(other, 1), by_kernels())"
        output, errors = printed(code, "-W", "always")
        assert output == "True True None False"
        assert errors.count("RuntimeWarning: copies are done by NumPy, as LLVM fails: ") == 1

    @BROKEN
    def test_copies_are_done_where_warnings_are_errors(self, printed, broken):
        code = f"{broken}\nprint(right(), right(), compiled._kernels == {{block: None}})"
        assert printed(code, "-W", "error")[0] == "True True True"

    def test_a_function_that_shows_warnings_may_raise(self, printed):
        code = """
            def show(*_, **__):
                raise OSError("no terminal")
            warnings.showwarning = show
            sys.modules["llvmlite.binding"] = None
            print(right(), compiled._kernels == {block: None})
        """
        assert printed(code)[0] == "True True"


class TestFolders:
    """If the cache folder cannot be written or read, each process compiles."""

    def test_that_cannot_be_written_are_done_without_and_nothing_lies_beside_the_code(self, printed, tmp_path):
        file = tmp_path / "file"
        file.touch()
        folders = str(file), str(file / "below"), "/proc/nothing", "~nobody-of-this-name/cache"
        code = f"""
            for folder in {folders}:
                compiled._kernels.clear()
                machine_code._loaded.clear()
                with accel.using(cache_dir=folder):
                    assert right() and by_kernels(), folder
            print("done")
        """
        assert printed(code, "-W", "error") == ("done", "")

    def test_whose_files_are_broken_are_compiled_again(self, printed, tmp_path):
        code = f"""
            import pathlib
            print(right(), by_kernels())
            files = [path for path in pathlib.Path({str(tmp_path)!r}).rglob("*.o")]
            for path in files:
                path.write_bytes(b"no code")
            compiled._kernels.clear()
            machine_code._loaded.clear()
            print(right(), by_kernels(), len(files), all(path.stat().st_size > 1000 for path in files))
        """
        result = printed(code, "-W", "error", ACCEL_CACHE_DIR=str(tmp_path))
        assert result == ("True True\nTrue True 2 True", "")


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space as Linux does")
def test_where_memory_is_short_nothing_is_compiled_before_there_is_more(printed):
    """Without memory LLVM would abort the process."""
    code = """
        import pathlib, resource
        pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (260 << 20), before[1]))
        print(right(), by_kernels())
        resource.setrlimit(resource.RLIMIT_AS, before)
        print(right(), by_kernels())
    """
    assert printed(code, "-W", "error") == ("True False\nTrue True", "")


@pytest.fixture
def compiling(monkeypatch):
    """No kernel is compiled yet; sets the function that compiles."""
    monkeypatch.setattr(compiled, "_kernels", {})
    monkeypatch.setattr(compiled, "_variant", USUAL)
    return lambda function: monkeypatch.setattr("accel.backends.common.linked.function_of", function)


def test_a_copy_in_the_midst_of_a_compilation_is_done_by_numpy(compiling):
    """A garbage collection can run at any time, and a finaliser may copy."""
    compiling(lambda *_: 1)
    with machine_code._lock:
        assert compiled.kernel(BYTES, 1 << 30) is None
    assert compiled.kernel(BYTES, 1 << 30) is not None


def test_a_copy_during_a_long_compilation_of_another_thread_is_done_by_numpy(compiling, monkeypatch):
    compiling(lambda *_: 1)
    monkeypatch.setattr(thresholds, "COMPILING", 0.01)
    begun, end = threading.Event(), threading.Event()

    def compile_long():
        with machine_code._lock:
            begun.set()
            assert end.wait(60)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(compile_long)
        assert begun.wait(60)
        assert compiled.kernel(BYTES, 1 << 30) is None
        end.set()
    assert compiled.kernel(BYTES, 1 << 30) is not None


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OutOfMemoryError("little")])
def test_a_compilation_that_was_stopped_is_tried_again(compiling, error):
    def stopped(*_):
        raise error

    compiling(stopped)
    try:
        assert compiled.kernel(BYTES, 1 << 30) is None
    except KeyboardInterrupt:
        assert isinstance(error, KeyboardInterrupt)
    compiling(lambda *_: 1)
    assert compiled.kernel(BYTES, 1 << 30) is not None


@pytest.mark.filterwarnings("ignore:copies are done by NumPy")
def test_a_compilation_that_failed_is_not_tried_again(compiling):
    calls = []

    def failing(*_):
        calls.append(1)
        raise CapabilityError("broken")

    compiling(failing)
    assert [compiled.kernel(BYTES, 1 << 30) for _ in range(3)] == [None] * 3
    assert len(calls) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
class TestForks:
    # The thread compiles until it is told to stop, and holds the locks that a compilation holds.
    CODE = """
        begun, go_on = threading.Event(), threading.Event()

        class Slow(machine_code._Machine):
            def compiled(self, *arguments):
                from llvmlite.binding import ffi
                with ffi.lib._lock:
                    begun.set()
                    assert go_on.wait(60)
                return super().compiled(*arguments)

        {before}
        machine_code._llvm()[1].__class__ = Slow
        copied = []
        thread = threading.Thread(target=lambda: copied.append(right()))
        thread.start()
        assert begun.wait(60)
        child = os.fork()
        if not child:
            signal.alarm(60)
            {child}
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        go_on.set()
        thread.join()
        print(status, copied, by_kernels())
    """

    def test_do_not_wait_for_a_compilation_and_the_child_copies_by_numpy(self, printed, tmp_path):
        child = "os._exit(0 if right() and right() and compiled._kernels == {} else 1)"
        code = self.CODE.format(before="", child=child)
        assert printed(code, ACCEL_CACHE_DIR=str(tmp_path))[0] == "0 [True] True"

    def test_leave_the_child_what_was_compiled_before(self, printed, tmp_path):
        before = "assert compiled.kernel(other, 1)"
        child = "os._exit(0 if compiled.kernel(other, 1) and compiled.kernel(third, 1) is None and right() else 1)"
        code = self.CODE.format(before=before, child=child)
        assert printed(code, ACCEL_CACHE_DIR=str(tmp_path))[0] == "0 [True] True"

    def test_between_compilations_leave_the_child_all(self, printed):
        code = """
            assert compiled.kernel(other, 1)
            child = os.fork()
            if not child:
                signal.alarm(60)
                os._exit(0 if right() and by_kernels() else 1)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), right())
        """
        assert printed(code)[0] == "0 True"

    def test_within_a_compilation_go_on_with_it_in_the_child(self, printed):
        """A finaliser may fork."""
        code = """
            import accel.backends.common.linked as linked
            text = linked.kernel_text
            def forking(variant):
                global child
                child = os.fork()
                if not child:
                    signal.alarm(60)
                return text(variant)
            linked.kernel_text = forking
            done = right() and by_kernels()
            if not child:
                os._exit(0 if done else 1)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), done)
        """
        assert printed(code)[0] == "0 True"


def test_a_process_ends_while_a_daemon_compiles(printed, tmp_path):
    code = """
        begun = threading.Event()
        class Announced(machine_code._Machine):
            def compiled(self, *arguments):
                begun.set()
                return super().compiled(*arguments)
        machine_code._llvm()[1].__class__ = Announced
        threading.Thread(target=right, daemon=True).start()
        assert begun.wait(60)
        print("end")
    """
    assert printed(code, ACCEL_CACHE_DIR=str(tmp_path)) == ("end", "")


def test_a_thread_with_a_small_stack_copies_by_a_kernel(printed):
    """The buffer for a tile is larger than the stacks of threads are in some C libraries."""
    assert printed(
        """
        right()  # compiled by a thread with a large stack
        threading.stack_size(1 << 17)
        results = []
        thread = threading.Thread(target=lambda: results.append((right(), by_kernels())))
        thread.start()
        thread.join()
        print(results)
        """
    ) == ("[(True, True)]", "")
