"""Where the text of a kernel is in the Python file that has it, so that reports name that line."""

import linecache
from typing import NamedTuple

from accel.support.call_sites import call_line

__all__ = ["PlacedText", "placed"]


class PlacedText(NamedTuple):
    """A text with the file and the line of its beginning."""

    text: str
    file: str
    line: int

    @property
    def marked(self) -> str:
        """The text, with its place for the compiler."""
        name = self.file.replace("\\", r"\\").replace('"', r"\"")
        return f'\n#line {self.line} "{name}"\n{self.text}\n#line 1 "<made for the kernel>"\n'


def placed(text: str, name: str) -> PlacedText:
    """Return a text with its place in the file of the caller outside of accel.

    Parameters
    ----------
    text : str
        The text. It is found where the file has it letter by letter; of several places the one next to the call counts.
    name : str
        What stands for the file if the text is not found.
    """
    file, line, _ = call_line()
    whole, places, start = "".join(linecache.getlines(file)), list[int](), 0
    while text.strip() and (start := whole.find(text, start)) >= 0:
        places.append(whole.count("\n", 0, start) + 1)
        start += len(text)
    if not places:
        return PlacedText(text, f"<{name}>", 1)
    return PlacedText(text, file, min(places, key=lambda place: abs(place - line)))
