"""`Submission`: what the tests of a course call."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from accel.commands.grading.process import Worker, WorkerEndedError
from accel.support.report_files import Finding, Location

__all__ = ["Submission", "SubmissionError"]

_MOST_TEXT, _MOST_FINDINGS, _MOST_DEPTH = 20_000, 20, 8

Extents: TypeAlias = "int | tuple[int, ...]"


class SubmissionError(Exception):
    """A submission that did something wrong; the message says what."""


class Submission:
    """A submission, as a test sees it. Its code runs in another process, which gets the arguments and nothing else.

    Attributes
    ----------
    name : str
        Its name.
    findings : list of Finding
        What its kernels did wrong so far, each once.
    """

    def __init__(self, name: str, seed: int, start: Callable[[], Worker]) -> None:
        self.name = name
        self.findings: list[Finding] = []
        self._seed = seed
        self._start = start
        self._worker: Worker | None = None
        self._printed = ""

    def launch(
        self, kernel: str, *arguments: Any, grid: Extents, block: Extents = 256, shared: int = 0
    ) -> list[np.ndarray[Any, Any]]:
        """Launch a kernel of CUDA or HIP, with all checks.

        Parameters
        ----------
        kernel : str
            Its name; it is ``extern "C"``.
        *arguments
            NumPy's arrays, which are copied to a simulated device, and numbers.
        grid, block : int or tuple of up to three ints
            Extents of the launch.
        shared : int
            Bytes of dynamic shared memory.

        Returns
        -------
        list of ndarray
            All arrays as they are after the launch, in the order of the arguments, which are never changed.

        Raises
        ------
        SubmissionError
            If it does not compile, does something wrong, or ends the process.
        """
        values, arrays = _parts(arguments)
        request = {"do": "launch", "name": kernel, "grid": grid, "block": block, "shared": shared}
        _, results = self._ask({**request, "arguments": values}, arrays)
        if [(each.dtype, each.shape) for each in results] != [(each.dtype, each.shape) for each in arrays]:
            raise SubmissionError("it answered with other arrays than it was given")
        return results

    def call(self, function: str, *arguments: Any, device: str | None = "sim") -> Any:
        """Call a function of a submission in Python.

        Parameters
        ----------
        function : str
            Its name.
        *arguments
            NumPy's arrays, and numbers, strings or None.
        device : str, optional
            Where it gets arrays, as those of `accel.xp`; with None, it gets NumPy's.

        Returns
        -------
        object
            What it returned: a number, a string or None; arrays are NumPy's; a tuple is a list.

        Raises
        ------
        SubmissionError
            If it raises, its kernels do something wrong, or it ends the process.
        """
        values, arrays = _parts(arguments)
        request = {"do": "call", "name": function, "device": device, "arguments": values}
        answer, results = self._ask(request, arrays)
        try:
            return _result(answer.get("result"), iter(results), 0)
        except (AttributeError, TypeError, ValueError, StopIteration):
            raise SubmissionError("it answered with no result") from None

    def _ask(self, request: dict[str, Any], arrays: Sequence[Any]) -> tuple[dict[str, Any], list[Any]]:
        if self._worker is None:
            self._worker = self._start()
        try:
            answer, results = self._worker.ask({**request, "seed": self._seed}, arrays)
        except WorkerEndedError as error:
            self.stop()
            raise SubmissionError(str(error)) from None
        findings = _findings(answer.get("findings"))
        self.findings += [each for each in findings if each not in self.findings]
        if findings or answer.get("error"):
            raise SubmissionError(findings[0].text if findings else _text(answer["error"]))
        return answer, results

    def output(self) -> str:
        """Return the end of what its process printed."""
        return self._printed if self._worker is None else self._worker.output()

    def stop(self) -> None:
        """End its process; the next call starts another one."""
        if self._worker is not None:
            self._worker.stop()
            self._printed = self._worker.output()
            self._worker.close()
            self._worker = None


def _parts(arguments: Sequence[Any]) -> tuple[list[Any], list[np.ndarray[Any, Any]]]:
    """Return arguments as JSON, with None for each array, and the arrays."""
    values: list[Any] = []
    arrays = []
    for each in arguments:
        if isinstance(each, np.ndarray):
            values.append(None)
            arrays.append(each)
        elif isinstance(each, np.generic):
            values.append(each.item())
        elif isinstance(each, bool | int | float | str):
            values.append(each)
        else:
            raise TypeError(f"{type(each).__name__} cannot be given to a submission; give arrays of NumPy and numbers")
    return values, arrays


def _result(value: Any, arrays: Any, depth: int) -> Any:
    """Return what an answer describes; anything may be in it."""
    if depth > _MOST_DEPTH:
        raise ValueError
    [(kind, content)] = value.items()
    if kind == "items":
        return [_result(each, arrays, depth + 1) for each in content]
    if kind == "array":
        return next(arrays)
    if kind == "complex":
        real, imaginary = content
        return complex(real, imaginary)
    if kind == "value" and (content is None or isinstance(content, bool | int | float | str)):
        return content
    raise ValueError


def _findings(values: Any) -> list[Finding]:
    return [_finding(each) for each in values[:_MOST_FINDINGS]] if isinstance(values, list) else []


def _finding(values: Any) -> Finding:
    """Return a finding that an answer describes; anything may be in it."""
    get = values.get if isinstance(values, dict) else dict[str, Any]().get
    said = get("others")
    others = said if isinstance(said, list) else []
    return Finding(
        check=_text(get("check"), 40),
        title=_text(get("title"), 200),
        text=_text(get("text")),
        location=_location(get("location")),
        others=tuple(place for each in others[:2] if (place := _location(each)) is not None),
        severe=get("severe") is not False,
        picture=_text(get("picture"), 400_000),
    )


def _location(values: Any) -> Location | None:
    if not isinstance(values, dict):
        return None
    line = values.get("line")
    number = line if type(line) is int and 0 <= line < 1 << 31 else 0
    return Location(
        _text(values.get("file"), 200), number, _text(values.get("note"), 200), _text(values.get("code"), 200)
    )


def _text(value: Any, most: int = _MOST_TEXT) -> str:
    return value[:most] if isinstance(value, str) else ""
