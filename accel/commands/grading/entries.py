"""`Entry`: a submission as it lies in a folder, and its copy for a run."""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["Entry", "entries_in", "provide"]

_SOURCES = (".cu", ".hip", ".py")
_MOST_FILES, _MOST_BYTES = 1000, 64 << 20


class Entry(NamedTuple):
    """A submission.

    Attributes
    ----------
    name : str
        Its name in tables.
    path : Path
        The file, or the folder.
    source : str
        The file that is run, from the folder; empty if there is none.
    problem : str
        Why it cannot be run; empty if it can.
    """

    name: str
    path: Path
    source: str
    problem: str = ""


def entries_in(folder: Path) -> list[Entry]:
    """Return the submissions in a folder: each file of CUDA, HIP or Python, and each folder, in the order of names."""
    entries = (_entry(path) for path in sorted(folder.iterdir()) if not path.name.startswith((".", "__")))
    return [each for each in entries if each is not None]


def _entry(path: Path) -> Entry | None:
    mode = path.lstat().st_mode
    if stat.S_ISREG(mode):
        return Entry(path.name, path, path.name) if path.suffix in _SOURCES else None
    if not stat.S_ISDIR(mode):
        return Entry(path.name, path, "", "it is a link or a special file, which are not followed")
    sources = [each.name for each in sorted(path.iterdir()) if each.suffix in _SOURCES and _is_regular(each)]
    main = [name for name in sources if Path(name).stem == "main"]
    if len(sources) == 1 or len(main) == 1:
        return Entry(path.name, path, (main or sources)[0])
    found = f"it has {', '.join(sources)}" if sources else "it has no .cu, .hip or .py"
    return Entry(path.name, path, "", f"{found}; a folder has one of these, or one that is named main")


def _is_regular(path: Path) -> bool:
    return stat.S_ISREG(path.lstat().st_mode)


def provide(entry: Entry, folder: Path) -> None:
    """Copy a submission to a folder. Links are left out: they might lead to other submissions.

    Raises
    ------
    ValueError
        If it is too large.
    """
    if not entry.path.is_dir():
        shutil.copyfile(entry.path, folder / entry.path.name, follow_symlinks=False)
        return
    size = 0
    for number, path in enumerate(_files(entry.path)):
        size += path.lstat().st_size
        if number >= _MOST_FILES or size > _MOST_BYTES:
            raise ValueError(f"it has more than {_MOST_FILES} files or {_MOST_BYTES >> 20} MiB")
        target = folder / path.relative_to(entry.path)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target, follow_symlinks=False)


def _files(folder: Path) -> Iterator[Path]:
    for parent, _, names in os.walk(folder):  # which follows no links
        yield from (path for name in names if _is_regular(path := Path(parent, name)))
