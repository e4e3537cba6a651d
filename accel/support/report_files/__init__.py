"""Findings as files for others: annotations of GitHub, SARIF, JUnit's XML, and a page of HTML."""

from accel.support.report_files.findings import Finding, Location, finding_of, merged
from accel.support.report_files.github import annotations
from accel.support.report_files.output import Output, outputs, write
from accel.support.report_files.repository import Repository

__all__ = ["Finding", "Location", "Output", "Repository", "annotations", "finding_of", "merged", "outputs", "write"]
