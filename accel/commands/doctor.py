"""``accel doctor``: what is wrong with an installation, and the line to type."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from accel.commands.doctor_packages import compilers, packages, scripts
from accel.commands.doctor_places import cache, devices, settings, system, trial
from accel.commands.findings import Finding

__all__ = ["examined", "run"]

_Check: TypeAlias = Callable[[], Iterator[Finding]]
_CHECKS: Sequence[_Check] = (system, packages, scripts, compilers, settings, cache, devices, trial)


def examined() -> list[Finding]:
    """Return what is wrong, and what could be better, with this installation. Never raises."""
    findings: list[Finding] = []
    for check in _CHECKS:
        found = [*_findings(check)]
        findings += found
        if check is settings and any(finding.is_wrong for finding in found):
            break  # without settings all that follows fails, and for that reason alone
    return findings


def _findings(check: _Check) -> Iterator[Finding]:
    try:
        yield from check()
    except Exception as error:  # an installation can be broken in any way, and the other checks go on
        what = f"the check of {check.__name__} failed: {type(error).__name__}: {error}"
        yield Finding(True, what, "pip install --force-reinstall accel-container")


def run(as_json: bool) -> int:
    """Print the findings and return the exit code: 1 if something is wrong."""
    findings = examined()
    wrong = [finding for finding in findings if finding.is_wrong]
    if as_json:
        print(json.dumps([finding._asdict() for finding in findings], indent=2))
    else:
        print("\n".join(_lines(findings)))
    return 1 if wrong else 0


def _lines(findings: Sequence[Finding]) -> Iterator[str]:
    for is_wrong, title in ((True, "Wrong"), (False, "Could be better")):
        chosen = [finding for finding in findings if finding.is_wrong is is_wrong]
        if chosen:
            yield title
        for finding in chosen:
            yield f"  {finding.what}"
            yield f"      {finding.remedy}"
    if not any(finding.is_wrong for finding in findings):
        yield f"Nothing is wrong with this installation of accel in {sys.prefix}."
