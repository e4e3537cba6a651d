"""How many Python functions a copy passes through, and how often it changes from one file to another.

python benchmarks/calls.py [--list]

Counted with `sys.setprofile`: each "call" event of a Python function (also of a generator that goes on, and of a class
body's comprehension) whose code is in `accel/` or `backends/` is one call; functions written in C, and those of NumPy
and the standard library, are not counted. A change of file is a call whose code is in another file than that of the
call before it. The copy runs twice before it is counted, in one thread, with the compiled loops ready.
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import accel
from accel.layout import row_major
from accel.views import LayoutTensor

ROOT = Path(accel.__file__).parents[1]
FOLDERS = tuple(str(ROOT / name) + "/" for name in ("accel", "backends"))


class Counted(NamedTuple):
    """The calls of a function, in order: file and name of each."""

    calls: list[tuple[str, str]]

    @property
    def changes(self) -> int:
        """How often the next call is in another file."""
        files = [file for file, _ in self.calls]
        return sum(one != other for one, other in zip(files, files[1:], strict=False))


def counted(function: Callable[[], object], warm: int = 2) -> Counted:
    """Return the calls that a function makes in this thread when it has run before."""
    for _ in range(warm):
        function()
    calls: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(FOLDERS):
            calls.append((frame.f_code.co_filename.removeprefix(f"{ROOT}/"), frame.f_code.co_qualname))

    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return Counted(calls)


def small_copy() -> Counted:
    """Count the calls of `copy_from` between two tensors of 4 x 4 on the host."""
    target, source = (LayoutTensor(accel.zeros(16, "float32"), row_major(4, 4)) for _ in range(2))
    return counted(lambda: target.copy_from(source))


def transpose() -> Counted:
    """Count the calls of `copy_from` of a transpose of 1024 x 1024 on the host, by one thread."""
    n = 1024
    target, source = (LayoutTensor(accel.zeros(n * n, "float32"), row_major(n, n)) for _ in range(2))
    with accel.using(threads=1):
        return counted(lambda: target.copy_from(source.transpose()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="also list the calls")
    listing = parser.parse_args().list
    found = {"4 x 4": small_copy(), "1024 x 1024 transposed": transpose()}
    answer = {
        name: {"calls": len(each.calls), "changes of file": each.changes}
        | ({"list": [" ".join(call) for call in each.calls]} if listing else {})
        for name, each in found.items()
    }
    print(json.dumps(answer, indent=2))


if __name__ == "__main__":
    main()
