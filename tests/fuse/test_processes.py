"""Fused functions in the child of a fork, and in later processes, which find the compiled code on disk."""

import os
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from ..children import code_for_children

PREPARED = """
    import os, signal, threading
    import numpy as np
    import accel
    from accel import xp
    from accel.backends.common.host_code import machine_code

    compiled = []
    class Counted(machine_code._Machine):
        def compiled(self, text):
            compiled.append("fused" in text)
            return super().compiled(text)
    machine_code._Machine = Counted

    @accel.fuse(kernel_name="fused")
    def function(x, k):
        y = x * k + 1
        return y, xp.sqrt(y)[1:] - y[:-1]

    def is_right(size=5, k=2.0):
        y = np.full(size, k + 1)
        found = [np.asarray(each) for each in function(xp.ones(size), k)]
        return np.array_equal(found[0], y) and np.array_equal(found[1], np.sqrt(y)[1:] - y[1:])
"""


@pytest.fixture
def printed(python: Any, tmp_path: Path) -> Any:
    """A function that runs PREPARED and more code in a new process, and returns what it prints."""

    def run(code: str, folder: Path = tmp_path) -> Any:
        return python(dedent(PREPARED) + code_for_children() + dedent(code), ACCEL_CACHE_DIR=str(folder))

    return run


def files_in(folder: Path) -> list[Path]:
    return [*(folder / "kernels").glob("*.o")]


class TestTheCache:
    def test_spares_a_later_process_the_compiler_and_the_text_of_the_code(self, printed: Any) -> None:
        code = """
            import sys
            print(is_right(), is_right(7), any(compiled), "accel.backends.common.host_code.printer" in sys.modules)
        """
        assert [printed(code), printed(code)] == ["True True True True", "True True False False"]

    def test_is_not_used_after_a_change_of_the_library(self, printed: Any) -> None:
        code = "print(is_right(), any(compiled))"
        assert printed(code) == "True True"
        for module in ("accel.fusion.templates", "accel.backends.common.host_code.machine_code"):
            changed = f"import {module} as changed\nchanged._version = lambda: 'another'\n{code}"
            assert printed(changed) == "True True"

    @pytest.mark.parametrize(
        "damage", ["cut", *(pytest.param(each, marks=pytest.mark.slow) for each in ("flipped", "empty", "folder"))]
    )
    def test_that_is_damaged_is_repaired(self, printed: Any, tmp_path: Path, damage: str) -> None:
        assert printed("print(is_right())") == "True"
        for file in files_in(tmp_path):
            content = file.read_bytes()
            file.unlink()
            if damage == "folder":
                file.mkdir()
            else:
                changed = bytes([content[0] ^ 1]) + content[1:]
                file.write_bytes({"cut": content[:-40], "flipped": changed, "empty": b""}[damage])
        assert printed("print(is_right(), any(compiled))") == "True True"
        assert printed("print(is_right(), any(compiled))") == "True False"

    def test_that_cannot_be_written_is_done_without(self, printed: Any, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        assert printed("print(is_right())", tmp_path / "file") == "True"

    def test_that_is_full_is_done_without(self, printed: Any, tmp_path: Path) -> None:
        code = """
            import errno, pathlib
            def full(self, content):
                raise OSError(errno.ENOSPC, "No space left on device")
            pathlib.Path.write_bytes = full
            print(is_right(), is_right(7))
        """
        assert printed(code) == "True True"
        assert not files_in(tmp_path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks")
class TestForks:
    def test_a_child_calls_and_traces(self, printed: Any) -> None:
        code = """
            assert is_right()
            def work():
                other = accel.fuse(lambda x: x * 3 - 1)
                return is_right() and is_right(9, 4.0) and float(other(xp.ones(2))[0]) == 2.0
            print(in_child(work), is_right(9, 4.0))
        """
        assert printed(code) == "0 True"

    def test_a_child_of_a_fork_while_another_thread_traces_does_not_wait(self, printed: Any) -> None:
        code = """
            from accel.xp.array_base import ArrayBase
            fields = [vars(ArrayBase)[name] for name in ("_library", "_native")]
            within, go, weights = threading.Event(), threading.Event(), xp.ones(3)
            @accel.fuse
            def slow(x):
                within.set()
                go.wait(60)
                return x + weights
            results = []
            thread = threading.Thread(target=lambda: results.append(slow(xp.ones(3))))
            thread.start()
            within.wait(60)
            def work():
                assert fields == [vars(ArrayBase)[name] for name in ("_library", "_native")]
                go.set()
                return is_right() and float(slow(weights)[0]) == 2.0
            print(in_child(work))
            go.set()
            thread.join()
            print(float(results[0][0]), is_right())
        """
        assert printed(code) == "0\n2.0 True"

    def test_a_function_forks_while_it_is_traced(self, printed: Any) -> None:
        code = """
            weights, children = xp.ones(3), []
            @accel.fuse
            def forking(x):
                y = x + weights
                children.append(os.fork())
                return y * 2
            signal.alarm(60)
            right = float(forking(xp.ones(3))[0]) == 4.0 and is_right() and float(weights[0]) == 1.0
            if not children[0]:
                os._exit(0 if right else 2)
            print(os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]), right)
        """
        assert printed(code) == "0 True"
