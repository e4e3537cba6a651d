"""Installs the library into a folder, with the tools that are installed already: nothing is downloaded."""

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distributions, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["install", "lacking", "missing"]

_CUPY = "cupy-cuda13x"
_TESTED_BY = {"hypothesis", "pytest"}
_NOT_BY_ALL = ("array-api-compat",)
"""Requirements that only some stages need, which then report it."""


def missing(root: Path) -> str:
    """Return a message about the missing packages that every stage needs, with the command that installs them."""
    project = _project(root)
    library = [text for text in project["dependencies"] if not text.startswith(_NOT_BY_ALL)]
    tests = [text for text in project["optional-dependencies"]["test"] if _module(text) in _TESTED_BY]
    absent = [text for text in (*library, *tests, _CUPY) if find_spec(_module(text)) is None]
    if not absent:
        return ""
    others = "   (or cupy-cuda12x, cupy-rocm-7-0, as the driver needs)" if _CUPY in absent else ""
    return (
        f"{sys.executable} lacks {', '.join(map(_module, absent))}; install what is missing, or name another Python:\n"
        f"    {sys.executable} -m pip install {' '.join(map(repr, absent))}{others}\n"
        f"    PYTHON=/path/to/python ci/gpu"
    )


def lacking(requirements: Iterable[str]) -> list[str]:
    """Return the names of the required packages of which no version is installed."""
    return [text for text in requirements if not any(distributions(name=re.split(r"[^\w.-]", text)[0]))]


def install(root: Path, folder: Path) -> str:
    """Install the library of a checkout into a folder, with its entry points; return the method that was used."""
    if _can_build():
        _build(root, folder)
        return "pip"
    # The same files as pip installs, for machines whose setuptools cannot read our pyproject.toml.
    _lay_out(root, folder)
    return "copying"


def _project(root: Path) -> dict[str, Any]:
    result: dict[str, Any] = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    return result


def _module(requirement: str) -> str:
    """Return the import name of a package."""
    name = re.split(r"[^\w-]", requirement)[0].replace("-", "_")
    return "cupy" if name.startswith("cupy") else name


def _can_build() -> bool:
    try:
        return int(version("setuptools").split(".")[0]) >= 77 and find_spec("pip") is not None
    except PackageNotFoundError:
        return False


def _build(root: Path, folder: Path) -> None:
    """Install with pip, from a copy of the checkout, because a build leaves files that a later build would use."""
    with tempfile.TemporaryDirectory() as result:
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(root / name, result)
        for name in ("accel", "backends"):
            shutil.copytree(root / name, Path(result, name))
        how = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation")
        subprocess.run([sys.executable, "-m", "pip", "install", *how, "--target", folder, result], check=True)


def _lay_out(root: Path, folder: Path) -> None:
    project = _project(root)
    shutil.copytree(root / "accel", folder / "accel", ignore=shutil.ignore_patterns("backends"))
    shutil.copytree(root / "backends", folder / "accel/backends")
    record = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    record.mkdir()
    head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (record / "METADATA").write_text(head, "utf-8")
    groups = {**project["entry-points"], "console_scripts": project["scripts"]}
    lines = [line for group, points in groups.items() for line in (f"[{group}]", *_points(points))]
    (record / "entry_points.txt").write_text("\n".join(lines), "utf-8")


def _points(points: dict[str, str]) -> list[str]:
    return [f"{name} = {value}" for name, value in points.items()]
