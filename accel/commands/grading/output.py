"""Grades as a table, JSON and a page of HTML. All that submissions and tests say is escaped."""

import json
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from typing import Any

from accel.commands.grading.course import Grade
from accel.pictures import html
from accel.pictures.style import SANS, page_style
from accel.support.printable import printable
from accel.support.report_files import Finding

__all__ = ["as_json", "as_page", "as_table"]

_WIDEST = 100

_STYLE = page_style(
    "accel-grades",
    f"16px/1.5 {SANS}",
    """
:root { color-scheme: light dark; }
& { --good: #12795a; --bad: #b3261e; max-width: 62rem; margin: 0 auto; border-radius: 0; }
@media (prefers-color-scheme: dark) { & { --good: #4cc9a0; --bad: #ff8a80; } }
& h1 { font-size: 1.5rem; line-height: 1.25; margin: .5rem 0 .25rem; }
& h2 { font-size: 1.15rem; line-height: 1.3; margin: 0 0 .25rem; overflow-wrap: anywhere; }
& article { border-top: 1px solid var(--line); padding: 1.25rem 0; }
& p { margin: .25rem 0; overflow-wrap: anywhere; }
& .soft { color: var(--soft); }
& .good { color: var(--good); font-weight: 600; }
& .bad { color: var(--bad); font-weight: 600; }
& a { color: inherit; }
& .scroll { overflow-x: auto; margin: 1rem 0; }
& .scroll th, & .scroll td { padding: .3rem 1rem .3rem 0; vertical-align: top; border-bottom: 1px solid var(--line); }
& .name { overflow-wrap: anywhere; min-width: 7rem; }
& .time { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
& pre { font: .8rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace; white-space: pre-wrap; overflow-wrap: anywhere;
  margin: .5rem 0; padding: .6rem .9rem; border: 1px solid var(--line); border-radius: 8px; }
& .picture { overflow-x: auto; }
""",
)


def as_table(grades: Sequence[Grade]) -> str:
    """Return a table for a terminal: a line for each submission, and for each further thing that it did wrong."""
    lines = [("submission", "passed", "time", "what is wrong")]
    for grade in grades:
        first, *others = _wrong(grade) or [""]
        count = f"{grade.passed}/{len(grade.results)}"
        lines.append((printable(grade.name), count, f"{grade.seconds:.1f} s", first))
        lines += [("", "", "", other) for other in others]
    widths = [max(len(line[column]) for line in lines) for column in range(3)]
    return "\n".join(
        f"{name:{widths[0]}}  {count:>{widths[1]}}  {time:>{widths[2]}}  {wrong}".rstrip()
        for name, count, time, wrong in lines
    )


def _wrong(grade: Grade) -> list[str]:
    """Return the findings with their lines, and the messages of tests that failed without one."""
    lines = dict.fromkeys(_said(each) for each in grade.findings)
    titles = tuple(each.title for each in grade.findings)
    tests: dict[str, list[str]] = {}
    for result in grade.results:
        if not result.passed and not result.message.startswith(titles):
            tests.setdefault(" ".join(result.message.split()), []).append(result.test)
    return [_short(line) for line in (*lines, *[f"{', '.join(names)}: {said}" for said, names in tests.items()])]


def _short(line: str) -> str:
    shown = printable(line)
    return shown if len(shown) <= _WIDEST else f"{shown[: _WIDEST - 1]}…"


def _said(finding: Finding) -> str:
    """Return a finding with its line; where a kernel that never ends was stopped differs from run to run."""
    if finding.title.startswith("timeout"):
        return finding.title
    return f"{finding.title} at {finding.location.where}" if finding.location else finding.title


def as_json(grades: Sequence[Grade], seed: int) -> str:
    """Return all grades as JSON."""
    return json.dumps({"seed": seed, "submissions": [_values(each) for each in grades]}, indent=2)


def _values(grade: Grade) -> dict[str, Any]:
    return {
        "name": grade.name,
        "passed": grade.passed,
        "of": len(grade.results),
        "seconds": round(grade.seconds, 3),
        "tests": [{**each._asdict(), "passed": each.passed} for each in grade.results],
        "reports": [{**each.json(), "picture": None} for each in grade.findings],
        "output": grade.output,
    }


def as_page(grades: Sequence[Grade], tests: Sequence[str], seed: int) -> str:
    """Return a self-contained page without scripts."""
    right = sum(each.passed == len(tests) for each in grades)
    counts = f"{html.counted(len(grades), 'submission')}, of which {right} pass all tests"
    about = f"{counts}; {html.counted(len(tests), 'test')}, seed {seed}"
    heads = "".join(f'<th scope="col">{escape(each)}</th>' for each in ("submission", "passed", *tests, "time"))
    rows = "".join(_row(number, grade) for number, grade in enumerate(grades))
    table = f'<div class="scroll" tabindex="0"><table><tr>{heads}</tr>\n{rows}</table></div>\n'
    details = "".join(_details(number, grade) for number, grade in enumerate(grades) if grade.passed < len(tests))
    body = f'<h1>Grades</h1>\n<p class="soft">{about}</p>\n{table}{details}'
    return html.page("Grades", body, _STYLE, "accel-grades")


def _row(number: int, grade: Grade) -> str:
    right = grade.passed == len(grade.results)
    name = escape(printable(grade.name))
    link = name if right else f'<a href="#submission-{number}">{name}</a>'
    marks = "".join(_mark(each.passed) for each in grade.results)
    count = f'<td class="{"good" if right else "bad"}">{grade.passed}/{len(grade.results)}</td>'
    return f'<tr><td class="name">{link}</td>{count}{marks}<td class="time">{grade.seconds:.1f} s</td></tr>\n'


def _mark(passed: bool) -> str:
    return '<td class="good">passed</td>' if passed else '<td class="bad">failed</td>'


def _details(number: int, grade: Grade) -> str:
    messages = "".join(
        f"<p>{escape(each.test)}</p><pre>{escape(printable(each.message, _LINES))}</pre>\n"
        for each in grade.results
        if not each.passed
    )
    pictures = "".join(_picture(each) for each in grade.findings)
    output = (
        f'<p class="soft">It printed</p><pre>{escape(printable(grade.output, _LINES))}</pre>\n' if grade.output else ""
    )
    name = escape(printable(grade.name))
    return f'<article id="submission-{number}">\n<h2>{name}</h2>\n{messages}{pictures}{output}</article>\n'


_LINES = "\n\t"


def _picture(finding: Finding) -> str:
    """Return the picture as an image, in which no script runs: a submission may have made it."""
    if not finding.picture:
        return ""
    content = b64encode(finding.picture.encode(errors="replace")).decode()
    said = escape(printable(_said(finding)))
    return f'<p class="picture"><img alt="{said}" src="data:image/svg+xml;base64,{content}"></p>\n'
