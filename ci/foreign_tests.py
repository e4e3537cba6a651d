"""Runs other projects' array-API tests on our arrays, and on those of array_api_strict beside them.

``ci/foreign_tests`` runs all modules; ``ci/foreign_tests scipy.fft sklearn.metrics`` those below these packages. Each
module is run in a process of its own. The results are added to benchmarks/results/foreign_tests.json.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

RESULTS = Path(os.environ.get("FOREIGN_RESULTS", "/tmp/fg/all.json"))
TESTS = {"scipy": re.compile(r"def test.*\bxp\b"), "sklearn": re.compile(r"_array_api_for_tests|yield_namespace")}
STRICT = "array_api_strict"
SECONDS = 1500


class Recorder:
    """Counts the outcomes of the tests with our namespace and with array_api_strict, and keeps the failures."""

    def __init__(self) -> None:
        self.outcomes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.failures: defaultdict[str, dict[str, dict[str, str]]] = defaultdict(dict)
        self._runs: dict[str, str] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the tests with these namespaces."""
        for item in items:
            place = item.get_closest_marker("accel_place")
            if place is not None:
                self._runs[item.nodeid] = place.args[0]
            elif STRICT in item.name:
                self._runs[item.nodeid] = STRICT
        items[:] = [item for item in items if item.nodeid in self._runs]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count an outcome; a failure in any phase is one."""
        run = self._runs[report.nodeid]
        if report.failed:
            if report.nodeid not in self.failures[run]:
                self.outcomes[run]["failed"] += 1
            self.failures[run][report.nodeid] = _failure(report)
        elif report.when == "call" or report.skipped:
            expected = hasattr(report, "wasxfail")
            self.outcomes[run]["xfailed" if expected and report.skipped else report.outcome] += 1


def _failure(report: pytest.TestReport) -> dict[str, str]:
    """Return the message of a failure, and the last line of the other project's code that led to it."""
    crash = getattr(report.longrepr, "reprcrash", None)
    entries = getattr(getattr(report.longrepr, "reprtraceback", None), "reprentries", ())
    places = [entry.reprfileloc for entry in entries if getattr(entry, "reprfileloc", None)]
    theirs = [place for place in places if "site-packages/sc" in place.path or "site-packages/sk" in place.path]
    last = f"{theirs[-1].path.rpartition('site-packages/')[2]}:{theirs[-1].lineno}" if theirs else ""
    return {"message": str(crash.message if crash else report.longrepr)[:400], "where": last}


def run_here(module: str, target: str) -> None:
    """Run one module, and write what it gave to a file."""
    recorder = Recorder()
    options = ["-c", os.devnull, "--rootdir", ".", "-p", "no:cacheprovider", "-p", "no:randomly", "-q", "--tb=short"]
    options += ["--import-mode=prepend", "--accel-devices=cpu,sim", "-W", "ignore::pytest.PytestUnknownMarkWarning"]
    pytest.main([*options, "--pyargs", module], plugins=[recorder])
    result = {"outcomes": recorder.outcomes, "failures": {run: each for run, each in recorder.failures.items() if each}}
    Path(target).write_text(json.dumps(result))


def modules(packages: list[str]) -> Iterator[str]:
    """Yield the modules of tests below some packages that take an array namespace."""
    for package, takes_one in TESTS.items():
        root = Path(str(import_module(package).__file__)).parent
        for file in sorted(root.rglob("test_*.py")):
            name = ".".join(file.relative_to(root.parent).with_suffix("").parts)
            if takes_one.search(file.read_text()) and any(f"{name}.".startswith(f"{each}.") for each in packages):
                yield name


def run_apart(module: str) -> dict[str, object]:
    """Run one module in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "result.json")
        command = [sys.executable, __file__, "--here", module, str(target)]
        environment = {**os.environ, "SCIPY_ARRAY_API": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": ""}
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS
            )
        except subprocess.TimeoutExpired:
            return {"error": f"not finished after {SECONDS} s"}
        return json.loads(target.read_text()) if target.exists() else {"error": (done.stdout + done.stderr)[-2000:]}


def main(packages: list[str]) -> None:
    """Run all modules below some packages, and add each result to the file as soon as it is there."""
    for module in modules(packages or list(TESTS)):
        result = run_apart(module)
        recorded = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        recorded[module] = result
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        RESULTS.write_text(json.dumps(dict(sorted(recorded.items())), indent=1) + "\n")
        print(module, json.dumps(result.get("outcomes", result)), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--here"]:
        run_here(*sys.argv[2:])
    else:
        main(sys.argv[1:])
