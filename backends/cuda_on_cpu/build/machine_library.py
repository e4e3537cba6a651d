"""The runtime of kernels: one shared object for each compiler, made when it is first needed."""

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from tempfile import TemporaryDirectory

from accel.errors import KernelLaunchError, KernelSyntaxError

from . import caching, flags
from .compiler_process import run
from .compilers import VARIABLE, Compiler
from .linking import link
from .machine_files import API, HEADERS, MACHINE

__all__ = ["make_runtime"]

_UNITS = (MACHINE / "unit_checks.cpp", MACHINE / "unit_machine.cpp", API / "unit_api.cpp")
"""They include the other files, and are compiled at the same time."""


def make_runtime(compiler: Compiler, file: Path) -> None:
    """Compile the runtime, unless it is there."""
    if file.exists():
        return
    with caching.only_one(file.stem):
        if not file.exists():
            try:
                _compile(compiler, file)
            except KernelSyntaxError as error:
                raise KernelLaunchError(
                    f"the compiler {compiler.command[0]} ({compiler.version}) does not compile what kernels run on: "
                    f"set {VARIABLE} to another, such as a newer g++; it said {error}"
                ) from None


def _compile(compiler: Compiler, file: Path) -> None:
    with TemporaryDirectory(dir=file.parent) as made, ThreadPoolExecutor(len(_UNITS)) as beside:
        started = [beside.submit(copy_context().run, _object, compiler, unit, Path(made)) for unit in _UNITS]
        link(compiler, Path(made, file.name), [each.result() for each in started])
        Path(made, file.name).replace(file)


def _object(compiler: Compiler, unit: Path, made: Path) -> str:
    """Compile a unit; return the file with its code."""
    made_of_it = str(made / f"{unit.stem}.o")
    words = (*flags.for_runtime(compiler.kind), "-I", str(HEADERS), "-c", str(unit), "-o", made_of_it)
    run([*compiler.command, *words], made)
    return made_of_it
