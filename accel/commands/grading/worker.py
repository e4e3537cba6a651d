"""The process that runs a submission: ``python -m accel.commands.grading.worker SETTINGS``, confined by its guard.

It gets inputs and returns outputs. What it should return is known to the grader only, which need not trust it: whatever
a submission does to this process shows as an answer that is wrong or missing.
"""

import importlib.util
import json
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from accel import config, xp
from accel.commands.grading.channel import Channel
from accel.kernels import RawKernel
from accel.support.call_sites import named_call_site
from accel.support.kernel_reports import KernelReport, observing
from accel.support.report_files import Repository, finding_of
from accel.testing.cupy_simulation.context import cupy_on_sim
from accel.testing.numba_simulation.context import numba_cuda_on_sim
from accel.testing.seeds import seeded

__all__ = ["main"]

_MODULE = "submission"
_MOST_FINDINGS, _MOST_PICTURE = 20, 400_000


class Runner:
    """What runs the kernels and functions of one submission.

    Parameters
    ----------
    source : str
        Its file, from the current folder.
    settings : dict
        The settings of accel.
    """

    def __init__(self, source: str, settings: dict[str, Any]) -> None:
        self._source = source
        self._settings = settings
        self._kernels: dict[str, RawKernel] = {}
        self._reports: list[KernelReport] = []
        self._simulated = ExitStack()

    def answer(self, request: dict[str, Any], arrays: Sequence[Any]) -> tuple[dict[str, Any], list[Any]]:
        """Return the answer to a request and its arrays; the error of a submission is an answer too."""
        self._reports.clear()
        run = self._launch if request["do"] == "launch" else self._call
        error = ""
        answer: dict[str, Any] = {}
        results: list[Any] = []
        try:
            with observing(self._observe), config.using(**self._settings), seeded(request["seed"]):
                answer, results = run(request, arrays)
        except MemoryError as caught:
            error = f"memory: {type(caught).__name__}: {caught}"
        except BaseException as caught:  # also SystemExit: it is the submission's
            error = f"{type(caught).__name__}: {caught}"
        said = _relative({"error": error[:20_000], "findings": list(self._findings())})
        return {**answer, **said}, [] if error else results

    def _observe(self, reports: Sequence[Any]) -> None:
        self._reports += reports

    def _findings(self) -> Iterator[dict[str, Any]]:
        repository = Repository(Path(), root=Path())
        for report in self._reports[:_MOST_FINDINGS]:
            values = finding_of(report, repository, picture=True).json()
            yield {**values, "picture": values["picture"] if len(values["picture"]) < _MOST_PICTURE else ""}

    def _launch(self, request: dict[str, Any], arrays: Sequence[Any]) -> tuple[dict[str, Any], list[Any]]:
        name = request["name"]
        kernel = self._kernels.get(name)
        if kernel is None:
            kernel = self._kernels[name] = RawKernel.from_file(self._source, name, options=["-I."])
        arguments = []
        for number, value in enumerate(_arguments(request, arrays), 1):
            with named_call_site(f"argument {number}"):
                arguments.append(xp.asarray(value, device="sim") if isinstance(value, np.ndarray) else value)
        kernel(*arguments, grid=request["grid"], block=request["block"], shared=request["shared"]).wait()
        return {}, [_on_host(each) for each in arguments if not isinstance(each, int | float | complex | bool)]

    def _call(self, request: dict[str, Any], arrays: Sequence[Any]) -> tuple[dict[str, Any], list[Any]]:
        function = getattr(self._module, request["name"])
        device = request["device"]
        arguments = [
            xp.asarray(each, device=device) if device and isinstance(each, np.ndarray) else each
            for each in _arguments(request, arrays)
        ]
        results: list[Any] = []
        return {"result": _described(function(*arguments), results)}, results

    @cached_property
    def _module(self) -> ModuleType:
        path = Path(self._source)
        if path.suffix != ".py":
            raise TypeError(f"{path} has kernels, and no functions of Python; the tests must launch them")
        text = path.read_text(encoding="utf-8", errors="replace")
        for name, simulated in (("cupy", cupy_on_sim), ("numba", numba_cuda_on_sim)):
            if name in text:
                self._simulated.enter_context(simulated())  # to the end of the process
        sys.path.append(str(Path.cwd()))  # last: a file of it may have the name of a library
        spec = importlib.util.spec_from_file_location(_MODULE, path.resolve())
        if spec is None or spec.loader is None:
            raise ImportError(f"{path} cannot be imported")
        module = importlib.util.module_from_spec(spec)
        sys.modules[_MODULE] = module
        spec.loader.exec_module(module)
        return module


def _relative(said: dict[str, Any]) -> dict[str, Any]:
    """Return JSON without the path of the current folder, which differs from run to run."""
    text: dict[str, Any] = json.loads(json.dumps(said).replace(json.dumps(f"{Path.cwd()}/")[1:-1], ""))
    return text


def _arguments(request: dict[str, Any], arrays: Sequence[Any]) -> Iterator[Any]:
    """Yield the arguments; a number without a type is Python's."""
    left = iter(arrays)
    for each in request["arguments"]:
        yield next(left) if each is None else each


def _described(value: Any, arrays: list[Any]) -> Any:
    """Return a result as JSON, in which {"array": true} stands for the next of the arrays."""
    if value is None or isinstance(value, bool | int | float | str):
        return {"value": value}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, tuple | list):
        return {"items": [_described(each, arrays) for each in value]}
    arrays.append(_on_host(value))
    return {"array": True}


def _on_host(value: Any) -> np.ndarray[Any, Any]:
    """Return an array of NumPy, accel or CuPy as one of NumPy."""
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "to_device"):
        return np.asarray(value.to_device("cpu"))
    return np.asarray(value.to_numpy() if hasattr(value, "to_numpy") else value)


def main(settings: dict[str, Any]) -> None:
    """Answer requests until the grader closes the connection."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it: a program would write on for ever
    channel = Channel(socket.socket(fileno=3))
    runner = Runner(settings["source"], settings["settings"])
    while True:
        try:
            request, arrays = channel.receive()
        except EOFError:
            return
        answer, results = runner.answer(request, arrays)
        try:
            channel.send(answer, results)
        except TypeError as error:
            channel.send({"error": f"TypeError: {error}", "findings": []}, [])


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
