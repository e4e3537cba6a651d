"""The process of a program: loads it, runs its `main`, and writes a report for each finding.

It is started with `Settings` as JSON, and the arguments of the program. It ends as the program does, which may call
``exit`` anywhere; so what it finds goes to a file at once, a line of JSON for each report, and one for each repetition.
"""

import ctypes
import json
import signal
import sys
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, cast

from accel.support.kernel_reports import KernelReport, ThreadPlace

from ..build.building import Built
from ..findings.explanations import Launched, distinct, reports_of
from ..launch import structures
from ..launch.allocations import Area, Areas
from ..launch.module import Module

__all__ = ["VARIABLE", "Host", "Image", "Origin", "Settings"]


class Settings(NamedTuple):
    """What a program is run with.

    Attributes
    ----------
    path, runtime : str
        The files of `Built`.
    reports : str
        The file for reports.
    devices : list of str
        Names of the variables of the device.
    checks : str
        As of `execution.run`.
    warp, seed, workers, memory, heap : int
        Threads of a warp, the seed of the order of threads, threads of the system, bytes of the device and of its heap.
    limit : float
        Seconds for each kernel.
    late : bool
        Streams run when they are waited for, in an order drawn from the seed; otherwise their work is done at once.
    """

    path: str
    runtime: str
    reports: str
    devices: list[str]
    checks: str
    warp: int
    seed: int
    workers: int
    memory: int
    heap: int
    limit: float
    late: bool


_FINISHED = ctypes.CFUNCTYPE(None, ctypes.POINTER(structures.Launch), ctypes.c_char_p, ctypes.c_uint64)
_MISUSED = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint64)


class Origin(ctypes.Structure):
    """See ``api.h``."""

    function: bytes
    pc: int
    released_pc: int
    kind: int
    _fields_ = [
        ("function", ctypes.c_char_p),
        ("pc", ctypes.c_uint64),
        ("released_pc", ctypes.c_uint64),
        ("kind", ctypes.c_uint32),
        ("device", ctypes.c_int32),
        ("pooled", ctypes.c_bool),
    ]


VARIABLE = 3
"""The kind of memory of a variable of the module, as in ``api.h``."""


