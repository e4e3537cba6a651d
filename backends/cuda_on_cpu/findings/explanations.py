"""From the findings of the runtime to reports: places with source lines, and memory with its owner."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from accel.errors import KernelCheckError
from accel.support.kernel_reports import Dim3, Frame, KernelReport, ThreadPlace, announce
from accel.support.kernel_reports.texts import written_reports

from ..launch.allocations import Area, Areas, Argument
from ..launch.module import Module
from ..launch.structures import Divergence, Finding, Kind, Mode, Place, Space, Standing
from .kinds import CHECKS, ERRORS, NAMES
from .messages import Accessed, Subject, message_of
from .words import in_words

__all__ = ["Launched", "accessed_of", "distinct", "error_of", "place_of", "reports_of"]

_NEAR = 1 << 20
"""An address that is farther than this from all memory is called invalid, not out of its bounds."""

_SPACES: Mapping[int, str] = {
    Space.GLOBAL: "global",
    Space.SHARED: "shared",
    Space.DYNAMIC_SHARED: "dynamic shared",
    Space.LOCAL: "local",
    Space.HEAP: "heap",
}
_STATES = ("running", "waiting at a barrier", "waiting for its warp", "waiting for the grid", "not started", "ended")


@dataclass(frozen=True, slots=True)
class Launched:
    """What reports need to know of a launch.

    Attributes
    ----------
    kernel : str
        Name of the kernel.
    grid, block : tuple of three ints
        Extents.
    warp : int
        Threads of a warp.
    shared : int
        Bytes of dynamic shared memory.
    module : Module
        The code.
    areas : Areas
        All memory.
    arguments : sequence of Argument
        The memory that was passed.
    limit : float
        Seconds after which it was to be stopped.
    words : mapping of str to str
        What its language has for words of CUDA.
    """

    kernel: str
    grid: Dim3
    block: Dim3
    warp: int
    shared: int
    module: Module
    areas: Areas
    arguments: Sequence[Argument]
    limit: float = 0
    words: Mapping[str, str] = field(default_factory=dict)

    def names(self, area: Area) -> list[Argument]:
        """Return the arguments that are memory in an area."""
        return [each for each in self.arguments if area.begin <= each.host <= area.end]


def reports_of(launched: Launched, findings: Iterable[Finding], standings: Iterable[Standing]) -> list[KernelReport]:
    """Return a report for each finding; where threads stood is told with the finding that stopped the launch."""
    stood = tuple(_standing(launched, each) for each in standings)
    return [_report(launched, each, stood if each.kind in _WITH_THREADS else ()) for each in findings]


def error_of(kind: int, reports: tuple[KernelReport, ...]) -> Exception:
    """Return the error of a finding, with its report and those of the others; observers are told of them."""
    announce(reports)
    text, error = written_reports(reports), ERRORS[kind]
    return error(text, reports) if issubclass(error, KernelCheckError) else error(text)


def distinct(launched: Launched, findings: Iterable[Finding]) -> list[Finding]:
    """Return findings without repetitions, and without those that are none."""
    return [
        each
        for each in _merged(launched, findings)
        if not _is_one_barrier(launched, each) and not _is_guess(launched, each)
    ]


def _is_one_barrier(launched: Launched, finding: Finding) -> bool:
    """Tell whether both threads wait at the same barrier: compilers make copies of code."""
    if finding.kind != Kind.DIVERGENT_BARRIER or finding.detail != Divergence.MAYBE_ONE:
        return False
    here = launched.module.columns(finding.here.pc)
    return bool(here) and here == launched.module.columns(finding.other.pc)


_CAS = re.compile(r"atomicCAS|compare_exchange|atomic\.cas|compare_and_swap")
_LINES_OF_A_LOOP = 8


def _is_guess(launched: Launched, finding: Finding) -> bool:
    """Tell whether a plain read is what a loop of atomicCAS begins with: it need not be the latest value.

    The guide of CUDA writes atomic operations that there are not in this way.
    """
    places = finding.here, finding.other
    if finding.kind != Kind.RACE or sorted(each.mode == Mode.READ for each in places) != [False, True]:
        return False
    read, update = sorted(places, key=lambda each: each.mode != Mode.READ)
    ours, theirs = _frames(launched, read.pc), _frames(launched, update.pc)
    if not update.mode & Mode.ATOMIC or not ours or not theirs or not _CAS.search(theirs[0].text):
        return False
    same = (ours[0].function, ours[0].file) == (theirs[0].function, theirs[0].file)
    return same and 0 <= theirs[0].line - ours[0].line <= _LINES_OF_A_LOOP


def _merged(launched: Launched, findings: Iterable[Finding]) -> Iterable[Finding]:
    """Return findings without those that repeat another one; their counts are added to its count.

    Those are races with the sides exchanged, and conflicts of banks in copies of a line that the compiler made.
    """
    merged: dict[object, Finding] = {}
    for finding in findings:
        first = merged.setdefault((finding.kind, _identity(launched, finding)), finding)
        if first is not finding:
            first.count += finding.count
            first.scope = max(first.scope, finding.scope)
            if finding.kind == Kind.BANK_CONFLICT:
                first.detail += finding.detail  # both halves
    return merged.values()


def _identity(launched: Launched, finding: Finding) -> object:
    frames = _frames(launched, finding.here.pc)
    if finding.kind == Kind.BANK_CONFLICT and frames:
        return frames, finding.here.mode
    return frozenset((each.pc, each.mode) for each in (finding.here, finding.other))


_WITH_THREADS = (Kind.DIVERGENT_BARRIER, Kind.DEADLOCK, Kind.TIMEOUT)


def _report(launched: Launched, finding: Finding, threads: tuple[ThreadPlace, ...]) -> KernelReport:
    accessed = accessed_of(launched, finding)
    action, others = _ACTIONS.get(finding.kind, ("is there", "is there"))
    here = place_of(launched, finding.here, action)
    if finding.kind == Kind.DIVERGENT_BARRIER and finding.detail == Divergence.PAST:
        others = "has gone past it"
    other = place_of(launched, finding.other, others) if finding.other.pc or finding.kind in _TWO_SIDED else None
    subject = Subject(
        finding, launched.kernel, launched.grid, launched.block, launched.limit, here, other, accessed, threads
    )
    return KernelReport(
        CHECKS[finding.kind],
        NAMES[finding.kind],
        launched.kernel,
        launched.grid,
        launched.block,
        here,
        other,
        in_words(accessed.memory, launched.words),
        accessed.offset,
        finding.count,
        in_words(message_of(subject), launched.words),
        threads,
        _SPACES.get(finding.space, ""),
        accessed.size,
        launched.warp,
    )


_TWO_SIDED = (Kind.RACE, Kind.DIVERGENT_BARRIER)
_ACTIONS: Mapping[int, tuple[str, str]] = {
    Kind.DIVERGENT_BARRIER: ("waits at a barrier", "waits elsewhere"),
    Kind.WRONG_MASK: ("calls a warp operation", "is elsewhere"),
    Kind.DEADLOCK: ("waits", "waits"),
    Kind.NOT_COOPERATIVE: ("waits for the grid", "waits for the grid"),
    Kind.TIMEOUT: ("runs", "runs"),
}
_SEVERAL = 0xFFFFFFFF
"""The index of a thread that is not known: several made the same access, and only the first of them is kept."""


def place_of(launched: Launched, place: Place, action: str) -> ThreadPlace:
    """Return a thread at an instruction; what it does there, unless that is an access."""
    frames = _frames(launched, place.pc)
    thread = None if place.thread.x == _SEVERAL else place.thread.xyz
    return ThreadPlace(place.block.xyz, thread, _action(place.mode) or action, place.size, frames)


def _standing(launched: Launched, standing: Standing) -> ThreadPlace:
    frames = _frames(launched, standing.pc)
    return ThreadPlace(standing.block.xyz, standing.thread.xyz, _STATES[standing.state], 0, frames)


def _action(mode: int) -> str:
    if mode & Mode.ATOMIC:
        return "updates atomically"
    return "writes" if mode & Mode.WRITE else "reads" if mode & Mode.READ else ""


def _frames(launched: Launched, pc: int) -> tuple[Frame, ...]:
    """Return the call stack without what accel adds to each source."""
    return tuple(frame for frame in launched.module.frames(pc) if frame.file != "view.cuh")


def accessed_of(launched: Launched, finding: Finding) -> Accessed:
    """Return what is known of the memory that a finding is about."""
    if finding.space in (Space.SHARED, Space.DYNAMIC_SHARED, Space.LOCAL, Space.HEAP):
        return _on_chip(launched, finding)
    areas = launched.areas.all
    area = areas[finding.range] if 0 <= finding.range < len(areas) else launched.areas.nearest(finding.address)
    if area is not None and area.distance(finding.address) < _NEAR:
        return _in_area(launched, finding.address, area)
    return _wrapped(launched, finding.address - (finding.here.size << 32))


def _wrapped(launched: Launched, address: int) -> Accessed:
    """Return memory at an address that an unsigned index of 32 bits would have, had it not gone below 0."""
    area = launched.areas.nearest(address)
    if area is None or area.distance(address) >= _NEAR or not launched.names(area):
        return Accessed()
    accessed = _in_area(launched, address, area)
    return Accessed(name=accessed.name, from_name=accessed.from_name, wrapped=True)


def _in_area(launched: Launched, address: int, area: Area) -> Accessed:
    """Return memory under the name of the argument that it is, and the element as a number from where that begins."""
    argument = min(launched.names(area), key=lambda each: _distance(each, address), default=None)
    name = area.variable.name if area.variable is not None else argument.name if argument is not None else ""
    origin = area.begin if argument is None else argument.host
    memory = area.description if area.variable is not None or not name else f"{name}, {area.description}"
    if area.site:
        memory += f", allocated at {area.site}"
    if area.freed:
        memory += f", released at {area.freed}"
    return Accessed(memory, name, address - area.begin, area.size, address - origin)


def _distance(argument: Argument, address: int) -> int:
    return max(argument.host - address, address - argument.host - argument.nbytes, 0)


def _on_chip(launched: Launched, finding: Finding) -> Accessed:
    variables = launched.module.shared
    if finding.space == Space.SHARED and 0 <= finding.range < len(variables):
        variable = variables[finding.range]
        offset = finding.offset
        return Accessed(
            f"the __shared__ variable {variable.name} of {variable.size} bytes",
            variable.name,
            offset,
            variable.size,
            offset,
        )
    if finding.space == Space.DYNAMIC_SHARED:
        memory, size = f"the dynamic shared memory of {launched.shared} bytes", launched.shared
        return Accessed(memory, "", finding.offset, size, finding.offset)
    if finding.space == Space.HEAP:
        known = finding.range >= 0
        memory = (
            f"{finding.range} bytes of the heap that a kernel allocated" if known else "memory of the heap of kernels"
        )
        return Accessed(memory, "", finding.offset if known else None, max(finding.range, 0), finding.offset)
    return Accessed("a local variable" if finding.space == Space.LOCAL else "shared memory")
