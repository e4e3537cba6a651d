"""Loops that are compiled in the background: later processes, forks, interrupts, the end, and without a compiler."""

import os
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from ..children import code_for_children

PREPARED = """
import os, signal, sys, threading, time
import numpy as np
from accel import xp
from accel.support.background import BACKGROUND
from accel.xp import compiled_functions
from accel.xp.array_library import library_on

compiled_functions._WORTH = 0
library_on("cpu").looped = 1
values = np.random.default_rng(0).random(5000)
x = xp.asarray(values)

def is_right(*axes):
    return all(abs(float(f(x)) / float(getattr(np, f.__name__)(values)) - 1) < 1e-13 for f in (xp.var, xp.std))

def is_compiled():
    return BACKGROUND.wait(60) and is_right() and {form[0] for form in BACKGROUND.results} == {"var", "std"} and all(
        BACKGROUND.results.values())
"""

COUNTED = """
from accel.backends.common.host_code import machine_code
compiled = []
class Counted(machine_code._Machine):
    def compiled(self, text):
        compiled.append(1)
        compiling.set()
        assert go_on.wait(60)
        return super().compiled(text)
machine_code._Machine = Counted
compiling, go_on = threading.Event(), threading.Event()
"""


@pytest.fixture
def printed(python: Any, tmp_path: Path) -> Any:
    """A function that runs PREPARED and more code in a new process, and returns what it prints."""

    def run(code: str, prepared: str = PREPARED + COUNTED) -> Any:
        return python(prepared + code_for_children() + dedent(code), ACCEL_CACHE_DIR=str(tmp_path))

    return run


def test_a_later_process_finds_the_code_on_disk(printed: Any) -> None:
    code = "go_on.set(); print(is_right(), is_compiled(), bool(compiled))"
    assert [printed(code), printed(code)] == ["True True True", "True True False"]


def test_a_small_computation_imports_nothing_and_starts_no_thread(printed: Any) -> None:
    code = """
        import numpy as np
        import sys, threading
        from accel import xp
        x = xp.ones(10_000)
        for _ in range(100):
            xp.var(x), x.std(), np.nanmean(x), xp.linalg.vector_norm(x)
        print([name for name in ("accel.fusion", "llvmlite", "numba") if name in sys.modules], threading.active_count())
    """
    assert printed(code, "import os, signal\n") == "[] 1"


def test_without_a_compiler_numpy_computes(printed: Any) -> None:
    code = """
        sys.modules["llvmlite"] = None
        print(is_right(), BACKGROUND.wait(60), is_right(), sorted({*map(type, BACKGROUND.results.values())}, key=str))
    """
    assert printed(code, PREPARED) == "True True True [<class 'NoneType'>]"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
class TestForks:
    def test_while_it_compiles_wait_and_the_child_computes_and_compiles(self, printed: Any) -> None:
        code = """
            assert is_right()
            assert compiling.wait(60)
            threading.Timer(0.05, go_on.set).start()
            print(in_child(lambda: is_right() and is_compiled()), is_compiled())
        """
        assert printed(code) == "0 True"

    def test_after_it_leave_the_child_its_loops(self, printed: Any) -> None:
        code = """
            go_on.set()
            assert is_right() and is_compiled()
            count = len(compiled)
            print(in_child(lambda: is_right() and is_compiled() and len(compiled) == count))
        """
        assert printed(code) == "0"


def test_an_interrupt_reaches_the_main_thread_alone(printed: Any) -> None:
    code = """
        assert is_right()
        assert compiling.wait(60)
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            print("interrupted", end=" ")
        go_on.set()
        print(is_right(), is_compiled())
    """
    assert printed(code) == "interrupted True True"


def test_a_process_ends_while_it_compiles(printed: Any) -> None:
    code = """
        assert is_right()
        assert compiling.wait(60)
        go_on.set()
        print("end")
    """
    assert printed(code) == "end"
