"""The parts of `ci/gpu`, and the stages of each. A part can run alone, in at most nine minutes."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from gpu_install import lacking
from gpu_running import ROOT, Stage

__all__ = ["MACHINE", "PARTS", "SECONDS", "Chosen", "Part"]

SECONDS = 525
"""Time limit for all stages of a part together; it leaves some of the nine minutes for the report."""
_NO_PLUGINS = ("-p", "no:cacheprovider", "-p", "no:benchmark")  # the second warns if tests are shared among processes
_PYTEST = ("-P", "-m", "pytest", "-q", *_NO_PLUGINS, "--tb=short", "-rfEs")
_PROCESSES = max(min((os.cpu_count() or 1) // 2, 8), 1)
"""How many processes use the device at once where compiling takes most of the time."""
_CUPY_KERNELS = "cupy_kernels"
"""The marker of tests that need the results of CuPy's own kernels."""


class Chosen(NamedTuple):
    """What a part is run on, and how.

    Attributes
    ----------
    devices : list of str
        The devices of the machine.
    work : Path
        A folder for files of the stages.
    quick : bool
        Whether few examples and little memory are enough.
    examples : int or None
        Examples of each property; by default what the stage says.
    without : str
        The marker of tests to leave out; empty if there is none.
    """

    devices: list[str]
    work: Path
    quick: bool = False
    examples: int | None = None
    without: str = ""


class Part(NamedTuple):
    """A part: what it is for, in words, and its stages."""

    about: str
    stages: Callable[[Chosen], Iterator[Stage]]


def _truth(chosen: Chosen) -> Iterator[Stage]:
    yield _probes(chosen, 90)
    yield _tests("conformance", 60, chosen)
    yield _tests("python_kernels", 80, chosen, *_in_processes(), examples=100)
    yield _tests("copies", 85, chosen, examples=750)
    yield _tests("plans", 75, chosen, examples=700)
    yield _tests("shapes", 45, chosen, examples=650)
    yield _tests("graphs", 25, chosen, examples=150)
    yield from _left_out(chosen)


def _full(chosen: Chosen) -> Iterator[Stage]:
    yield _tests("release", 70, chosen, *(("-k", "not results") if _no_arrays() else ()), examples=60)
    # CuPy compiles each function for each dtype and rank, so several processes share the work.
    absent = _no_arrays() or _without_cupy(chosen)
    yield _tests("arrays", 45, chosen, *_in_processes(), examples=100)._replace(absent=absent)
    yield _tests("keywords", 40, chosen, *_in_processes())._replace(absent=absent)
    yield _tests("random", 15, chosen)._replace(absent=absent)
    yield _tests("fuse", 40, chosen, *_in_processes())._replace(absent=absent)
    yield _standard(chosen, 90)
    yield _demo(chosen, 40)
    yield _with_async_pools(_tests("conformance", 45, chosen), chosen)
    yield _tests("captures_of_others", 15, chosen)
    yield _tests("copies", 30, chosen, examples=270)
    yield _tests("plans", 30, chosen, examples=270)
    yield from _left_out(chosen)


def _speed(chosen: Chosen) -> Iterator[Stage]:
    yield _benchmark("in flight", "gpu_in_flight.py", 75, chosen)
    yield _benchmark("host path", "host_path.py", 60, chosen)
    yield _benchmark("kernels in Python", "gpu_kernels.py", 40, chosen)
    yield _benchmark("copies, 512 MiB", "gpu.py", 65, chosen, "--mib", "512")
    yield _benchmark("copies, 4 GiB", "gpu.py", 75, chosen, "--mib", "4096")
    yield _benchmark("link", "gpu_link.py", 30, chosen)
    yield _benchmark("pitched", "gpu_pitched.py", 45, chosen)
    absent = "" if shutil.which("ncu") else "ncu is not installed"
    command = _python("ci/gpu_ncu.py", *_python("benchmarks/gpu.py", *_on(chosen), "--once"))
    yield Stage("ncu", 70, command, absent=absent)


def _sanitizers(chosen: Chosen) -> Iterator[Stage]:
    for tool in ("memcheck", "racecheck", "synccheck", "initcheck"):
        yield _sanitizer(tool, 95, chosen)
    # Not of the GPU: machines with one have processors that no other test sees. This part has time for it.
    absent = "left out: --quick" if chosen.quick else ""
    yield Stage("copies on the host", 60, _python("benchmarks/copies.py", "--quick"), absent=absent)


PARTS: Mapping[str, Part] = {
    "truth": Part(
        "attributes of the devices, probes, conformance, kernels in Python, copies, plans, shapes, graphs",
        _truth,
    ),
    "full": Part(
        "memory released in use, arrays, NumPy's keywords, random numbers, fused functions, the array standard, the "
        "demo, captures of other libraries; truth's tests",
        _full,
    ),
    "speed": Part(
        "the host's time of each call; kernels in Python; copies within a GPU and over the link; ncu", _speed
    ),
    "sanitizers": Part(
        "every kernel under compute-sanitizer: memcheck, racecheck, synccheck, initcheck; copies on the host",
        _sanitizers,
    ),
}


