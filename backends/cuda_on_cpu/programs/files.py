"""The files of a program, translated: each under its own path in another folder, so that they find one another."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from accel.errors import KernelSyntaxError

from ..text.ptx import CALLS
from ..text.tokens import code_of
from ..text.translation import translated
from .launches import with_launches
from .shadowing import renamed

__all__ = ["ENCODING", "device_variables", "included", "is_device_code", "mirror"]

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
_HOST = {".cpp", ".cc", ".cxx", ".c"}
_API = re.compile(r"cuda_runtime|cuda\.h|hip_runtime|cuda_fp16|cuda_bf16|cuda_fp8|cooperative_groups|<<<")
ENCODING = {"encoding": "utf-8", "errors": "surrogateescape"}


def included(sources: Iterable[Path], folders: Sequence[Path]) -> dict[Path, str]:
    """Return the texts of sources, and of all files that they include from their own folders and from `folders`."""
    texts: dict[Path, str] = {}
    waiting = [path.resolve() for path in sources]
    while waiting:
        path = waiting.pop()
        if path not in texts:
            texts[path] = path.read_text(**ENCODING).removeprefix("\ufeff")
            waiting += _includes(path, texts[path], folders)
    return texts


def _includes(path: Path, text: str, folders: Sequence[Path]) -> list[Path]:
    candidates = [[folder / name for folder in (path.parent, *folders)] for name in _INCLUDE.findall(text)]
    files = [next((place for place in places if place.is_file()), None) for places in candidates]
    return [place.resolve() for place in files if place is not None]


def is_device_code(path: Path, texts: dict[Path, str], folders: Sequence[Path]) -> bool:
    """Whether a source, or what it includes, has to do with a GPU; all but C and C++ does."""
    if path.suffix not in _HOST:
        return True
    return path.suffix != ".c" and any(_API.search(texts[file]) for file in included([path], folders))


def mirror(texts: dict[Path, str], folder: Path, *, checked: bool) -> None:
    """Write the translations of files to a folder.

    Raises
    ------
    KernelSyntaxError, CapabilityError
        If one cannot be translated; the message has the file and the line.
    """
    for path, text in texts.items():
        copy = mirrored(path, folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        translation = _translation(path, text, checked=checked)
        header = '#include "accel_sim/ptx.h"\n' if CALLS in translation else ""
        copy.write_text(f'{header}#line 1 "{path}"\n{translation}', **ENCODING)


def mirrored(path: Path, folder: Path) -> Path:
    """Return where the translation of a file is."""
    return folder / path.relative_to(path.anchor)


def _translation(path: Path, text: str, *, checked: bool) -> str:
    try:
        return with_launches(translated(renamed(text), checked=checked))
    except KernelSyntaxError as error:
        raise KernelSyntaxError(str(error).replace("<source>", str(path))) from None


def device_variables(text: str) -> tuple[str, ...]:
    """Return the names of the ``__device__``, ``__constant__`` and ``__managed__`` variables of a file.

    Examples
    --------
    >>> device_variables("__device__ int a[4], b = 3; __device__ float f(int c); __constant__ S<int, 2> d;")
    ('a', 'b', 'd')
    """
    code = code_of(text)
    variables: list[str] = []
    for index, token in enumerate(code):
        if token.text in {"__device__", "__constant__", "__managed__"}:
            variables += _declared([later.text for later in code[index + 1 : index + 100]])
    return tuple(dict.fromkeys(variables))


def _declared(words: list[str]) -> list[str]:
    """Return the names that a declaration of variables declares; none if it is one of a function."""
    names, depth, named = [], 0, True
    for index, word in enumerate(words):
        if depth == 0 and named and word in {"=", ";", "[", ","} and index:
            names.append(words[index - 1])
            named = False
        if (word == "(" and depth == 0 and named) or (word == ";" and depth == 0):
            return names if word == ";" else []
        named = named or (word == "," and depth == 0)
        depth += (word in {"(", "[", "{", "<"}) - (word in {")", "]", "}", ">"})
    return names
