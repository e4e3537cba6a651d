"""One program of `fuse.py`, in a process of its own: fused, unfused, with NumPy, and in libraries that are there.

python benchmarks/fuse_one.py '{"part": "short", "name": "softmax", "size": 100000, "rounds": 3}'

Every version is called once, then by turns. After each call a line of JSON says what is known, so that a process that
is ended has lost one call only. A library that is not installed has no version.
"""

import inspect
import json
import math
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Any

import array_programs
import numpy as np
import programs
from fused_calls import calls as fused_calls
from timing import medians

import accel
from accel import BufferView, xp
from accel.device import Device
from accel.errors import FuseError
from accel.kernels import f64, kernel

EXPRESSIONS = {
    "a + b*c": "a + b * c",
    "sqrt": "sqrt(a * a + b * b) + c",
    "sin": "sin(a) * cos(b) + exp(-c)",
    "where": "where(a > 0.5, b, c) * 2 - a",
    "squares": "((a - b)**2 + (b - c)**2 + (c - a)**2) * 0.5 - a * b * c",
}

Way = Callable[[], tuple[list[Any], float]]
"""Returns the results of a call, and its seconds."""


LIBRARIES = ["numexpr", "numba", "jax", "torch"]
"""Those that are compared, if they are installed."""


IN_PARTS: list[str] = []
"""Why the fused version of the program runs in parts, if it does."""


def installed(name: str) -> ModuleType | None:
    if name not in LIBRARIES:
        return None
    try:
        return import_module(name)
    except ImportError:
        return None


def timed(function: Callable[..., Any], *operands: Any) -> tuple[list[Any], float]:
    start = perf_counter()
    result = function(*operands)
    return [result], perf_counter() - start


def expression(text: str, names: Mapping[str, Any], operands: str = "a, b, c") -> Callable[..., Any]:
    """Return a function of an expression, which finds the functions of mathematics among names."""
    return eval(f"lambda {operands}: {text}", dict(names))  # type: ignore[no-any-return]


def fused_if_possible(function: Callable[..., Any], static: Sequence[str] = ()) -> Callable[..., Any]:
    """Return a function fused; in parts if it needs elements, what is noted in `IN_PARTS`."""
    whole, parts = [accel.fuse(static=static, fallback=fallback)(function) for fallback in (None, "parts")]

    def call(*arguments: Any) -> Any:
        if not IN_PARTS:
            try:
                return whole(*arguments)
            except FuseError as error:
                IN_PARTS.append(str(error))
        return parts(*arguments)

    return call


def functions_of(namespace: Any) -> dict[str, Any]:
    return {name: getattr(namespace, name) for name in ("sqrt", "sin", "cos", "exp", "where")}


def expressions(name: str, size: int) -> dict[str, Way]:
    """Return the versions of an expression; those called reused write to an array that is there."""
    text, random = EXPRESSIONS[name], np.random.default_rng(0)
    natives = [random.random(size) for _ in range(3)]
    arrays = [xp.asarray(each, copy=True) for each in natives]
    unfused, out = expression(text, functions_of(xp)), xp.zeros(size)

    def into(a: Any, b: Any, c: Any, out: Any) -> Any:
        out[...] = unfused(a, b, c)
        return out

    ways: dict[str, Way] = {
        "numpy": partial(timed, expression(text, functions_of(np)), *natives),
        "unfused": partial(timed, unfused, *arrays),
        "fused": partial(timed, accel.fuse(unfused), *arrays),
        "fused, reused": partial(timed, accel.fuse(into), *arrays, out),
    }
    if (numexpr := installed("numexpr")) is not None:
        named = dict(zip("abc", natives, strict=True))
        ways["numexpr"] = partial(timed, partial(numexpr.evaluate, text, named))
        ways["numexpr, reused"] = partial(timed, partial(numexpr.evaluate, text, named, out=np.zeros(size)))
    if (numba := installed("numba")) is not None:
        loop = numba_loop(numba, text)
        ways["numba"] = partial(timed, lambda a, b, c: loop(a, b, c, np.empty(size)), *natives)
        ways["numba, reused"] = partial(timed, loop, *natives, np.zeros(size))
    if (jax := installed("jax")) is not None:
        compiled = jax.jit(expression(text, functions_of(jax.numpy)))
        operands = [jax.numpy.array(each) for each in natives]
        ways["jax"] = partial(timed, lambda *each: compiled(*each).block_until_ready(), *operands)
    if (torch := installed("torch")) is not None:
        compiled = torch.compile(expression(text, functions_of(torch)))
        ways["torch"] = partial(timed, compiled, *[torch.from_numpy(each) for each in natives])
    return ways


def numba_loop(numba: Any, text: str) -> Callable[..., Any]:
    functions = {name: getattr(math, name) for name in ("sqrt", "sin", "cos", "exp")}
    where = numba.njit(lambda condition, one, other: one if condition else other)
    element = numba.njit(expression(text, functions | {"where": where}))

    @numba.njit(parallel=True)
    def loop(a: Any, b: Any, c: Any, out: Any) -> Any:
        for i in numba.prange(out.size):
            out[i] = element(a[i], b[i], c[i])
        return out

    return loop  # type: ignore[no-any-return]