def _python(*arguments: str) -> tuple[str, ...]:
    return sys.executable, "-B", *arguments


MACHINE = Stage("machine", 45, _python("ci/gpu_machine.py"))
"""The first stage of each part: it finds the devices, and describes them."""


def _tests(what: str, seconds: float, chosen: Chosen, *more: str, examples: int = 1) -> Stage:
    """Return a stage that runs a file of tests on the first two devices, with so many examples of each property."""
    result = chosen.examples or (2 if chosen.quick else examples)
    without = ("-m", f"not {chosen.without}") if chosen.without else ()
    command = _pytest(what, ",".join(chosen.devices[:2]), *without, *more)
    return Stage(what, seconds, command, {"ACCEL_GPU_EXAMPLES": str(result)})


def _with_async_pools(stage: Stage, chosen: Chosen) -> Stage:
    """Return a stage with CuPy's memory from CUDA's own pools, `cudaMallocAsync`."""
    environment = {**stage.environment, "ACCEL_GPU_ALLOCATOR": "async"}
    absent = "" if chosen.devices[0].startswith("cuda") else "CuPy has them on CUDA only"
    return stage._replace(name=f"{stage.name}, async pools", environment=environment, absent=absent)


def _pytest(what: str, devices: str, *more: str) -> tuple[str, ...]:
    return _python(*_PYTEST, "--accel-devices", devices, f"tests/gpu/test_{what}.py", *more)


def _in_processes() -> tuple[str, ...]:
    """Return the options that share tests among processes; none if there is no pytest-xdist, or few cores."""
    return ("-n", str(_PROCESSES)) if find_spec("xdist") and _PROCESSES > 1 else ()


def _probes(chosen: Chosen, seconds: float) -> Stage:
    absent = "" if (ROOT / "tests/gpu/test_probes.py").exists() else "there is no tests/gpu/test_probes.py"
    return _tests("probes", seconds, chosen)._replace(absent=absent)


def _left_out(chosen: Chosen) -> Iterator[Stage]:
    """Return a stage that reports the tests that ``--without`` leaves out, so that they are not forgotten."""
    if chosen.without:
        yield Stage(f"tests of {chosen.without}", 0, (), absent=f"left out: --without {chosen.without}")


def _without_cupy(chosen: Chosen) -> str:
    """Return why a stage that needs CuPy's kernels as a whole is not run."""
    return f"left out: --without {_CUPY_KERNELS}" if chosen.without == _CUPY_KERNELS else ""


def _on(chosen: Chosen) -> tuple[str, ...]:
    return "--device", chosen.devices[0], *(("--quick",) if chosen.quick else ())


def _benchmark(name: str, file: str, seconds: float, chosen: Chosen, *more: str) -> Stage:
    return Stage(name, seconds, _python(f"benchmarks/{file}", *_on(chosen), *more))


def _sanitizer(tool: str, seconds: float, chosen: Chosen) -> Stage:
    # The sanitizer should report errors of kernels, not errors that the API returns.
    options = ("--tool", tool, "--error-exitcode", "1", "--report-api-errors", "no")
    command = ("compute-sanitizer", *options, *_pytest("plans", chosen.devices[0], "-k", "every_kernel"))
    absent = "" if shutil.which("compute-sanitizer") else "compute-sanitizer is not installed"
    return Stage(tool, seconds, command, absent=absent)


def _standard(chosen: Chosen, seconds: float) -> Stage:
    checkout = os.environ.get("ARRAY_API_TESTS", "")
    # It stops itself a little earlier, to report its results.
    how = ("--seconds", str(seconds - 15), "--processes", str(_PROCESSES))
    command = _python("ci/standard.py", checkout, *how)
    environment = {"ARRAY_API_TESTS_MODULE": "accel.xp", "ACCEL_DEVICE": chosen.devices[0]}
    absent = _without_cupy(chosen) or _no_arrays() or _no_standard(checkout)
    return Stage("array standard", seconds, command, environment, absent)


def _no_arrays() -> str:
    return "" if find_spec("array_api_compat") else "pip install array-api-compat, by which accel.xp computes"


def _no_standard(checkout: str) -> str:
    if not checkout:
        return "ARRAY_API_TESTS names no checkout of array-api-tests"
    needs = Path(checkout, "requirements.txt")
    lacks = lacking(needs.read_text("utf-8").split()) if needs.exists() else []
    return f"pip install {' '.join(lacks)}, which these tests need" if lacks else ""


def _demo(chosen: Chosen, seconds: float) -> Stage:
    lacks = [name for name in ("array_api_compat", "scipy", "skimage", "PIL", "rich") if find_spec(name) is None]
    absent = f"{', '.join(lacks)} not installed: pip install 'accel-container[demo]'" if lacks else ""
    command = _python("-P", "-m", "accel", "demo", "--device", chosen.devices[0], "--out", str(chosen.work / "demo"))
    return Stage("demo", seconds, command, absent=_without_cupy(chosen) or absent)
