"""The results of a part of `ci/gpu`: as a JSON file, and as a table."""

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gpu_running import ROOT, Outcome

__all__ = ["Record", "print_table"]

_KEPT = 20_000
"""How many characters of the output of a stage that did not pass are recorded: the last ones."""


class Record:
    """What a part found.

    Attributes
    ----------
    machine : Mapping
        What the first stage found.
    outcomes : dict of Outcome
        The outcomes of all stages, by name.
    """

    def __init__(self, part: str, name: str | None, machine: Outcome, more: Mapping[str, Any]) -> None:
        self.machine: Mapping[str, Any] = machine.result
        self.outcomes = {"machine": machine}
        suffix = "-quick" if more.get("quick") else ""
        self._name = f"{name or _name_of(self.machine)}-{part}{suffix}"
        self._more = {
            "part": part,
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "commit": _commit(),
            **more,
        }

    @property
    def bad(self) -> bool:
        """Whether a stage was run and did not pass."""
        return any(outcome.bad for outcome in self.outcomes.values())

    @property
    def incomplete(self) -> bool:
        """Whether a stage was not run."""
        return any(outcome.outcome == "not run" for outcome in self.outcomes.values())

    def write(self, folder: Path) -> Path:
        """Write the file atomically, and return its path."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"gpu-{self._name}.json"
        part = path.with_suffix(".part")
        part.write_text(json.dumps(self._content(), indent=1) + "\n", "utf-8")
        return part.replace(path)

    def _content(self) -> dict[str, Any]:
        stages = {stage: outcome for stage, outcome in self.outcomes.items() if stage != "machine"}
        return {
            "name": self._name,
            **self._more,
            "machine": self.machine,
            "stages": {stage: _stage(outcome) for stage, outcome in self.outcomes.items()},
            "results": {stage: outcome.result for stage, outcome in stages.items() if outcome.result},
        }


def _name_of(machine: Mapping[str, Any]) -> str:
    first: str = next(iter(machine["devices"].values()))["name"]
    return re.sub(r"[^a-z0-9]+", "-", first.lower()).strip("-")


def _stage(result: Outcome) -> dict[str, Any]:
    skipped = [line for line in result.output.splitlines() if line.startswith("SKIPPED")]
    return {
        "outcome": result.outcome,
        "seconds": result.seconds,
        "said": result.said,
        **({"skipped": skipped} if skipped else {}),
        **({"output": (result.output + result.errors)[-_KEPT:]} if result.bad else {}),
    }


def _commit() -> str | None:
    """Return the commit of the checkout; None if git does not know it."""
    command = ("git", "describe", "--always", "--dirty", "--abbrev=12")
    try:
        done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return done.stdout.strip() or None


def print_table(outcomes: Mapping[str, Outcome]) -> None:
    """Print a line for each measured thing with its goals, and one for each stage."""
    for stage, result in outcomes.items():
        if stage != "machine" and result.result:
            for name, numbers in _measured(result.result.get("results", {})):
                print(f"{stage}: {name:38} {numbers}")
    for stage, result in outcomes.items():
        print(f"{stage:24}{result.outcome:12}{result.seconds:7.1f} s  {result.said}")


def _measured(results: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Yield the name and the numbers of each measured thing, which are entries beside ``goals``."""
    numbers = {key: value for key, value in results.items() if isinstance(value, (int, float, str))}
    if numbers:
        goals = results.get("goals", {})
        written = [f"{key} {_number(value)}{_goal(value, goals.get(key))}" for key, value in numbers.items()]
        yield above, "; ".join(written)
    for key, value in results.items():
        if isinstance(value, dict) and key != "goals":
            yield from _measured(value, f"{above}, {key}" if above else key)


def _number(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:.4g}"


def _goal(value: Any, goal: Mapping[str, float] | None) -> str:
    """Write a goal beside its number, and whether it is missed."""
    if not goal:
        return ""
    [(kind, bound)] = goal.items()
    met = value >= bound if kind == "at least" else value <= bound
    return f" ({kind} {bound:g}{'' if met else ': MISSED'})"
