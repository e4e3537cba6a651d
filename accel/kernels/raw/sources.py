"""`KernelSource`: the source text of kernels, the text passed to compilers, and errors with line numbers."""

import re
from functools import cache
from os import PathLike
from pathlib import Path
from pkgutil import get_data
from typing import NamedTuple

from accel.errors import KernelSyntaxError

__all__ = ["KernelSource", "text_of"]

_MARK = "\ufeff"  # of the order of bytes; a compiler takes it at the beginning of a file only
_ERROR = r"(?:\w+ )?error:? (?P<what>.*)"
_USED = r"line (\d+) of {file}|^{file}[(:](\d+).*(?:required|instantiation)"


class KernelSource(NamedTuple):
    """Source of user-written kernels.

    Attributes
    ----------
    text : str
        CUDA or HIP source.
    file : str
        Name of its file, for messages.
    """

    text: str
    file: str

    @property
    def unit(self) -> str:
        """The text for the compiler: the definition of `accel::View`, then the source, with its own line numbers."""
        name = self.file.replace("\\", r"\\").replace('"', r"\"")
        return f'#line 1 "view.cuh"\n{_view_header()}#line 1 "{name}"\n{self.text.removeprefix(_MARK)}'

    def located_error(self, kernel: str, error: KernelSyntaxError) -> KernelSyntaxError:
        """Return a compiler's error as an error at a line of the source, if the message names one.

        NVRTC writes ``file(3): error: what``, and clang and g++ ``file:3:14: error: what``. For an error in a template
        of a header, the line is the one in the source that instantiates the template.
        """
        message, file = str(error), re.escape(self.file)
        here = re.search(rf"^{file}[(:](?P<line>\d+).*?: {_ERROR}", message, re.MULTILINE)
        what = here or re.search(rf": {_ERROR}", message)
        place = here or re.search(_USED.format(file=file), message, re.MULTILINE)
        if what is None or place is None:
            return error
        line = int(next(filter(str.isdecimal, place.groups(""))))
        text = dict(enumerate(self.text.splitlines(), 1)).get(line)
        located = KernelSyntaxError(f"{kernel} does not compile: {what['what']}", (self.file, line, None, text))
        located.add_note(message)
        return located


def text_of(path: str | PathLike[str]) -> str:
    """Return the text of a source file, as compilers read it: in any encoding, with or without a mark of UTF-8.

    Raises
    ------
    ValueError
        If it is a pipe or a device, which may have no end.
    """
    file = Path(path)
    if file.exists() and not (file.is_file() or file.is_dir()):
        raise ValueError(f"{file} is no regular file; write the source to one, or pass its text to from_source")
    return file.read_text(encoding="utf-8", errors="surrogateescape")


@cache
def _view_header() -> str:
    return (get_data("accel.kernels.raw", "view.cuh") or b"").decode()
