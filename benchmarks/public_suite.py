"""How many programs of a public suite run on the simulated device, and why the others do not.

    python benchmarks/public_suite.py FOLDER --results results.jsonl [--sample 100] [--jobs 2] [--compile]
    python benchmarks/public_suite.py --table results.jsonl

A program is a subfolder with a Makefile. That is not run: it is read for the sources, the folders of headers, macros,
and the arguments of its target ``run``. Arguments that the program calls repetitions become 1 or 2, and numbers of 4096
or more (``--large``) become 1/16 of that: they are chosen for GPUs. A program that was measured is not measured again.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

COMPILATION = 120  # seconds for each compiler
CODE = {".cu", ".cpp", ".cc", ".cxx", ".c", ".hip"}
REPETITIONS = re.compile(r"repe|iter|loop|trial|times|runs|reps|nrep|passes|tests|steps", re.IGNORECASE)
ARGUMENT = re.compile(r"(\w+)\s*=[^;\n]*?\b(?:ato\w+|sto\w+|strto\w+)\s*\(\s*argv\s*\[\s*(\d+)\s*\]")


class Program(NamedTuple):
    """What a Makefile says of a program."""

    folder: Path
    sources: list[Path]
    folders: list[Path]
    options: list[str]
    host_options: list[str]
    arguments: list[str]


def program_in(folder: Path, large: int = 4096) -> Program | None:
    """Read the Makefile of a program, with its large arguments made smaller."""
    makefile = folder / "Makefile"
    if not makefile.is_file():
        return None
    text = _expanded(makefile.read_text(errors="replace").replace("\\\n", " "))
    sources = _sources(folder, "\n".join(re.findall(r"^\s*source\s*:?=(.*)$", text, re.MULTILINE))) or _sources(
        folder, text
    )
    sources = sources or sorted(path for path in folder.iterdir() if path.suffix in CODE)
    if not sources:
        return None
    folders = [folder, *[folder / word for word in re.findall(r"-I\s*([\w./-]+)", text) if (folder / word).is_dir()]]
    options = [word for word in re.findall(r"(?<=\s)-D[\w=.]+", text) if "DEBUG" not in word]
    standard = re.findall(r"-std=c\+\+(?:17|20|23)", text)
    host = ["-fopenmp"] if "openmp" in text else []
    return Program(folder, sources, folders, [*options, *standard[-1:]], host, _arguments(text, sources, large))


def _sources(folder: Path, text: str) -> list[Path]:
    """Return the sources that a text names, without those that others include."""
    named = [folder / word for word in re.findall(r"[\w./-]+\.(?:cu|cpp|cc|cxx|c|hip)\b", text)]
    result = [*dict.fromkeys(path for path in named if path.is_file())]
    code = "\n".join(path.read_text(errors="replace") for path in result)
    return [path for path in result if not re.search(rf'#\s*include\s*"[^"\n]*\b{re.escape(path.name)}"', code)]


def _expanded(text: str) -> str:
    values = dict(re.findall(r"^\s*(\w+)\s*[:?]?=[ \t]*(.*)$", text, re.MULTILINE))
    for _ in range(3):
        text = re.sub(r"\$[({](\w+)[)}]", lambda result: values.get(result[1], ""), text)
    return text


def _arguments(text: str, sources: list[Path], large: int) -> list[str]:
    recipe = re.search(r"^run\s*:.*\n((?:\t.*\n?)+)", text, re.MULTILINE)
    first = recipe[1].strip().splitlines()[0] if recipe else ""
    words = re.sub(r"^.*?\./\S+", "", first.split("|")[0].split(">")[0].split("&&")[-1]).split()
    words = [str(int(word) // 16) if word.isdigit() and int(word) >= large else word for word in words]
    words = [re.sub(r"(?<=s=)\d+$", "2", word) if REPETITIONS.search(word) else word for word in words]
    for at, word in enumerate(words[1:], 1):
        if word.isdigit() and words[at - 1].startswith("-") and REPETITIONS.search(words[at - 1]):
            words[at] = str(min(int(word), 2))
    code = "\n".join(path.read_text(errors="replace") for path in sources)
    for name, number in ARGUMENT.findall(code):
        at = int(number) - 1
        if at < len(words) and REPETITIONS.search(name) and words[at].isdigit():
            words[at] = str(min(int(words[at]), 2))
    return words


def measured(program: Program, *, run: bool, limit: float) -> dict[str, Any]:
    """Compile and run a program; return what came of it."""
    from accel.backends.cuda_on_cpu.programs.building import build_program
    from accel.backends.cuda_on_cpu.programs.execution import run_program

    from accel.errors import AccelError

    given: Any = {"options": program.options, "folders": program.folders, "host_options": program.host_options}
    result: dict[str, Any] = {"program": program.folder.name, "compiles": False}
    began = time.monotonic()
    try:
        if not run:
            build_program(program.sources, warp=32, checked=True, **given)
            return result | {"compiles": True, "seconds": time.monotonic() - began}
        with tempfile.TemporaryFile() as output:
            try:
                ended = run_program(
                    program.sources, program.arguments, folder=program.folder, limit=limit, output=output, **given
                )
                result |= {
                    "code": ended.code,
                    "findings": ended.found,
                    "reports": [each.json() for each in ended.reports],
                }
            except subprocess.TimeoutExpired:
                result["code"] = "timeout"
            output.seek(0)
            text = output.read().decode(errors="replace")
    except AccelError as error:
        return result | {"error": _errors(str(error)), "seconds": time.monotonic() - began}
    said = "\n".join(line for line in text.splitlines() if not line.startswith("accel:"))
    result |= {"compiles": True, "seconds": time.monotonic() - began, "output": said[-1500:]}
    return result | {"passes": verified(said), "arguments": program.arguments}


def verified(said: str) -> bool | None:
    """What a program says of its results; None if it says nothing."""
    if re.search(
        r"\bfail|\berror\b(?!\s*(?:rate|statistics|is|=|:))|mismatch|incorrect|not correct", said, re.IGNORECASE
    ):
        return False
    return True if re.search(r"\bpass|\bsuccess|\bcorrect\b|\bok\b|verified", said, re.IGNORECASE) else None


def _errors(said: str) -> str:
    lines = [line for line in said.splitlines() if re.search(r"error|undefined|not simulated", line)]
    return "\n".join(lines[:8])[:2000] or said[-600:]


def reason(result: dict[str, Any]) -> str:  # noqa: PLR0911 - a list of cases
    """Why a program does not compile, or does not run to its end."""
    said = result.get("error", "")
    if "inline PTX" in said:
        return "inline PTX"
    if header := re.search(r"fatal error: (?:CUDA that is not simulated: )?'?([\w./+-]+)'?", said):
        return f"header {header[1]}"
    if name := re.search(r"undefined (?:reference to|symbol:?) [`'\"]?([\w:~]+)", said):
        return f"name {name[1]}"
    pattern = r"error: '?([\w:]+)'? (?:was not declared|has not been declared|does not name|is not a member)"
    if name := re.search(pattern, said):
        return f"name {name[1]}"
    if not result["compiles"]:
        return "other: " + (re.search(r"error: (.*)", said) or [said, said])[1][:90]
    code = result.get("code", 0)
    if code == "timeout":
        return "too slow"
    return "" if code == 0 else f"exit code {code}"


def table(results: list[dict[str, Any]]) -> str:
    """Return counts and reasons, as Markdown."""
    compiled = [each for each in results if each["compiles"]]
    ended = [each for each in compiled if each.get("code") == 0]
    rows = [
        ("programs", len(results)),
        ("compile", len(compiled)),
        ("run to the end", len(ended)),
        ("say that their results are right", sum(each.get("passes") is True for each in ended)),
        ("say nothing of their results", sum(each.get("passes") is None for each in ended)),
        ("say that they are wrong", sum(each.get("passes") is False for each in ended)),
        ("take too long", sum(each.get("code") == "timeout" for each in compiled)),
        ("with findings", sum(bool(each.get("reports")) for each in compiled)),
    ]
    lines = ["| | programs |", "|---|---:|", *[f"| {what} | {count} |" for what, count in rows], ""]
    reasons = Counter(reason(each) for each in results)
    lines += ["| reason | programs |", "|---|---:|"]
    lines += [f"| {what} | {count} |" for what, count in reasons.most_common() if what]
    return "\n".join(lines)


def _waiting(given: argparse.Namespace, known: set[str]) -> Iterator[Path]:
    folders = sorted(path for path in given.folder.glob(given.pattern) if path.is_dir())
    if given.sample:
        folders = sorted(random.Random(given.seed).sample(folders, given.sample))
    return (path for path in folders if path.name not in known)


def _one(given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Measure a program in a process of its own."""
    command = [sys.executable, __file__, str(folder), "--one", "--limit", str(given.limit)]
    command += ["--large", str(given.large)]
    command += ["--compile"] if given.compile else []
    try:
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=given.limit + 2 * COMPILATION
        )
        return json.loads(done.stdout.splitlines()[-1])
    except (subprocess.TimeoutExpired, ValueError, IndexError) as error:
        said = "took too long to compile" if isinstance(error, subprocess.TimeoutExpired) else done.stderr[-500:]
        return {"program": folder.name, "compiles": False, "error": said}


