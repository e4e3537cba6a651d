"""What ``accel doctor`` says of packages: those that accel needs, those that its extras need, and who offers what."""

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution, packages_distributions
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path

from accel.commands.findings import Finding
from accel.support.host_compiler import INSTALL

__all__ = ["compilers", "packages", "scripts"]

_NAME = "accel-container"
_REINSTALL = f"pip install --force-reinstall {_NAME}"
_POINTS = (
    ("accel.backends", "cpu"),
    ("accel.backends", "cuda"),
    ("accel.backends", "rocm"),
    ("accel.backends", "sim"),
    ("console_scripts", "accel"),
    ("pytest11", "accel.testing.plugin"),
    ("xarray.chunkmanagers", "accel"),
)
_CUPY = ("cupy", "cupy-cuda11x", "cupy-cuda12x", "cupy-cuda13x", "cupy-rocm-7-0")
_REQUIREMENT = re.compile(r"([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?(?:>=([0-9.]+))?(?:\s*;.*extra == ['\"]([^'\"]+)['\"])?")


def packages() -> Iterator[Finding]:
    """Find packages that are missing, too old, or in each other's way."""
    here = _installed(_NAME)
    if here is None:
        yield Finding(
            True, f"accel is on the path, but {_NAME} is not installed: no backend is found", f"pip install {_NAME}"
        )
        return
    yield from _requirements(here)
    yield from _entry_points(here)
    others = sorted({name for name in packages_distributions().get("accel", ()) if name != _NAME})
    for other in others:
        what = f"the package {other} installs a folder accel too; the files of one replace those of the other"
        yield Finding(True, what, f"pip uninstall {other} && {_REINSTALL}")
    cupys = [name for name in _CUPY if _installed(name)]
    if len(cupys) > 1:
        what = f"{' and '.join(cupys)} are installed, and write over each other's files"
        yield Finding(True, what, f"pip uninstall {' '.join(cupys)}, then pip install the one that your driver serves")


def _installed(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def _requirements(here: Distribution) -> Iterator[Finding]:
    parts = [match.groups() for line in here.requires or () if (match := _REQUIREMENT.match(line))]
    by_extra = sorted(((extra or "", name, least) for name, least, extra in parts), key=lambda each: each[0])
    for extra, group in groupby(by_extra, key=lambda each: each[0]):
        needed = {name: least for _, name, least in group if name != _NAME}
        found = {name: _version(name) for name in needed}
        old = {name: least for name, least in needed.items() if _is_older(found[name], least)}
        for name, least in old.items():
            for_what = f"the extra {extra}" if extra else "accel"
            what = f"{name} {found[name]} is installed, and {for_what} needs {least} or newer"
            yield Finding(not extra, what, f"pip install --upgrade '{name}>={least}'")
        missing = [name for name, version in found.items() if version is None]
        if missing and not extra:
            yield Finding(True, f"accel needs {', '.join(missing)}, not installed here", f"pip install {_NAME}")
        elif missing and len(missing) < len(needed) and extra not in _NAMED_BY_OTHERS:
            what = f"of the extra {extra}, {', '.join(missing)} is missing, and the rest is here"
            yield Finding(False, what, f"pip install '{_NAME}[{extra}]'")


# Their packages come with other programs too, so that a part of them means nothing.
_NAMED_BY_OTHERS = ("chunked", "dask", "demo", "demo-stores", "test")


def _version(name: str) -> str | None:
    found = _installed(name)
    return found.version if found else None


def _is_older(version: str | None, least: str | None) -> bool:
    return version is not None and least is not None and _numbers(version) < _numbers(least)


def _numbers(version: str) -> list[int]:
    match = re.match(r"[0-9]+(?:\.[0-9]+)*", version)
    return [int(part) for part in match[0].split(".")] if match else []


def _entry_points(here: Distribution) -> Iterator[Finding]:
    found = {(point.group, point.name) for point in here.entry_points}
    missing = [f"{group}: {name}" for group, name in _POINTS if (group, name) not in found]
    if missing:
        what = f"the metadata of {_NAME} {here.version} has no entry points for {', '.join(missing)}"
        yield Finding(True, what, _REINSTALL)


def scripts() -> Iterator[Finding]:
    """Find a command ``accel`` of another environment."""
    command = shutil.which("accel")
    if command is None:
        what = "the command accel is not on the path; python -m accel does the same"
        yield Finding(False, what, f'export PATH="{Path(sys.executable).parent}:$PATH"')
    elif Path(command).resolve().parent != Path(sys.executable).parent.resolve() and not _is_of_this(command):
        what = f"the command accel is {command}, of another Python than {sys.executable}"
        yield Finding(False, what, f'export PATH="{Path(sys.executable).parent}:$PATH"')


def _is_of_this(command: str) -> bool:
    """Return whether a script is started by this Python, wherever it is."""
    return os.fsencode(sys.executable) in Path(command).read_bytes()[:1000]


def compilers(environment: Mapping[str, str] = os.environ) -> Iterator[Finding]:
    """Find compilers that are missing."""
    if find_spec("llvmlite") is None:
        yield Finding(False, "llvmlite, which compiles for the host, is not installed: NumPy does the work", INSTALL)
    named = environment.get("ACCEL_KERNEL_COMPILER", "").split()
    if named and shutil.which(named[0]) is None:
        what = f"ACCEL_KERNEL_COMPILER names {named[0]}, and there is no such command"
        yield Finding(True, what, "unset ACCEL_KERNEL_COMPILER")
    elif not (named or shutil.which("g++") or shutil.which("clang++") or find_spec("ziglang")):
        what = "there is no C++ compiler for CUDA and HIP kernels on the simulated device"
        yield Finding(False, what, f"pip install '{_NAME}[cuda-sim]'")
