"""C++ compilers: which one this machine has, and what it is called with.

The first that works is used: the command in ``ACCEL_KERNEL_COMPILER``, g++, clang++, and the wheel ``ziglang``. Trying one
takes a process of about 0.1 s, so the answer is kept in the cache folder, by the file of the compiler and its time.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from accel.errors import CapabilityError

from . import caching

__all__ = ["VARIABLE", "Compiler", "find_compiler"]

VARIABLE = "ACCEL_KERNEL_COMPILER"
_INSTALL = "write pip install 'accel-container[cuda-sim]', which brings one"
_TRIAL = "#include <stdint.h>\n#include <math.h>\ntemplate <auto V> int f() { return V; }\nint g() { return f<1>(); }\n"


class Compiler(NamedTuple):
    """A compiler that works.

    Attributes
    ----------
    command : tuple of str
        What its command line begins with.
    kind : str
        ``gcc``, ``clang`` or ``zig``: whose options it has.
    version : str
        The first line that it says of itself.
    """

    command: tuple[str, ...]
    kind: str
    version: str


def find_compiler() -> Compiler:
    """Return the compiler for kernels; the same one in the whole process, for one value of ``ACCEL_KERNEL_COMPILER``.

    Raises
    ------
    CapabilityError
        If there is none that works; the message has why.
    """
    return _found(os.environ.get(VARIABLE, ""))


@cache
def _found(wanted: str) -> Compiler:
    if sys.platform == "win32":
        raise CapabilityError(
            "CUDA and HIP kernels on the simulated device need Linux or macOS; found Windows: run Python in WSL"
        )
    candidates = [tuple(shlex.split(wanted))] if wanted.strip() else list(_candidates())
    reasons = []
    for command in candidates:
        try:
            return _remembered(command)
        except (OSError, ValueError) as error:
            reasons.append(f"{shlex.join(command)}: {error}")
    what = f"{VARIABLE}={wanted} does not work" if wanted.strip() else "no C++ compiler works here"
    found = "; ".join(reasons) or "there is no g++, clang++ or ziglang"
    raise CapabilityError(
        f"CUDA and HIP kernels on the simulated device need a C++ compiler; {what} ({found}): {_INSTALL}"
    )


def _candidates() -> Iterator[tuple[str, ...]]:
    names = ("clang++",) if sys.platform == "darwin" else ("g++", "clang++")
    for name in names:
        path = shutil.which(name)
        if path:
            yield (path,)
    zig = find_spec("ziglang")
    if zig is not None and zig.submodule_search_locations:
        yield (str(Path(zig.submodule_search_locations[0]) / "zig"), "c++")


def _remembered(command: tuple[str, ...]) -> Compiler:
    """Return a compiler as it was found before, if its file is the same; otherwise try it."""
    path = shutil.which(command[0])
    if path is None:
        raise FileNotFoundError(f"there is no command {command[0]}")
    status = os.stat(path)
    identity = repr((command, os.path.realpath(path), status.st_mtime_ns, status.st_size, _TRIAL))
    file = caching.folder() / f"compiler-{sha256(identity.encode()).hexdigest()[:32]}.json"
    try:
        kind, version = json.loads(file.read_text(encoding="utf-8"))
        return Compiler(command, str(kind), str(version))
    except (OSError, ValueError, TypeError):
        compiler = _tried(command)
        caching.write(file, json.dumps((compiler.kind, compiler.version)).encode())
        return compiler


def _tried(command: tuple[str, ...]) -> Compiler:
    said = _run([*command, "--version"]).strip()
    version = said.splitlines()[0] if said else "of unknown version"
    kind = "zig" if _is_zig(command) else "clang" if "clang" in said else "gcc"
    with TemporaryDirectory(dir=caching.folder()) as folder:
        source = Path(folder, "trial.cpp")
        source.write_text(_TRIAL, encoding="utf-8")
        _run([*command, "-std=c++17", "-fPIC", "-c", str(source), "-o", f"{folder}/trial.o"])
    return Compiler(command, kind, version)


def _is_zig(command: tuple[str, ...]) -> bool:
    return any(re.fullmatch(r"(.*/)?(python-)?zig(lang)?", word) for word in command)


def _run(command: list[str]) -> str:
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, errors="replace", env=caching.environment()
    )
    if done.returncode:
        raise ValueError(f"it ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout
