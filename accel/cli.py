"""The command line: ``accel info`` and ``accel demo``."""

import argparse
import json
import os
import sys
from collections.abc import Sequence

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
    return parser


def _info(given: argparse.Namespace) -> int:
    from accel.machine import machine_report, machine_text  # loads NumPy, and an interrupt may come meanwhile

    report = machine_report()
    print(json.dumps(report, indent=2) if given.json else machine_text(report))
    return 0


def _demo(given: argparse.Namespace) -> int:
    from accel.demo import main as demo

    return demo(given.device, given.out)