class Image(ctypes.Structure):
    """See ``api.h``. The runtime fills in the last two."""

    _fields_ = [
        ("segments", structures.Segments),
        ("launch", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
    ]


class Host(ctypes.Structure):
    """See ``api.h``."""

    _fields_ = [
        ("image", Image),
        ("memory", ctypes.c_uint64),
        ("heap", ctypes.c_uint64),
        ("seed", ctypes.c_uint64),
        ("limit", ctypes.c_double),
        ("finished", _FINISHED),
        ("misused", _MISUSED),
        ("warp_size", ctypes.c_uint32),
        ("checks", ctypes.c_uint32),
        ("workers", ctypes.c_uint32),
        ("late", ctypes.c_uint32),
    ]


class _Areas:
    """The memory of a launch, from the table of the runtime; see `allocations.Areas`."""

    def __init__(self, program: "_Program", launch: Any) -> None:
        ranges = ctypes.cast(launch.ranges, ctypes.POINTER(structures.Range))
        self.all = [program.area(number, ranges[number]) for number in range(launch.range_count)]

    def nearest(self, address: int) -> Area | None:
        """Return the area that is nearest to an address."""
        return min(self.all, key=lambda area: area.distance(address), default=None)


class _Program:
    """A program that was loaded."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.module = Module.load(Built(Path(settings.path), Path(settings.runtime)), "program")
        self.runtime = self.module.runtime
        self.runtime.accel_sim_host_owner.restype = ctypes.POINTER(Origin)
        self.seen: dict[object, int] = {}
        self._reports = Path(settings.reports).open("a", encoding="utf-8")  # noqa: SIM115 - to the end of the process
        self._begin()

    def _begin(self) -> None:
        module, settings = self.module, self.settings
        self._host = Host(
            image=Image(structures.segments_of(module)),
            memory=settings.memory,
            heap=settings.heap,
            seed=settings.seed,
            limit=settings.limit,
            finished=_FINISHED(self.finished),
            misused=_MISUSED(self.misused),
            warp_size=settings.warp,
            checks=sum({structures.CHECKS[name] for name in settings.checks.split(",") if name}),
            workers=settings.workers,
            late=settings.late,
        )
        self.runtime.accel_sim_host_begin(ctypes.byref(self._host))
        self._names = [variable.name.encode() for variable in module.globals]
        for variable, name in zip(module.globals, self._names, strict=True):
            if variable.name in settings.devices:
                self.runtime.accel_sim_host_variable(
                    ctypes.c_void_p(variable.offset), ctypes.c_uint64(variable.size), name, int(variable.readonly)
                )

    def area(self, number: int, used: Any) -> Area:
        """Describe a range of the runtime's table."""
        owner = self.runtime.accel_sim_host_owner(ctypes.c_uint64(number)).contents
        function = owner.function.decode()
        variable = owner.kind == VARIABLE
        text = f"the variable {function} of {used.size} bytes" if variable else f"{used.size} bytes of {function}"
        return Area(used.begin, used.size, text, self._site(owner.pc), self._site(owner.released_pc))

    def _site(self, pc: int) -> str:
        frames = self.module.frames(pc) if pc else ()
        frame = next((frame for frame in frames if "accel_sim" not in frame.file), None)
        return "" if frame is None else f"{frame.file}:{frame.line}"

    def finished(self, pointer: Any, kernel: bytes, pc: int) -> None:
        """Report the findings of a launch that are new."""
        launch = pointer.contents
        findings = ctypes.cast(launch.findings, ctypes.POINTER(structures.Finding))[: launch.finding_count]
        new = [each for each in findings if self._is_new((kernel, each.kind, each.here.pc, each.other.pc), each.count)]
        if not new:
            return
        standings = ctypes.cast(launch.standings, ctypes.POINTER(structures.Standing))[: launch.standing_count]
        launched = Launched(
            kernel=kernel.decode(errors="replace").removeprefix("(").removesuffix(")"),
            grid=launch.grid.xyz,
            block=launch.block.xyz,
            warp=launch.warp_size,
            shared=launch.dynamic_shared,
            limit=int(launch.limit),
            module=self.module,
            areas=cast("Areas", _Areas(self, launch)),
            arguments=(),
        )
        for report in reports_of(launched, distinct(launched, new), standings):
            self._write(report)

    def misused(self, function: bytes, what: bytes, pc: int) -> None:
        """Report a wrong use of the API."""
        if self._is_new((function, pc), 1):
            name = function.decode()
            frames = self.module.frames(pc)
            at = f" at {frames[0].file}:{frames[0].line}" if frames else ""
            place = ThreadPlace((0, 0, 0), (0, 0, 0), "calls", 0, frames)
            message = f"{name}{at}: {what.decode()}"
            self._write(KernelReport("api", "wrong use", name, (0, 0, 0), (0, 0, 0), place, None, "", None, 1, message))

    def _is_new(self, key: object, count: int) -> bool:
        """Whether a finding is the first of its kind; counts it."""
        new = key not in self.seen
        number = self.seen.setdefault(key, len(self.seen))
        self._line({"number": number, "count": count})
        return new

    def _write(self, report: KernelReport) -> None:
        ctypes.CDLL(None).fflush(None)  # what the program printed before comes first
        sys.stderr.write(f"accel: {report.message}\n")
        sys.stderr.flush()
        self._line(report.json())

    def _line(self, value: object) -> None:
        print(json.dumps(value), file=self._reports, flush=True)

    def run(self, arguments: list[str]) -> NoReturn:
        """Run `main`, and end the process as it says."""
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        words = [word.encode(errors="surrogateescape") for word in arguments]
        argv = (ctypes.c_char_p * (len(words) + 1))(*words, None)
        code = ctypes.CDLL(self.settings.path).main(len(words), argv)
        ctypes.CDLL(None).exit(code)
        raise AssertionError("exit returned")


if __name__ == "__main__":
    _Program(Settings(**json.loads(sys.argv[1]))).run(sys.argv[2:])
