"""`ci/foreign_tests`: its page, and the reasons of failures."""

import json
import sys
from importlib import import_module

import pytest


@pytest.fixture
def script(root, monkeypatch):
    """Return a module of `ci` by its name."""
    monkeypatch.syspath_prepend(str(root / "ci"))
    yield import_module
    for name in ("foreign_page", "foreign_reasons", "foreign_tests"):
        sys.modules.pop(name, None)


@pytest.fixture
def results(root):
    return json.loads((root / "ci/others_tests.json").read_text(encoding="utf-8"))


def test_the_page_is_what_the_script_writes(script, results):
    page = script("foreign_page")
    assert page.PAGE.read_text(encoding="utf-8") == page.page(results)


def test_each_failure_has_a_reason(script, results):
    page = script("foreign_page")
    failures = [(module, each) for module, result in results["modules"].items() for each in result["failures"]]
    ours = [page.reason(*each) for each in failures if each[1]["run"] != "array_api_strict"]
    assert [each for each in ours if each.startswith("not explained")] == []
    other = {"first": "test_a", "where": "scipy/a.py:1", "message": "E"}
    assert page.reason("scipy.a", other) == "not explained: `E` at `scipy/a.py:1`"


def test_results_of_one_module_take_the_place_of_older_ones(script, tmp_path):
    page, target = script("foreign_page"), tmp_path / "results.json"
    for passed in (1, 2):
        page.record(target, "scipy.a", {"outcomes": {"cpu": {"passed": passed}}, "failures": []})
    recorded = json.loads(target.read_text())
    assert recorded["modules"] == {"scipy.a": {"outcomes": {"cpu": {"passed": 2}}, "failures": []}}
    assert set(recorded["versions"]) == set(page.LIBRARIES)


def test_the_packages_that_are_named_and_no_others_are_run(script):
    modules = list(script("foreign_tests").modules(["array_api_extra", "scipy.constants"]))
    assert "array_api_extra.tests.main.test_at" in modules
    assert "scipy.constants.tests.test_constants" in modules
    assert {each.partition(".tests.")[0] for each in modules} == {"array_api_extra", "scipy.constants"}


@pytest.mark.slow
def test_one_module_runs_on_each_device_beside_the_reference(script):
    result = script("foreign_tests").run_apart("array_api_extra.tests.main.test_inspection")
    assert result == {"outcomes": {run: {"passed": 3} for run in ("array_api_strict", "cpu", "sim")}, "failures": []}


@pytest.mark.slow
def test_a_failure_names_the_line_of_the_other_project(script):
    result = script("foreign_tests").run_apart("array_api_extra.tests.main.test_set")
    [cpu, sim] = result["failures"]
    assert (cpu["run"], sim["run"], cpu["tests"]) == ("cpu", "sim", 1)
    assert cpu["first"] == "TestNUnique::test_delegates[accel.xp-cpu]"
    assert cpu["where"].startswith("array_api_extra/tests/main/test_set.py:")
    assert cpu["message"] == "AssertionError: array-agnostic fallback should not be used"
