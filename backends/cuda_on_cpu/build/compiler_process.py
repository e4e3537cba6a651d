"""`run`: a compiler as a process, and its failures as errors.

Compilers start others. All of them are one group, which ends together: at an interrupt, at a limit, and with this
process.
"""

import atexit
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from accel import config
from accel.errors import KernelCompileTimeoutError, KernelLaunchError, KernelSyntaxError
from accel.support.locks import in_child, open_after_fork
from accel.support.system import physical_memory

from . import disk_cache
from .diagnostics import explained
from .interruption import interrupted

__all__ = ["run"]

_Process: TypeAlias = "subprocess.Popen[str]"

_LOOK = 0.1  # seconds between two looks at whether a compiler is to be ended
_LIMITS = 'ulimit -S -v "$1" 2>/dev/null; ulimit -S -t "$2" 2>/dev/null; shift 2; exec "$@"'
_LEAST_MEMORY, _MOST_MEMORY = 2 << 30, 8 << 30
_NOT_STARTED = (126, 127)  # exit codes of the shell
# What compilers say when the system ends them, or gives them no memory.
_ENDED = re.compile(
    r"fatal error: Killed|terminated program|out of memory|virtual memory exhausted|OutOfMemory|bad_alloc|"
    r"No space left|LLVM ERROR|unable to execute command: Killed"
)

_running: set[_Process] = set()
in_child(_running.clear)  # those of the parent
_starting = open_after_fork(threading.Lock())
"""Held from the start of a process until it is in the set: the exit ends all that are in it, so none is missed."""


def run(command: Sequence[str], scratch: Path) -> str:
    """Run a compiler or a linker; return what it wrote to its standard output.

    Parameters
    ----------
    command : sequence of str
        The command line.
    scratch : Path
        A folder for files that it does not need again.

    Raises
    ------
    KernelSyntaxError
        If it found errors; the message is all that it said.
    KernelLaunchError
        If it was ended, or had no memory.
    KernelCompileTimeoutError
        If it took longer than the setting ``compile_limit`` says.
    """
    limit, memory = config.current().compile_limit, _memory()
    process = _started(command, scratch, limit, memory)
    with process:
        try:
            output, errors = _output(process, limit)
        finally:
            _kill(process)
            _running.discard(process)
    if process.returncode < 0 or process.returncode in _NOT_STARTED or (process.returncode and _ENDED.search(errors)):
        raise KernelLaunchError(
            f"the compiler {command[0]} did not end by itself (status {process.returncode}); it may have had no "
            f"memory, of which it gets {memory >> 20} MiB at most: launch again when there is more, or make the source "
            f"smaller; it said {errors.strip()[-300:]!r}"
        )
    if process.returncode:
        raise KernelSyntaxError(explained(errors))
    return output


def _started(command: Sequence[str], scratch: Path, limit: int, memory: int) -> _Process:
    # The bound of its processor time is for a compiler that outlives this process, which nothing else would end.
    limits = (str(memory >> 10), str(limit * (os.cpu_count() or 1)))
    zig = {"ZIG_GLOBAL_CACHE_DIR": str(disk_cache.folder() / "zig"), "ZIG_LOCAL_CACHE_DIR": str(scratch / "zig")}
    try:
        with _starting:
            process = subprocess.Popen(  # noqa: S603 - the user's compiler
                ["/bin/sh", "-c", _LIMITS, "sh", *limits, *command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                env={**os.environ, "LC_ALL": "C", "TMPDIR": str(scratch), **zig},
                start_new_session=True,
            )
            _running.add(process)
    except OSError as error:
        raise KernelLaunchError(f"the compiler {command[0]} cannot be started: {error}; launch again later") from error
    return process


def _memory() -> int:
    """Return how many bytes a compiler may use: half of the machine's memory, within bounds."""
    return min(max(physical_memory() // 2, _LEAST_MEMORY), _MOST_MEMORY)


def _output(process: _Process, limit: int) -> tuple[str, str]:
    """Return what a compiler writes, when it has ended."""
    end = time.monotonic() + limit
    while True:
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=_LOOK)
        if interrupted():
            raise KernelLaunchError("the compiler was ended by an interrupt; launch again")
        if time.monotonic() > end:
            raise KernelCompileTimeoutError(
                f"a compiler took longer than {limit} seconds, and was ended: make the source smaller, or write "
                f"accel.configure(compile_limit={2 * limit})"
            )


def _kill(process: _Process) -> None:
    """End a compiler that runs, and all that it started."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@atexit.register
def _kill_all() -> None:
    """End the compilers of threads that the end of the process does not wait for."""
    with _starting:
        for process in [*_running]:
            _kill(process)
