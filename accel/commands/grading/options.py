"""The arguments of ``accel grade``; `run` runs it."""

import argparse
import sys
from pathlib import Path

from accel.support.system import ELSEWHERE, LINUX, platform_name, usable_processors

__all__ = ["add_arguments"]

_MOST_SECONDS = 1e6
_EXAMPLES = """\
example:
  accel grade kernels/ --tests tests.py --seed 7 --html grades.html

Submissions are kept from files, the network and each other as far as Linux does that, but this is no sandbox: run it in
a container, as the guide says (docs/guide/grading.md).

exit codes: 0 if all pass, 1 if one does not, 2 if nothing could be graded"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EXAMPLES
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="each file .cu, .hip or .py, or folder, is one")
    parser.add_argument("--tests", type=Path, required=True, metavar="FILE",
                        help="functions test_...(submission, rng) in Python")  # fmt: skip
    parser.add_argument("--seed", type=_number, default=0, help="of the orders of threads, and of rng (default: 0)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all results")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page with all results")
    parser.add_argument("--checks", default="all", help="some of memory,race,init,sync,banks; all (the default); none")
    parser.add_argument("--limit", type=_seconds, default=20.0, metavar="SECONDS",
                        help="for each launch or call (default: 20)")  # fmt: skip
    parser.add_argument("--memory", type=_count, default=4096, metavar="MIB",
                        help="address space of a process (default: 4096)")  # fmt: skip
    parser.add_argument("--file-size", type=_count, default=16, metavar="MIB",
                        help="of a file, and of what is printed (default: 16)")  # fmt: skip
    parser.add_argument("--processes", type=_count, default=64, metavar="N",
                        help="processes and threads of a submission (default: 64)")  # fmt: skip
    parser.add_argument("--jobs", type=_count, default=usable_processors(), metavar="N",
                        help="submissions that run at once (default: the number of processors)")  # fmt: skip
    parser.add_argument("--user", metavar="NAME", help="another user, who runs the submissions; needs root")
    parser.set_defaults(run=_run)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0")
    return int(text)


def _count(text: str) -> int:
    if _number(text) == 0:
        raise argparse.ArgumentTypeError("0 is too few; write 1 or more")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds < _MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"{text!r} is no time in seconds; write as in 20")
    return seconds


def _run(args: argparse.Namespace) -> int:
    if not LINUX:
        why = f"it needs Linux, which confines submissions; found {platform_name()}: {ELSEWHERE}"
        print(f"accel grade: {why}", file=sys.stderr)
        return 2
    from accel.commands.grading.run import run  # imports NumPy

    return run(args)
