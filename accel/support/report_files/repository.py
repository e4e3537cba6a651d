"""`Repository`: from the names of files in reports to paths from the root of the repository."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

__all__ = ["Repository"]


class Repository:
    """The folder with ``.git`` around a folder, or that folder if there is none.

    Parameters
    ----------
    start : Path
        A folder in it.
    sources : sequence of Path
        Files that are searched first: beside them are those that reports name by a relative path, and in them kernels
        whose text is in a Python file.
    root : Path, optional
        Another root.
    """

    def __init__(self, start: Path, sources: Sequence[Path] = (), *, root: Path | None = None) -> None:
        start = start.resolve()
        around = (each for each in (start, *start.parents) if (each / ".git").exists())
        self.root: Path = root.resolve() if root is not None else next(around, start)
        self._folders = (Path(), *(each.parent for each in sources), start)
        self._sources = sources

    def path(self, file: Path) -> str:
        """Return a file from the root of the repository, or its absolute path if it is not in there."""
        file = file.resolve()
        return (file.relative_to(self.root) if file.is_relative_to(self.root) else file).as_posix()

    def find(self, file: str, line: int, text: str = "") -> tuple[str, int] | None:
        """Return the path and the line of what a report names, or None if it is not in the repository.

        A kernel may be text in a Python file. Its name is no file then, and its line is found by its text: if there is
        one such line in the sources, or else one in the modules that were imported.
        """
        for folder in self._folders:
            path = folder / file
            if _is_file(path):
                return (self.path(path), line) if path.resolve().is_relative_to(self.root) else None
        for files in (self._sources, self._modules()):
            found = list(_lines(files, file, line, text.strip()))
            if len(found) == 1:
                path, number = found[0]
                return self.path(path), number
        return None

    def _modules(self) -> list[Path]:
        files = (getattr(module, "__file__", None) for module in [*sys.modules.values()])
        paths = (Path(file).resolve() for file in dict.fromkeys(files) if isinstance(file, str))
        return [path for path in paths if path.is_relative_to(self.root) and "site-packages" not in path.parts]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # such a name no file can have
        return False


def _lines(files: Sequence[Path], name: str, line: int, text: str) -> Iterator[tuple[Path, int]]:
    """Yield the files of a name, and the lines of Python files that are a text."""
    for path in files:
        if path.name == name:
            yield path, line
        elif text and path.suffix == ".py" and not name.endswith(".py") and _is_file(path):
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            yield from ((path, number) for number, each in enumerate(lines, 1) if each.strip() == text)
