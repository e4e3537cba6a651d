"""The parent of a confined program: ``python -m accel.commands.grading.guard PLAN``, where the plan is JSON.

It starts the program, and when that ends, or the other end of its standard input is closed, it ends all processes that
the program started. The program gets descriptor 3, and no standard input. The guard's exit code is that of the program,
or 128 and the number of the signal that ended it.
"""

import json
import os
import select
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from accel.commands.grading.confinement import confine, set_subreaper

__all__ = ["NOT_STARTED", "main"]

NOT_STARTED = 125
_CHANNEL = 3
_PATIENCE = 5.0  # seconds in which all processes must be ended


def main(plan: dict[str, Any]) -> int:
    """Run a program and return its exit code."""
    set_subreaper()
    child = os.fork()
    if child == 0:
        _become(plan)
    os.close(plan["channel"])
    descriptor = os.pidfd_open(child)
    ended, _, _ = select.select([0, descriptor], [], [])
    if descriptor not in ended:
        _kill(child)
    _, status = os.waitpid(child, 0)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # the whole group at once: a fork in it fails from now on
    _end_descendants()
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _become(plan: dict[str, Any]) -> None:
    """Become the program, confined."""
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(plan["channel"], _CHANNEL)
        os.closerange(_CHANNEL + 1, 1 << 16)
        os.chdir(plan["folder"])
        confine(plan["confinement"])
        os.execve(plan["command"][0], plan["command"], plan["environment"])  # noqa: S606 - the program
    except BaseException as error:
        os.write(2, f"accel: {plan['command'][0]} cannot be started: {error}\n".encode())
    finally:
        os._exit(NOT_STARTED)


def _end_descendants() -> None:
    """End what the program left: its processes become children of this one as their parents end."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        for each in _descendants():
            _kill(each)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


def _kill(process: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGKILL)


def _descendants() -> set[int]:
    parents = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            # The name of the program, in parentheses, may hold anything.
            parents[int(file.parent.name)] = int(file.read_text(errors="replace").rpartition(")")[2].split()[1])
    found = {os.getpid()}
    while True:
        more = {process for process, parent in parents.items() if parent in found} - found
        if not more:
            return found - {os.getpid()}
        found |= more


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
