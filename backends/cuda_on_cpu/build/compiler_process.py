"""`run`: a compiler as a process, and its failures as errors."""

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from accel.errors import KernelLaunchError, KernelSyntaxError

from . import disk_cache
from .diagnostics import explained

__all__ = ["run"]

# What compilers say when the system ends them, or gives them no memory.
_ENDED = re.compile(
    r"fatal error: Killed|terminated program|out of memory|virtual memory exhausted|OutOfMemory|bad_alloc|"
    r"No space left|LLVM ERROR|unable to execute command: Killed"
)


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
    """
    zig = {"ZIG_GLOBAL_CACHE_DIR": str(disk_cache.folder() / "zig"), "ZIG_LOCAL_CACHE_DIR": str(scratch / "zig")}
    process = subprocess.run(  # noqa: S603 - the user's compiler
        command,
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        env={**os.environ, "LC_ALL": "C", **zig},
    )
    if process.returncode < 0 or (process.returncode and _ENDED.search(process.stderr)):
        raise KernelLaunchError(
            f"the compiler {command[0]} did not end by itself (status {process.returncode}); it may have had no "
            f"memory: launch again when there is more; it said {process.stderr.strip()[-300:]!r}"
        )
    if process.returncode:
        raise KernelSyntaxError(explained(process.stderr))
    return process.stdout
