"""Programs of NPBench and of pyhpc-benchmarks: the same text with NumPy and with `accel.xp`, in one run.

python benchmarks/programs.py PATH... [--size S] [--devices cpu,sim] [--rounds 3] [--only NAME...]

Each PATH is a checkout of one of the two; nothing of them is copied here. The versions for CuPy are run, with ``cupy``
read as NumPy and as `accel.xp` by turns; of a program without one, or whose version for CuPy has other
results than that for NumPy, the version for NumPy is run, with its ``np`` read
as `accel.xp`. A program is right if its results are those of the version for NumPy, within the tolerance of the
checkout. Printed are what is wrong, how many times faster than NumPy each program is, and how many copies to the host
were made for functions that compute there only, such as SciPy's. The simulated device checks all work; it runs once,
and its times are for information.
"""

import argparse
import importlib
import json
import math
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Any

import numpy as np
from timing import report

import accel
from accel import xp

PYHPC_ELEMENTS = {"S": 4096, "M": 65536, "L": 1 << 20}

Results = list[Any]
"""What a program returned, and the arrays that it wrote to."""


@dataclass(frozen=True)
class Program:
    """A program: ``reference`` and ``text`` are files, and ``arguments`` returns new data for NumPy."""

    name: str
    reference: Path
    text: Path
    function: str
    arguments: Callable[[], dict[str, Any]]
    arrays: frozenset[str]
    outputs: tuple[str, ...]
    relative: float = 1e-5
    absolute: float = 1e-8
    norm_error: float = 1e-5


def npbench(root: Path, size: str) -> Iterator[Program]:
    """Yield the programs of a checkout of NPBench."""
    sys.path.insert(0, str(root))
    for file in sorted((root / "bench_info").glob("*.json")):
        info = json.loads(file.read_text())["benchmark"]
        base = str(root / "npbench" / "benchmarks" / info["relative_path"] / info["module_name"])
        reference, text = Path(f"{base}_numpy.py"), Path(f"{base}_cupy.py")
        yield Program(
            file.stem,
            reference,
            text if text.exists() else reference,
            info["func_name"],
            partial(_initialised, info, size, Path(f"{base}.py")),
            frozenset(info["array_args"]),
            tuple(info["output_args"]),
            info.get("rtol", 1e-5),
            info.get("atol", 1e-8),
            info.get("norm_error", 1e-5),
        )


def _initialised(info: Mapping[str, Any], size: str, file: Path) -> dict[str, Any]:
    data = dict(info["parameters"][size])
    start = info.get("init")
    if start:
        made = _executed(file, np)[start["func_name"]](*[data[name] for name in start["input_args"]])
        single = len(start["output_args"]) == 1 and not (isinstance(made, tuple) and len(made) == 1)
        data.update(zip(start["output_args"], (made,) if single else made, strict=True))
    return {name: data[name] for name in info["input_args"]}


def pyhpc(root: Path, size: str) -> Iterator[Program]:
    """Yield the programs of a checkout of pyhpc-benchmarks."""
    sys.path.insert(0, str(root))
    for folder in sorted(each.parent for each in (root / "benchmarks").glob("*/__init__.py")):
        reference = next(folder.glob("*_numpy.py"))
        text = reference.with_name(reference.name.replace("_numpy", "_cupy"))
        generate = importlib.import_module(f"benchmarks.{folder.name}").generate_inputs
        names = tuple(f"argument {index}" for index in range(len(generate(1000))))
        yield Program(
            folder.name,
            reference,
            text if text.exists() else reference,
            "run",
            partial(_generated, generate, names, PYHPC_ELEMENTS.get(size) or int(size)),
            frozenset(names),
            (),
        )


def _generated(generate: Callable[[int], Iterable[Any]], names: Iterable[str], elements: int) -> dict[str, Any]:
    return dict(zip(names, generate(elements), strict=True))


def _executed(file: Path, cupy: Any) -> dict[str, Any]:
    """Return the names of a file, in which ``cupy`` is another module."""
    before = sys.modules.get("cupy")
    sys.modules["cupy"] = cupy
    names: dict[str, Any] = {"__name__": file.stem}
    try:
        exec(compile(file.read_text(), str(file), "exec"), names)
    finally:
        if before is None:
            del sys.modules["cupy"]
        else:
            sys.modules["cupy"] = before
    return names


def _numpy_as_cupy() -> ModuleType:
    """Return NumPy with the names of streams, whose work is done when a call returns."""
    module = ModuleType("cupy")
    vars(module).update({name: value for name, value in vars(np).items() if not name.startswith("__")})
    module.cuda = xp.cuda  # type: ignore[attr-defined]
    return module


def function_of(program: Program, file: Path, namespace: Any) -> Callable[..., Any]:
    """Return the function of a program that computes with a namespace."""
    names = _executed(file, namespace)
    if file == program.reference and namespace is xp:
        names.update({name: xp for name, value in names.items() if value is np})
    return names[program.function]  # type: ignore[no-any-return]


