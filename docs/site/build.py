"""Write the sources of the site, and let Sphinx make it: ``ci/docs`` runs ``build.py FOLDER``.

FOLDER/source gets the pages of the repository with their links changed, the reference, and the gallery, whose pictures
are drawn by its code now. FOLDER/html gets the site, with the wheel that the pages in the browser load.
"""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from contextlib import chdir
from pathlib import Path

import puzzles
import reference
import site_pages

from tests.pages import run_page

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
GALLERY = "gallery.md"
_DARK = "@media (prefers-color-scheme: dark)"


def main(folder: Path) -> int:
    """Build the site in a folder; return Sphinx's exit code."""
    source = folder / "source"
    shutil.rmtree(folder, ignore_errors=True)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    urls = project.get("urls", {})
    write_pages(source, urls.get("Source"))
    write_reference(source / "reference")
    draw_gallery(source)
    split_pictures(source)
    write_extra(folder / "extra", project["version"], urls.get("Documentation", ""))
    environment = {**os.environ, "ACCEL_SITE_URL": urls.get("Documentation", ""), "PYTHONPATH": f"{HERE}:{ROOT}"}
    strict = ["-W", "--keep-going", "-n", "-q"]
    where = ["-c", str(HERE), "-d", str(folder / "doctrees"), "-D", f"html_extra_path={folder / 'extra'}"]
    command = [sys.executable, "-m", "sphinx", "-b", "html", *strict, *where, str(source), str(folder / "html")]
    return subprocess.run(command, check=False, env=environment).returncode


def write_pages(source: Path, url: str | None) -> None:
    """Write the pages of the repository, and the tables of contents of the navigation."""
    for page in site_pages.sources(ROOT):
        place = site_pages.page_of(page, ROOT)
        write(source / place, site_pages.staged(page, ROOT, url))
    for picture in (ROOT / "docs").rglob("*.svg"):
        write(source / site_pages.page_of(picture, ROOT), picture.read_text("utf-8"))
    for page in HERE.glob("*.md"):
        write(source / page.name, page.read_text("utf-8"))
    tops = ["guide/index.md", GALLERY, "browser.md", "reference/index.md", "decisions/index.md", "project/changelog.md"]
    append(source / "index.md", site_pages.toctree(tops, "index.md"))
    for title, group in site_pages.groups(ROOT):
        below = [page for page in group if page not in tops]
        append(source / "guide/index.md", site_pages.toctree(below, "guide/index.md", caption=title))
    for folder in ("decisions", "upstream"):
        below = sorted(page.name for page in (source / folder).glob("*.md") if page.name != "index.md")
        append(source / folder / "index.md", site_pages.toctree(below, "index.md"))


def write_reference(folder: Path) -> None:
    """Write the pages of the reference."""
    for name, text in reference.pages():
        write(folder / f"{name}.rst", text)


def draw_gallery(source: Path) -> None:
    """Run the code of the gallery, which draws its pictures beside it."""
    (source / "pictures").mkdir(exist_ok=True)
    with chdir(source):
        run_page(source / GALLERY)
    text = (source / GALLERY).read_text("utf-8")
    write(source / GALLERY, site_pages.in_two_shades(text))


def split_pictures(source: Path) -> None:
    """Write each picture for light pages, and one for dark pages beside it: readers choose, not only their browsers."""
    for picture in source.rglob("*.svg"):
        text = picture.read_text("utf-8")
        picture.write_text(text.replace(_DARK, "@media not all"), "utf-8")
        picture.with_suffix(".dark.svg").write_text(text.replace(_DARK, "@media all"), "utf-8")


def write_extra(folder: Path, version: str, url: str) -> None:
    """Write what is no page: the list of versions, that of pages for language models, and wheels for the browser."""
    write(folder / "versions.json", json.dumps([{"name": version, "version": version, "url": f"{url}/"}]))
    write(folder / "llms.txt", llms(url))
    write(folder / "puzzles.json", json.dumps(puzzles.puzzles(ROOT / "docs/guide/puzzles.md")))
    build_wheels(folder / "wheels")


def build_wheels(wheels: Path) -> None:
    """Build the library's wheel from a copy, since a build leaves files that later ones would use."""
    pip = [sys.executable, "-m", "pip", "-qq", "--disable-pip-version-check", "wheel", "--no-deps"]
    copy = wheels.parent / "copy"
    for name in ("accel", "backends"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    subprocess.run([*pip, "--wheel-dir", str(wheels), str(copy), "array-api-compat"], check=True)
    shutil.rmtree(copy)
    write(wheels / "index.json", json.dumps(sorted(wheel.name for wheel in wheels.glob("*.whl"))))


def llms(url: str) -> str:
    """Return the list of pages as https://llmstxt.org has it."""
    readme = (ROOT / "README.md").read_text("utf-8").split("\n\n")
    lines = ["# accel", f"> {readme[1]}", readme[2]]
    for title, group in site_pages.groups(ROOT):
        rows = [f"- [{heading(page)}]({url}/{page.removesuffix('.md')}.html)" for page in group]
        lines += [f"## {title}", "\n".join(rows)]
    return "\n\n".join([*lines, "## Reference", f"- [Every public name]({url}/reference/index.html)"]) + "\n"


def heading(place: str) -> str:
    """Return the title of a page of the site."""
    [source] = [page for page in site_pages.sources(ROOT) if site_pages.page_of(page, ROOT) == place]
    return source.read_text("utf-8").partition("\n")[0].removeprefix("# ")


def write(file: Path, text: str) -> None:
    """Write a file, and the folders that it is in."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def append(file: Path, text: str) -> None:
    """Add to a page."""
    file.write_text(file.read_text("utf-8") + text, "utf-8")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
