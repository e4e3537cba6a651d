"""Findings as a page of HTML, with the pictures of their threads."""

from collections.abc import Sequence
from html import escape

from accel.pictures import html
from accel.pictures.style import SANS, page_style
from accel.support.report_files.findings import Finding, Location

__all__ = ["page"]

_STYLE = page_style(
    "accel-findings",
    f"16px/1.5 {SANS}",
    """
:root { color-scheme: light dark; }
& { --bad: #b3261e; max-width: 62rem; margin: 0 auto; border-radius: 0; }
@media (prefers-color-scheme: dark) { & { --bad: #ff8a80; } }
& h1 { font-size: 1.5rem; line-height: 1.25; margin: .5rem 0 .25rem; }
& h2 { font-size: 1.15rem; line-height: 1.3; margin: 0 0 .25rem; overflow-wrap: anywhere; }
& article { border-top: 1px solid var(--line); padding: 1.5rem 0; }
& p, & li { margin: .25rem 0; overflow-wrap: anywhere; }
& ol { padding-left: 1.5rem; }
& a { color: inherit; }
& .soft { color: var(--soft); }
& .state { font-weight: 600; color: var(--bad); }
& .state.mild { color: var(--soft); }
& code, & pre { font: .85rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
& pre { white-space: pre-wrap; margin: .75rem 0; padding: .75rem 1rem; border: 1px solid var(--line);
  border-radius: 8px; }
& .picture { overflow-x: auto; }
& .picture svg { max-width: none; }
""",
)


def page(findings: Sequence[Finding]) -> str:
    """Return a self-contained page without scripts."""
    wrong = sum(not each.expected for each in findings)
    about = f"{html.counted(wrong, 'finding')}, and {len(findings) - wrong} expected by tests"
    parts = [f'<h1>Reports of kernels</h1>\n<p class="soft">{about}</p>\n']
    if len(findings) > 1:
        parts.append(f"<ol>{''.join(_entry(number, each) for number, each in enumerate(findings, 1))}</ol>\n")
    parts += [_article(number, each) for number, each in enumerate(findings, 1)]
    return html.page("Reports of kernels", "".join(parts), _STYLE, "accel-findings")


def _entry(number: int, finding: Finding) -> str:
    where = f" at <code>{escape(finding.location.where)}</code>" if finding.location else ""
    expected = ' <span class="soft">(expected)</span>' if finding.expected else ""
    return f'<li><a href="#finding-{number}">{escape(finding.title)}</a>{where}{expected}</li>\n'


def _article(number: int, finding: Finding) -> str:
    state = "expected" if finding.expected else "error" if finding.severe else "slow"
    kind = "state" if state == "error" else "state mild"
    places = [each for each in (finding.location, *finding.others) if each is not None]
    tests = f'<p class="soft">Met in {escape(", ".join(finding.tests))}</p>\n' if finding.tests else ""
    picture = f'<div class="picture" tabindex="0">{finding.picture}</div>\n' if finding.picture else ""
    return (
        f'<article id="finding-{number}">\n<h2>{escape(finding.title)}</h2>\n'
        f'<p><span class="{kind}">{state}</span> <span class="soft">check: {escape(finding.check)}</span></p>\n'
        f"{''.join(map(_place, places))}{tests}<pre>{escape(finding.text)}</pre>\n{picture}</article>\n"
    )


def _place(place: Location) -> str:
    note = f" {escape(place.note)}" if place.note else ""
    code = f": <code>{escape(place.code)}</code>" if place.code else ""
    return f"<p><code>{escape(place.where)}</code>{note}{code}</p>\n"