def run(program: Program, function: Callable[..., Any], convert: Callable[[Any], Any]) -> tuple[Results, float]:
    """Run a program on new data; return its results, and the seconds until they are on the host."""
    data = program.arguments()
    values = {name: convert(value) if name in program.arrays else value for name, value in data.items()}
    start = perf_counter()
    returned = function(*values.values())
    results = [] if returned is None else list(returned) if isinstance(returned, tuple | list) else [returned]
    results += [values[name] for name in program.outputs if name in values]
    results = results or [values[name] for name in values if name in program.arrays]  # one of them is written to
    on_host = [each.to_device("cpu").to_numpy(copy=False) if isinstance(each, xp.Array) else each for each in results]
    return on_host, perf_counter() - start


def difference(program: Program, found: Results, expected: Results) -> str:
    """Return what is wrong with the results; empty if nothing is."""
    if not found or not expected:
        return f"{len(found)} results for {len(expected)}"
    # What a program wrote to comes last. Some versions return that too, others do not.
    for one, other in zip(map(np.asarray, found[::-1]), map(np.asarray, expected[::-1]), strict=False):
        if one.shape != other.shape:
            return f"shape {one.shape} for {other.shape}"
        if not np.allclose(one, other, rtol=program.relative, atol=program.absolute, equal_nan=True):
            error = float(np.linalg.norm(one - other) / np.linalg.norm(other))
            if not error < program.norm_error:
                return f"error {error:.1e}"
    return ""


def with_equal_text(program: Program, expected: Results) -> tuple[Program, Callable[..., Any]]:
    """Return a program whose text has the results of its reference, and the function of that text with NumPy."""
    theirs = function_of(program, program.text, _numpy_as_cupy())
    if not difference(program, run(program, theirs, np.copy)[0], expected):
        return program, theirs
    return replace(program, text=program.reference), function_of(program, program.reference, np)


def measured(program: Program, devices: list[str], rounds: int) -> dict[str, object]:
    """Run a program by turns; return what is wrong, and the ratio to NumPy, for each device."""
    expected, _ = run(program, function_of(program, program.reference, np), np.copy)
    program, theirs = with_equal_text(program, expected)
    ways: dict[str, Callable[[], tuple[Results, float]]] = {"numpy": partial(run, program, theirs, np.copy)}
    for device in devices:
        ways[device] = partial(_on, device, program)
    wrong: dict[str, str] = {}
    copies: dict[str, int] = {}
    times: dict[str, list[float]] = {way: [] for way in ways}
    for number in range(rounds + 1):
        for way, compute in ways.items():
            if way in wrong or (way == "sim" and number):  # its times are for information
                continue
            before = xp.host_copies()
            try:
                results, seconds = compute()
            except Exception as error:
                wrong[way] = f"{type(error).__name__}: {error}"[:300]
                continue
            copies[way] = (xp.host_copies() - before).copies
            problem = difference(program, results, expected)
            if problem:
                wrong[way] = problem
            times[way] += [seconds] if number or way == "sim" else []  # the first run compiles and allocates
    return {
        "wrong": wrong,
        "over_numpy": {
            way: float(f"{min(times['numpy']) / min(times[way]):.3g}")
            for way in devices
            if times[way] and times["numpy"] and way not in wrong
        },
        "host_copies": {way: number for way, number in copies.items() if number},
        "numpy_ms": round(1e3 * min(times["numpy"]), 3) if times["numpy"] else None,
    }


def _on(device: str, program: Program) -> tuple[Results, float]:
    with accel.using(device=device, host_copies="allow"):
        return run(program, function_of(program, program.text, xp), partial(xp.asarray, copy=True))


def summary(results: Mapping[str, Any], devices: list[str]) -> dict[str, object]:
    """Return for each device how many programs are right, and the geometric mean of their ratios."""
    total: dict[str, object] = {}
    for device in devices:
        ratios = [each["over_numpy"][device] for each in results.values() if device in each["over_numpy"]]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None
        total[device] = {"right": len(ratios), "of": len(results), "geometric_mean": mean and round(mean, 3)}
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--size", default="S", choices=sorted(PYHPC_ELEMENTS))
    parser.add_argument("--devices", default="cpu,sim")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=())
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    devices = options.devices.split(",")
    results: dict[str, Any] = {}
    for path in options.paths:
        source = npbench if (path / "bench_info").is_dir() else pyhpc
        found = {each.name: each for each in source(path.resolve(), options.size)}
        chosen = {name: each for name, each in found.items() if not options.only or name in options.only}
        lines = {}
        for name, program in chosen.items():
            lines[name] = measured(program, devices, options.rounds)
            print(name, json.dumps(lines[name]), file=sys.stderr, flush=True)
        results[path.name] = {"right": summary(lines, devices), "programs": lines}
    report("programs", results)


if __name__ == "__main__":
    main()
