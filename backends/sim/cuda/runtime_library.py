"""The runtime of kernels: one shared object for each compiler, made when it is first needed."""

from pathlib import Path
from tempfile import TemporaryDirectory

from accel.errors import KernelLaunchError, KernelSyntaxError

from . import caching, flags
from .compilers import VARIABLE, Compiler
from .linking import link
from .running import run
from .runtime_files import HEADERS, RUNTIME

__all__ = ["make_runtime"]


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
    words = flags.for_runtime(compiler.kind)
    with TemporaryDirectory(dir=file.parent) as made:
        # This file includes the others.
        command = [*compiler.command, *words, "-I", str(HEADERS), "-c", str(RUNTIME / "runtime.cpp")]
        run([*command, "-o", f"{made}/runtime.o"], Path(made))
        link(compiler, Path(made, file.name), [f"{made}/runtime.o"])
        Path(made, file.name).replace(file)
