"""Runs other projects' array-API tests on our arrays, and on those of array_api_strict beside them.

``ci/foreign_tests`` runs all modules; ``ci/foreign_tests scipy.fft sklearn.metrics`` those of these packages. Each
module is run in a process of its own. Its results are written to ci/others_tests.json, and the table of all results
to docs/guide/others_tests.md.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import foreign_page
import pytest

RESULTS = Path(os.environ.get("FOREIGN_RESULTS") or foreign_page.RESULTS)
TESTS = {
    "array_api_extra": re.compile(r"\bxp: ArrayNamespace"),
    "scipy": re.compile(r"def test.*\bxp\b"),
    "sklearn": re.compile(r"_array_api_for_tests|yield_namespace"),
}
SETTINGS = {"array_api_extra": ["-W", "error", "-o", "xfail_strict=true"]}
"""What the tests need of their project's settings, which are not installed with them."""

STRICT = re.compile("array_api_strict(?!est)")
THEIRS = re.compile(f"site-packages/((?:{'|'.join(TESTS)})/.*)")
SECONDS = 1500


class Recorder:
    """Counts the outcomes of the tests with our namespace and with array_api_strict, and keeps the failures."""

    def __init__(self) -> None:
        self.outcomes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._failures: dict[str, dict[str, str]] = {}
        self._runs: dict[str, str] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the tests with these namespaces."""
        for item in items:
            place = item.get_closest_marker("accel_place")
            if place is not None:
                self._runs[item.nodeid] = place.args[0]
            elif STRICT.search(item.name):
                self._runs[item.nodeid] = "array_api_strict"
        items[:] = [item for item in items if item.nodeid in self._runs]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count an outcome; several failures of one test are one."""
        outcomes = self.outcomes[self._runs[report.nodeid]]
        if report.failed:
            outcomes["failed"] += report.nodeid not in self._failures
            self._failures.setdefault(report.nodeid, _failure(report))
        elif report.skipped:
            outcomes["skipped"] += 1
        elif report.when == "call":
            outcomes["passed"] += 1

    def failures(self) -> list[dict[str, Any]]:
        """Return the failures, those of one run with the same cause as one, with the name of the first test."""
        groups: dict[tuple[str, str, str], list[str]] = {}
        for name, failure in self._failures.items():
            cause = (self._runs[name], failure["where"], failure["message"])
            groups.setdefault(cause, []).append(name.partition("::")[2])
        return [
            {"run": run, "where": where, "message": message, "tests": len(names), "first": names[0]}
            for (run, where, message), names in groups.items()
        ]


def _failure(report: pytest.TestReport) -> dict[str, str]:
    """Return the message of a failure, and the last line of the other project's code that led to it."""
    crash = getattr(report.longrepr, "reprcrash", None)
    entries = getattr(getattr(report.longrepr, "reprtraceback", None), "reprentries", ())
    places = [entry.reprfileloc for entry in entries if getattr(entry, "reprfileloc", None)]
    theirs = [f"{match[1]}:{place.lineno}" for place in places if (match := THEIRS.search(place.path))]
    last = theirs[-1] if theirs else ""
    message = str(crash.message if crash else report.longrepr).strip()
    return {"message": message.partition("\n")[0][:200], "where": last}


def run_here(module: str, target: str) -> None:
    """Run one module, and write what it gave to a file."""
    recorder = Recorder()
    options = ["-c", os.devnull, "--rootdir", ".", "-p", "no:cacheprovider", "-p", "no:randomly", "-q", "--tb=short"]
    options += ["--import-mode=prepend", "--accel-devices=cpu,sim", *SETTINGS.get(module.partition(".")[0], [])]
    options += ["-W", "ignore::pytest.PytestUnknownMarkWarning"]
    pytest.main([*options, "--pyargs", module], plugins=[recorder])
    Path(target).write_text(json.dumps({"outcomes": recorder.outcomes, "failures": recorder.failures()}))


def modules(packages: list[str]) -> Iterator[str]:
    """Yield the modules of tests in some packages that take an array namespace."""
    for package, takes_one in TESTS.items():
        root = Path(str(find_spec(package).origin)).parent
        for file in sorted(root.rglob("test_*.py")):
            name = ".".join(file.relative_to(root.parent).with_suffix("").parts)
            if any(f"{name}.".startswith(f"{each}.") for each in packages) and takes_one.search(file.read_text()):
                yield name


def run_apart(module: str) -> dict[str, Any]:
    """Run one module in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "result.json")
        command = [sys.executable, __file__, "--here", module, str(target)]
        environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS
        )
        if not target.exists():
            raise SystemExit(f"{module} gave no result:\n{done.stdout}{done.stderr}")
        return json.loads(target.read_text())


def main(packages: list[str]) -> None:
    """Run all modules in some packages; write each result, and the page, as soon as it is there."""
    for module in modules(packages or list(TESTS)):
        result = run_apart(module)
        if result["outcomes"]:
            foreign_page.record(RESULTS, module, result)
            print(module, json.dumps(result["outcomes"]), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--here"]:
        run_here(*sys.argv[2:])
    else:
        main(sys.argv[1:])
