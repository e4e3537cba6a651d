"""`ci/gpu` runs the stages of a part and reports them; here with the stand-in as the CuPy of all its processes."""

import json
import os
import subprocess
import sys
from argparse import Namespace
from importlib.metadata import Distribution
from select import select
from time import monotonic

import pytest

from .standard_checkout import KNOWN, STANDARD, checkout

pytestmark = pytest.mark.slow

CUPY = """
import sys, warnings
warnings.warn("a path could not be detected")
sys.path.append("{root}")
from tests.cupy_backend.standin.process import install
install({faults})
"""
QUICK = {"ACCEL_TEST_PROFILE": "quick"}
# It runs the command that follows its options, from the first path on.
SANITIZER = """#!/usr/bin/env bash
while [[ $1 != /* ]]; do shift; done
exec "$@"
"""
# It runs the command too, and writes a line for each metric of one kernel.
NCU = """#!/usr/bin/env bash
while [[ $1 != /* ]]; do shift; done
"$@" || exit
echo '==PROF== Connected to process 1'
echo '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"'
echo '"0","copy_items","launch__registers_per_thread","register/thread","40"'
echo '"0","copy_items","gpu__time_duration.sum","us","5.12"'
"""


@pytest.fixture
def scripts(root, monkeypatch):
    """The modules of ci/."""
    monkeypatch.syspath_prepend(root / "ci")
    for name in [name for name in sys.modules if name.startswith("gpu_")]:
        monkeypatch.delitem(sys.modules, name)


@pytest.fixture
def run(root, tmp_path):
    """A function that runs a part of ci/gpu with the stand-in as CuPy, and returns its result."""

    def run(*arguments, faults="", **environment):
        folder = tmp_path / "modules"
        folder.mkdir(exist_ok=True)
        (folder / "cupy.py").write_text(CUPY.format(root=root, faults=faults))
        return subprocess.run(
            [root / "ci/gpu", *arguments, "--quick", "--results", tmp_path / "results"],
            check=False,
            capture_output=True,
            text=True,
            # The stages are what is tested; tests/cupy_backend has their tests on the stand-in in full.
            env={**os.environ, **QUICK, "PYTHON": sys.executable, "PYTHONPATH": str(folder), **environment},
        )

    return run


@pytest.fixture
def recorded(run, tmp_path):
    """A function that runs a part, and returns its status, its record, the outcomes of its stages, and its output."""

    def recorded(part, *arguments, **environment):
        done = run(part, *arguments, **environment)
        path = tmp_path / f"results/gpu-stand-in-100-{part}-quick.json"
        assert path.exists(), done.stdout + done.stderr
        record = json.loads(path.read_text())
        outcomes = {name: stage["outcome"] for name, stage in record["stages"].items()}
        return done.returncode, record, outcomes, done.stdout + done.stderr

    return recorded


def tools(folder):
    """Make a compute-sanitizer that finds no errors and an ncu, and return the environment for them."""
    (folder / "bin").mkdir()
    for name, text in (("compute-sanitizer", SANITIZER), ("ncu", NCU)):
        (folder / "bin" / name).write_text(text)
        (folder / "bin" / name).chmod(0o755)
    return {"PATH": os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])}


def test_the_truth_is_recorded_stage_by_stage_also_what_was_left_out(recorded):
    _status, record, outcomes, said = recorded("truth", "--without", "cupy_kernels")
    del outcomes["probes"]  # of a real driver
    passing = dict.fromkeys(
        ("machine", "conformance", "python_kernels", "copies", "plans", "shapes", "graphs"), "passed"
    )
    assert outcomes == {**passing, "tests of cupy_kernels": "not run"}, said
    assert record["stages"]["tests of cupy_kernels"]["said"] == "left out: --without cupy_kernels"
    assert "2 deselected" in record["stages"]["conformance"]["said"]
    assert record["name"] == "stand-in-100-truth-quick"
    devices = record["machine"]["devices"]
    assert [device["name"] for device in devices.values()] == ["Stand-In 100"] * 2
    assert devices["cuda:0"]["properties"]["warpSize"] == 32
    assert devices["cuda:0"]["reaches"] == ["cuda:1"]
    assert all(f"{name:24}" in said for name in outcomes)


