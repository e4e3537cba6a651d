"""The site that `ci/docs` makes: what can be checked of it without Sphinx and a browser."""

import posixpath
import re
import sys
from pathlib import Path

import pytest

from .pages import run_page

ROOT = Path(__file__).parents[1]
SITE = ROOT / "docs/site"
LINK = re.compile(r"!?\[[^\]]*\]\(([^)#\s]+)[^)]*\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)


@pytest.fixture
def site(monkeypatch):
    """The folder of the scripts, in which they find each other."""
    monkeypatch.syspath_prepend(SITE)
    yield
    for name in ("names", "site_pages", "puzzles", "reference"):
        sys.modules.pop(name, None)


@pytest.fixture
def staged(site):
    """The pages of the site: places and texts."""
    import site_pages

    own = {page.name: page.read_text(encoding="utf-8") for page in SITE.glob("*.md")}
    return own | {
        site_pages.page_of(page, ROOT): site_pages.staged(page, ROOT, None) for page in site_pages.sources(ROOT)
    }


def test_the_links_of_each_page_lead_to_pages_and_pictures_of_the_site(staged, site):
    import site_pages

    known = {*staged, *(site_pages.page_of(picture, ROOT) for picture in (ROOT / "docs").rglob("*.svg"))}
    known |= {f"pictures/{name}.svg" for name in re.findall(r'draw\("(\w+)"', staged["gallery.md"])}
    known |= {name.removesuffix(".svg") + ".dark.svg" for name in known if name.endswith(".svg")}
    broken = [
        (place, link)
        for place, text in staged.items()
        for link in LINK.findall(CODE.sub("", text))
        if "://" not in link and posixpath.normpath(Path(place).parent / link) not in known
    ]
    assert broken == []


def test_each_page_is_reached_from_the_contents_of_the_guide(staged, site):
    import site_pages

    grouped = {page for group in site_pages.groups(ROOT) for page in group.pages}
    lists = {page for page in staged if page.startswith(("decisions/", "upstream/")) and not page.endswith("/index.md")}
    assert {*staged} - grouped - lists == {"index.md", "guide/index.md", "gallery.md", "browser.md"}


def test_the_reference_has_every_public_name(site):
    import names
    import reference

    text = "\n".join(text for _, text in reference.pages())
    described = {*re.findall(r"^\.\. (?:auto\w+|py:data):: (\S+)$", text, re.MULTILINE)}
    homes = {each.home for group in names.names().values() for each in group}
    assert homes == described
    assert len(homes) > 800


def test_a_name_of_two_modules_is_described_once(site):
    import names

    aliases = names.aliases()
    assert aliases["accel.layout.Layout"] == aliases["accel.layout.layout.Layout"] == "accel.Layout"


@pytest.mark.slow
def test_the_code_of_the_gallery_draws_each_of_its_pictures(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pictures").mkdir()
    run_page(SITE / "gallery.md")
    shown = re.findall(r"!\[[^\]]+\]\((\S+)\)", (SITE / "gallery.md").read_text(encoding="utf-8"))
    assert {tmp_path / name for name in shown} == {*tmp_path.glob("pictures/*.svg")}


# A child process as a browser is: no compiler, no threads, and the programs of the page.
BROWSER = """
import re, sys, threading
for missing in {missing}:
    sys.modules[missing] = None
def refuse(thread):
    raise RuntimeError("can't start new thread")
threading.Thread.start = refuse
text = open({programs!r}).read()
programs = dict(re.findall(r"export const (\\w+) = `(.*?)`;", text, re.DOTALL))
def answer(name, wanted, namespace):
    *lines, last = programs[name].strip().splitlines()
    namespace["wanted"] = wanted
    exec("\\n".join(lines), namespace)
    return eval(last, namespace) if "(" in last else exec(last, namespace)
"""


@pytest.fixture
def browser(python):
    def run(code, *missing):
        before = BROWSER.format(missing=("llvmlite", "numba", *missing), programs=str(SITE / "assets/programs.js"))
        return python(before + code, ROOT)

    return run


def test_layouts_are_drawn_in_a_browser_without_numpy(browser):
    code = """
wanted = {"text": "(8,8):(8,1)", "swizzle": "3,0,3", "color": "bank", "itemsize": 16}
print(answer("DRAW", wanted, {})[:4], answer("DRAW", {**wanted, "text": "(8,8"}, {})[:5])
"""
    assert browser(code, "numpy", "ml_dtypes") == "<svg <pre>"


def test_the_solution_of_each_puzzle_is_right_in_a_browser_and_its_stub_is_not(browser):
    code = f"""
sys.path.insert(0, {str(SITE)!r})
from pathlib import Path
from puzzles import puzzles
found = puzzles(Path({str(ROOT / "docs/guide/puzzles.md")!r}))
print(len(found))
for puzzle in found:
    for kernel in (puzzle["solution"], puzzle["stub"]):
        namespace = {{}}
        answer("PREPARE", puzzle, namespace)
        print(answer("CHECK", {{**puzzle, "code": kernel}}, namespace) == "Right.")
"""
    count, *right = browser(code).split()
    assert count == "12"
    assert right == ["True", "False"] * 12
