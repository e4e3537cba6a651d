"""A plug-in of pytest for numba-cuda's own tests: it imports them as theirs does, and notes what becomes of each.

The environment variable ``NUMBA_TESTS_RESULTS`` names the file of the results: a line of JSON each time that one is
known; the last of a test counts. Tests that it has are left out, so a run that ended by a crash goes on after it. With
``NUMBA_TESTS_ON_SIM=1`` the tests run on simulated devices, and so do the processes that they start (`sitecustomize`,
which is in the folder ``NUMBA_TESTS_CHILDREN``).
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
_file = Path(os.environ["NUMBA_TESTS_RESULTS"])
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


def _note(name: str, outcome: str) -> None:
    _results[name] = outcome
    with _file.open("a", encoding="utf-8") as results:
        results.write(json.dumps([name, outcome]) + "\n")


def _name(nodeid: str) -> str:
    return nodeid.partition("numba/cuda/tests/")[2] or nodeid


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out the tests that have a result."""
    if _file.exists():
        done = {json.loads(line)[0] for line in _file.read_text(encoding="utf-8").splitlines()}
        items[:] = [item for item in items if _name(item.nodeid) not in done]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Let no test inherit what an earlier one left in flight."""
    _note(_name(item.nodeid), "failed: the process crashed")
    _results.pop(_name(item.nodeid))
    if os.environ.get("NUMBA_TESTS_ON_SIM"):
        from accel.testing.simulation import drop

        drop()
    return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note the outcome of a test, and the first lines of its error; the first that is no pass counts."""
    outcome = "xfailed" if hasattr(report, "wasxfail") and report.skipped else report.outcome
    if report.when != "call" and outcome == "passed":
        return
    name = _name(report.nodeid)
    if _results.get(name, "passed") == "passed":
        crash = getattr(report.longrepr, "reprcrash", None)
        _note(name, f"failed {crash.message.strip()[:300] if crash else ''}" if outcome == "failed" else outcome)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Note a file that cannot be imported."""
    if report.failed:
        _note(_name(report.nodeid), f"failed {str(report.longrepr)[-300:]}")