def test_a_stage_that_fails_does_not_stop_the_others_and_its_output_is_recorded(recorded, tmp_path):
    status, record, outcomes, said = recorded("full", ARRAY_API_TESTS=str(checkout(tmp_path, STANDARD)))
    # The stand-in's arrays do not compute, so the stages that need that cannot pass.
    failing = dict.fromkeys(("arrays", "fuse", "keywords", "random", "demo"), "failed")
    tests = "release", "conformance, async pools", "captures_of_others", "copies", "plans"
    passing = dict.fromkeys(("machine", "array standard", *tests), "passed")
    assert (status, outcomes) == (1, failing | passing), said
    assert "FAILED tests/gpu/test_arrays.py" in record["stages"]["arrays"]["output"]
    assert record["results"]["array standard"]["counts"]["passed"] == 1
    assert record["results"]["array standard"]["xfailed"] == [KNOWN]


def test_the_speed_is_recorded_with_its_goals(recorded, tmp_path):
    status, record, outcomes, said = recorded("speed", **tools(tmp_path))
    measured = ("kernels in Python", "copies, 512 MiB", "copies, 4 GiB", "link", "pitched", "ncu")
    # The others compare with functions of CuPy that the stand-in does not have.
    passing = dict.fromkeys(("machine", *measured), "passed")
    assert (status, outcomes) == (1, dict.fromkeys(("in flight", "host path"), "failed") | passing), said
    results = {stage: record["results"][stage]["results"] for stage in measured}
    assert results["copies, 4 GiB"]["contiguous"]["goals"] == {
        "of memcpy's": {"at least": 0.9},
        "of CuPy's": {"at least": 1.0},
    }
    assert all(rate["of memcpy's"] > 0 for rate in results["copies, 4 GiB"].values() if type(rate) is dict)
    assert {"scale", "saxpy", "sum", "stencil"} <= set(results["kernels in Python"])
    assert all(each["of CuPy's"] > 0 for each in results["kernels in Python"].values() if type(each) is dict)
    assert set(results["pitched"]["rows of 12 bytes"]) == {"pinned", "pageable"}
    assert len(results["link"]["4 KiB"]) == 4
    assert results["ncu"] == {"0 copy_items": {"registers": "40 register/thread", "duration": "5.12 us"}}


def test_each_sanitizer_runs_every_kernel(recorded, tmp_path):
    status, record, outcomes, said = recorded("sanitizers", ACCEL_TEST_PROFILE="full", **tools(tmp_path))
    names = ("machine", "memcheck", "racecheck", "synccheck", "initcheck")
    assert (status, outcomes) == (0, dict.fromkeys(names, "passed") | {"copies on the host": "not run"}), said
    assert record["stages"]["initcheck"]["said"].startswith("10 passed")


def test_stages_that_need_the_kernels_of_cupy_are_left_out_with_their_marker(scripts, tmp_path):
    import gpu_parts

    chosen = gpu_parts.Chosen(["cuda:0"], tmp_path, without="cupy_kernels")
    absent = {stage.name for stage in gpu_parts.PARTS["full"].stages(chosen) if stage.absent.startswith("left out")}
    assert absent == {"arrays", "fuse", "keywords", "random", "array standard", "demo", "tests of cupy_kernels"}


@pytest.mark.parametrize(("more", "status"), [((), 0), (("--complete",), 1)])
def test_a_part_that_must_be_complete_fails_if_a_stage_is_not_run(recorded, more, status):
    code, record, outcomes, said = recorded("sanitizers", *more, PATH="/usr/bin:/bin")
    assert outcomes["racecheck"] == "not run", said
    assert record["stages"]["racecheck"]["said"] == "compute-sanitizer is not installed"
    assert code == status


def test_without_a_part_it_says_which_there_are(root):
    done = subprocess.run(
        [root / "ci/gpu"], check=False, capture_output=True, text=True, env={**os.environ, "PYTHON": sys.executable}
    )
    assert done.returncode == 2
    assert all(f"\n  {part} " in done.stderr for part in ("truth", "full", "speed", "sanitizers"))


def test_the_record_is_there_before_a_stage_ends(scripts, tmp_path):
    import gpu_part
    import gpu_parts
    import gpu_running

    path = tmp_path / "gpu-here-truth.json"
    stage = gpu_running.Stage("look", 60, (sys.executable, "-c", f"print(open({str(path)!r}).read())"))
    gpu_part.PARTS = {"truth": gpu_parts.Part("", lambda chosen: iter([stage]))}
    machine = gpu_running.Outcome("passed", 0.0, "", '{"devices": {"cuda:0": {}}}')
    record = gpu_part.Record("truth", "here", machine, {})
    options = Namespace(part="truth", results=tmp_path, quick=False, examples=None, without="")
    gpu_part._run(record, options, tmp_path, monotonic() + 60)
    assert record.outcomes["look"].outcome == "passed"
    result = json.loads(record.outcomes["look"].output)["stages"]["look"]
    assert (result["outcome"], result["said"]) == ("not run", "ci/gpu was ended before this stage")


