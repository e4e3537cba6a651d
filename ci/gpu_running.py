"""One stage of `ci/gpu`: a command in its own process group, with a time limit, and its result."""

import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import NamedTuple, TextIO

__all__ = ["ROOT", "Outcome", "Stage", "run"]

ROOT = Path(__file__).resolve().parents[1]


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
        ``passed``, ``failed``, ``timed out`` or ``not run``.
    seconds : float
        Its run time.
    said : str
        The last line of output that is not JSON, or why it was not run.
    output : str
        Its whole output.
    """

    outcome: str
    seconds: float
    said: str
    output: str = ""

    @property
    def bad(self) -> bool:
        """Whether it was run and did not pass."""
        return self.outcome in {"failed", "timed out"}


def run(stage: Stage, environment: Mapping[str, str], folder: Path) -> Outcome:
    """Run a stage, print its output, and return its result; the output goes through files in a folder."""
    print(f"== {stage.name}", flush=True)
    if stage.absent:
        print(f"not run: {stage.absent}")
        return Outcome("not run", 0.0, stage.absent)
    began = monotonic()
    with (
        (folder / "output").open("w+", errors="replace") as output,
        (folder / "errors").open("w+", errors="replace") as errors,
    ):
        status = _status(stage, {**environment, **stage.environment}, output, errors)
        text, complaints = map(_text, (output, errors))
    print(text, complaints, sep="\n", flush=True)
    # JSON is for programs, so it is not printed.
    told = (complaints if text.startswith("{") or not text.strip() else text).strip().splitlines()
    outcome = {0: "passed", None: "timed out"}.get(status, "failed")
    return Outcome(outcome, round(monotonic() - began, 1), told[-1][:200] if told else "", text)


def _text(file: TextIO) -> str:
    file.seek(0)
    return file.read()


def _status(stage: Stage, environment: Mapping[str, str], output: TextIO, errors: TextIO) -> int | None:
    """Return the exit status; None if the time limit was reached, when all processes of the stage are killed."""
    process = subprocess.Popen(
        stage.command, cwd=ROOT, env=environment, stdout=output, stderr=errors, start_new_session=True
    )
    try:
        return process.wait(stage.seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
