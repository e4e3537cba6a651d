"""`ci/random_programs.py` runs programs in processes, and prints a line for each that differs."""

import importlib.util
import subprocess
import sys
from typing import Any

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture
def script(root: Any) -> Any:
    return root / "ci/random_programs.py"


@pytest.mark.parametrize("options", [[], ["--device=sim"], ["--inexact"]])
def test_some_programs_differ_nowhere(script: Any, options: list[str]) -> None:
    command = [sys.executable, "-B", script, "--count=4", "--seed=400", *options]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stdout) == (0, ""), process.stderr
    assert "# up to seed 404: 0 differ" in process.stderr


def test_a_program_that_ends_its_process_is_a_line(script: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    spec: Any = importlib.util.spec_from_file_location("random_programs", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    ended = subprocess.CompletedProcess([], -11, "# 7\nseed 7: it differs\n# 8\n", "Segmentation fault\n")
    monkeypatch.setattr(module.subprocess, "run", lambda *_, **__: ended)
    monkeypatch.setattr(sys, "argv", ["random_programs"])
    expected = ["seed 7: it differs", "seed 8: the process ended with -11: Segmentation fault"]
    assert [*module._lines(module._options(), 7)] == expected
