"""Findings as SARIF 2.1.0, which GitHub's code scanning, editors and other tools read.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

from accel.support.report_files.findings import Finding, Location

__all__ = ["sarif"]

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "SRCROOT"
_RULES = {
    "memory": "An access out of bounds, after release, misaligned, or to constant memory",
    "race": "Two threads or streams use the same bytes, one of them writes, and nothing orders the two",
    "init": "A read of memory that was never written",
    "sync": "Threads of a block at different barriers, a wrong mask of a warp, or a deadlock",
    "order": "Results that depend on the order of the threads",
    "banks": "Accesses to shared memory that take more passes than they need",
    "fault": "A kernel that was stopped",
    "leak": "Memory that a test leaves in use",
    "nan": "A NaN that was made of operands without one",
    "api": "A wrong use of the runtime's functions",
}


def sarif(findings: Sequence[Finding], root: Path) -> str:
    """Return a SARIF log; a finding that a test expects is suppressed in it."""
    checks = sorted({each.check for each in findings})
    rules = [{"id": check, "shortDescription": {"text": _RULES.get(check, check)}} for check in checks]
    driver = {"name": "accel", "rules": rules}
    run = {
        "tool": {"driver": driver},
        "originalUriBaseIds": {_ROOT: {"uri": f"file://{_quoted(root.as_posix())}/"}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(each, checks.index(each.check)) for each in findings],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _result(finding: Finding, rule: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.check,
        "ruleIndex": rule,
        "level": "error" if finding.severe else "warning",
        "message": {"text": finding.text},
        "partialFingerprints": {"accelFinding/v1": _fingerprint(finding)},
        "properties": {"tests": list(finding.tests)},
    }
    if finding.location is not None:
        result["locations"] = [_location(finding.location)]
    if finding.others:
        result["relatedLocations"] = [{"id": k, **_location(each)} for k, each in enumerate(finding.others, 1)]
    if finding.expected:
        result["suppressions"] = [{"kind": "external", "justification": "the tests that met it passed"}]
    return result


def _location(place: Location) -> dict[str, Any]:
    path = _quoted(place.file)
    artifact = {"uri": f"file://{path}"} if path.startswith("/") else {"uri": path, "uriBaseId": _ROOT}
    physical: dict[str, Any] = {"artifactLocation": artifact}
    if place.line:
        physical["region"] = {"startLine": place.line}
        if place.code:
            physical["region"]["snippet"] = {"text": place.code}
    location: dict[str, Any] = {"physicalLocation": physical}
    if place.note:
        location["message"] = {"text": place.note}
    return location


def _quoted(path: str) -> str:
    return quote(path.encode(errors="surrogatepass"))


def _fingerprint(finding: Finding) -> str:
    """Return a number that stays the same when lines move."""
    sides = [(place.file, place.code) for place in (finding.location, *finding.others) if place is not None]
    return sha256(repr((finding.check, finding.title, sides)).encode()).hexdigest()