def short(name: str, size: int) -> dict[str, Way]:
    """Return the versions of a program of `array_programs.py`."""
    program, random = array_programs.PROGRAMS[name], np.random.default_rng(0)
    natives = random.random(size), random.random(size)
    arrays = [xp.asarray(each, copy=True) for each in natives]

    def unfused(a: Any, b: Any) -> Any:
        return program(xp, a, b)

    ways: dict[str, Way] = {
        "numpy": partial(timed, program, np, *natives),
        "unfused": partial(timed, unfused, *arrays),
        "fused": partial(timed, fused_if_possible(unfused), *arrays),
    }
    if (jax := installed("jax")) is not None:
        compiled = jax.jit(partial(program, jax.numpy))
        operands = [jax.numpy.array(each) for each in natives]
        ways["jax"] = partial(timed, lambda *each: compiled(*each).block_until_ready(), *operands)
    return ways


def of_checkout(program: programs.Program, root: Path, expected: programs.Results) -> dict[str, Way]:
    """Return the versions of a program: that for CuPy with NumPy and with `accel.xp`, and those for other libraries."""
    program, theirs = programs.with_equal_text(program, expected)
    unfused = programs.function_of(program, program.text, xp)
    static = [
        parameter
        for parameter, name in zip(inspect.signature(unfused).parameters, program.arguments(), strict=False)
        if name not in program.arrays
    ]
    convert = partial(xp.asarray, copy=True)
    ways: dict[str, Way] = {
        "numpy": partial(programs.run, program, theirs, np.copy),
        "unfused": partial(programs.run, program, unfused, convert),
        "fused": partial(programs.run, program, fused_if_possible(unfused, static), convert),
    }
    suffixes_of = {"numba": ("_numba", "_numba_np", "_numba_n"), "jax": ("_jax",), "torch": ("_pytorch",)}
    for library, suffixes in suffixes_of.items():
        files = [program.reference.with_name(program.reference.name.replace("_numpy", each)) for each in suffixes]
        found = next((each for each in files if each.exists()), None)
        module = installed(library)
        if found is not None and module is not None:
            place = ".".join(found.relative_to(root).with_suffix("").parts)  # numba keeps compiled code of modules only
            function = getattr(import_module(place), program.function, None)
            if function is not None:
                ways[library] = partial(programs.run, program, *_finished(module, function))
    return ways


def _finished(library: Any, function: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[[Any], Any]]:
    """Return a function that waits for its results, and what makes its arrays."""
    if library.__name__ == "torch":
        return function, lambda x: library.from_numpy(np.copy(x))
    if library.__name__ != "jax":
        return function, np.copy
    return lambda *each: library.block_until_ready(function(*each)), library.numpy.array


def calls() -> dict[str, float]:
    """Return nanoseconds of calls of fused functions on a thousand elements, and of a kernel on as many."""
    x, out = (accel.zeros(1000)[:] for _ in range(2))

    @kernel
    def doubled(x: BufferView[f64], out: BufferView[f64]) -> None:
        for i in range(out.size):
            out[i] = x[i] * 2.0

    return medians({"kernel": lambda: doubled(x, out), **fused_calls(Device.CPU)}, number=2000)


def by_turns(
    ways: Mapping[str, Way], problem: Callable[[Sequence[Any]], str], rounds: int
) -> Iterator[dict[str, dict[str, Any]]]:
    """Call every way by turns; yield the seconds of first calls, the least of others, and what is wrong, after each."""
    found: dict[str, dict[str, Any]] = {"wrong": {}, "first_s": {}, "least_s": {}}
    for number in range(rounds + 1):
        for name in [each for each in ways if each not in found["wrong"]]:
            try:
                results, seconds = ways[name]()
                wrong = problem(results)
            except Exception as error:
                wrong = f"{type(error).__name__}: {error}"[:500]
            if wrong:
                found["wrong"][name] = wrong
            elif number:
                found["least_s"][name] = min(seconds, found["least_s"].get(name, math.inf))
            else:
                found["first_s"][name] = seconds
            yield found


def ways_of(task: Mapping[str, Any]) -> tuple[dict[str, Way], Callable[[Sequence[Any]], str]]:
    """Return the versions of the program of a task, and what says whether results are wrong."""
    part, name = task["part"], task["name"]
    if part in ("expressions", "short"):
        ways = {"expressions": expressions, "short": short}[part](name, task["size"])
        expected = ways["numpy"]()[0]
        return ways, lambda results: _difference(results, expected)
    source = getattr(programs, part)
    size = str(task["size"]) if part == "pyhpc" else task["preset"]
    root = Path(task["path"])
    program = next(each for each in source(root, size) if each.name == name)
    expected, _ = programs.run(program, programs.function_of(program, program.reference, np), np.copy)
    return of_checkout(program, root, expected), lambda results: programs.difference(program, results, expected)


def _difference(found: Sequence[Any], expected: Sequence[Any]) -> str:
    for one, other in zip(map(np.asarray, found), expected, strict=True):
        if not np.allclose(one, other, rtol=1e-7, atol=1e-12):
            return f"error {float(np.max(np.abs(one - other))):.1e}"
    return ""


def main() -> None:
    task = json.loads(sys.argv[1])
    warnings.simplefilter("ignore")
    LIBRARIES[:] = task.get("libraries", LIBRARIES)
    if task["part"] == "calls":
        print(json.dumps(calls()))
        return
    with accel.using(host_copies="allow"):
        for found in by_turns(*ways_of(task), task["rounds"]):
            print(json.dumps({**found, "in_parts": IN_PARTS}), flush=True)


if __name__ == "__main__":
    main()
