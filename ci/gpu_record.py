"""The results of `ci/gpu`: as a JSON file, and as a table."""

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gpu_running import ROOT, Outcome

__all__ = ["print_table", "recorded", "write"]


def recorded(name: str | None, outcomes: Mapping[str, Outcome], *, quick: bool, **more: Any) -> dict[str, Any]:
    """Return the record to be written.

    Parameters
    ----------
    name : str or None
        Name of the record; by default that of the first device.
    outcomes : Mapping of Outcome
        Results of the stages; the machine, the array standard and the benchmarks print JSON.
    quick : bool
        Whether ``--quick`` was given; it becomes part of the name.
    **more
        More entries of the record.
    """
    machine, results = json.loads(outcomes["machine"].output), outcomes["benchmarks"]
    found = name or _name_of(machine)
    return {
        "name": f"{found}-quick" if quick else found,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "quick": quick,
        **more,
        "machine": machine,
        "stages": {stage: _stage(outcome) for stage, outcome in outcomes.items()},
        "array standard": _last_line(outcomes["array standard"].output),
        "results": json.loads(results.output)["results"] if results.outcome == "passed" else None,
    }


def _last_line(output: str) -> Any:
    """Return the JSON object in the last line of output; None if there is none."""
    line = output.rstrip().rpartition("\n")[2]
    return json.loads(line) if line.startswith("{") else None


def _name_of(machine: Mapping[str, Any]) -> str:
    first: str = next(iter(machine["devices"].values()))["name"]
    return re.sub(r"[^a-z0-9]+", "-", first.lower()).strip("-")


def _stage(found: Outcome) -> dict[str, Any]:
    return {"outcome": found.outcome, "seconds": found.seconds, "said": found.said}


def _commit() -> str | None:
    """Return the commit of the checkout; None if git does not know it."""
    command = ("git", "describe", "--always", "--dirty", "--abbrev=12")
    try:
        done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return done.stdout.strip() or None


def write(folder: Path, record: Mapping[str, Any]) -> Path:
    """Write a record atomically."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"gpu-{record['name']}.json"
    part = path.with_suffix(".part")
    part.write_text(json.dumps(record, indent=2) + "\n", "utf-8")
    return part.replace(path)


def print_table(record: Mapping[str, Any]) -> None:
    """Print a line for each stage, and one for each measured number."""
    for name, stage in record["stages"].items():
        print(f"{name:16}{stage['outcome']:12}{stage['seconds']:7.1f} s  {stage['said']}")
    for name, value in _flat(record["results"] or {}):
        print(f"{name:76}{value:12.4g}")


def _flat(results: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, float]]:
    for name, value in results.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{name}: ")
        elif value is not None:
            yield f"{above}{name}", value
