"""`Course`: the tests of a course, and what they say of a submission."""

import importlib.util
import inspect
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from accel.commands.grading.submission import Submission, SubmissionError
from accel.support.report_files import Finding, merged

__all__ = ["Course", "Grade", "Result"]

_MOST_MESSAGE = 2000


class Result(NamedTuple):
    """What a test said: its name, an empty message if it passed, and how long it took."""

    test: str
    message: str
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether it passed."""
        return not self.message


class Grade(NamedTuple):
    """What the tests said of a submission.

    Attributes
    ----------
    name : str
        The submission.
    results : list of Result
        In the order of the tests.
    findings : list of Finding
        What its kernels did wrong.
    output : str
        The end of what it printed.
    """

    name: str
    results: list[Result]
    findings: list[Finding]
    output: str = ""

    @property
    def passed(self) -> int:
        """How many tests passed."""
        return sum(each.passed for each in self.results)

    @property
    def seconds(self) -> float:
        """How long the tests took."""
        return sum(each.seconds for each in self.results)


class Course:
    """The functions ``test_...`` of a file; each takes ``submission``, and may take ``rng``, made of the seed.

    Parameters
    ----------
    path : Path
        The file.
    seed : int
        The seed.

    Raises
    ------
    ValueError
        If the file has no tests, or one that takes something else.
    """

    def __init__(self, path: Path, seed: int) -> None:
        self._path = path
        self.seed = seed
        self.tests: list[str] = [name for name, _ in self._functions()]
        if not self.tests:
            raise ValueError(
                f"{path} has no tests; write functions named test_..., as in def test_sum(submission, rng)"
            )

    def _functions(self) -> list[tuple[str, Callable[..., Any]]]:
        """Return the tests of a new module, so that submissions share no state."""
        functions: list[tuple[str, Callable[..., Any]]] = [
            (name, value)
            for name, value in vars(_module(self._path)).items()
            if name.startswith("test_") and inspect.isfunction(value)
        ]
        for name, function in functions:
            other = {*inspect.signature(function).parameters} - {"submission", "rng"}
            if other:
                raise ValueError(
                    f"{self._path}: {name} takes {', '.join(sorted(other))}; a test takes submission and rng"
                )
        return functions

    def grade(self, submission: Submission) -> Grade:
        """Run all tests with a submission."""
        results = []
        for name, function in self._functions():
            begin = time.monotonic()
            message = self._message(name, function, submission)
            results.append(Result(name, message, time.monotonic() - begin))
        return Grade(submission.name, results, merged(submission.findings), submission.output())

    def _message(self, name: str, function: Callable[..., Any], submission: Submission) -> str:
        seed = [self.seed, *name.encode()]
        values = {"submission": submission, "rng": np.random.default_rng(seed)}
        taken = {each: values[each] for each in inspect.signature(function).parameters}
        try:
            function(**taken)
        except SubmissionError as error:
            return str(error)[:_MOST_MESSAGE] or "it failed"
        except AssertionError as error:
            return f"wrong result at {self._line(error)}: {error}".strip(" :\n")[:_MOST_MESSAGE]
        except Exception as error:
            return f"{type(error).__name__} at {self._line(error)}: {error}"[:_MOST_MESSAGE]
        return ""

    def _line(self, error: Exception) -> str:
        lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if self._is_ours(frame)]
        return f"{self._path.name}:{lines[-1]}" if lines else self._path.name

    def _is_ours(self, frame: FrameType) -> bool:
        return frame.f_code.co_filename == str(self._path)


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("accel_grade_tests", path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path} is no file of Python")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return module
