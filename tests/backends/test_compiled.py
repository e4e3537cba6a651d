"""Compilation of kernels, and copies without them: numba disabled or broken, little memory, caches, and forks."""

import os
import subprocess
import sys
import textwrap

import pytest
from accel.backends.common import compiled
from accel.backends.common.blocks import Block

BYTES, PAIRS = Block("turn", 1, 2), Block("turn", 2, 2)

PREPARED = """
    import os, signal, sys, threading, warnings
    import numpy as np
    import accel
    from accel.backends.common import compiled, thresholds
    from accel.backends.common.blocks import Block
    from accel.layout import Layout

    accel.configure(threads=1)
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


class TestWithoutNumba:
    def test_that_compiles_nothing_numpy_does_all_in_silence(self, printed):
        code = "print(right(), right(), by_kernels())"
        assert printed(code, NUMBA_DISABLE_JIT="1") == ("True True False", "")

    @pytest.mark.parametrize("broken", ["sys.modules['numba'] = None", "import numba; numba.njit = None"])
    def test_that_can_be_used_numpy_does_all_and_it_is_said_once(self, printed, broken):
        code = f"{broken}\nprint(right(), right(), compiled.kernel(other, 1), by_kernels())"
        output, errors = printed(code, "-W", "always")
        assert output == "True True None False"
        assert errors.count("RuntimeWarning: copies are done by NumPy, as numba fails: ") == 1

    @pytest.mark.parametrize("broken", ["sys.modules['numba'] = None", "import numba; numba.njit = None"])
    def test_copies_are_done_where_warnings_are_errors(self, printed, broken):
        code = f"{broken}\nprint(right(), right(), compiled._kernels == {{block: None}})"
        assert printed(code, "-W", "error")[0] == "True True True"

    def test_a_function_that_shows_warnings_may_raise(self, printed):
        code = """
            def show(*_, **__):
                raise OSError("no terminal")
            warnings.showwarning = show
            sys.modules["numba"] = None
            print(right(), compiled._kernels == {block: None})
        """
        assert printed(code)[0] == "True True"


class TestFolders:
    """If the cache folder cannot be written, each process compiles."""

    @pytest.mark.slow
    def test_that_cannot_be_written_are_done_without_and_nothing_lies_beside_the_code(self, printed, tmp_path):
        file = tmp_path / "file"
        file.touch()
        folders = str(file), str(file / "below"), "/proc/nothing", "~nobody-of-this-name/cache"
        code = f"""
            import numba
            for folder in {folders}:
                compiled._kernels.clear()
                with accel.using(cache_dir=folder):
                    assert right() and compiled._kernels[block].stats.cache_path is None, folder
            print("done")
        """
        assert printed(code, "-W", "error") == ("done", "")

    @pytest.mark.slow
    def test_whose_files_are_broken_or_that_are_full_are_done_without(self, printed, tmp_path):
        code = f"""
            import pathlib, numba.core.caching
            folder = pathlib.Path({str(tmp_path)!r})
            print(right(), by_kernels(), compiled._kernels.pop(block).stats.cache_path.startswith(str(folder)))
            files = [path for path in folder.rglob("*") if path.is_file()]
            for path in files:
                path.write_bytes(b"no pickle")
            print(right(), by_kernels(), len(files))
            for path in files:
                path.unlink()
            def full(*_):
                raise OSError(28, "No space left on device")
            numba.core.caching.IndexDataCacheFile.save = full
            compiled._kernels.clear()
            print(right(), by_kernels(), compiled._kernels[block].stats.cache_path)
        """
        result = printed(code, "-W", "error", ACCEL_CACHE_DIR=str(tmp_path))
        assert result == ("True True True\nTrue True 2\nTrue True None", "")


@pytest.mark.slow
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


def test_a_copy_in_the_midst_of_a_compilation_is_done_by_numpy(monkeypatch):
    """A garbage collection can run at any time, and a finaliser may copy."""
    result = []

    def compiling(block):
        result.append(compiled.kernel(PAIRS, 1 << 30))
        return len

    monkeypatch.setattr(compiled, "_kernels", {})
    monkeypatch.setattr(compiled, "_compiled", compiling)
    assert compiled.kernel(BYTES, 1 << 30) is len
    assert result == [None]
    assert compiled._compiling is None
    assert compiled.kernel(PAIRS, 1 << 30) is len


def test_an_interrupted_compilation_is_tried_again(monkeypatch):
    def interrupted(block):
        raise KeyboardInterrupt

    monkeypatch.setattr(compiled, "_kernels", {})
    monkeypatch.setattr(compiled, "_compiled", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compiled.kernel(BYTES, 1 << 30)
    monkeypatch.setattr(compiled, "_compiled", lambda block: len)
    assert compiled.kernel(BYTES, 1 << 30) is len


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
class TestForks:
    # The thread compiles until it is told to stop, and holds numba's lock as numba does.
    CODE = """
        from numba.core.compiler_lock import global_compiler_lock
        begun, go_on, compile = threading.Event(), threading.Event(), compiled._compiled

        @global_compiler_lock
        def slowly(kind):
            begun.set()
            assert go_on.wait(60)
            return compile(kind)

        compiled._compiled = slowly
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

    @pytest.mark.slow
    def test_do_not_wait_for_a_compilation_and_the_child_copies_by_numpy(self, printed):
        child = "os._exit(0 if right() and right() and compiled._kernels == {} else 1)"
        assert printed(self.CODE.format(child=child))[0] == "0 [True] True"

    @pytest.mark.slow
    def test_leave_the_child_what_was_compiled_before(self, printed):
        child = "os._exit(0 if compiled.kernel(other, 1) is len and compiled.kernel(third, 1) is None else 1)"
        code = "compiled._kernels[other] = len\n" + textwrap.dedent(self.CODE.format(child=child))
        assert printed(code)[0] == "0 [True] True"

    @pytest.mark.slow
    def test_between_compilations_leave_the_child_all(self, printed):
        code = """
            child = os.fork()
            if not child:
                signal.alarm(60)
                os._exit(0 if right() and by_kernels() else 1)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), right())
        """
        assert printed(code)[0] == "0 True"

    @pytest.mark.slow
    def test_within_a_compilation_go_on_with_it_in_the_child(self, printed):
        """Numba itself, or a finaliser, may fork."""
        code = """
            compile = compiled._compiled
            def forking(kind):
                global child
                child = os.fork()
                if not child:
                    signal.alarm(60)
                return compile(kind)
            compiled._compiled = forking
            done = right() and by_kernels()
            if not child:
                os._exit(0 if done else 1)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), done)
        """
        assert printed(code)[0] == "0 True"
