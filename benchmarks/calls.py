"""How many Python functions a copy passes through, and how often it changes from one file to another.

python benchmarks/calls.py [--list]

Counted with `sys.setprofile`, in the thread that copies: one call for each "call" event of a Python function whose code
is in `accel/` or `backends/`. A comprehension counts where Python makes a function of it (before 3.12), and a generator
each time it goes on. Functions in C, compiled kernels, NumPy and the standard library do not count. A change of file is
a call whose code is in another file than that of the call before it. Before it is counted, a copy has run twice, and
the compiled kernels are ready where llvmlite is installed. The transposed view is made before.
"""

import argparse
import gc
import json
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import accel
from accel.layout import row_major
from accel.support.background import BACKGROUND
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
        return sum(one != other for one, other in pairwise(files))


def counted(function: Callable[[], object], warm: int = 2) -> Counted:
    """Return the calls that a function makes in this thread when it has run before."""
    for _ in range(warm):
        function()
    calls: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(FOLDERS):
            calls.append((file.removeprefix(f"{ROOT}/"), frame.f_code.co_qualname))

    before = sys.getprofile()
    gc.disable()  # finalisers are calls too
    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(before)
        gc.enable()
    return Counted(calls)


def small_copy() -> Counted:
    """Count the calls of `copy_from` between two tensors of 4 x 4 on the host."""
    target, source = (LayoutTensor(accel.zeros(16, "float32"), row_major(4, 4)) for _ in range(2))
    return counted(lambda: target.copy_from(source))


def transpose() -> Counted:
    """Count the calls of `copy_from` of a transpose of 1024 x 1024 on the host."""
    for side in (2048, 1024):  # the kernel is compiled for a copy of 16 MiB
        target, source = (LayoutTensor(accel.zeros(side * side, "float32"), row_major(side, side)) for _ in range(2))
        turned = source.transpose()
        target.copy_from(turned)
    BACKGROUND.wait(60)  # it measures copies
    return counted(lambda: target.copy_from(turned))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="also list the calls")
    listing = parser.parse_args().list
    result = {"4 x 4": small_copy(), "1024 x 1024 transposed": transpose()}
    answer = {
        name: {"calls": len(each.calls), "changes of file": each.changes}
        | ({"list": [" ".join(call) for call in each.calls]} if listing else {})
        for name, each in result.items()
    }
    print(json.dumps(answer, indent=2))


if __name__ == "__main__":
    main()
