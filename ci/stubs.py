"""Writes the stubs (.pyi) of `accel`, or checks that they are up to date.

Type checkers cannot follow names that are imported at their first use, nor functions that are compiled from the table
of the array standard. The modules that have such names have a stub, which is derived from the module and the table.
"""

import argparse
import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from textwrap import indent
from types import ModuleType

from accel.xp import numpy_rows, numpy_signatures, results, signatures, special_signatures

__all__ = ["outdated", "rendered"]

_ROOT = Path(__file__).parents[1]
_NUMPYS = "\n".join(
    [
        numpy_rows.CORE,
        signatures.elementwise(numpy_signatures.UNARY, numpy_signatures.BINARY),
        numpy_signatures.FUNCTIONS,
    ]
)
_TABLES = {
    "accel": "",
    "accel.kernels": "",
    "accel.layout": "",
    "accel.memory": "",
    "accel.engines": "",
    "accel.store": "",
    "accel.testing": "",
    "accel.xp": signatures.elementwise() + signatures.FUNCTIONS + signatures.METHODS + _NUMPYS,
    "accel.xp.fft": signatures.FFT,
    "accel.xp.linalg": signatures.LINALG + numpy_rows.LINALG + numpy_signatures.LINALG_FUNCTIONS,
    "accel.xp.special": special_signatures.table(),
}
"""For each module that has a stub the signatures of its compiled functions."""

_PROMPT = ">>> import accel.xp as xp\n"
_PRIVATE = {
    "Axes": "_Axes: TypeAlias = Sequence[int] | None",
    "Axis": "_Axis: TypeAlias = int | tuple[int, ...] | None",
    "Norm": '_Norm: TypeAlias = Literal["backward", "ortho", "forward"]',
    "bool": "from builtins import bool as _bool",
}
"""Definitions for the annotations of the table that have a private name in a stub."""
_ANNOTATIONS = {
    "Any": "typing",
    "Array": "accel.xp.arrays",
    "ArrayOrder": "accel.xp.placement",
    "DeviceLike": "accel.device",
    "DTypeLike": "accel.dtypes",
    "Literal": "typing",
    "MemoryOrder": "accel.xp.placement",
    "Scalar": "accel.xp.operators",
    "Sequence": "collections.abc",
    "Shape": "accel.xp.filled_arrays",
    "TypeAlias": "typing",
    **dict.fromkeys(results.__all__, "accel.xp.results"),
}
"""Where the other annotations of the table are defined."""


def rendered() -> dict[str, str]:
    """Return the text of each stub by its path in the checkout."""
    stubs = {}
    for name, table in _TABLES.items():
        module = import_module(name)
        path = _source(module).with_suffix(".pyi").relative_to(_ROOT).as_posix()
        composed = _composed(module)
        exported, functions = _exported(module, composed), [*composed.values(), *_functions(module, table)]
        # Imports first; ruff sorts them.
        lines = sorted([*exported, *_needed(functions, exported)], key=lambda line: not line.startswith("from "))
        public = f"__all__ = {sorted(module.__all__)}"
        stubs[path] = _formatted(
            "\n".join(["# Written by ci/stubs. Do not edit.", *lines, public, *functions, ""]), path
        )
    return stubs


def outdated(folder: Path) -> list[str]:
    """Return the paths of the stubs in a checkout that are missing, differ, or have no module that needs them."""
    stubs = rendered()
    there = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in folder.glob("accel/**/*.pyi")}
    return sorted(path for path in stubs.keys() | there.keys() if stubs.get(path) != there.get(path))


def _source(module: ModuleType) -> Path:
    assert module.__file__, "modules with a stub are files"
    return Path(module.__file__)


def _composed(module: ModuleType) -> dict[str, str]:
    """Return the public functions whose docstrings are composed: type checkers do not see these in the source."""
    result = {}
    for name, function in inspect.getmembers(module, inspect.isfunction):
        code = function.__code__
        if name in module.__all__ and code.co_name == name and Path(code.co_filename).is_relative_to(_ROOT):
            (definition,) = ast.parse(inspect.getsource(code)).body
            if isinstance(definition, ast.FunctionDef) and ast.get_docstring(definition) != inspect.getdoc(function):
                definition.decorator_list, definition.body = [], []
                row = ast.unparse(definition).removeprefix("def ").removesuffix(":")
                result[name] = _definition(row, inspect.getdoc(function) or "")
    return result


