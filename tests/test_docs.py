"""The Python in README.md and in the guide runs, each file's blocks in order in one namespace; then its commands."""

import ast
import re
import shlex
from pathlib import Path

import pytest

from accel.cli import main

from .pages import blocks, run_page

ROOT = Path(__file__).parents[1]
PROMISES = [ROOT / "SECURITY.md", ROOT / "docs/faults.md"]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs/guide").rglob("*.md"))]
COMMAND = re.compile(r"^    accel (layout .+)$", re.MULTILINE)
PICTURE = re.compile(r"!\[[^\]]+\]\(([^)]+\.svg)\)")


def pictures(page):
    """Return the files that a page shows."""
    return [page.parent / name for name in PICTURE.findall(page.read_text(encoding="utf-8"))]


def run_commands(page):
    for command in COMMAND.findall(page.read_text(encoding="utf-8")):
        assert main(shlex.split(command)) == 0, f"accel {command}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_python_on_the_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(page)


@pytest.mark.parametrize("page", [*filter(pictures, PAGES)], ids=lambda page: str(page.relative_to(ROOT)))
def test_the_pictures_on_the_page_are_what_its_python_and_commands_draw(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for shown in pictures(page):
        (tmp_path / shown.relative_to(page.parent)).parent.mkdir(parents=True, exist_ok=True)
    run_page(page)
    run_commands(page)
    for shown in pictures(page):
        drawn = tmp_path / shown.relative_to(page.parent)
        same = shown.exists() and drawn.read_text(encoding="utf-8") == shown.read_text(encoding="utf-8")
        assert same, f"look at the pictures in {drawn.parent}; if they are right: cp -r {drawn.parent} {page.parent}"


def test_every_picture_is_on_a_page():
    assert set((ROOT / "docs").rglob("*.svg")) == {shown for page in PAGES for shown in pictures(page)}


def test_readme_has_python_to_run():
    assert any(blocks(PAGES[0].read_text(encoding="utf-8")))


def names_of_tests(page):
    return re.findall(r"`(tests/[\w/]+\.py)((?:::\w+)+)`", page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", [*PROMISES, *PAGES], ids=lambda page: str(page.relative_to(ROOT)))
def test_every_test_that_the_page_names_exists(page):
    for file, name in names_of_tests(page):
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        for part in name.split("::")[1:]:
            found = [node for node in tree.body if getattr(node, "name", None) == part]
            assert found, f"{page.name} names {file}{name}"
            tree = found[0]


def test_a_page_of_guarantees_names_tests():
    assert len(names_of_tests(ROOT / "docs/guide/streams.md")) > 10


def page_with(tmp_path, text):
    page = tmp_path / "page.md"
    page.write_text(text)
    return page


def test_blocks_share_a_namespace_with_sessions(tmp_path):
    page = page_with(
        tmp_path, "```python\nx = 2\n```\n\n```python\n>>> y = x + 1\n```\n\n```python\nassert y == 3\n```\n"
    )
    run_page(page)


def test_an_error_is_shown_with_its_line_of_the_page(tmp_path):
    page = page_with(tmp_path, "# Title\n\n```python\nx = 1\nx.missing\n```\n")
    with pytest.raises(AttributeError) as failure:
        run_page(page)
    last = failure.traceback[-1]
    assert (last.path, last.lineno + 1) == (page, 5)


def test_a_wrong_answer_is_shown_with_its_line_of_the_page(tmp_path):
    page = page_with(tmp_path, "# Title\n\n```python\n>>> 1 + 1\n3\n```\n")
    with pytest.raises(AssertionError, match=r'page\.md", line 4'):
        run_page(page)
