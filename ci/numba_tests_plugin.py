"""A plug-in of pytest for numba-cuda's own tests: it imports them as theirs does, and notes what becomes of each.

The environment variable ``NUMBA_TESTS_RESULTS`` names the file of the results. With ``NUMBA_TESTS_ON_SIM=1`` the tests
run on simulated devices, and so do the processes that they start (`sitecustomize`, which is in the folder
``NUMBA_TESTS_CHILDREN``).
"""

import importlib
import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from types import ModuleType

import pytest

__all__: list[str] = []

_results: dict[str, str] = {}
_on_sim = ExitStack()


def _folder() -> Path:
    tests = importlib.import_module("numba.cuda.tests")
    return Path(str(tests.__file__)).parent


class _Module(pytest.Module):
    """A file of tests under its own name; pytest would take its folder for a package ``cuda``."""

    def _getobj(self) -> ModuleType:
        parts = self.path.relative_to(_folder()).with_suffix("").parts
        return importlib.import_module(".".join(("numba.cuda.tests", *parts)))


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Dir:
    """Take a folder for a folder, not for a package."""
    return pytest.Dir.from_parent(parent, path=path)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module:
    """Return a file of tests."""
    return _Module.from_parent(parent, path=module_path)


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request: pytest.FixtureRequest) -> None:
    """Set what numba-cuda's own conftest.py sets, which is not in its package."""
    request.cls._dump_failed_filechecks = False


def pytest_configure() -> None:
    """Replace the driver, if that is asked for."""
    if os.environ.get("NUMBA_TESTS_ON_SIM"):
        from accel.testing import numba_cuda_on_sim

        _on_sim.enter_context(numba_cuda_on_sim())
        os.environ["PYTHONPATH"] = os.pathsep.join([os.environ["NUMBA_TESTS_CHILDREN"], os.environ["PYTHONPATH"]])


def pytest_unconfigure() -> None:
    """Put the real driver back; work that is in flight concerns no test any more."""
    with suppress(Exception):
        _on_sim.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Iterator[None]:
    """Let no test inherit what an earlier one left in flight."""
    if os.environ.get("NUMBA_TESTS_ON_SIM"):
        from accel.testing.simulation import drop

        drop()
    return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note the outcome of a test, and the last line of its error; the first that is no pass counts."""
    name = report.nodeid.partition("numba/cuda/tests/")[2] or report.nodeid
    outcome = "xfailed" if hasattr(report, "wasxfail") and report.skipped else report.outcome
    if _results.get(name, "passed") != "passed" or (report.when != "call" and outcome == "passed"):
        return
    crash = getattr(report.longrepr, "reprcrash", None)
    _results[name] = f"failed {crash.message.strip()[:300] if crash else ''}" if outcome == "failed" else outcome


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Note a file that cannot be imported."""
    if report.failed:
        _results[report.nodeid.partition("numba/cuda/tests/")[2]] = f"failed {str(report.longrepr)[-300:]}"


def pytest_sessionfinish() -> None:
    """Write the results."""
    Path(os.environ["NUMBA_TESTS_RESULTS"]).write_text(json.dumps(_results, indent=1), encoding="utf-8")
