"""The runtime of kernels: one shared object for each compiler, made when it is first needed."""

from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from accel.errors import KernelLaunchError, KernelSyntaxError

from . import caching, flags
from .compilers import VARIABLE, Compiler
from .linking import link
from .running import run

__all__ = ["HEADERS", "make_runtime", "runtime_file"]

_HERE = Path(__file__).parent
HEADERS = _HERE / "include"
_RUNTIME = _HERE / "runtime"


def runtime_file(compiler: Compiler) -> Path:
    """Return where the runtime for a compiler is, or will be; the name changes with all that code is made from."""
    key = sha256(repr((_sources(), compiler, flags.for_runtime(compiler.kind))).encode()).hexdigest()
    return caching.folder() / f"accel_sim_{key[:32]}.so"


@cache
def _sources() -> str:
    """Return a digest of the headers, the runtime, and the Python modules that make code of sources."""
    paths = [*HEADERS.rglob("*"), *_RUNTIME.rglob("*"), *_HERE.glob("*.py")]
    contents = {str(path.relative_to(_HERE)): path.read_bytes() for path in paths if path.is_file()}
    return sha256(repr(sorted(contents.items())).encode()).hexdigest()


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
        command = [*compiler.command, *words, "-I", str(HEADERS), "-c", str(_RUNTIME / "runtime.cpp")]
        run([*command, "-o", f"{made}/runtime.o"], Path(made))
        link(compiler, Path(made, file.name), [f"{made}/runtime.o"])
        Path(made, file.name).replace(file)
