"""The Python in README.md and in the guide runs, each file's in order in one namespace; then its commands."""

import ast
import re
import shlex
from importlib.util import find_spec
from itertools import chain, filterfalse
from pathlib import Path

import numpy as np
import pytest

import accel
from accel import xp
from accel.commands.cli import main

from .pages import blocks, rows, run_page, spans

ROOT = Path(__file__).parents[1]
PROMISES = [ROOT / "SECURITY.md", ROOT / "docs/faults.md"]
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs/guide").rglob("*.md")))
    if page.stem != "gpu_tests_without_a_gpu" or find_spec("numba_cuda")
]
TABLES = [page for page in PAGES if any(rows(page.read_text(encoding="utf-8")))]
COMMAND = re.compile(r"^    accel (layout .+)$", re.MULTILINE)
PICTURE = re.compile(r"!\[[^\]]+\]\(([^)]+\.svg)\)")
DOCS = sorted(page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "site")  # see test_site.py
LINKED = [*ROOT.glob("*.md"), *DOCS, ROOT / "tests/real_cupy/README.md"]
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def pictures(page):
    """Return the files that a page draws and shows; README shows one of the guide."""
    shown = PICTURE.findall(page.read_text(encoding="utf-8"))
    return [page.parent / name for name in shown if name.startswith("pictures/")]


def run_commands(page):
    for command in COMMAND.findall(page.read_text(encoding="utf-8")):
        assert main(shlex.split(command)) == 0, f"accel {command}"


@pytest.mark.parametrize("page", [*filterfalse(pictures, PAGES)], ids=lambda page: str(page.relative_to(ROOT)))
def test_the_python_on_the_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(page)


@pytest.mark.parametrize("page", TABLES, ids=lambda page: page.stem)
def test_pages_with_tables_run_on_the_simulated_device_too(page):
    with accel.using(device="sim"):
        run_page(page)


def both_sides(cells, namespace, page, above):
    """Run the code of both sides of a row; results that are arrays have to be equal."""
    for left, right in zip(spans(cells[0]), spans(cells[-1]), strict=True):
        expected = value(left, namespace)
        found = value(right, namespace)
        if isinstance(found, xp.Array):
            found = np.asarray(found.to_device("cpu"))
            assert found.dtype == np.asarray(expected).dtype, f"{page.name}, line {above + 1}"
            np.testing.assert_array_equal(found, expected, f"{page.name}, line {above + 1}")


def value(code, namespace):
    """Return the value of an expression; run a statement."""
    [line] = ast.parse(code).body
    return eval(code, namespace) if isinstance(line, ast.Expr) else exec(code, namespace)


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_the_table_from_numpy_has_equal_results_on_both_sides(device):
    with accel.using(device=device):
        run_page(ROOT / "docs/guide/from_numpy.md", both_sides)


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


def headings(page):
    """Return the names by which links name the headings of a page."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def leads_somewhere(page, link):
    name, _, heading = link.partition("#")
    file = page.parent / name if name else page
    return file.exists() and (not heading or heading in headings(file))


def broken(page):
    """Return the links of a page to files and headings that are not there."""
    links = LINK.findall(CODE.sub("`", page.read_text(encoding="utf-8")))
    return [link for link in links if "://" not in link and not leads_somewhere(page, link)]


@pytest.mark.parametrize("page", LINKED, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_links_on_the_page_lead_to_files_and_headings(page):
    assert broken(page) == []


def linked_pages(page):
    """Return the pages that a page links to."""
    links = LINK.findall(page.read_text(encoding="utf-8"))
    return {(page.parent / link).resolve() for link in links if link.endswith(".md") and "://" not in link}


def test_every_page_is_in_the_contents():
    contents = ROOT / "docs/README.md"
    lists = [contents, ROOT / "docs/decisions/README.md", ROOT / "docs/upstream/README.md"]
    reached = {contents, *chain.from_iterable(map(linked_pages, lists))}
    assert {*DOCS} - reached == set()


def test_a_link_to_a_missing_heading_is_found(tmp_path):
    page = page_with(tmp_path, "# A page\n\n[one](#a-page), [two](#b), [three](none.md), `[four](x)`\n")
    assert broken(page) == ["#b", "none.md"]


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


def test_the_last_column_of_a_table_runs_in_order_with_the_blocks(tmp_path):
    page = page_with(
        tmp_path,
        "| theirs | `accel.xp` |\n|---|---|\n| `nothing()` | `x = 2`, `y = x + 1` |\n\n```python\nassert y == 3\n```\n"
        "\n| theirs | `accel.xp` |\n|---|---|\n| `nothing()` | `x.missing` |\n",
    )
    with pytest.raises(AttributeError) as failure:
        run_page(page)
    assert failure.traceback[-1].lineno + 1 == 11


def test_unequal_sides_of_a_table_are_found(tmp_path):
    page = page_with(
        tmp_path,
        "```python\nimport accel.xp as xp\n```\n\n| NumPy | `accel.xp` |\n|---|---|\n| `1.0` | `xp.asarray(1.0)` |\n"
        "| `2.0` | `xp.asarray(3.0)` |\n",
    )
    with pytest.raises(AssertionError, match=r"page\.md, line 8"):
        run_page(page, both_sides)


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
