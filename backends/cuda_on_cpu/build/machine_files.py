"""Where the files of the runtime are, as sources and compiled."""

import os
from functools import cache
from pathlib import Path

from . import caching, flags
from .compilers import Compiler
from .digests import digest, digest_of_files

__all__ = ["API", "HEADERS", "MACHINE", "runtime_file"]

_HERE = Path(__file__).parents[1]
HEADERS, API, MACHINE = _HERE / "include", _HERE / "api", _HERE / "machine"


def runtime_file(compiler: Compiler) -> Path:
    """Return where the runtime for a compiler is, or will be; the name changes with all that code is made from."""
    key = digest(_sources(), compiler, flags.for_runtime(compiler.kind))
    return caching.folder() / f"accel_sim_{key}.so"


@cache
def _sources() -> str:
    """Return a digest of the headers, the runtime, and the Python modules that make code of sources."""
    folders = [(folder, names) for folder, _, names in os.walk(_HERE) if not folder.endswith("__pycache__")]
    return digest_of_files([f"{folder}/{name}" for folder, names in folders for name in names])
