"""Findings as annotations: workflow commands of GitHub's Actions, which are lines of output.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

from collections.abc import Sequence

from accel.support.printable import printable
from accel.support.report_files.findings import Finding, Location

__all__ = ["annotations"]

_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def annotations(findings: Sequence[Finding]) -> list[str]:
    """Return a workflow command for each finding that no test expects."""
    return [_annotation(each) for each in findings if not each.expected]


def _annotation(finding: Finding) -> str:
    place = finding.location or Location("", 0)
    properties = {"file": place.file, "line": str(place.line or ""), "title": f"accel: {finding.title}"}
    words = ",".join([f"{name}={_escaped(value, _PROPERTY)}" for name, value in properties.items() if value])
    message = "\n".join((finding.text, *[f"met in {test}" for test in finding.tests]))
    return f"::{'error' if finding.severe else 'warning'} {words}::{_escaped(message, _DATA)}"


def _escaped(text: str, table: dict[str, str]) -> str:
    """Escape what would end a value or the line."""
    return "".join([table.get(each, each) for each in printable(text, "\r\n\t")])
