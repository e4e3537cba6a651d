"""The arguments of ``accel run-kernel``; `run_kernel` runs it."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["add_arguments"]

_EXAMPLES = """\
examples:
  accel run-kernel program.cu 1000 2
      runs a program with main and its arguments; those that begin with - come after --
  accel run-kernel scale.cu --kernel scale --grid 4 --block 256 --arg float[1024]=random --arg 2.0 --arg 1024
      runs one kernel that is extern "C"; an array is TYPE[SHAPE]=WHAT: random, arange, zeros, ones, a number, or a
      .npy file; without =WHAT it was never written

exit codes: 1 for findings, or if it does not compile or run; else that of the program, or 0"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EXAMPLES
    parser.add_argument("file", type=Path, metavar="FILE", help="CUDA or HIP")
    parser.add_argument("arguments", nargs="*", metavar="ARGUMENT", help="an argument of the program")
    parser.add_argument("--with", dest="others", type=Path, action="append", default=[], metavar="FILE",
                        help="another source of the program")  # fmt: skip
    parser.add_argument("--kernel", metavar="NAME", help="run this kernel instead of a program")
    parser.add_argument("--grid", type=_extents, default=(1,), metavar="X[,Y[,Z]]", help="blocks (default: 1)")
    parser.add_argument("--block", type=_extents, default=(256,), metavar="X[,Y[,Z]]", help="threads (default: 256)")
    parser.add_argument("--shared", type=int, default=0, metavar="BYTES", help="dynamic shared memory of a block")
    parser.add_argument("--cooperative", action="store_true",
                        help="all blocks of the kernel run at once, and may wait for each other")  # fmt: skip
    parser.add_argument(
        "--arg", action="append", default=[], metavar="VALUE", help="an argument of the kernel, in order"
    )
    parser.add_argument(
        "--checks",
        default="all",
        help="some of memory,race,init,sync,banks,order,same-value; all, which is the first four (the default); none",
    )
    parser.add_argument("--warp", type=int, choices=(32, 64), default=32, help="threads of a warp (default: 32)")
    parser.add_argument("--seed", type=int, default=0,
                        help="of the orders of threads and streams, and of random arrays (default: 0)")  # fmt: skip
    parser.add_argument("--late", action="store_true",
                        help="a program's streams run when they are waited for, in an order drawn from the seed: "
                        "a missing wait shows; otherwise, work is done at once")  # fmt: skip
    parser.add_argument("--limit", type=int, default=60, metavar="SECONDS", help="for each kernel (default: 60)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the reports to a file")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="write a picture of the first report to a file")
    parser.add_argument("--reports", type=_outputs, default=[], metavar="REPORTS",
                        help="write the reports: some of github, sarif:FILE, html:FILE and junit:FILE")  # fmt: skip
    parser.add_argument("-I", dest="folders", type=Path, action="append", default=[], metavar="FOLDER",
                        help="folder of headers")  # fmt: skip
    parser.add_argument("-D", dest="macros", action="append", default=[], metavar="NAME[=VALUE]", help="define a macro")
    parser.set_defaults(run=_run)


def _extents(text: str) -> tuple[int, ...]:
    try:
        extents = tuple(int(word) for word in text.split(","))
    except ValueError:
        extents = ()
    if not 1 <= len(extents) <= 3 or min(extents) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not 1 to 3 numbers above 0; write as in 4 or 16,16")
    return extents


def _outputs(text: str) -> Sequence[Any]:
    from accel.support.report_files.output import Output, outputs  # other commands need no formats

    try:
        found = outputs(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if Output("junit", None) in found:
        raise argparse.ArgumentTypeError("junit needs a file here; write junit:FILE")
    return found


def _run(args: argparse.Namespace) -> int:
    from accel.commands.run_kernel import run  # imports NumPy

    return run(args)
