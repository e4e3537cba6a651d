"""Checks what the types of `accel` say to others: to type checkers, to editors, and on the pages that show code.

Three checks, of which each prints what is wrong. The stubs agree with what the modules have (mypy's stubtest). Of the
types of exported names, a part is known to a type checker (basedpyright). The blocks of Python in the README and the
guide have no type errors, as a person's editor would show them (basedpyright).
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from doctest import DocTestParser
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(_ROOT / "tests"))

from pages import blocks  # noqa: E402 - the tests run the same blocks

_KNOWN = 0.98
"""The part of exported names whose types have to be known."""

_STUBBED = "engines|kernels|layout|memory|store|testing|xp|xp.fft|xp.linalg|xp.special"
_ALLOWED = rf"""
(?!accel(\.({_STUBBED.replace(".", chr(92) + ".")}))?\.\w+$).*  # mypy checks the source of what has no stub
accel\.xp\.(amax|amin|average|nan\w+|ptp)  # the default of NumPy's keywords is an object of its own
"""
"""Patterns of names that stubtest does not compare."""

_PAGES = ("README.md", "docs/guide/*.md")
_RULES = {
    # A block shows one thing: the value of an expression, an attribute that a kernel gives a meaning, an example that
    # fails, an optional package.
    "reportUnusedExpression": "none",
    "reportMissingImports": "none",
    "reportOptionalMemberAccess": "none",
    "reportOptionalOperand": "none",
    "reportPossiblyUnboundVariable": "none",
    "reportRedeclaration": "none",
    "reportMissingModuleSource": "none",
}

_EXPECTED = (
    ("coming_from.md", '"float" cannot be assigned to parameter "mass"'),  # a scalar of a kernel's struct
    ("from_cupy.md", "Expected 2 positional arguments"),  # the decorator is CuPy's
    ("from_numpy.md", '"float64" is not assignable to "Array"'),  # a function of numbers alone
    ("gpu_tests_without_a_gpu.md", ""),  # what numba-cuda's decorators return is not known
    ("on_a_gpu.md", 'attribute "native" for class "Stream"'),  # a GPU's streams have more
    ("past_one_machine.md", 'parameter "chunks" of type "str"'),  # Dask's
    ("stores.md", 'attribute "span_reduce_accessor" for class "Reduce"'),  # see `accel.engines.Reduce`
    ("stores.md", 'for class "PhysicalArray"'),  # which kind of array it is
)
"""Parts of messages about what a type checker cannot know, by page."""


def stubs_agree() -> Iterator[str]:
    """Yield what differs between the stubs and their modules."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as allowed:
        allowed.write(_ALLOWED)
        allowed.flush()
        options = ["--concise", "--ignore-unused-allowlist", "--mypy-config-file=pyproject.toml"]
        command = [sys.executable, "-m", "mypy.stubtest", "accel", f"--allowlist={allowed.name}", *options]
        done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        yield done.stdout + done.stderr


def types_are_known() -> Iterator[str]:
    """Yield the exported names whose types are not known, if they are too many."""
    with tempfile.TemporaryDirectory() as folder:  # in a checkout, basedpyright would read the configuration there
        found = _basedpyright(Path(folder), "--verifytypes", "accel", "--ignoreexternal")["typeCompleteness"]
    score = found["completenessScore"]
    print(f"{score:.1%} of the types of {sum(found['exportedSymbolCounts'].values())} exported names are known")
    if score < _KNOWN:
        unknown = [each for each in found["symbols"] if each["isExported"] and not _is_known(each)]
        yield from (f"{each['name']}: {each['diagnostics'][0]['message']}" for each in unknown if each["diagnostics"])
        yield f"at least {_KNOWN:.0%} are to be known"


def _is_known(symbol: dict[str, Any]) -> bool:
    return symbol["isTypeKnown"] and not symbol["isTypeAmbiguous"]


def pages_have_no_errors() -> Iterator[str]:
    """Yield the type errors of the blocks of Python on pages."""
    pages = [page for pattern in _PAGES for page in sorted(_ROOT.glob(pattern))]
    with tempfile.TemporaryDirectory() as folder:
        programs = {_written(page, Path(folder)): page for page in pages}
        Path(folder, "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "standard", **_RULES}))
        found = _basedpyright(Path(folder))["generalDiagnostics"]
    for each in found:
        if each["severity"] == "error":
            page, line = programs[Path(each["file"]).name], each["range"]["start"]["line"] + 1
            if any(page.name == name and words in each["message"] for name, words in _EXPECTED):
                continue
            yield f"{page.relative_to(_ROOT)}:{line}: {each['message']} ({each.get('rule', 'syntax')})"


def _written(page: Path, folder: Path) -> str:
    """Write the blocks of a page as a program, each statement on its lines; return the name of the file."""
    lines: list[str] = []
    for above, block in blocks(page.read_text("utf-8")):
        for number, text in _statements(block):
            lines += [""] * (above + number - len(lines))
            lines += text.splitlines()
    name = f"{page.stem.lower()}.py"
    (folder / name).write_text("\n".join([*lines, ""]), "utf-8")
    return name


def _statements(block: str) -> list[tuple[int, str]]:
    """Return the statements of a block with the numbers of lines above; of a session at a prompt what is typed."""
    if not block.startswith(">>>"):
        return [(0, block)]
    return [(each.lineno, each.source) for each in DocTestParser().get_examples(block)]


def _basedpyright(folder: Path, *arguments: str) -> Any:
    command = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable, "--outputjson", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except ValueError:
        sys.exit(f"basedpyright failed:\n{done.stdout}{done.stderr}")


CHECKS: dict[str, Callable[[], Iterator[str]]] = {
    "known": types_are_known,
    "pages": pages_have_no_errors,
    "stubs": stubs_agree,
}


def main() -> int:
    """Run the checks that are named, or all; return 1 if one finds something."""
    parser = argparse.ArgumentParser(description="Check the types that accel shows to others.")
    parser.add_argument("checks", nargs="*", choices=[*CHECKS, []], help="by default all")
    wrong = 0
    for name in parser.parse_args().checks or CHECKS:
        for line in CHECKS[name]():
            print(line, file=sys.stderr)
            wrong += 1
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
