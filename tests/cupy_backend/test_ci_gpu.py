"""`ci/gpu` runs every stage and reports the results; here with the stand-in as the CuPy of all its processes."""

import json
import os
import subprocess
import sys
from importlib.metadata import Distribution
from select import select

import pytest

CUPY = """
import sys, warnings
warnings.warn("a path could not be detected")
sys.path.append("{root}")
from tests.cupy_backend.standin.process import install
install({faults})
"""
# It runs the command that follows its options, from the first path on.
SANITIZER = """#!/usr/bin/env bash
while [[ $1 != /* ]]; do shift; done
exec "$@"
"""
STANDARD = """
import os
import pytest

def test_the_namespace_and_the_device_are_chosen(max_examples):
    assert (os.environ["ARRAY_API_TESTS_MODULE"], os.environ["ACCEL_DEVICE"]) == ("accel.xp", "cuda:0")

@pytest.mark.parametrize("case", ["remainder(x1_i is +0 and x2_i < 0) -> -0"])
def test_binary(case):
    assert False
"""
MIXED = """
import pytest

@pytest.mark.parametrize("case", ["remainder(x1_i is +0 and x2_i < 0) -> -0", "of CuPy", "neither"])
def test_binary(case):
    assert case != "of CuPy"

def test_skipped():
    pytest.skip("not here")

@pytest.fixture
def broken():
    yield
    raise ValueError("too late")

def test_that_ends_badly(broken):
    pass
"""
KNOWN = "array_api_tests/test_special_cases.py::test_binary[remainder(x1_i is +0 and x2_i < 0) -> -0]"
# How the conftest.py of the standard's own tests uses its options.
OPTIONS = """
import pytest

def pytest_addoption(parser):
    parser.addoption("--max-examples", type=int)
    parser.addoption("--xfails-file")

def pytest_collection_modifyitems(config, items):
    known = open(config.getoption("--xfails-file")).read().splitlines()
    for item in items:
        if item.nodeid in known:
            item.add_marker(pytest.mark.xfail(reason="known"))

@pytest.fixture
def max_examples(request):
    return request.config.getoption("--max-examples")
"""


@pytest.fixture
def scripts(root, monkeypatch):
    """The modules of ci/."""
    monkeypatch.syspath_prepend(root / "ci")
    for name in [name for name in sys.modules if name.startswith("gpu_")]:
        monkeypatch.delitem(sys.modules, name)


@pytest.fixture
def run(root, tmp_path):
    """A function that runs ci/gpu with the stand-in as CuPy, and returns its result."""

    def run(faults="", **environment):
        folder = tmp_path / "modules"
        folder.mkdir()
        (folder / "cupy.py").write_text(CUPY.format(root=root, faults=faults))
        return subprocess.run(
            [root / "ci/gpu", "--quick", "--results", tmp_path / "results"],
            check=False,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHON": sys.executable, "PYTHONPATH": str(folder), **environment},
        )

    return run


def tools(folder):
    """Make a compute-sanitizer that finds no errors and a checkout of tests, and return the environment for them."""
    (folder / "bin").mkdir()
    sanitizer = folder / "bin/compute-sanitizer"
    sanitizer.write_text(SANITIZER)
    sanitizer.chmod(0o755)
    path = os.pathsep.join([str(sanitizer.parent), os.environ["PATH"]])
    return {"PATH": path, "ARRAY_API_TESTS": str(checkout(folder, STANDARD))}


def checkout(folder, tests):
    """Make a checkout of the standard's tests that contains test functions of our own."""
    (folder / "standard/array_api_tests").mkdir(parents=True)
    (folder / "standard/array_api_tests/test_special_cases.py").write_text(tests)
    (folder / "standard/conftest.py").write_text(OPTIONS)
    (folder / "standard/pytest.ini").write_text("[pytest]\n")
    return folder / "standard"


def standard(root, folder, seconds=60):
    """Run only the stage of the array standard; return its exit status, its record and its output."""
    command = [sys.executable, "-B", root / "ci/gpu_standard.py", folder, "--seconds", str(seconds)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout), done.stderr