def main() -> None:
    """Measure the suite, or print the table of results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="folder of the programs")
    parser.add_argument("--pattern", default="*-cuda", help="names of the programs' folders (default: *-cuda)")
    parser.add_argument("--results", type=Path, default=Path("results.jsonl"), help="file of results, a line for each")
    parser.add_argument("--sample", type=int, help="how many programs, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--jobs", type=int, default=1, help="programs at the same time")
    parser.add_argument("--limit", type=float, default=60, help="seconds for a program")
    parser.add_argument("--large", type=int, default=4096, help="numbers from this on become 1/16 of that")
    parser.add_argument("--compile", action="store_true", help="only compile")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--table", type=Path, metavar="RESULTS", help="print the table of results")
    given = parser.parse_args()
    if given.table:
        print(table([json.loads(line) for line in given.table.read_text().splitlines()]))
    elif given.one:
        import accel

        program = program_in(given.folder, given.large)
        assert program is not None
        with accel.using(kernel_checks="all", compile_limit=COMPILATION):
            print(json.dumps(measured(program, run=not given.compile, limit=given.limit)))
    else:
        lines = given.results.read_text().splitlines() if given.results.exists() else []
        folders = [
            path for path in _waiting(given, {json.loads(line)["program"] for line in lines}) if program_in(path)
        ]
        with given.results.open("a") as file, ThreadPoolExecutor(given.jobs) as several:
            for result in several.map(lambda folder: _one(given, folder), folders):
                print(json.dumps(result), file=file, flush=True)


if __name__ == "__main__":
    main()
