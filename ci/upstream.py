"""Run the scripts of the reports in docs/upstream: ``python ci/upstream.py [BEGINNING ...]``; see ci/upstream."""

import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

__all__ = ["FOLDER", "SECTIONS", "Outcome", "Report", "installed", "read", "tried"]

FOLDER = Path(__file__).resolve().parents[1] / "docs/upstream"
SECTIONS = ("Script", "Output", "Expected", "Versions", "Remedy")
_BLOCK = re.compile(r"^```(.*)\n((?:.*\n)*?)```$", re.MULTILINE)
_VERSION = re.compile(r"([\w+ .-]*?) (\d[\w.]*)(?:, |$)")
_MISSING = re.compile(r"ModuleNotFoundError: No module named '[\w.]+'$")
_SECONDS = 600
_REAL_CUPY = f"{sys.prefix}/real-cupy/python"  # what ci/real_cupy builds
_DISTRIBUTIONS = {"CuPy": ("cupy-cuda13x", "cupy-cuda12x", "cupy")}
_ASK = "import sys; from importlib.metadata import version; print(version(sys.argv[1]))"


class Report(NamedTuple):
    """A report, in its parts.

    Attributes
    ----------
    name : str
        The name of its file, without the ending.
    title : str
        The heading of the page.
    text : str
        What is below it: what happens, and where.
    sections : dict of str to str
        The text below each other heading, in the order of the page.
    """

    name: str
    title: str
    text: str
    sections: dict[str, str]

    def block(self, section: str) -> tuple[str, str] | None:
        """Return the language and the text of the only block of a section, or None."""
        blocks = _BLOCK.findall(self.sections.get(section, ""))
        return blocks[0] if len(blocks) == 1 else None

    @property
    def versions(self) -> list[tuple[str, str]]:
        """The projects and their versions, that of the defect first."""
        return _VERSION.findall(self.sections["Versions"].strip())


class Outcome(NamedTuple):
    """What became of a script: ``there``, ``gone``, ``differs`` or ``not tried``, and what to say of it."""

    word: str
    details: str = ""

    @property
    def bad(self) -> bool:
        """Whether the page has to be changed."""
        return self.word in {"gone", "differs"}


def read(page: Path) -> Report:
    """Return the report on a page."""
    head, *rest = re.split(r"^## (.+)\n", page.read_text("utf-8"), flags=re.MULTILINE)
    title, _, text = head.removeprefix("# ").partition("\n")
    return Report(page.stem, title, text.strip(), dict(zip(rest[::2], rest[1::2], strict=True)))


def installed(project: str, python: str = sys.executable) -> str | None:
    """Return the version of a project that a Python has, or of the compiler, or None."""
    if project == "GCC":
        compiler = shutil.which("g++")
        return _output([compiler, "-dumpfullversion"]) if compiler else None
    for name in _DISTRIBUTIONS.get(project, (project,)):
        version = _version(name) if python == sys.executable else _output([python, "-c", _ASK, name])
        if version:
            return version
    return None


def tried(report: Report) -> Outcome:
    """Run the script of a report, and compare what it prints with the report."""
    project, _ = report.versions[0]
    python = os.environ.get("PYTHON", _REAL_CUPY if project == "CuPy" else sys.executable)
    version = installed(project, python) if Path(python).exists() else None
    if version is None:
        return Outcome("not tried", f"{project} is not installed")
    language, script = report.block("Script") or ("", "")
    printed, (_, output) = _printed(language, script, python), report.block("Output") or ("", "")
    expected = report.block("Expected")
    missing = _MISSING.search(printed)
    if printed == output:
        return Outcome("there", f"{project} {version}")
    if expected and printed == expected[1]:
        return Outcome("gone", f"{project} {version} prints what is expected")
    if missing:
        return Outcome("not tried", missing[0])
    return Outcome("differs", f"{project} {version}\n{_difference(output, printed)}")


def _printed(language: str, script: str, python: str) -> str:
    """Return what a script prints, and the last line of the error that ended it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "script.cpp" if language == "c++" else "script.py")
        file.write_text(script, "utf-8")
        command = ["bash", "-c", "g++ script.cpp -o script && ./script"] if language == "c++" else [python, file.name]
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, timeout=_SECONDS, env=_environment()
        )
    lines = done.stderr.splitlines()
    error = next((line for line in lines if " error: " in line), "") if language == "c++" else "".join(lines[-1:])
    return "".join(f"{line}\n" for line in [*done.stdout.splitlines(), *[error][: done.returncode != 0]])


def _environment() -> dict[str, str]:
    """Return the environment without what changes what scripts import or print."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NUMBA_", "SCIPY_"))}


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _output(command: Sequence[str]) -> str:
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout.strip()


def _difference(written: str, printed: str) -> str:
    lines = difflib.ndiff(written.splitlines(), printed.splitlines())
    return "\n".join(["    the report (-), and what the script printed (+):", *(f"    {line}" for line in lines)])


def main(beginnings: Sequence[str]) -> int:
    """Try all reports, or those with these beginnings; return 1 if a page has to be changed."""
    pages = [page for page in sorted(FOLDER.glob("*.md")) if page.stem != "README" and _chosen(page.stem, beginnings)]
    outcomes = []
    for page in pages:
        outcome = tried(read(page))
        outcomes.append(outcome)
        print(f"{outcome.word:10}{page.stem}: {outcome.details}", flush=True)
    return int(not pages or any(outcome.bad for outcome in outcomes))


def _chosen(name: str, beginnings: Iterable[str]) -> bool:
    return not beginnings or name.startswith(tuple(beginnings))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
