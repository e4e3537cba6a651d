"""`KernelSource`: the text of kernels, as compilers are given it, and where in it they found an error."""

import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from accel.errors import KernelSyntaxError

__all__ = ["KernelSource"]

_ERROR = r"(?:\w+ )?error:? (?P<what>.*)"
_USED = r"line (\d+) of {file}|^{file}[(:](\d+).*(?:required|instantiation)"


class KernelSource(NamedTuple):
    """Kernels of the user's own.

    Attributes
    ----------
    text : str
        CUDA or HIP.
    file : str
        Where that is from, for messages.
    """

    text: str
    file: str

    @property
    def unit(self) -> str:
        """What compilers are given: `accel::View`, and then the text, with the number of each of its lines."""
        name = self.file.replace("\\", r"\\").replace('"', r"\"")
        return f'#line 1 "view.cuh"\n{_view()}#line 1 "{name}"\n{self.text}'

    def refused(self, kernel: str, error: KernelSyntaxError) -> KernelSyntaxError:
        """Return what a compiler said as an error at a line of the text, if it named one.

        NVRTC writes ``file(3): error: what``, and clang and g++ ``file:3:14: error: what``. What is wrong in a
        template of a header is wrong there, and where the text uses that is named besides.
        """
        said, file = str(error), re.escape(self.file)
        here = re.search(rf"^{file}[(:](?P<line>\d+).*?: {_ERROR}", said, re.MULTILINE)
        what = here or re.search(rf": {_ERROR}", said)
        place = here or re.search(_USED.format(file=file), said, re.MULTILINE)
        if what is None or place is None:
            return error
        line = int(next(filter(str.isdecimal, place.groups(""))))
        text = dict(enumerate(self.text.splitlines(), 1)).get(line)
        found = KernelSyntaxError(f"{kernel} does not compile: {what['what']}", (self.file, line, None, text))
        found.add_note(said)
        return found


@cache
def _view() -> str:
    return files("accel.kernels").joinpath("view.cuh").read_text(encoding="utf-8")