def test_every_stage_is_run_and_recorded_though_others_fail(run, tmp_path):
    done = run(**tools(tmp_path))
    assert done.returncode == 1, done.stdout + done.stderr
    [path] = (tmp_path / "results").iterdir()
    record = json.loads(path.read_text())
    # The stand-in's arrays do not compute, so the stages that need that cannot pass.
    failing = ("arrays", "demo")
    passing = ("conformance", "copies", "plans", "release", "memcheck", "racecheck", "array standard", "benchmarks")
    outcomes = {name: stage["outcome"] for name, stage in record["stages"].items()}
    expected = {"machine": "passed", **dict.fromkeys(passing, "passed"), **dict.fromkeys(failing, "failed")}
    assert outcomes == expected, done.stdout + done.stderr
    assert path.name == f"gpu-{record['name']}.json" == "gpu-stand-in-100-quick.json"
    assert [device["name"] for device in record["machine"]["devices"].values()] == ["Stand-In 100"] * 2
    results = record["results"]
    assert len(results["copies"]) == 11
    assert [len(results[name]) for name in ("pinned", "pageable", "host work, us")] == [2, 2, 6]
    assert record["array standard"]["counts"]["passed"] == 1
    assert record["array standard"]["xfailed"] == [KNOWN]
    assert all(f"{name:16}" in done.stdout for name in expected)


def test_of_the_standards_tests_all_are_counted_and_what_is_not_expected_is_named(root, tmp_path):
    status, found, said = standard(root, checkout(tmp_path, MIXED))
    counts = {"passed": 1, "failed": 2, "xfailed": 0, "xpassed": 1, "skipped": 1, "not run": 0}
    file = "array_api_tests/test_special_cases.py"
    failed = [f"{file}::test_binary[of CuPy]", f"{file}::test_that_ends_badly"]
    found["failed"].sort()  # a plug-in of pytest may shuffle them
    assert (status, found) == (1, {"counts": counts, "failed": failed, "xfailed": [], "xpassed": [KNOWN]})
    for name in failed:
        assert f"failed, and is not known to: {name}" in said
    assert f"passed, and is known to fail: {KNOWN}" in said
    assert said.splitlines()[-1] == "1 passed, 2 failed, 0 xfailed, 1 xpassed, 1 skipped, 0 not run"


def test_what_the_standards_tests_had_no_time_for_is_counted_and_no_success(root, tmp_path):
    status, found, _ = standard(root, checkout(tmp_path, STANDARD), seconds=0)
    assert (status, found["counts"]["not run"]) == (1, 1)  # a test that has started is finished


def test_tests_of_the_standard_that_cannot_be_loaded_are_no_success(root, tmp_path):
    status, found, _ = standard(root, checkout(tmp_path, "import nothing_of_this_name"))
    assert (status, found["failed"]) == (1, ["array_api_tests/test_special_cases.py"])


def test_each_known_failure_has_a_reason_above_it(root):
    text = (root / "ci/gpu_array_standard_xfails.txt").read_text()
    title, *groups = text.split("\n\n")
    assert title.startswith("#")
    for group in groups:
        reason, *tests = group.splitlines()
        assert reason.startswith("# ")
        assert all(test.startswith("array_api_tests/") for test in tests)


def test_without_what_the_standards_tests_need_they_are_not_run_and_it_says_so(scripts, tmp_path, monkeypatch):
    import gpu_stages

    folder = checkout(tmp_path, STANDARD)
    (folder / "requirements.txt").write_text("pytest\nnothing-of-this-name>=1.8\n")
    monkeypatch.setenv("ARRAY_API_TESTS", str(folder))
    assert gpu_stages._standard("cuda:0").absent.startswith("pip install nothing-of-this-name>=1.8, which")
    (folder / "requirements.txt").write_text("pytest\n")
    assert gpu_stages._standard("cuda:0").absent == ""


def test_without_a_device_it_says_so_and_writes_nothing(run, tmp_path):
    done = run("fails=100")
    assert done.returncode == 1
    assert "no GPU: the driver of CUDA finds no device" in done.stdout
    assert "no stage was run, and nothing is written" in done.stderr
    assert not (tmp_path / "results").exists()


def test_what_is_missing_is_named_with_the_line_that_installs_it(root, scripts, monkeypatch):
    import gpu_install

    monkeypatch.setattr(gpu_install, "find_spec", lambda name: None if name in {"cupy", "ml_dtypes"} else name)
    text = gpu_install.missing(root)
    assert "lacks ml_dtypes, cupy;" in text
    assert f"{sys.executable} -m pip install 'ml_dtypes>=0.5' 'cupy-cuda13x'   (or cupy-cuda12x" in text
    monkeypatch.setattr(gpu_install, "find_spec", lambda name: name)
    assert gpu_install.missing(root) == ""


