"""Benchmarks of whole programs say what is right, what is wrong and what raises."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"

RIGHT = "import {library} as np\ndef run(x, factor):\n    x[...] = np.sqrt(x) * factor\n"
TEXTS = {
    "right": RIGHT.format(library="cupy"),
    "without_cupy": None,
    "cupy_differs": "import cupy\ndef run(x, factor):\n    x[...] = 0\n",
    "slow": (
        "import cupy\nimport time\ndef run(x, factor):\n    x[...] = cupy.sqrt(x) * factor\n"
        "    time.sleep(cupy.__name__.count('accel') / 2)\n"
    ),
    "wrong": "import cupy\ndef run(x, factor):\n    x[...] = cupy.sqrt(x) * (factor + cupy.__name__.count('accel'))\n",
    "raises": "import cupy\ndef run(x, factor):\n    x[...] = cupy.sqrt(x) * {'cupy': factor}[cupy.__name__]\n",
    "on_the_host": (
        "import cupy\nimport numpy\ndef run(x, factor):\n    x[...] = cupy.asarray(numpy.asarray(x) ** 0.5) * factor\n"
    ),
}
"""The versions for CuPy of the programs of the checkout, which all are to compute what `RIGHT` does."""


def _npbench(root):
    folder = root / "npbench" / "benchmarks"
    folder.mkdir(parents=True)
    (root / "bench_info").mkdir()
    for name, text in TEXTS.items():
        information = {
            "relative_path": "",
            "module_name": name,
            "func_name": "run",
            "parameters": {"S": {"N": 50, "factor": 3.0}},
            "init": {"func_name": "initialize", "input_args": ["N"], "output_args": ["x"]},
            "input_args": ["x", "factor"],
            "array_args": ["x"],
            "output_args": ["x"],
        }
        (root / "bench_info" / f"{name}.json").write_text(json.dumps({"benchmark": information}))
        (folder / f"{name}.py").write_text("import numpy as np\ndef initialize(N):\n    return np.arange(1.0, N)\n")
        (folder / f"{name}_numpy.py").write_text(RIGHT.format(library="numpy"))
        if text is not None:
            (folder / f"{name}_cupy.py").write_text(text)


def _pyhpc(root):
    folder = root / "benchmarks" / "sum"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(
        "import numpy as np\ndef generate_inputs(size):\n    return np.ones(size), np.arange(float(size))\n"
    )
    (folder / "sum_numpy.py").write_text("import numpy as np\ndef run(x, y):\n    return np.add(x, y)\n")


def _results(name, *options):
    command = [sys.executable, str(BENCHMARKS / name), *map(str, options), "--rounds", "1"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=200)
    return json.loads(done.stdout)["results"]


@pytest.fixture(scope="module")
def checkouts(tmp_path_factory):
    roots = [tmp_path_factory.mktemp("checkouts") / name for name in ("npbench", "pyhpc")]
    _npbench(roots[0])
    _pyhpc(roots[1])
    return roots


@pytest.fixture(scope="module")
def programs(checkouts):
    """The output of `benchmarks/programs.py`, in a process of its own: programs are found by `sys.path`."""
    return _results("programs.py", *checkouts)


@pytest.mark.parametrize("name", ["right", "without_cupy", "cupy_differs", "slow"])
def test_a_right_program_has_a_ratio_on_each_device(programs, name):
    result = programs["npbench"]["programs"][name]
    assert result["wrong"] == result["host_copies"] == {}
    assert set(result["over_numpy"]) == {"cpu", "sim"}
    assert min(result["over_numpy"].values()) > 0


def test_a_wrong_program_has_its_error_and_no_ratio(programs):
    result = programs["npbench"]["programs"]["wrong"]
    assert result["wrong"] == {"cpu": "error 3.3e-01", "sim": "error 3.3e-01"}
    assert result["over_numpy"] == {}


def test_a_program_that_raises_has_the_message_and_no_ratio(programs):
    result = programs["npbench"]["programs"]["raises"]
    assert result["wrong"] == dict.fromkeys(["cpu", "sim"], "KeyError: 'accel.xp'")
    assert result["over_numpy"] == {}


def test_copies_to_the_host_are_counted(programs):
    result = programs["npbench"]["programs"]["on_the_host"]
    assert result["wrong"] == {}
    assert result["host_copies"] == {"sim": 1}


def test_the_summary_counts_right_programs(programs):
    summary = programs["npbench"]["right"]["cpu"]
    assert (summary["right"], summary["of"]) == (5, 7)
    assert summary["geometric_mean"] > 0


def test_programs_of_pyhpc_run(programs):
    assert programs["pyhpc"]["right"]["cpu"]["right"] == 1
    assert programs["pyhpc"]["programs"]["sum"]["wrong"] == {}


def test_short_programs_are_right_and_have_ratios():
    # Every program is compared with NumPy before it is timed.
    result = _results("array_programs.py", "--sizes", 1000)["1000"]
    assert len(result["programs"]) == 16
    for each in result["programs"].values():
        assert each["ratio"] == pytest.approx(each["numpy"] / each["accel"], abs=1e-3)
    assert set(result["below_0.95"]) == {name for name, each in result["programs"].items() if each["ratio"] < 0.95}


@pytest.mark.slow
def test_fused_programs_have_ratios_first_calls_or_the_reason_why_not(checkouts):
    results = _results("fuse.py", *checkouts, "--size", 1000, "--threads", 1, "--only", "right", "raises", "sum", "sin")
    right, raises = [results["npbench, 1 threads"]["programs"][name] for name in ("right", "raises")]
    assert right["wrong"] == {}
    assert right["over_numpy"].keys() == right["first_s"].keys() - {"numpy"} == {"unfused", "fused"}
    assert raises["wrong"] == dict.fromkeys(["unfused", "fused"], "KeyError: 'accel.xp'")
    assert results["pyhpc, 1 threads"]["summary"]["fused"]["programs"] == 1
    assert results["starts, 1 threads"]["programs"]["sum"]["later_process_s"]["fused"] > 0
    assert {"fused", "fused, reused", "numba"} <= results["expressions, 1 threads"]["programs"]["sin"][
        "over_numpy"
    ].keys()


def test_a_fused_program_that_takes_too_long_is_ended_and_says_so(checkouts):
    results = _results("fuse.py", checkouts[0], "--parts", "npbench", "--threads", 1, "--limit", 0.1, "--only", "right")
    assert results["npbench, 1 threads"]["programs"]["right"]["wrong"] == {"process": "it was ended after 0.1 s"}


def test_a_call_of_one_fused_kernel_is_timed_beside_a_plain_kernel():
    calls = _results("fuse.py", "--parts", "calls", "--threads", 1)["calls, 1 threads"]["programs"]["small arrays"]
    assert len(calls) > 3
    assert all(each > 0 for each in calls.values())
