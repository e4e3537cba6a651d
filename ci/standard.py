"""Runs the array standard's own tests on `accel.xp`; prints how many passed, and the names of the others, as JSON.

Several processes each run their share of the tests. Exits with 1 if a test failed that is not in the list of known
failures, or if the time limit came before the end.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

__all__: list[str] = []

_KNOWN = Path(__file__).with_name("gpu_array_standard_xfails.txt")
_KINDS = ("passed", "failed", "xfailed", "xpassed", "skipped")
_NAMED = ("failed", "xfailed", "xpassed")


class Tally:
    """Runs a share of the tests, records the result of each, and starts no more after the deadline."""

    def __init__(self, seconds: float, share: int, shares: int) -> None:
        self._end = monotonic() + seconds
        self._share, self._shares = share, shares
        self._collected = 0
        self._became: dict[str, str] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        # By name, because the order may be random. Cases of one function are spread, for they take equally long.
        items[:] = sorted(items, key=lambda item: item.nodeid)[self._share :: self._shares]

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
        named = {kind: self._named(kind) for kind in _NAMED}
        missed = max(self._collected - counts.total(), 0)
        return {"counts": {**{kind: counts[kind] for kind in _KINDS}, "not run": missed}, **named}

    def _named(self, kind: str) -> list[str]:
        return [name for name, result in self._became.items() if result == kind]


def main() -> int:
    """Run the tests of a checkout and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--known", type=Path, default=_KNOWN, help="the file that lists the known failures")
    parser.add_argument("--examples", type=int, default=3, help="the number of examples of each property")
    parser.add_argument("--seed", default="random", help="of the examples")
    parser.add_argument("--seconds", type=float, default=inf, help="after which no more tests are begun")
    parser.add_argument("--processes", type=int, default=1, help="among which the tests are shared")
    parser.add_argument("--share", type=int, help="run only this share of the tests, in this process")
    given = parser.parse_args()
    if given.share is not None:
        return _run(given)
    statuses, shares = zip(*_shared(given.processes), strict=True)
    result = _together(shares)
    print(json.dumps(result))
    _tell("failed, and is not known to:", result["failed"])
    _tell("passed, and is known to fail:", result["xpassed"])
    print(", ".join(f"{count} {kind}" for kind, count in result["counts"].items()), file=sys.stderr)
    return int(any(statuses) or not any(result["counts"].values()))


def _run(args: argparse.Namespace) -> int:
    """Run one share of the tests, print what was found as JSON, and return the exit status."""
    tally = Tally(args.seconds, args.share, args.processes)
    options = ("-q", "-p", "no:cacheprovider", "--tb=short", "-W", "ignore")
    # Named, because pytest would look for it beside the list of known failures, too.
    files = ("-c", args.checkout / "pytest.ini", "--rootdir", args.checkout, "--xfails-file", args.known)
    # The tests look at elements one by one, which takes longer than their deadline on any accelerator.
    examples = ("--max-examples", args.examples, "--disable-deadline", "--hypothesis-seed", args.seed)
    with redirect_stdout(sys.stderr):  # JSON is alone on the other
        tests = args.checkout / "array_api_tests"
        status = pytest.main([*map(str, (*options, *files, *examples, tests))], plugins=[tally])
    print(json.dumps(tally.found()))
    return int(status not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED})


def _shared(processes: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Run all shares at once; return the exit status of each process, and what it found."""
    command = (sys.executable, "-B", *sys.argv)
    running = [
        subprocess.Popen([*command, "--share", str(share)], stdout=subprocess.PIPE, text=True)
        for share in range(processes)
    ]
    for each in running:
        output, _ = each.communicate()
        lost = {"counts": {}, "failed": [f"a process ended with {each.returncode}"], "xfailed": [], "xpassed": []}
        yield each.returncode, json.loads(output) if output.startswith("{") else lost


def _together(shares: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what all shares found together."""
    counts: Counter[str] = Counter()
    for share in shares:
        counts.update(share["counts"])
    # A file that cannot be loaded fails in each share.
    named = {kind: sorted({name for share in shares for name in share[kind]}) for kind in _NAMED}
    return {"counts": dict(counts), **named}


def _tell(what: str, names: Iterable[str]) -> None:
    for name in names:
        print(what, name, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