def stages_of(gpu_stages, tmp_path, lacks=()):
    """Return the stages by name, on a machine without some modules."""
    gpu_stages.find_spec = lambda name: None if name in lacks else name
    return {stage.name: stage for stage in gpu_stages._stages(["cuda:0"], tmp_path, quick=False)}


def test_what_only_some_stages_need_keeps_no_other_from_being_run(root, scripts, tmp_path, monkeypatch):
    import gpu_install
    import gpu_stages

    lacks = ("array_api_compat", "numba")
    monkeypatch.setattr(gpu_install, "find_spec", lambda name: None if name in lacks else name)
    assert gpu_install.missing(root) == ""
    monkeypatch.setenv("ARRAY_API_TESTS", str(checkout(tmp_path, STANDARD)))
    kept = stages_of(gpu_stages, tmp_path, lacks)
    assert {name for name, stage in kept.items() if "array" in stage.absent} == {"arrays", "array standard", "demo"}
    assert "pip install array-api-compat" in kept["arrays"].absent
    assert kept["release"].command[-2:] == ("-k", "not results")  # each result is an array
    all_there = stages_of(gpu_stages, tmp_path)
    assert (all_there["arrays"].absent, "-k" in all_there["release"].command) == ("", False)


def test_copies_that_numpy_does_for_want_of_numba_fail_no_stage(scripts, tmp_path):
    import gpu_stages

    path = tmp_path / "test_warning.py"
    warning = "copies are done by NumPy, as numba fails: ImportError()"
    path.write_text(f"import warnings\n\ndef test():\n    warnings.warn({warning!r}, RuntimeWarning)\n")
    command = [sys.executable, *gpu_stages._PYTEST, "-o", "filterwarnings=error", path]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0


def test_stages_that_take_all_their_time_leave_the_last_one_its_own(scripts, tmp_path):
    import gpu_stages

    seconds = gpu_stages._MACHINE + sum(stage.seconds for stage in stages_of(gpu_stages, tmp_path).values())
    assert seconds <= gpu_stages._SECONDS - 20  # the rest is for installing the library


def test_what_is_laid_out_without_setuptools_is_what_pip_installs(root, scripts, installed, tmp_path, monkeypatch):
    import gpu_install

    monkeypatch.setattr(gpu_install, "version", lambda name: "65.5.0")
    assert gpu_install.install(root, tmp_path) == "copying"
    modules = [
        {path.relative_to(folder) for path in (folder / "accel").rglob("*.*") if "__pycache__" not in path.parts}
        for folder in (tmp_path, installed)
    ]
    assert modules[0] == modules[1]
    points = [
        {(point.group, point.name, point.value) for point in Distribution.at(record).entry_points}
        for record in (next(folder.glob("*.dist-info")) for folder in (tmp_path, installed))
    ]
    assert points[0] == points[1]


def test_a_stage_whose_time_is_over_is_ended_with_all_that_it_started(scripts, tmp_path):
    import gpu_running

    path = tmp_path / "pipe"
    os.mkfifo(path)
    pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    child = f"import time; pipe = open('{path}', 'w'); print('began'); time.sleep(600)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-u', '-c', {child!r}])"
    found = gpu_running.run(gpu_running.Stage("slow", 2, (sys.executable, "-c", parent)), os.environ, tmp_path)
    assert (found.outcome, found.said, found.bad) == ("timed out", "began", True)
    ended, *_ = select([pipe], [], [], 60)  # at the end of the last process that writes to it
    os.close(pipe)
    assert ended


def test_the_arrays_of_a_device_that_computes_pass(root):
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--accel-devices", "sim", "tests/gpu/test_arrays.py"]
    environment = {**os.environ, "ACCEL_GPU_EXAMPLES": "5"}
    done = subprocess.run(
        [sys.executable, *command], cwd=root, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_tests_for_real_devices_are_collected_only_where_one_is_named(root):
    def collected(*arguments):
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "tests/gpu"]
        return subprocess.run([*command, *arguments], cwd=root, check=False, capture_output=True, text=True).stdout

    assert "no tests collected" in collected()
    assert "no tests collected" in collected("--accel-devices", "cpu,sim")
    assert "test_copies.py" in collected("--accel-devices", "cuda:1")
