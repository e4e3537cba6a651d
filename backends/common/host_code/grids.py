"""Prints explicit grids: the code of a thread, and a loop over the threads of each block.

A thread that waits for others returns the number of the place where it waits, and is called again to go on from there.
Its variables are in a frame meanwhile. All threads of a block run in turn until they wait, in one thread of the host.
"""

from typing import NamedTuple

from accel.ir import Barrier, Program, Shuffle, Threads, Vote

from .forms import TRUTH_FORM, form_of
from .guards import assigned_locals, statements_in
from .memory import Memory, load, store
from .schedules import WARP, schedule, simple_schedule
from .slots import Slots
from .statements import STOPPED, Statements
from .steps import Function

__all__ = ["threads"]

_PARAMETERS = "(ptr noalias %args, ptr %frame, ptr %shared, ptr %warp, i64 %size, i64 %block, i64 %thread)"
_FINISHED = "i64 -1"
_TURN, _VALUES = 8, 16
"""Where a frame holds which of two values the next operation of the warp exchanges, and where these are."""

_WAITING = (Barrier, Shuffle, Vote)


def threads(program: Program, slots: Slots, helpers: dict[str, str], number: int, step: Threads) -> str:
    """Return the functions of an explicit grid: of a thread, and of a range of blocks."""
    waits = any(isinstance(statement, _WAITING) for statement in statements_in(step.body))
    shared = _SharedMemory(program)
    thread = _Thread(program, slots, helpers, shared, waits=waits)
    printed = thread.printed(number, step)
    if not waits:
        return printed + simple_schedule(slots, helpers, number, shared.nbytes)
    return printed + schedule(slots, helpers, number, shared.nbytes, thread.scope.room, thread.sites)


