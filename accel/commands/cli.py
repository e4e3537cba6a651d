"""The command line: ``accel info``, ``doctor``, ``demo``, ``layout``, ``run-kernel``, ``grade`` and smaller ones."""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import UnsupportedOperation
from pathlib import Path
from typing import TypeAlias

from accel import __version__

__all__ = ["main"]

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

_EXIT_CODES = """\
exit codes: 0 if it did what was asked; 1 for findings, failures, and files that cannot be read or written; 2 for
arguments that mean nothing; 130 after an interrupt. A program that `accel run-kernel` runs ends with its own."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    try:
        args = _parser().parse_args(arguments)
        code: int = args.run(args)
        if sys.stdout is not None:  # None after `accel info >&-`
            sys.stdout.flush()
    except KeyboardInterrupt:
        return 130  # the exit code that shells use after an interrupt
    except BrokenPipeError:  # the reader, such as `head`, closed the pipe
        _close_quietly()
        return 0
    except OSError as error:
        _close_quietly()
        print(f"accel: {error}", file=sys.stderr)
        return 1
    return code


def _close_quietly() -> None:
    # Python would flush stdout again at exit, and fail again.
    if sys.stdout is not None:
        with suppress(UnsupportedOperation):  # a program that calls `main` may take the output
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="accel",
        description="Typed memory on the host or on an accelerator.",
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"accel {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    info = _add_command(commands, "info", "list the devices and packages of this machine, and how to add missing ones")
    info.add_argument("--json", action="store_true", help="print JSON")
    info.set_defaults(run=_info)

    doctor = _add_command(commands, "doctor", "say what is wrong with this installation, and the line to type")
    doctor.add_argument("--json", action="store_true", help="print JSON")
    doctor.set_defaults(run=_doctor)

    demo = _add_command(
        commands, "demo", "find stars and blood vessels in two pictures on a device, and write a report"
    )
    demo.add_argument(
        "subject",
        nargs="?",
        choices=("pictures", "stores"),
        default="pictures",
        help="pictures (the default); or stores: tasks measure 3,233 counties and find the cities in them, in threads "
        "and in a Dask cluster of which a worker is killed",
    )
    demo.add_argument(
        "--device",
        default="best",
        help="where to compute: cpu, cuda, cuda:1, rocm, gpu, sim (simulated) or best (the default), which is the "
        "first accelerator or else the cpu",
    )
    demo.add_argument("--out", default="accel-demo", metavar="DIR", help="folder of the report (default: accel-demo)")
    demo.add_argument(
        "--debug",
        action="store_true",
        help="first show what debug mode reports about a kernel with an error; then run with debug mode on",
    )
    demo.set_defaults(run=_demo)

    _add_layout(_add_command(commands, "layout", "draw a layout of memory, and explain an operation on it"))
    _add_run_kernel(commands)
    _add_grade(commands)
    version = _add_command(commands, "version", "print the version of accel")
    version.add_argument("--json", action="store_true", help="print JSON, with the versions of Python and NumPy")
    version.set_defaults(run=_version)
    completions = _add_command(commands, "completions", "print a script that completes these commands in a shell")
    completions.add_argument("shell", choices=("bash", "zsh", "fish"), help='eval "$(accel completions bash)"')
    completions.set_defaults(run=_completions)
    return parser


def _add_command(commands: Commands, name: str, summary: str) -> argparse.ArgumentParser:
    return commands.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")


def _add_layout(layout: argparse.ArgumentParser) -> None:
    layout.add_argument("layout", metavar="LAYOUT", help="shape:stride, such as '(4,8):(8,1)'; the stride is optional")
    layout.add_argument(
        "--swizzle", metavar="BITS,BASE,SHIFT", help="draw it before and after a swizzle, such as 3,3,3"
    )
    layout.add_argument(
        "--color",
        choices=("offset", "bank", "vector", "thread"),
        default="offset",
        help="what cells of the same colour share (default: offset); thread is for layouts (thread, value) -> index",
    )
    layout.add_argument(
        "--itemsize", type=int, default=4, metavar="BYTES", help="size of an element, for --color bank (default: 4)"
    )
    layout.add_argument(
        "--vector", type=int, default=4, metavar="COUNT", help="elements of a vector, for --color vector (default: 4)"
    )
    layout.add_argument("--tile", metavar="SHAPE", help="shape of the tile, for --color thread, such as '(8,16)'")
    layout.add_argument("--svg", type=Path, metavar="FILE", help="also write the picture to an SVG file")
    layout.add_argument(
        "--explain", metavar="OPERATION", help="also explain an operation on it, such as 'divide (2,4)' or coalesce"
    )
    layout.set_defaults(run=_layout)


def _add_run_kernel(commands: Commands) -> None:
    from accel.commands.run_kernel_options import add_arguments

    summary = "run a CUDA or HIP program, or one kernel, on a simulated GPU, and report what it does wrong"
    add_arguments(_add_command(commands, "run-kernel", summary))


def _add_grade(commands: Commands) -> None:
    from accel.commands.grading.options import add_arguments

    summary = "run the kernels of many people against the tests of a course, and print a table"
    add_arguments(_add_command(commands, "grade", summary))


def _info(args: argparse.Namespace) -> int:
    from accel.commands.info import machine_report, machine_text  # imports NumPy, during which an interrupt may come

    report = machine_report()
    print(json.dumps(report, indent=2) if args.json else machine_text(report))
    return 0


def _doctor(args: argparse.Namespace) -> int:
    from accel.commands.doctor import run

    return run(args.json)


def _version(args: argparse.Namespace) -> int:
    if args.json:
        from accel.commands.info import versions

        print(json.dumps(versions(), indent=2))
    else:
        print(f"accel {__version__}")
    return 0


def _completions(args: argparse.Namespace) -> int:
    from accel.commands.completions import script

    print(script(_parser(), args.shell), end="")
    return 0


def _demo(args: argparse.Namespace) -> int:
    from accel.demo import main as demo

    return demo(args.device, args.out, debug=args.debug, subject=args.subject)


def _layout(args: argparse.Namespace) -> int:
    from accel.commands import layout as layout_command
    from accel.demo.files import save

    try:
        layout = layout_command.parsed(args.layout, args.swizzle)
        options = {"color": args.color, "itemsize": args.itemsize, "vector": args.vector}
        picture = layout_command.picture_of(layout, args.tile, **options)
        steps = args.explain and layout_command.explained(args.explain, args.layout)
    except (ValueError, TypeError) as error:
        print(f"accel layout: {error}", file=sys.stderr)
        return 2
    if args.svg:
        save(args.svg, picture.svg())
    colors = layout_command.terminal_colors(os.environ, terminal=sys.stdout is not None and sys.stdout.isatty())
    text = picture.text(shutil.get_terminal_size().columns, colors)
    print(layout_command.writable(f"{text}\n\n{steps}" if steps else text, getattr(sys.stdout, "encoding", "utf-8")))
    return 0
