"""Runs the array standard's own tests on `accel.xp`; prints how many passed, and the names of the others, as JSON.

Exits with 1 if a test failed that is not in the list of known failures, or if the time limit came before the end.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable
from contextlib import redirect_stdout
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

__all__: list[str] = []

_KNOWN = Path(__file__).with_name("gpu_array_standard_xfails.txt")
_KINDS = ("passed", "failed", "xfailed", "xpassed", "skipped")


class Tally:
    """Records the result of each test, and starts no more tests after the deadline."""

    def __init__(self, seconds: float) -> None:
        self._end = monotonic() + seconds
        self._collected = 0
        self._became: dict[str, str] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._collected = len(session.items)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._became[report.nodeid] = "failed"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            known = "x" if hasattr(report, "wasxfail") else ""
            what = "failed" if known and report.skipped else report.outcome
            self._became[report.nodeid] = known + what

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        if monotonic() > self._end:
            item.session.shouldstop = "the time is over"

    def found(self) -> dict[str, Any]:
        """Return the number of tests for each result, and the names of those that did not pass."""
        counts = Counter(self._became.values())
        named = {kind: self._named(kind) for kind in ("failed", "xfailed", "xpassed")}
        missed = max(self._collected - counts.total(), 0)
        return {"counts": {**{kind: counts[kind] for kind in _KINDS}, "not run": missed}, **named}

    def _named(self, kind: str) -> list[str]:
        return [name for name, found in self._became.items() if found == kind]


def main() -> int:
    """Run the tests of a checkout and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--seconds", type=float, required=True, help="after which no more tests are begun")
    given = parser.parse_args()
    tally = Tally(given.seconds)
    options = ("-q", "-p", "no:cacheprovider", "--tb=short", "--rootdir", given.checkout, "--xfails-file", _KNOWN)
    with redirect_stdout(sys.stderr):  # JSON is alone on the other
        tests = ("--max-examples", "3", given.checkout / "array_api_tests")
        status = pytest.main([*map(str, (*options, *tests))], plugins=[tally])
    found = tally.found()
    print(json.dumps(found))
    _tell("failed, and is not known to:", found["failed"])
    _tell("passed, and is known to fail:", found["xpassed"])
    print(", ".join(f"{count} {kind}" for kind, count in found["counts"].items()), file=sys.stderr)
    return int(status != 0)


def _tell(what: str, names: Iterable[str]) -> None:
    for name in names:
        print(what, name, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