def test_tests_that_are_skipped_are_recorded_with_their_reasons(scripts, tmp_path):
    import gpu_parts
    import gpu_record
    import gpu_running

    path = tmp_path / "test_skipping.py"
    path.write_text("import pytest\n\ndef test_this(): pytest.skip('not here')\n\ndef test_that(): pass\n")
    stage = gpu_running.Stage("skipping", 60, (sys.executable, *gpu_parts._PYTEST, str(path)))
    result = gpu_record._stage(gpu_running.run(stage, os.environ, tmp_path))
    assert result["outcome"] == "passed"
    assert [line.partition(": ")[2] for line in result["skipped"]] == ["not here"]


def test_a_missed_goal_is_marked(scripts, capsys):
    import gpu_record
    import gpu_running

    goals = {"of CuPy's": {"at least": 1.0}, "us": {"at most": 6}}
    results = {"results": {"turned": {"4 bytes": {"of CuPy's": 0.75, "us": 5.5, "GB/s": 3600.4, "goals": goals}}}}
    gpu_record.print_table({"copies": gpu_running.Outcome("passed", 1.0, "said", json.dumps(results))})
    measured, stage = capsys.readouterr().out.splitlines()
    assert measured.split(maxsplit=4)[1:3] == ["turned,", "4"]
    assert measured.endswith("of CuPy's 0.75 (at least 1: MISSED); us 5.5 (at most 6); GB/s 3600")
    assert stage.split() == ["copies", "passed", "1.0", "s", "said"]


def test_without_what_the_standards_tests_need_they_are_not_run_and_it_says_so(scripts, tmp_path, monkeypatch):
    import gpu_parts

    folder = checkout(tmp_path, STANDARD)
    (folder / "requirements.txt").write_text("pytest\nnothing-of-this-name>=1.8\n")
    monkeypatch.setenv("ARRAY_API_TESTS", str(folder))

    def standard_stage():
        return gpu_parts._standard(gpu_parts.Chosen(["cuda:0"], tmp_path), 60)

    assert standard_stage().absent.startswith("pip install nothing-of-this-name>=1.8, which")
    (folder / "requirements.txt").write_text("pytest\n")
    assert standard_stage().absent == ""


def test_without_a_device_it_says_so_and_writes_nothing(run, tmp_path):
    done = run("truth", faults="fails=100")
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


def stages_of(gpu_parts, part, folder, lacks=()):
    """Return the stages of a part by name, on a machine without some modules."""
    gpu_parts.find_spec = lambda name: None if name in lacks else name
    chosen = gpu_parts.Chosen(["cuda:0"], folder)
    return {stage.name: stage for stage in gpu_parts.PARTS[part].stages(chosen)}


def test_what_only_some_stages_need_keeps_no_other_from_being_run(root, scripts, tmp_path, monkeypatch):
    import gpu_install
    import gpu_parts

    lacks = ("array_api_compat",)
    monkeypatch.setattr(gpu_install, "find_spec", lambda name: None if name in lacks else name)
    assert gpu_install.missing(root) == ""
    monkeypatch.setenv("ARRAY_API_TESTS", str(checkout(tmp_path, STANDARD)))
    stages = stages_of(gpu_parts, "full", tmp_path, lacks)
    of_arrays = {"arrays", "fuse", "keywords", "random", "array standard", "demo"}
    assert {name for name, stage in stages.items() if "array" in stage.absent} == of_arrays
    assert "pip install array-api-compat" in stages["arrays"].absent
    assert stages["release"].command[-2:] == ("-k", "not results")  # each result is an array
    all_there = stages_of(gpu_parts, "full", tmp_path)
    assert (all_there["arrays"].absent, "-k" in all_there["release"].command) == ("", False)


@pytest.mark.parametrize("part", ["truth", "full", "speed", "sanitizers"])
def test_stages_that_take_all_their_time_leave_the_last_one_its_own(scripts, tmp_path, part):
    import gpu_parts
    import gpu_running

    stages = [gpu_parts.MACHINE, *stages_of(gpu_parts, part, tmp_path).values()]
    assert sum(stage.seconds for stage in stages) <= gpu_parts.SECONDS - 20  # the rest is for installing the library
    assert gpu_parts.SECONDS + gpu_running._STOP <= 9 * 60


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
    result = gpu_running.run(gpu_running.Stage("slow", 2, (sys.executable, "-c", parent)), os.environ, tmp_path)
    assert (result.outcome, result.said, result.bad) == ("out of time", "began", True)
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
