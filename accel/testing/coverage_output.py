"""`CoverageOutput`: the part of the pytest plug-in that writes the lines that kernels took (``--accel-coverage``)."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from accel.support.report_files.lcov import FileCoverage, write_lcov
from accel.testing.covered_kernels import kernel_coverage

__all__ = ["CoverageOutput"]

_OPTION, _WORKER = "--accel-coverage", "accel_coverage"


class CoverageOutput:
    """Hooks that count the lines of kernels in the whole run, also in the workers of pytest-xdist, and write them.

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
        kind, _, path = str(config.getoption(_OPTION)).partition(":")
        if kind != "lcov" or not path:
            raise pytest.UsageError(f"{_OPTION}={config.getoption(_OPTION)}: write lcov:FILE")
        self._path = Path(path)
        self._of_workers: list[FileCoverage] = []
        self._lines: list[str] = []
        block = ExitStack()
        self._coverage = block.enter_context(kernel_coverage())
        config.add_cleanup(block.close)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take what a worker counted."""
        self._of_workers += map(FileCoverage.from_json, getattr(node, "workeroutput", {}).get(_WORKER, ()))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the file, in the process that has the counts of all workers."""
        files = self._coverage.files
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[_WORKER] = [each.json() for each in files]
            return
        try:
            write_lcov([*files, *self._of_workers], self._path)
        except OSError as error:
            self._lines.append(f"ERROR: {_OPTION}: {error}")
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say what went wrong."""
        for line in self._lines:
            terminalreporter.write_line(line)
