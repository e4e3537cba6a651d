"""The reports of other projects' defects: their form, and what their scripts print with the installed versions."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from .tables import rows

SCRIPT = Path(__file__).parents[1] / "ci/upstream.py"
ROWS = re.compile(r"^\| ([\w+ -]+) \| \[[^|]+\]\(([\w-]+)\.md\) \| (\S+) \| [^|]+ \| [^|]+ \|$", re.MULTILINE)
SLOW = ("pandas", "scipy", "numba", "dask")
"""What scripts import that takes over a second."""


def load():
    spec = importlib.util.spec_from_file_location("upstream", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["upstream"] = module
    spec.loader.exec_module(module)
    return module


upstream = load()
REPORTS = [upstream.read(page) for page in sorted(upstream.FOLDER.glob("*.md")) if page.stem != "README"]


def of_installed_versions():
    """Yield the reports on what is installed: with another version the defect may be gone."""
    for report in REPORTS:
        project, version = report.versions[0]
        if upstream.installed(project) == version:
            slow = any(name in report.block("Script")[1] for name in SLOW)
            yield pytest.param(report, id=report.name, marks=[pytest.mark.slow][:slow])


def test_the_table_has_each_report_once_with_its_project_and_version():
    table = ROWS.findall((upstream.FOLDER / "README.md").read_text("utf-8"))
    assert sorted((name, project, version) for project, name, version in table) == [
        (report.name, *report.versions[0]) for report in REPORTS
    ]


@rows("report", REPORTS, ids=lambda report: report.name)
def test_a_report_has_a_title_what_happens_a_script_its_output_what_was_expected_and_versions(report):
    assert 20 <= len(report.title) <= 120
    assert list(report.sections) == [name for name in upstream.SECTIONS if name in report.sections]
    assert set(upstream.SECTIONS) - {"Remedy"} <= report.sections.keys()
    assert report.text
    assert report.block("Script")[0] in {"python", "c++"}
    assert report.block("Output")[0] == "text"
    assert len(report.versions) == report.sections["Versions"].count(",")  # the system has no version


@pytest.mark.parametrize("report", [*of_installed_versions()])
def test_the_script_prints_what_the_report_says(report, monkeypatch):
    monkeypatch.delenv("PYTHON", raising=False)
    outcome = upstream.tried(report)
    assert not outcome.bad, f"{outcome.word}: {outcome.details}"


PAGE = """# BUG: three is printed where four is expected

It is so.

## Script

```python
{script}
```

## Output

```text
3
```

## Expected

```text
4
```

## Versions

{project} 1.0, Linux x86-64
"""


@rows(
    "script, project, word",
    [
        ("print(3)", "NumPy", "there"),
        ("print(4)", "NumPy", "gone"),
        ("print(5)", "NumPy", "differs"),
        ("print(3); raise SystemExit('and more')", "NumPy", "differs"),
        ("import not_there", "NumPy", "not tried"),
        ("print(3)", "not-there", "not tried"),
    ],
)
def test_a_defect_is_there_is_gone_or_was_not_tried(tmp_path, capsys, monkeypatch, script, project, word):
    monkeypatch.setattr(upstream, "FOLDER", tmp_path)
    (tmp_path / "numpy-three.md").write_text(PAGE.format(script=script, project=project))
    assert upstream.main(["numpy"]) == (word in {"gone", "differs"})
    assert capsys.readouterr().out.startswith(f"{word:10}numpy-three: ")


def test_a_beginning_that_no_report_has_fails():
    assert upstream.main(["nothing-begins-so"]) == 1
