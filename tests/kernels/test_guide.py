"""The guide's pages on kernels: the reports that they show are printed, and the lines of their tables run."""

import re

import pytest

REPORT = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]+\]\([^)]+\)")
ROW = re.compile(r"^\|.*\| (.*) \|$", re.MULTILINE)


def in_one_line(text):
    """Return a text without the line breaks of the page."""
    return " ".join(text.split())


@pytest.mark.parametrize(
    "page", ["docs/guide/start.md", "docs/guide/kernels_out_of_bounds.md", "docs/guide/kernels_with_a_grid.md"]
)
def test_the_reports_on_the_page_are_what_its_python_prints(root, python, page):
    run = f"from pathlib import Path; from tests.pages import run_page; run_page(Path({str(root / page)!r}))"
    printed = in_one_line(python(run, root))  # in a process of its own, the order of threads is always the same
    reports = REPORT.findall((root / page).read_text(encoding="utf-8"))
    assert reports
    assert [report for report in reports if in_one_line(report) not in printed] == []


def test_each_line_of_a_table_occurs_in_the_python_below_it(root):
    text = LINK.sub("", (root / "docs/guide/coming_from.md").read_text(encoding="utf-8"))
    python = "\n".join(PYTHON.findall(text))
    lines = [line for cell in ROW.findall(text) for line in re.findall(r"`([^`]+)`", cell)]
    assert len(lines) > 40
    assert [line for line in lines if line not in python] == []
