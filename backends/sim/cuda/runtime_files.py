"""Where the files of the runtime are, as sources and compiled."""

from functools import cache
from pathlib import Path

from . import caching, flags
from .compilers import Compiler
from .digests import digest, digest_of_file

__all__ = ["HEADERS", "RUNTIME", "runtime_file"]

_HERE = Path(__file__).parent
HEADERS, RUNTIME = _HERE / "include", _HERE / "runtime"


def runtime_file(compiler: Compiler) -> Path:
    """Return where the runtime for a compiler is, or will be; the name changes with all that code is made from."""
    key = digest(_sources(), compiler, flags.for_runtime(compiler.kind))
    return caching.folder() / f"accel_sim_{key}.so"


@cache
def _sources() -> str:
    """Return a digest of the headers, the runtime, and the Python modules that make code of sources."""
    paths = [*HEADERS.rglob("*"), *RUNTIME.rglob("*"), *_HERE.rglob("*.py")]
    return digest(sorted((str(path.relative_to(_HERE)), digest_of_file(path)) for path in paths if path.is_file()))
