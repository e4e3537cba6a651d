"""The runtime of kernels: one shared object for each compiler, compiled when it is first needed."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from accel.errors import KernelLaunchError, KernelSyntaxError

from ...common.cache_files import is_whole, put
from . import disk_cache, flags
from .compiler_process import run
from .compilers import VARIABLE, Compiler
from .interruption import together
from .linker import link
from .machine_files import API, HEADERS, MACHINE

__all__ = ["make_runtime"]

_UNITS = (MACHINE / "unit_checks.cpp", MACHINE / "unit_machine.cpp", API / "unit_api.cpp")
"""They include the other files, and are compiled at the same time."""


def make_runtime(compiler: Compiler, file: Path) -> None:
    """Compile the runtime, unless it is there, undamaged."""
    if is_whole(file):
        return
    with disk_cache.only_one(file.stem):
        if not is_whole(file):
            try:
                _compile(compiler, file)
            except KernelSyntaxError as error:
                raise KernelLaunchError(
                    f"the compiler {compiler.command[0]} ({compiler.version}) does not compile what kernels run on: "
                    f"set {VARIABLE} to another, such as a newer g++; it said {error}"
                ) from None


def _compile(compiler: Compiler, file: Path) -> None:
    with TemporaryDirectory(dir=file.parent) as scratch:
        objects = together(*[partial(_object, compiler, unit, Path(scratch)) for unit in _UNITS])
        link(compiler, Path(scratch, file.name), objects)
        put(Path(scratch, file.name), file)


def _object(compiler: Compiler, unit: Path, scratch: Path) -> str:
    """Compile a unit; return the file with its code."""
    target = str(scratch / f"{unit.stem}.o")
    words = (*flags.for_runtime(compiler.kind), "-I", str(HEADERS), "-c", str(unit), "-o", target)
    run([*compiler.command, *words], scratch)
    return target
