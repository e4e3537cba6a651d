"""`KernelFindings`: the part of the pytest plug-in that writes what kernels did wrong for others (``--accel-reports``).

A finding is expected if the phase of the test that met it passed: its error was caught there, as by `pytest.raises`.
"""

import threading
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from typing import Any

import pytest

from accel.support.kernel_reports import KernelReport, observing
from accel.support.report_files import (
    Finding,
    Location,
    Output,
    Repository,
    annotations,
    finding_of,
    merged,
    outputs,
    write,
)
from accel.testing.error_findings import findings_of_error

__all__ = ["KernelFindings"]

_OPTION = "--accel-reports"
_ATTRIBUTE = "accel_findings"


class KernelFindings:
    """Hooks that collect the findings of all tests, also from the workers of pytest-xdist, and write them at the end.

    Parameters
    ----------
    config : pytest.Config
        The configuration of the run.

    Raises
    ------
    pytest.UsageError
        If the option has a value that it cannot have.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._is_worker = hasattr(config, "workerinput")
        try:
            self._outputs = outputs(",".join(config.getoption(_OPTION)))
        except ValueError as error:
            raise pytest.UsageError(f"{_OPTION}: {error}") from None
        self._in_junitxml = Output("junit", None) in self._outputs
        if self._in_junitxml and not config.getoption("xmlpath", None) and not self._is_worker:
            raise pytest.UsageError(
                f"{_OPTION}: junit adds to the file of --junitxml=FILE; give it, or write junit:FILE"
            )
        self._pictures = any(each.format == "html" for each in self._outputs)
        self._lock = threading.Lock()  # of the reports, which any thread may add
        self._reports: list[KernelReport] = []
        self._findings: list[Finding] = []
        self._lines: list[str] = []
        block = ExitStack()
        block.enter_context(observing(self._observe))
        config.add_cleanup(block.close)

    def _observe(self, reports: Sequence[Any]) -> None:
        with self._lock:
            self._reports += reports

    def _taken(self) -> list[KernelReport]:
        with self._lock:
            taken, self._reports = self._reports, []
        return taken

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add the findings of a phase of a test to its report, which workers send."""
        report = yield
        place, error = (item, item.location[1] or 0), call.excinfo.value if report.failed and call.excinfo else None
        findings = self._phase(place, error, expected=not report.failed)
        setattr(report, _ATTRIBUTE, [each.json() for each in findings])
        if self._in_junitxml:
            properties = [_property(each) for each in findings]
            item.user_properties += properties  # of the phases to come, whose reports begin with them
            report.user_properties += properties
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Add the findings of a module's import to its report, if the import failed."""
        report = yield
        findings = self._phase((collector, 0), None, expected=not report.failed)
        setattr(report, _ATTRIBUTE, [each.json() for each in findings if not each.expected])
        return report

    def _phase(
        self, place: tuple[pytest.Item | pytest.Collector, int], error: BaseException | None, *, expected: bool
    ) -> list[Finding]:
        reports = self._taken()
        if not reports and error is None:
            return []
        node, line = place
        repository = Repository(self._config.rootpath, [node.path])
        test = Location(repository.path(node.path), line + 1, "the test")
        findings = [finding_of(each, repository, test, picture=self._pictures) for each in reports]
        findings += findings_of_error(error, repository, test, [each.message for each in reports])
        return merged([each.met_in(node.nodeid, expected=expected) for each in findings])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect the findings of a phase."""
        self._findings += map(Finding.from_json, getattr(report, _ATTRIBUTE, ()))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Collect the findings of an import."""
        self._findings += map(Finding.from_json, getattr(report, _ATTRIBUTE, ()))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the files, in the process that has the findings of all workers."""
        if self._is_worker:
            return
        findings, root = merged(self._findings), Repository(self._config.rootpath).root
        if any(each.format == "github" for each in self._outputs):
            self._lines += annotations(findings)
        for output in self._outputs:
            try:
                write(output, findings, root)
            except OSError as error:
                self._lines.append(f"ERROR: {_OPTION}: {error}")
                session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the annotations."""
        for line in self._lines:
            terminalreporter.write_line(line)


def _property(finding: Finding) -> tuple[str, object]:
    return ("accel-expected-report" if finding.expected else "accel-report"), finding.text
