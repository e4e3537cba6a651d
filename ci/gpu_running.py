"""One stage of `ci/gpu`: a command in its own process group, with a time limit, and its result."""

import json
import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, TextIO

__all__ = ["ROOT", "Outcome", "Stage", "run"]

ROOT = Path(__file__).resolve().parents[1]
_STOP = 10.0
"""Seconds that a stage has to end itself when its time is over, before it is killed."""


class Stage(NamedTuple):
    """A command to be run.

    Attributes
    ----------
    name : str
        Its name in the report.
    seconds : float
        Time limit.
    command : tuple of str
        Program and arguments, run in the root of the checkout.
    environment : Mapping of str
        Additional environment variables.
    absent : str
        Why it cannot be run here; empty if it can.
    """

    name: str
    seconds: float
    command: tuple[str, ...]
    environment: Mapping[str, str] = {}
    absent: str = ""


class Outcome(NamedTuple):
    """The result of a stage.

    Attributes
    ----------
    outcome : str
        ``passed``, ``failed``, ``out of time`` or ``not run``.
    seconds : float
        Its run time.
    said : str
        The last line of output that is not JSON, or why it was not run.
    output : str
        What it wrote to its standard output.
    errors : str
        What it wrote to its standard error.
    """

    outcome: str
    seconds: float
    said: str
    output: str = ""
    errors: str = ""

    @property
    def bad(self) -> bool:
        """Whether it was run and did not pass."""
        return self.outcome in {"failed", "out of time"}

    @property
    def result(self) -> Any:
        """The JSON object that is the whole output, or its last line; None if there is none."""
        for text in (self.output, self.output.rstrip().rpartition("\n")[2]):
            if text.startswith("{"):
                try:
                    return json.loads(text)
                except json.JSONDecodeError:
                    continue
        return None


def run(stage: Stage, environment: Mapping[str, str], folder: Path) -> Outcome:
    """Run a stage, print its output, and return its result; the output goes through files in a folder."""
    print(f"== {stage.name}", flush=True)
    if stage.absent:
        print(f"not run: {stage.absent}", flush=True)
        return Outcome("not run", 0.0, stage.absent)
    began = monotonic()
    with (
        (folder / "output").open("w+", errors="replace") as output,
        (folder / "errors").open("w+", errors="replace") as errors,
    ):
        status = _status(stage, {**environment, **stage.environment}, output, errors)
        text, complaints = map(_text, (output, errors))
    outcome = {0: "passed", None: "out of time"}.get(status, "failed")
    result = Outcome(outcome, round(monotonic() - began, 1), "", text, complaints)
    # JSON is for programs, so it is neither printed nor quoted.
    told = complaints if result.result or not text.strip() else text
    print(told, *([complaints] if told is not complaints else []), sep="\n", flush=True)
    return result._replace(said=_last_line(told))


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1][:200] if lines else ""


def _text(file: TextIO) -> str:
    file.seek(0)
    return file.read()


def _status(stage: Stage, environment: Mapping[str, str], output: TextIO, errors: TextIO) -> int | None:
    """Return the exit status; None if the time limit was reached, when all processes of the stage are ended."""
    process = subprocess.Popen(
        stage.command, cwd=ROOT, env=environment, stdout=output, stderr=errors, start_new_session=True
    )
    try:
        return process.wait(stage.seconds)
    except subprocess.TimeoutExpired:
        _end(process)
        return None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Interrupt a stage, so that pytest reports what it has found so far; then kill what is left of it."""
    os.killpg(process.pid, signal.SIGINT)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_STOP)
    with suppress(ProcessLookupError):  # where nothing is left
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
