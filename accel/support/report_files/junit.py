"""Findings as XML that services of continuous integration read as the results of JUnit."""

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from accel.support.report_files.findings import Finding

__all__ = ["junit", "xml_text"]


def junit(findings: Sequence[Finding]) -> str:
    """Return a suite with a case for each finding; it has failed unless a test expects the finding."""
    failures = sum(not each.expected for each in findings)
    counts = {"tests": str(len(findings)), "failures": str(failures), "errors": "0"}
    suites = ET.Element("testsuites", counts)
    suite = ET.SubElement(suites, "testsuite", {"name": "accel kernel reports", "skipped": "0", **counts})
    for each in findings:
        place = each.location
        case = ET.SubElement(suite, "testcase", classname=xml_text(place.file if place else ""))
        case.set("name", xml_text(f"{each.title} at {place.where}" if place else each.title))
        if place is not None:
            case.set("file", xml_text(place.file))
            case.set("line", str(place.line))
        _describe(case, each)
    return ET.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _describe(case: ET.Element, finding: Finding) -> None:
    text = xml_text("\n".join((finding.text, *[f"met in {test}" for test in finding.tests])))
    if finding.expected:
        ET.SubElement(case, "system-out").text = text
    else:
        failure = ET.SubElement(case, "failure", type=xml_text(finding.check), message=xml_text(finding.title))
        failure.text = text


def xml_text(text: str) -> str:
    """Return a text without the characters that no XML may have, not even escaped."""
    return "".join([each if _is_allowed(ord(each)) else "\ufffd" for each in text])


def _is_allowed(code: int) -> bool:
    return code in (9, 10, 13) or 32 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000
