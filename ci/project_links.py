"""Print README with absolute links, for the long description of a release: ``python ci/project_links.py >OUTPUT``.

In the repository links are relative, so that they work in every clone and fork. The address of the project is
``Source`` in ``[project.urls]`` of pyproject.toml, and nowhere else.
"""

import re
import sys
import tomllib
from pathlib import Path

_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def project_url(root: Path) -> str | None:
    """Return the address of the repository, if its owner has set one."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    url: str | None = project.get("urls", {}).get("Source")
    return url and url.rstrip("/")


def with_absolute_links(text: str, url: str) -> str:
    """Return a page in the root of the repository with links that work elsewhere too."""

    def absolute(link: re.Match[str]) -> str:
        picture, shown, target = link.groups()
        if "://" in target or target.startswith("#"):
            return link[0]
        return f"{picture}[{shown}]({url}/{'raw' if picture else 'blob'}/HEAD/{target})"

    return _LINK.sub(absolute, text)


def main() -> int:
    """Print README; return 1 if the address is unset."""
    root = Path(__file__).resolve().parents[1]
    url = project_url(root)
    if url is None:
        print("the address of the project is unset: add Source to [project.urls] in pyproject.toml", file=sys.stderr)
        return 1
    print(with_absolute_links((root / "README.md").read_text("utf-8"), url), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