def _exported(module: ModuleType, composed: Mapping[str, str]) -> list[str]:
    """Return lines that give a stub the other public names of a module, without its compiled functions."""
    result: dict[str, list[str]] = {}
    for statement in ast.parse(_source(module).read_text("utf-8")).body:
        if isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                result[alias.asname or alias.name] = _import(statement.module, alias.name, alias.asname)
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            result[name] = [_constant(name, getattr(module, name, None), statement.value)]
    for name, home in getattr(module, "_LAZY", {}).items():
        submodule = home == f"{module.__name__}.{name}"
        result[name] = _import(module.__name__ if submodule else home, name)
    named = {*module.__all__} - composed.keys()
    return [line for name, lines in result.items() if name in named for line in lines]


def _import(home: str | None, name: str, asname: str | None = None) -> list[str]:
    """Return a re-export: type checkers take ``import x as x`` for one, and not ``import x as y``."""
    if asname in {None, name}:
        return [f"from {home} import {name} as {name}"]
    return [f"from {home} import {name}", f"{asname} = {name}"]


def _constant(name: str, value: object, expression: ast.expr) -> str:
    if value is None or isinstance(value, str):
        return f"{name}: {'None' if value is None else 'str'}"
    return f"{name} = {ast.unparse(expression)}"


def _functions(module: ModuleType, table: str) -> Iterator[str]:
    """Yield the functions of a table of signatures.

    Editors show the docstrings, which are composed when a function is compiled: of these the stub has the summary, the
    notes and the example, as the signature says the rest.
    """
    for row in filter(None, table.splitlines()):
        about, _, rest = (inspect.getdoc(getattr(module, row.partition("(")[0])) or "").partition("\n\nParameters\n")
        yield _definition(row, f"{about}\n\n{rest.partition(_PROMPT)[2]}")


def _definition(row: str, text: str) -> str:
    """Return a function, with private names for the types that the stub does not export, and with a docstring."""
    private = re.sub(rf"\b({'|'.join(_PRIVATE)})\b", lambda name: f"_{name[0]}", row)
    docstring = indent(f'"""{text}\n"""', "    ", lambda line: bool(line.strip()))
    return f"def {private}:\n{docstring}"


def _needed(functions: list[str], exported: list[str]) -> Iterator[str]:
    """Yield the imports and aliases that the annotations of functions need."""
    text = "\n".join(function.partition(":\n")[0] for function in functions)
    private = [line for name, line in _PRIVATE.items() if re.search(rf"\b_{name}\b", text)]
    yield from private
    text += "\n".join(private)
    for name, home in _ANNOTATIONS.items():
        if re.search(rf"\b{name}\b", text) and f"from {home} import {name} as {name}" not in exported:
            yield f"from {home} import {name}"


def _formatted(text: str, path: str) -> str:
    for arguments in (["check", "--select=I,RUF022", "--fix", "--quiet"], ["format", "--quiet"]):
        command = [sys.executable, "-m", "ruff", *arguments, f"--stdin-filename={path}", "-"]
        text = subprocess.run(command, cwd=_ROOT, input=text, capture_output=True, text=True, check=True).stdout
    return text


def _write(folder: Path, stubs: Mapping[str, str]) -> None:
    for path, text in stubs.items():
        (folder / path).write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the stubs of accel.")
    parser.add_argument("--check", action="store_true", help="change nothing, and fail if a stub is out of date")
    parser.add_argument("folder", nargs="?", type=Path, default=_ROOT, help="a checkout; by default this one")
    options = parser.parse_args()
    if not options.check:
        _write(options.folder, rendered())
        return 0
    paths = outdated(options.folder)
    for path in paths:
        print(f"{path} is out of date: run ci/stubs", file=sys.stderr)
    return 1 if paths else 0


if __name__ == "__main__":
    sys.exit(main())
