"""`ci/gpu` runs every stage and tells what became of it; here with the stand-in as the CuPy of all its processes."""

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
# It runs what it is given, from the first path on.
SANITIZER = """#!/usr/bin/env bash
while [[ $1 != /* ]]; do shift; done
exec "$@"
"""
STANDARD = """
import os

def test_the_namespace_and_the_device_are_chosen(max_examples):
    assert (os.environ["ARRAY_API_TESTS_MODULE"], os.environ["ACCEL_DEVICE"]) == ("accel.xp", "cuda:0")
"""
OPTIONS = """
import pytest

def pytest_addoption(parser):
    parser.addoption("--max-examples", type=int)

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
    """A function that runs ci/gpu where CuPy is the stand-in, and returns how it went."""

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
    """Make a compute-sanitizer that finds nothing and a checkout of tests, and return the environment with them."""
    (folder / "bin").mkdir()
    sanitizer, tests = folder / "bin/compute-sanitizer", folder / "standard/array_api_tests"
    sanitizer.write_text(SANITIZER)
    sanitizer.chmod(0o755)
    tests.mkdir(parents=True)
    (tests / "test_choice.py").write_text(STANDARD)
    (folder / "standard/conftest.py").write_text(OPTIONS)
    (folder / "standard/pytest.ini").write_text("[pytest]\n")
    path = os.pathsep.join([str(sanitizer.parent), os.environ["PATH"]])
    return {"PATH": path, "ARRAY_API_TESTS": str(folder / "standard")}


def test_every_stage_is_run_and_recorded_though_others_fail(run, tmp_path):
    done = run(**tools(tmp_path))
    assert done.returncode == 1, done.stdout + done.stderr
    [path] = (tmp_path / "results").iterdir()
    record = json.loads(path.read_text())
    # The stand-in computes nothing, so what computes with CuPy's arrays cannot pass.
    failing = ("arrays", "demo")
    passing = ("conformance", "copies", "plans", "release", "memcheck", "racecheck", "array standard", "benchmarks")
    outcomes = {name: stage["outcome"] for name, stage in record["stages"].items()}
    expected = {"machine": "passed", **dict.fromkeys(passing, "passed"), **dict.fromkeys(failing, "failed")}
    assert outcomes == expected, done.stdout + done.stderr
    assert path.name == f"gpu-{record['name']}.json" == "gpu-stand-in-100-quick.json"
    assert [device["name"] for device in record["machine"]["devices"].values()] == ["Stand-In 100"] * 2
    assert len(record["results"]["copies"]) == 10
    assert all(f"{name:16}" in done.stdout for name in expected)


def test_without_a_device_it_says_so_and_writes_nothing(run, tmp_path):
    done = run("fails=100")
    assert done.returncode == 1
    assert "no GPU: the driver of CUDA finds no device" in done.stdout
    assert "no stage was run, and nothing is written" in done.stderr
    assert not (tmp_path / "results").exists()


def test_what_is_missing_is_named_with_the_line_that_installs_it(root, scripts, monkeypatch):
    import gpu_install

    monkeypatch.setattr(gpu_install, "find_spec", lambda name: None if name in {"cupy", "array_api_compat"} else name)
    text = gpu_install.missing(root)
    assert "lacks array_api_compat, cupy;" in text
    assert f"{sys.executable} -m pip install 'array-api-compat>=1.12' 'cupy-cuda13x'   (or cupy-cuda12x" in text
    monkeypatch.setattr(gpu_install, "find_spec", lambda name: name)
    assert gpu_install.missing(root) == ""


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
    ended, *_ = select([pipe], [], [], 60)  # a pipe that nobody writes to any more
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
