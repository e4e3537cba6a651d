"""Where the files of the runtime are, as sources and compiled."""

import os
from functools import cache
from pathlib import Path

from . import disk_cache, flags
from .compilers import Compiler
from .digests import digest, digest_of_files

__all__ = ["API", "HEADERS", "MACHINE", "runtime_file"]

_HERE = Path(__file__).parents[1]
HEADERS, API, MACHINE = _HERE / "include", _HERE / "api", _HERE / "machine"


def runtime_file(compiler: Compiler) -> Path:
    """Return where the runtime for a compiler is, or will be; the name changes with all that code is made from."""
    key = digest(_sources(), compiler, flags.for_runtime(compiler.kind))
    return disk_cache.folder() / f"accel_sim_{key}.so"


@cache
def _sources() -> str:
    """Return a digest of the headers, the runtime, and the Python modules that make code of sources."""
    walks = [os.walk(_HERE / part) for part in ("api", "build", "include", "machine", "programs", "text")]
    folders = [(folder, names) for walk in walks for folder, _, names in walk if not folder.endswith("__pycache__")]
    return digest_of_files([f"{folder}/{name}" for folder, names in folders for name in names])
