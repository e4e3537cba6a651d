"""Writes docs/guide/others_tests.md: the results of other projects' tests, and why some fail."""

import json
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

from foreign_reasons import REASONS

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "ci" / "others_tests.json"
PAGE = ROOT / "docs" / "guide" / "others_tests.md"
RUNS = ("array_api_strict", "cpu", "sim")
PROJECTS = {"array_api_extra": "array-api-extra", "scipy": "SciPy", "sklearn": "scikit-learn"}
LIBRARIES = ("array-api-extra", "scipy", "scikit-learn", "array_api_strict", "numpy")

_HEAD = """# Other projects' tests on our arrays

array-api-extra, SciPy and scikit-learn test their functions with several array libraries. Here these tests ran with
`accel.xp`, from the installed packages, without a change to their files:

    SCIPY_ARRAY_API=1 pytest -p accel.testing.plugin --accel-devices=cpu,sim --pyargs scipy.special -k accel

`cpu` is the host. `sim` is the simulated device, whose memory no function of NumPy can read: a test passes there only
if the tested code never leaves the device. `array_api_strict`, the reference implementation of the standard, ran beside
them. Copies to the host that nobody asked for were refused (`host_copies="never"`).

Each cell has the number of tests that passed, and of those that failed. All others were skipped by the project itself.
On `sim` these are mostly functions in compiled code for the CPU, which the project marks as such, as it does for CuPy.

Run with {versions}. `ci/foreign_tests` runs them again and writes this page.
"""
_FEET = """
## Why tests fail

What is the other project's own is described, with code that shows it, in [reports](../upstream/README.md).
"""


def record(target: Path, module: str, result: dict[str, Any]) -> None:
    """Add a module's result to the file of results; write the page if this is the file in docs."""
    recorded = json.loads(target.read_text()) if target.exists() else {"versions": {}, "modules": {}}
    recorded["versions"] = {name: version(name) for name in LIBRARIES}
    recorded["modules"] = dict(sorted({**recorded["modules"], module: result}.items()))
    target.write_text(json.dumps(recorded, indent=1) + "\n")
    if target == RESULTS:
        PAGE.write_text(page(recorded))


def page(recorded: dict[str, Any]) -> str:
    """Return the page for all results."""
    versions = ", ".join(f"{name} {number}" for name, number in recorded["versions"].items())
    parts = [_HEAD.format(versions=versions)]
    for project, name in PROJECTS.items():
        chosen = {module: each for module, each in recorded["modules"].items() if module.startswith(f"{project}.")}
        parts.append(f"\n## {name}\n\n{_table(chosen)}")
    why = _why([(module, each) for module, result in recorded["modules"].items() for each in result["failures"]])
    return "".join([*parts, _FEET, why])


def _table(modules: dict[str, Any]) -> str:
    lines = ["| module | array_api_strict | cpu | sim |", "|---|---|---|---|"]
    lines += [_row(f"`{_short(module)}`", result["outcomes"]) for module, result in modules.items()]
    total = {run: {key: sum(_count(each, run, key) for each in modules.values()) for key in _KEYS} for run in RUNS}
    return "\n".join([*lines, _row("all", total)]) + "\n"


_KEYS = ("passed", "failed", "skipped")


def _count(result: dict[str, Any], run: str, key: str) -> int:
    return int(result["outcomes"].get(run, {}).get(key, 0))


def _short(module: str) -> str:
    return re.sub(r"tests\.(main\.)?test_", "", module.partition(".")[2])


def _row(name: str, outcomes: dict[str, dict[str, int]]) -> str:
    cells = []
    for run in RUNS:
        each = outcomes.get(run, {})
        failed = f", {each['failed']} failed" if each.get("failed") else ""
        cells.append(f"{each.get('passed', 0)}{failed}" if each.get("passed") or failed else "none")
    return f"| {name} | {' | '.join(cells)} |"


def _why(failures: list[tuple[str, dict[str, Any]]]) -> str:
    """Return a table of the failures on our arrays, by reason; one that no reason explains is shown as it is."""
    lines = ["\n| module | on | tests | why |", "|---|---|---|---|"]
    rows: dict[tuple[str, str, str], int] = {}
    for module, failure in failures:
        if failure["run"] != "array_api_strict":
            key = (_short(module), failure["run"], reason(module, failure))
            rows[key] = rows.get(key, 0) + failure["tests"]
    lines += [f"| `{module}` | {run} | {count} | {text} |" for (module, run, text), count in rows.items()]
    return "\n".join(lines) + "\n" if rows else "\nNone fails.\n"


def reason(module: str, failure: dict[str, Any]) -> str:
    """Return why a test fails."""
    text = f"{module} {failure['first']} {failure['where']} {failure['message']}"
    match = next((why for pattern, why in REASONS if re.search(pattern, text)), None)
    return match or f"not explained: `{failure['message']}` at `{failure['where']}`"
