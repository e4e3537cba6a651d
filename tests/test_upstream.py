"""The reports of other projects' defects: their form, and what their scripts print with the installed versions."""

import importlib.util
import re
import sys

import pytest

from .tables import rows

ROWS = re.compile(r"^\| ([\w+ -]+) \| \[[^|]+\]\(([\w-]+)\.md\) \| (\S+) \| [^|]+ \| [^|]+ \|$", re.MULTILINE)
HEAVY = ("import pandas", "scipy.", "numba")
"""What scripts import that takes over a second."""


def load(root):
    spec = importlib.util.spec_from_file_location("upstream", root / "ci/upstream.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["upstream"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def upstream(root):
    return load(root)


@pytest.fixture(scope="module")
def reports(upstream):
    return [upstream.read(page) for page in sorted(upstream.FOLDER.glob("*.md")) if page.stem != "README"]


def test_the_table_has_each_report_once_with_its_project_and_version(upstream, reports):
    table = ROWS.findall((upstream.FOLDER / "README.md").read_text("utf-8"))
    assert sorted((name, project, version) for project, name, version in table) == [
        (report.name, *report.versions[0]) for report in reports
    ]


def test_a_report_has_a_title_what_happens_a_script_its_output_what_was_expected_and_versions(
    upstream, reports, subtests
):
    for report in reports:
        with subtests.test(report.name):
            assert 20 <= len(report.title) <= 120
            assert list(report.sections) == [name for name in upstream.SECTIONS if name in report.sections]
            assert set(upstream.SECTIONS) - {"Remedy"} <= report.sections.keys()
            assert report.text
            assert report.block("Script")[0] in {"python", "c++"}
            assert report.block("Output")[0] == "text"
            assert len(report.versions) == report.sections["Versions"].count(",")  # the system has no version


def tried(upstream, report):
    """Return what became of a script: of the version on the page, for another one may be mended."""
    project, version = report.versions[0]
    return upstream.tried(report) if upstream.installed(project) == version else None


@pytest.mark.parametrize("heavy", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_scripts_print_what_their_reports_say(upstream, reports, subtests, monkeypatch, heavy):
    monkeypatch.delenv("PYTHON", raising=False)
    for report in reports:
        if any(word in report.block("Script")[1] for word in HEAVY) == heavy:
            with subtests.test(report.name):
                assert not (outcome := tried(upstream, report)) or not outcome.bad, outcome


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
def test_a_defect_is_there_is_gone_or_was_not_tried(upstream, tmp_path, capsys, monkeypatch, script, project, word):
    monkeypatch.setattr(upstream, "FOLDER", tmp_path)
    (tmp_path / "numpy-three.md").write_text(PAGE.format(script=script, project=project))
    assert upstream.main(["numpy"]) == (word in {"gone", "differs"})
    assert capsys.readouterr().out.startswith(f"{word:10}numpy-three: ")


def test_a_beginning_that_no_report_has_fails(upstream):
    assert upstream.main(["nothing-begins-so"]) == 1
