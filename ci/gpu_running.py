"""One stage of `ci/gpu`: a command in processes of its own, with a time at most, and what became of it."""

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
        What it proves.
    seconds : float
        How long it may take.
    command : tuple of str
        Program and arguments, for the root of the checkout.
    environment : Mapping of str
        What it finds there besides.
    absent : str
        Why it cannot be run here; empty if it can.
    """

    name: str
    seconds: float
    command: tuple[str, ...]
    environment: Mapping[str, str] = {}
    absent: str = ""


class Outcome(NamedTuple):
    """What became of a stage.

    Attributes
    ----------
    outcome : str
        ``passed``, ``failed``, ``timed out`` or ``not run``.
    seconds : float
        How long it took.
    said : str
        The last line for people, or why it was not run.
    output : str
        All that it printed.
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
    """Run a stage, print what it said, and tell what became of it; what it prints goes through files of a folder."""
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
    # JSON is for programs.
    told = (complaints if text.startswith("{") or not text.strip() else text).strip().splitlines()
    outcome = {0: "passed", None: "timed out"}.get(status, "failed")
    return Outcome(outcome, round(monotonic() - began, 1), told[-1][:200] if told else "", text)


def _text(file: TextIO) -> str:
    file.seek(0)
    return file.read()


def _status(stage: Stage, environment: Mapping[str, str], output: TextIO, errors: TextIO) -> int | None:
    """Return the exit status; None if its time was over, when it was ended with all that it had started."""
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
