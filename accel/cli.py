"""The command line: ``accel info``, ``accel demo`` and ``accel layout``."""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from accel import __version__

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    try:
        given = _parser().parse_args(arguments)
        code: int = given.run(given)
        if sys.stdout is not None:  # as after `accel info >&-`
            sys.stdout.flush()
    except KeyboardInterrupt:
        return 130  # what shells say of a command that an interrupt ended
    except BrokenPipeError:  # whoever read the output has seen enough
        _close_quietly()
        return 0
    except OSError as error:
        _close_quietly()
        print(f"accel: {error}", file=sys.stderr)
        return 1
    return code


def _close_quietly() -> None:
    # Python must not try to flush it again at exit.
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="accel", description="Typed memory on host or accelerator.")
    parser.add_argument("--version", action="version", version=f"accel {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    info = commands.add_parser("info", help="what this machine has, and what would add the rest")
    info.add_argument("--json", action="store_true", help="print it for programs")
    info.set_defaults(run=_info)

    demo = commands.add_parser("demo", help="find stars and vessels in real pictures, and report how it went")
    demo.add_argument("--device", default="best", help="best (the default), cpu, cuda:1, gpu, sim (simulated), ...")
    demo.add_argument("--out", default="accel-demo", metavar="DIR", help="where the report goes (default: accel-demo)")
    demo.set_defaults(run=_demo)

    _add_layout(commands.add_parser("layout", help="draw a layout, or explain an operation on it"))
    return parser


def _add_layout(layout: argparse.ArgumentParser) -> None:
    layout.add_argument("layout", metavar="LAYOUT", help="such as '((4,8),(2,16)):((1,64),(4,512))'")
    layout.add_argument("--swizzle", metavar="BITS,BASE,SHIFT", help="draw it before and after a swizzle, as in 3,3,3")
    layout.add_argument(
        "--color", choices=("offset", "bank", "vector", "thread"), default="offset", help="what tells cells apart"
    )
    layout.add_argument("--itemsize", type=int, default=4, metavar="BYTES", help="of an element in banks (default: 4)")
    layout.add_argument("--vector", type=int, default=4, metavar="COUNT", help="elements of a vector (default: 4)")
    layout.add_argument("--tile", metavar="SHAPE", help="what the threads of a (thread, value) layout share: '(8,16)'")
    layout.add_argument("--svg", type=Path, metavar="FILE", help="draw it there as well")
    layout.add_argument("--explain", metavar="OPERATION", help="such as 'divide (2,4)' or coalesce")
    layout.set_defaults(run=_layout)


def _info(given: argparse.Namespace) -> int:
    from accel.machine import machine_report, machine_text  # loads NumPy, and an interrupt may come meanwhile

    report = machine_report()
    print(json.dumps(report, indent=2) if given.json else machine_text(report))
    return 0


def _demo(given: argparse.Namespace) -> int:
    from accel.demo import main as demo

    return demo(given.device, given.out)


def _layout(given: argparse.Namespace) -> int:
    from accel import pictures

    try:
        layout = pictures.parsed(given.layout, given.swizzle)
        options = {"color": given.color, "itemsize": given.itemsize, "vector": given.vector}
        picture = pictures.picture_of(layout, given.tile, **options)
        steps = given.explain and pictures.explained(given.explain, given.layout)
    except (ValueError, TypeError) as error:
        print(f"accel layout: {error}", file=sys.stderr)
        return 2
    if given.svg:
        _save(given.svg, picture.svg())
    colors = pictures.terminal_colors(os.environ, terminal=sys.stdout is not None and sys.stdout.isatty())
    text = picture.text(shutil.get_terminal_size().columns, colors)
    print(pictures.writable(f"{text}\n\n{steps}" if steps else text, getattr(sys.stdout, "encoding", "utf-8")))
    return 0


def _save(path: Path, text: str) -> None:
    from accel.demo.files import replace

    if path.exists() and not path.is_file():  # such as /dev/stdout, which is written to and not replaced
        path.write_text(text, encoding="utf-8")
    else:
        replace(path, text.encode())
