"""Runs everything that needs a GPU, stage by stage, prints a table, and writes the results as JSON.

Each stage runs even if an earlier one failed. The exit status is 0 if none failed, 1 if one did or there is no GPU, and
2 if packages are missing.
"""

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from json import loads
from pathlib import Path
from time import monotonic

from gpu_install import install, lacking, missing
from gpu_record import print_table, recorded, write
from gpu_running import ROOT, Outcome, Stage, run

__all__: list[str] = []

_SECONDS = 525
"""Time limit for all stages together; it leaves some of the nine minutes for the report."""
_MACHINE = 30
_SLOW = "default:copies are done by NumPy"  # where numba does not know NumPy yet; all other warnings are errors
_PYTEST = ("-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", _SLOW)


def main() -> int:
    """Run all stages and return the exit status."""
    given, began = _arguments(), monotonic()
    lacks = missing(ROOT)
    if lacks:
        print(f"ci/gpu: {lacks}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        how = install(ROOT, work / "installed")
        outcomes = _outcomes(work, began + _SECONDS, quick=given.quick)
    if outcomes["machine"].bad:
        print("ci/gpu: no stage was run, and nothing is written", file=sys.stderr)
        return 1
    record = recorded(given.name, outcomes, quick=given.quick, installed_by=how)
    print(f"== {write(given.results, record)}")
    print_table(record)
    return int(any(outcome.bad for outcome in outcomes.values()))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="ci/gpu", description=__doc__)
    parser.add_argument("name", nargs="?", help="of the file of results (default: what the first device is called)")
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks/results", metavar="DIR", help="its folder")
    parser.add_argument("--quick", action="store_true", help="few examples and small copies, for a look")
    return parser.parse_args()


def _outcomes(work: Path, end: float, *, quick: bool) -> dict[str, Outcome]:
    """Run the stages until a deadline; all but the first only if that one finds a device."""
    environment = _environment(work, quick=quick)
    found = {"machine": run(Stage("machine", _MACHINE, _python("ci/gpu_machine.py")), environment, work)}
    if not found["machine"].bad:
        for stage in _stages(list(loads(found["machine"].output)["devices"]), work, quick=quick):
            seconds = max(1, min(stage.seconds, end - monotonic()))
            found[stage.name] = run(stage._replace(seconds=seconds), environment, work)
    return found


def _environment(work: Path, *, quick: bool) -> Mapping[str, str]:
    """Return an environment that imports the installed library, and writes nothing to the checkout."""
    paths = [str(work / "installed"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "ACCEL_GPU_EXAMPLES": "2" if quick else "200",
        **({"PYTEST_ADDOPTS": "--maxfail=2"} if quick else {}),
        "HYPOTHESIS_STORAGE_DIRECTORY": str(work / "hypothesis"),
    }


def _stages(devices: list[str], work: Path, *, quick: bool) -> Iterator[Stage]:
    first, two = devices[0], ",".join(devices[:2])
    yield Stage("conformance", 70, _tests("conformance", two))
    yield Stage("copies", 40, _tests("copies", two))
    yield Stage("plans", 45, _tests("plans", two))
    yield Stage("arrays", 60, _tests("arrays", two), absent=_no_arrays())
    without = ("-k", "not results") if _no_arrays() else ()  # which xp computes
    yield Stage("release", 30, _tests("release", two, *without))
    yield _sanitizer("memcheck", first)
    yield _sanitizer("racecheck", first)
    yield _standard(first)
    yield _demo(first, work)
    small = ("--quick",) if quick else ()
    yield Stage("benchmarks", 60, _python("benchmarks/gpu.py", "--device", first, *small))


def _python(*arguments: str) -> tuple[str, ...]:
    return sys.executable, "-B", *arguments


def _tests(what: str, devices: str, *more: str) -> tuple[str, ...]:
    return _python(*_PYTEST, "--accel-devices", devices, f"tests/gpu/test_{what}.py", *more)


def _sanitizer(tool: str, device: str) -> Stage:
    # The sanitizer should report errors of kernels, not errors that the API returns.
    options = ("--tool", tool, "--error-exitcode", "1", "--report-api-errors", "no")
    command = ("compute-sanitizer", *options, *_tests("plans", device, "-k", "every_kernel"))
    absent = "" if shutil.which("compute-sanitizer") else "compute-sanitizer is not installed"
    return Stage(tool, 35, command, absent=absent)


def _standard(device: str) -> Stage:
    checkout, seconds = os.environ.get("ARRAY_API_TESTS", ""), 60
    # It stops itself a little earlier, to report its results.
    command = _python("ci/gpu_standard.py", checkout, "--seconds", str(seconds - 8))
    chosen = {"ARRAY_API_TESTS_MODULE": "accel.xp", "ACCEL_DEVICE": device}
    return Stage("array standard", seconds, command, chosen, _no_arrays() or _no_standard(checkout))


def _no_arrays() -> str:
    return "" if find_spec("array_api_compat") else "pip install array-api-compat, by which accel.xp computes"


def _no_standard(checkout: str) -> str:
    if not checkout:
        return "ARRAY_API_TESTS names no checkout of array-api-tests"
    needs = Path(checkout, "requirements.txt")
    lacks = lacking(needs.read_text("utf-8").split()) if needs.exists() else []
    return f"pip install {' '.join(lacks)}, which these tests need" if lacks else ""


def _demo(device: str, work: Path) -> Stage:
    lacks = [name for name in ("array_api_compat", "scipy", "skimage", "PIL", "rich") if find_spec(name) is None]
    absent = f"{', '.join(lacks)} not installed: pip install 'accel-container[demo]'" if lacks else ""
    command = _python("-P", "-m", "accel", "demo", "--device", device, "--out", str(work / "demo"))
    return Stage("demo", 35, command, absent=absent)


if __name__ == "__main__":
    sys.exit(main())
