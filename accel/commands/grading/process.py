"""`Worker`: a confined process that runs a submission, seen from the grader."""

import json
import os
import signal
import site
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from accel.commands.grading.channel import Channel, ProtocolError
from accel.commands.grading.confinement import Confinement
from accel.commands.grading.guard import NOT_STARTED

__all__ = ["Limits", "Worker", "WorkerEndedError", "readable_folders"]

_SYSTEM = (
    *("/bin", "/sbin", "/usr", "/lib", "/lib32", "/lib64", "/opt", "/nix/store", "/proc", "/sys"),
    *("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf"),
    *("/dev/urandom", "/dev/random"),
)
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full")
_ACCEL = Path(__file__).resolve().parents[2]
_PYTHON = sys.executable
_KEPT = ("PATH", "ACCEL_KERNEL_COMPILER")
_STOPPING = 15.0
_OUTPUT = 2000


class Limits(NamedTuple):
    """What a process may use.

    Attributes
    ----------
    seconds : float
        For the answer to one request.
    requests : int
        About how many there are.
    memory, file_size : int
        Bytes of its address space, and of a file.
    processes : int
        How many it may start.
    user : tuple of two ints, or None
        The user and the group that it becomes.
    """

    seconds: float
    requests: int
    memory: int
    file_size: int
    processes: int
    user: tuple[int, int] | None


class WorkerEndedError(Exception):
    """The process is gone, or has to go; the message says why."""


def readable_folders() -> list[str]:
    """Return what each submission may read: the system's programs, Python, and accel."""
    libraries = [each for each in sys.path if Path(each).name in {"site-packages", "dist-packages"}]
    places: list[str | Path] = [sys.prefix, sys.base_prefix, sys.exec_prefix, *site.getsitepackages(), *libraries]
    packages = (_ACCEL, _ACCEL.parent / "backends")  # the second is there in a clone
    return [*_SYSTEM, *dict.fromkeys(str(Path(each).resolve()) for each in (*places, *packages))]


class Worker:
    """A process for a submission, in a folder of its own, which is removed when it ends.

    Parameters
    ----------
    folder : Path
        The folder: ``files`` has the submission, ``cache`` the compiled code.
    source : str
        The file of the submission.
    settings : dict
        The settings of accel.
    limits : Limits
        What it may use.
    """

    def __init__(self, folder: Path, source: str, settings: dict[str, Any], limits: Limits) -> None:
        self._limits = limits
        self._output = (folder.parent / f"{folder.name}.output").open("w+b")
        ours, theirs = socket.socketpair()
        with theirs:
            plan = {**_plan(folder, source, settings, limits), "channel": theirs.fileno()}
            self._guard = subprocess.Popen(  # noqa: S603 - ours
                [sys.executable, "-P", "-m", "accel.commands.grading.guard", json.dumps(plan)],
                stdin=subprocess.PIPE, stdout=self._output, stderr=self._output, pass_fds=(theirs.fileno(),),
                env={**os.environ, "PYTHONPATH": str(_ACCEL.parent)}, start_new_session=True,
            )  # fmt: skip
        self._channel = Channel(ours)

    def ask(self, request: dict[str, Any], arrays: Sequence[Any]) -> tuple[dict[str, Any], list[Any]]:
        """Return the answer to a request, and its arrays.

        Raises
        ------
        WorkerEndedError
            If there is none; the process and all that it started are gone then.
        """
        end = time.monotonic() + self._limits.seconds
        try:
            self._channel.send(request, arrays, end)
            return self._channel.receive(end)
        except TimeoutError:
            self.stop()
            raise WorkerEndedError(f"it took longer than {self._limits.seconds:g} seconds") from None
        except ProtocolError as error:
            self.stop()
            raise WorkerEndedError(f"it wrote what is no answer: {error}") from None
        except (EOFError, OSError):
            raise WorkerEndedError(self._end()) from None

    def _end(self) -> str:
        """Return why the process ended by itself."""
        with suppress(subprocess.TimeoutExpired):
            code = self._guard.wait(_STOPPING)
            return f"it could not be started: {self.output()}" if code == NOT_STARTED else _reason(code, self._limits)
        self.stop()
        return "it closed the connection"

    def stop(self) -> None:
        """End the process and all that it started."""
        self._channel.close()
        if self._guard.stdin is not None:
            self._guard.stdin.close()
        try:
            self._guard.wait(_STOPPING)
        except subprocess.TimeoutExpired:
            self._guard.kill()
            self._guard.wait()

    def output(self) -> str:
        """Return the end of what it printed."""
        size = self._output.seek(0, os.SEEK_END)
        self._output.seek(max(size - _OUTPUT, 0))
        return self._output.read().decode(errors="replace")

    def close(self) -> None:
        """End it, and forget what it printed."""
        self.stop()
        self._output.close()


def _plan(folder: Path, source: str, settings: dict[str, Any], limits: Limits) -> dict[str, Any]:
    confinement: Confinement = {
        "seconds": int(limits.seconds * (limits.requests + 1)) + 1,
        "memory": limits.memory,
        "file_size": limits.file_size,
        "processes": limits.processes,
        "read": readable_folders(),
        "write": [str(folder), *_DEVICES],
        "list": [str(_ACCEL.parent)],
        "user": limits.user and list(limits.user),
    }
    words = json.dumps({"source": source, "settings": settings})
    return {
        "command": [_PYTHON, "-P", "-B", "-s", "-u", "-m", "accel.commands.grading.worker", words],
        "folder": str(folder / "files"),
        "environment": {
            **{name: os.environ[name] for name in _KEPT if name in os.environ},
            **dict.fromkeys(("HOME", "TMPDIR"), str(folder / "files")),
            **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"),
            "LANG": "C.UTF-8",
            "PYTHONHASHSEED": "0",
            "NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS": "0",
            "PYTHONPATH": str(_ACCEL.parent),
            "ACCEL_CACHE_DIR": str(folder / "cache"),
        },
        "confinement": confinement,
    }


def _reason(code: int, limits: Limits) -> str:
    names = {
        signal.SIGXCPU: f"it used more than {limits.seconds:g} seconds of the processor for each request",
        signal.SIGXFSZ: f"it wrote more than {limits.file_size >> 20} MiB to a file, or as output",
    }
    if code <= 128:
        return f"it ended by itself, with exit code {code}"
    try:
        which = signal.Signals(code - 128)
    except ValueError:
        return f"it was ended by signal {code - 128}"
    return names.get(which, f"it was ended by {which.name}")