class _SharedMemory:
    """Where the shared arrays lie in the memory of a block."""

    def __init__(self, program: Program) -> None:
        self.places: dict[str, int] = {}
        self.nbytes = 16
        for array in program.arrays:
            if array.space == "shared":
                self.places[array.name] = self.nbytes
                self.nbytes += -(-array.size * array.dtype.itemsize // 64) * 64


class _Place(NamedTuple):
    """Where a thread waits: its number, odd if only the warp is waited for; the label behind it; the site."""

    number: int
    label: str
    site: int


class _Thread(Function):
    """Prints the code of a thread."""

    def __init__(
        self, program: Program, slots: Slots, helpers: dict[str, str], shared: _SharedMemory, *, waits: bool
    ) -> None:
        super().__init__(program, slots, helpers, "%frame" if waits else "")
        self._waits = waits
        self._waiting: list[_Place] = []
        for array in program.arrays:
            form = form_of(array.dtype)
            if array.space == "shared":
                address = self.text.value(f"getelementptr i8, ptr %shared, i64 {shared.places[array.name]}", array.name)
                self.scope.memories[array.name] = Memory(address, form)
            elif waits:
                address = self.scope.reserve(array.size * array.dtype.itemsize, array.name)
                self.scope.memories[array.name] = Memory(address, form)
        if not waits:
            self.arrays("local")
        self._find_places(slots)

    @property
    def sites(self) -> list[int]:
        """The sites of the places where a thread waits, by number."""
        return [place.site for place in self._waiting]

    def _find_places(self, slots: Slots) -> None:
        """Compute where the thread is."""
        text, places = self.text, self.scope.places
        for what, first, linear in (("grid_size", 0, "%block"), ("block_size", 3, "%thread")):
            rest = linear
            for axis in range(3):
                extent = text.value(f"load i64, ptr {self.at(slots.grid + 8 * (first + axis))}", what)
                places[what, axis] = extent
                part = text.value(f"urem i64 {rest}, {extent}")
                places["block" if first == 0 else "thread", axis] = part
                rest = text.value(f"udiv i64 {rest}, {extent}")
        places["lane", 0] = text.value(f"and i64 %thread, {WARP - 1}", "lane")
        places["warp", 0] = str(WARP)
        sizes = [places["block_size", axis] for axis in range(3)]
        self._threads = text.value(f"mul i64 {text.value(f'mul i64 {sizes[0]}, {sizes[1]}')}, {sizes[2]}", "threads")
        count = text.value(f"add i64 {text.value(f'mul i64 %block, {self._threads}')}, %thread")
        self.scope.iteration = text.slot("i64", "iteration")
        text.do(f"store i64 {count}, ptr {self.scope.iteration}")

    def printed(self, number: int, step: Threads) -> str:
        """Return the function of a thread."""
        text, statements = self.text, _Statements(self)
        text.jump("dispatch")
        text.block("start")
        for local in assigned_locals(step.body):
            self.scope.assign(local, form_of(local.dtype).constant(0))
        self.prelude(statements)
        statements.body(step.body)
        text.block(STOPPED)
        text.leave(_FINISHED)
        text.block("dispatch")
        if self._waits:
            state = text.value("load i64, ptr %frame")
            text.switch(state, "start", ((place.number, place.label) for place in self._waiting))
        else:
            text.jump("start")
        hint = "" if self._waits else " alwaysinline"
        return text.function(f"internal i64 @thread{number}{_PARAMETERS}{hint}")

    def wait(self, site: int, *, warp: bool) -> None:
        """Return from the function, to go on behind when all threads of the block or the warp wait here."""
        number, label = 2 * len(self._waiting) + 2 + warp, self.text.fresh("resumed")
        self._waiting.append(_Place(number, label, site))
        self.text.leave(f"i64 {number}")
        self.text.block(label)

    def field(self, frame: str, place: str) -> str:
        """Return the address of a byte of a frame."""
        return self.text.value(f"getelementptr i8, ptr {frame}, i64 {place}", "field")

    def value_of(self, frame: str, turn: str) -> str:
        """Return the address of the value that a thread gives to its warp."""
        start = self.text.value(f"mul i64 {turn}, 16")
        return self.field(frame, self.text.value(f"add i64 {start}, {_VALUES}"))

    def turn(self) -> str:
        """Return which of the two values comes next."""
        return self.text.value(f"load i64, ptr {self.field('%frame', str(_TURN))}", "turn")

    def flip(self, turn: str) -> str:
        """Return the other of the two values."""
        return self.text.value(f"xor i64 {turn}, 1")

    def lanes(self) -> str:
        """Return how many threads the warp has."""
        text = self.text
        first = text.value(f"sub i64 %thread, {self.scope.places['lane', 0]}")
        least = text.declare("i64", "llvm.umin.i64", "i64", "i64")
        return text.value(f"call i64 {least}(i64 {text.value(f'sub i64 {self._threads}, {first}')}, i64 {WARP})")

    def frame_of(self, lane: str) -> str:
        """Return the frame of another thread of the warp."""
        return self.field("%warp", self.text.value(f"mul i64 {lane}, %size"))


class _Statements(Statements):
    """Prints the statements of a thread."""

    def __init__(self, thread: _Thread) -> None:
        super().__init__(thread.scope)
        self._thread = thread
        self.printers[Barrier] = lambda x: thread.wait(x.site, warp=False)
        self.printers[Shuffle] = self._shuffle
        self.printers[Vote] = self._vote

    def may_repeat(self, body: object) -> bool:
        """Whether a body may be printed twice: each place where threads wait has one number."""
        return not any(isinstance(statement, _WAITING) for statement in statements_in(body))  # type: ignore[arg-type]

    def _shuffle(self, x: Shuffle) -> None:
        thread, text, form = self._thread, self.text, form_of(x.target.dtype)
        value, lane = self.expressions.values(x.value), self.expressions.index(x.lane)
        turn, saved = thread.turn(), self.scope.cell("i64", "lane")
        text.do(f"store i64 {lane}, ptr {saved}")
        store(text, form, thread.value_of("%frame", turn), value)
        text.do(f"store i64 {thread.flip(turn)}, ptr {thread.field('%frame', str(_TURN))}")
        thread.wait(x.site, warp=True)
        own, lane = self.scope.places["lane", 0], text.value(f"load i64, ptr {saved}")
        op = {"up": "sub", "down": "add", "xor": "xor"}.get(x.kind)
        other = text.value(f"{op} i64 {own}, {lane}") if op else lane
        there = text.value(f"icmp ult i64 {other}, {thread.lanes()}")
        peer = text.value(f"select i1 {there}, i64 {other}, i64 {own}")
        place = thread.value_of(thread.frame_of(peer), thread.flip(thread.turn()))
        self.scope.assign(x.target, load(text, form, place))

    def _vote(self, x: Vote) -> None:
        thread, text = self._thread, self.text
        condition, turn = self.expressions.values(x.condition), thread.turn()
        store(text, TRUTH_FORM, thread.value_of("%frame", turn), condition)
        text.do(f"store i64 {thread.flip(turn)}, ptr {thread.field('%frame', str(_TURN))}")
        thread.wait(x.site, warp=True)
        bits, lanes = self._ballot(), thread.lanes()
        if x.kind == "ballot":
            self.scope.assign(x.target, (bits,))
            return
        everyone = text.value(f"sub i64 {text.value(f'shl i64 1, {lanes}')}, 1")
        test = f"icmp eq i64 {bits}, {everyone}" if x.kind == "all" else f"icmp ne i64 {bits}, 0"
        self.scope.assign(x.target, (text.value(test),))

    def _ballot(self) -> str:
        """Return the conditions of all threads of the warp, as bits."""
        thread, text = self._thread, self.text
        turn, lanes = thread.flip(thread.turn()), thread.lanes()
        bits, lane = text.slot("i64", "bits"), text.slot("i64", "lane")
        for cell in (bits, lane):
            text.do(f"store i64 0, ptr {cell}")
        head, body, after = (text.fresh(hint) for hint in ("lanes", "lane", "after"))
        text.block(head)
        number = text.value(f"load i64, ptr {lane}")
        text.branch(text.value(f"icmp ult i64 {number}, {lanes}"), body, after)
        text.block(body)
        (vote,) = load(text, TRUTH_FORM, thread.value_of(thread.frame_of(number), turn))
        bit = text.value(f"shl i64 {text.value(f'zext i1 {vote} to i64')}, {number}")
        before = text.value(f"load i64, ptr {bits}")
        text.do(f"store i64 {text.value(f'or i64 {before}, {bit}')}, ptr {bits}")
        text.do(f"store i64 {text.value(f'add i64 {number}, 1')}, ptr {lane}")
        text.jump(head)
        text.block(after)
        return text.value(f"load i64, ptr {bits}")
