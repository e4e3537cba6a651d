"""The pages of the repository as sources of the site: their places there, their links, and the order of the guide."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["PLACES", "Group", "groups", "in_two_shades", "page_of", "sources", "staged", "toctree"]

PLACES = {
    "README.md": "index.md",
    "docs/README.md": "guide/index.md",
    "docs/decisions/README.md": "decisions/index.md",
    "docs/upstream/README.md": "upstream/index.md",
    "benchmarks/README.md": "project/benchmarks.md",
    "tests/real_cupy/README.md": "project/real_cupy.md",
}
"""Pages whose place on the site does not follow from that in the repository."""

_LINK = re.compile(r"(!?)\[((?:[^\]\[]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+\.svg)\)")
_CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
_GROUP = re.compile(r"^## (.+)\n\n((?:- .+\n)+)", re.MULTILINE)


class Group(NamedTuple):
    """Pages of the guide under one heading."""

    title: str
    pages: list[str]


def sources(root: Path) -> Iterator[Path]:
    """Yield the pages of the repository that are pages of the site."""
    named = {root / name for name in PLACES}
    own = {page for page in (root / "docs").rglob("*.md") if page.parent.name != "site"}
    yield from sorted(named | own | {*root.glob("*.md")})


def page_of(path: Path, root: Path) -> str | None:
    """Return the place on the site of a file of the repository, or None for a file that is no page."""
    name = path.relative_to(root).as_posix()
    if name in PLACES:
        return PLACES[name]
    if name.startswith("docs/") and path.suffix in {".md", ".svg"}:
        return name.removeprefix("docs/")
    return f"project/{name.lower()}" if path.suffix == ".md" and path.parent == root else None


def groups(root: Path) -> list[Group]:
    """Return the order of the guide, as the contents of the documentation have it."""
    contents = root / "docs/README.md"
    return [
        Group(title, [_place(contents, link[3], root) for link in _LINK.finditer(lines)])
        for title, lines in _GROUP.findall(contents.read_text("utf-8"))
    ]


def _place(page: Path, target: str, root: Path) -> str:
    place = page_of((page.parent / target).resolve(), root)
    assert place, f"{page} names {target}, which is no page"
    return place


def staged(page: Path, root: Path, url: str | None) -> str:
    """Return the text of a page for the site.

    Links lead to pages of the site; those to other files of the repository lead to ``url``, and are plain text if it is
    unset. A picture is there twice, for light and for dark pages, and the theme shows one of them.
    """
    here = Path(page_of(page, root) or "").parent

    def moved(link: re.Match[str]) -> str:
        picture, shown, target = link.groups()
        if "://" in target or target.startswith("#"):
            return link[0]
        name, _, heading = target.partition("#")
        file = (page.parent / name).resolve()
        place = page_of(file, root)
        if place is None:
            return f"[{shown}]({url}/blob/HEAD/{file.relative_to(root).as_posix()})" if url else shown
        path = _relative(place, here)
        if picture:
            return _two(shown, path)
        return f"[{shown}]({path}{'#' * bool(heading)}{heading})"

    parts = _CODE.split(page.read_text("utf-8"))
    hidden = "".join(f"\0{k}\0" if k % 2 else part for k, part in enumerate(parts))
    return re.sub("\0(\\d+)\0", lambda code: parts[int(code[1])], _LINK.sub(moved, hidden))


def _relative(place: str, here: Path) -> str:
    return posixpath.relpath(place, here)


def in_two_shades(text: str) -> str:
    """Return a page whose pictures are there twice, for light and for dark pages."""
    return _PICTURE.sub(lambda picture: _two(*picture.groups()), text)


def _two(shown: str, path: str) -> str:
    dark = path.removesuffix(".svg") + ".dark.svg"
    return f"![{shown}]({path}){{.only-light}}\n![{shown}]({dark}){{.only-dark}}"


def toctree(pages: Iterable[str], here: str, *, caption: str = "") -> str:
    """Return a table of contents that only the navigation shows."""
    lines = [_relative(page, Path(here).parent).rsplit(".", 1)[0] for page in pages]
    head = f":caption: {caption}\n" * bool(caption)
    return "\n".join(["", "```{toctree}", f":hidden:\n{head}", *lines, "```", ""])
