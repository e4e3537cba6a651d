"""``python -m accel.numba_cuda script.py``: a program that uses `numba.cuda`, unchanged, on simulated devices."""

import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

from accel.testing.numba_simulation.context import numba_cuda_on_sim

__all__ = ["main"]

_USAGE = "usage: python -m accel.numba_cuda (SCRIPT | -m MODULE) [ARGUMENT ...]"


def main(words: Sequence[str] | None = None) -> None:
    """Run a program with its arguments, inside of `accel.testing.numba_cuda_on_sim`.

    Settings are those of environment variables, as in ``ACCEL_KERNEL_CHECKS=all``. What kernels do wrong ends the
    program with the report as its error.

    Raises
    ------
    SystemExit
        If there is no program, or it ends by an exit.
    """
    words = sys.argv[1:] if words is None else words
    is_module = words[:1] == ["-m"]
    program = words[int(is_module) :]
    if not program or program[0].startswith("-"):
        raise SystemExit(_USAGE)
    if not is_module and not Path(program[0]).exists():
        raise SystemExit(f"python -m accel.numba_cuda: there is no file {program[0]}\n{_USAGE}")
    with numba_cuda_on_sim():
        sys.argv = [*program]
        if is_module:
            sys.path.insert(0, str(Path.cwd()))
            runpy.run_module(program[0], run_name="__main__", alter_sys=True)
        else:
            sys.path.insert(0, str(Path(program[0]).resolve().parent))
            runpy.run_path(program[0], run_name="__main__")


if __name__ == "__main__":
    main()
