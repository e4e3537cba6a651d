"""Random schedules of several threads on shared containers, and an oracle for their results.

All submissions have one order: that in which they are recorded as hazards. So a schedule is run again in that order,
one operation after the other, on a model of plain bytes. All values that were read or left, and all errors, must be
those of the model. Reads and writes of single elements are not recorded. Their place in the order is searched for: a
place between the beginning and the end of the operation must explain all results. Recorded operations in that interval
that only read may each come before or after it.

Nor is work in order without events. Its place is that of the check that it is covered. If something
was recorded between the checks of its target and its source, the place is before what uses the target.

Run with ``--count``, ``--seed`` and ``--devices``; prints the number of schedules, or the first that is wrong. For
GPUs, ``--standin`` is the seed of the order in which those of the stand-in for CuPy work. ``--plant`` plants a bug.
"""

import argparse
import faulthandler
import random
import re
import sys
import threading
import time
from contextlib import nullcontext
from functools import partial
from importlib.machinery import ModuleSpec
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

import numpy as np

import accel
from accel import HostStorage, Layout, LayoutTensor, xp
from accel.copies import fills, over_link, thresholds, transfer, within_device
from accel.kernels import gate_code
from accel.kernels.launch_code import MISSED
from accel.kernels.raw.launcher import Launchers
from accel.memory import (
    async_link_copies,
    byte_copies,
    hazards,
    link_copies,
    pinned,
    storage_work,
    stream_order,
    submission,
)
from accel.memory.storage_work import Use, submit_ordered

SIZE = 32
INLINE = 24  # bytes below which a stream's work is done by its caller: half a container
HUNG = 60  # seconds
PARTS = (slice(0, SIZE), slice(0, SIZE // 2), slice(SIZE // 2, SIZE), slice(0, SIZE, 2), slice(1, SIZE, 2))


COPY = """
extern "C" __global__ void copy(unsigned char* target, const unsigned char* source, long long count) {
    if (threadIdx.x < count) target[threadIdx.x] = source[threadIdx.x];
}
"""


class BoomError(Exception):
    """An error that is raised on purpose."""


class Place(NamedTuple):
    """A range of bytes of one memory of the model."""

    memory: int
    part: slice


class Drawn(NamedTuple):
    """The random choices for an operation: containers, parts of them, streams, and so on."""

    to: int
    of: int
    into: slice
    out_of: slice
    stream: object
    mine: object
    index: int
    value: int
    wait: bool


class Operation:
    """An operation of one thread, and its result."""

    def __init__(self, kind, target=None, source=None, value=0):
        self.kind = kind
        self.target = target
        self.source = source
        self.value = value
        self.begin = self.end = 0  # the length of the log
        self.noted = False
        self.result = self.transfer = None
        self.failed = False

    def __repr__(self):
        result = "failed" if self.failed else self.result
        where = f"noted [{self.begin}, {self.end}]"
        return f"{self.kind} to {self.target} from {self.source} value {self.value}: {result}, {where}"


class Entry:
    """An operation in the log, and the memory that it uses; there may be none.

    If it is placed at its first check, ``last`` is the entry of its last one.
    """

    def __init__(self, operation, claims):
        self.operation = operation
        self.claims = claims
        self.last = self

    def __iter__(self):
        return iter((self.operation, self.claims))

    def meets(self, claim):
        """Tell whether some of its memory is that of a claim, and one of the two writes it."""
        record, begin, end, writes, _ = claim
        return any(
            each is record and low < end and begin < high and (writing or writes)
            for each, low, high, writing, _ in self.claims
        )


class State(NamedTuple):
    """The state of the model: bytes, failed writes, and earlier bytes that may still be read."""

    memory: tuple[bytes, ...]
    failures: frozenset  # of (memory, low, high, position in the log)
    before: tuple = ()  # of (place, content, last position at which it may be read)

    def read(self, place):
        return self.memory[place.memory][place.part]

    def written(self, place, content):
        changed = bytearray(self.memory[place.memory])
        changed[place.part] = content
        memory = (*self.memory[: place.memory], bytes(changed), *self.memory[place.memory + 1 :])
        before = tuple(each for each in self.before if not _meet(each[0], place))
        return self._replace(memory=memory, before=before)

    def seen(self, place, at, coming=()):
        """Return all bytes that the operation at a position of the log may read while elements are being written."""
        result = [self.memory[place.memory]]
        writing = [(each.target, _content(each), at + 1) for each in coming if each.source is None]
        for element, content, until in (*self.before, *writing):
            if at < until and _meet(element, place):
                index = element.part.start
                result += [each[:index] + content + each[index + 1 :] for each in result]
        return {each[place.part] for each in result}

    def fails(self, memory, low=0, high=SIZE):
        return any(m == memory and a < high and low < b for m, a, b, _ in self.failures)

    def failed_since(self, operation):
        """Tell whether all failed writes where an operation reads were recorded after it began."""
        memory = operation.source.memory
        return operation.target is None and all(at >= operation.begin for m, _, _, at in self.failures if m == memory)

    def replaced(self, memory, low, high):
        left = {each for each in self.failures if each[0] != memory or each[1] < low or high < each[2]}
        return self._replace(failures=frozenset(left))


class Bench:
    """The containers, streams and threads of all schedules."""

    def __init__(self, devices, threads=4):
        self.log = []
        self.doing = {}
        self.checks = threading.local()  # the entries of work that is being checked, the first on top
        self.yields = random.Random(0)
        self.gpus = any(device.startswith("cuda") for device in devices)
        shared = np.zeros(SIZE, np.uint8)
        self.containers, self.memory = [], []
        for number, where in enumerate(devices):
            for _ in range(2):
                self.containers.append(self.full(0, where, page_locked=_ == 1))
                self.memory.append(2 * number + _)
        looking = [accel.AcceleratorDataContainer.on(HostStorage(shared)) for _ in range(2)]
        self.containers += looking
        self.memory += [2 * len(devices)] * 2
        self.memories = 2 * len(devices) + 1
        self.kernel = accel.RawKernel.from_source(COPY)
        self.base = {}
        for container, memory in zip(self.containers, self.memory, strict=True):
            self.base[memory] = container.storage.pointer
        self.arrays = {place: xp.asarray(c) for place, c in enumerate(self.containers) if c.device.type == "cpu"}
        self.streams = [accel.new_stream(device) for device in devices for _ in range(2)]
        self.failing = {device: accel.new_stream(device) for device in devices}
        self.state = State((bytes(SIZE),) * self.memories, frozenset())
        self.errands = [SimpleQueue() for _ in range(threads)]
        self.over = SimpleQueue()
        for errands in self.errands:
            threading.Thread(target=self.serve, args=(errands,), daemon=True).start()

    def full(self, value, device, *, page_locked):
        """Return a new container; if there are GPUs, one of the host may be of pinned memory."""
        if not (page_locked and self.gpus and str(device) == "cpu"):
            return accel.full(SIZE, value, "uint8", device=device)
        container = accel.AcceleratorDataContainer.on(pinned(SIZE, "uint8", "cuda:0"))
        container.fill(value)
        return container

    def serve(self, errands):
        while True:
            rng, operations = errands.get()
            for operation in operations:
                self.do(operation, rng)
            self.over.put(None)

    def do(self, operation, rng):
        if rng.random() < 0.3:
            time.sleep(0)
        self.doing[threading.get_ident()] = operation
        operation.begin = len(self.log)
        try:
            operation.result = operation.run()
        except BoomError:
            operation.failed = True
        except BaseException as error:
            operation.result = error
        operation.end = len(self.log)
        self.doing[threading.get_ident()] = None

    # The moments when threads switch, and the log of the order.

    def install(self):
        from accel.memory import in_flight
        from accel.memory.submission import Submission

        enter, given, forget, confirm = hazards.enter, Submission.give, hazards.forget_these, hazards.confirm

        def entered(submission, claims):
            claims = list(claims)
            self.pause()
            with hazards._lock:
                result = enter(submission, claims)
                operation = self.doing.get(threading.get_ident())
                if operation is not None:
                    operation.noted = True
                    self.log.append(Entry(operation, claims))
            self.pause()
            return result

        def giving(submission, stream, work):
            self.pause()
            given(submission, stream, work)
            self.pause()

        def forgetting(*arguments):
            self.pause()
            forget(*arguments)

        def confirming(*arguments):
            self.pause()
            confirm(*arguments)

        self.install_in_order()
        thresholds.INLINE = INLINE
        Submission.give = giving
        hazards.enter = storage_work.enter = entered
        hazards.forget_these = in_flight.forget_these = forgetting
        hazards.confirm = storage_work.confirm = confirming

    def install_in_order(self):
        covered = stream_order.covered

        def checking(storage, writing, *rest):
            self.pause()
            with hazards._lock:
                result = covered(storage, writing, *rest)
                if self.doing.get(threading.get_ident()) is not None and result != stream_order.NOT_COVERED:
                    entry = Entry(None, ())
                    self.checks.made.append((entry, storage.claim(writing=writing)))
                    self.log.append(entry)
            self.pause()
            return result

        def submitting_in_order(submit):
            def submitted(*given, **keywords):
                self.checks.made = []
                result = submit(*given, **keywords)
                if result is not None and result is not False and result is not MISSED:
                    self.place(self.checks.made)
                return result

            return submitted

        def using(use):
            """Log a use of the memory of either end of an asynchronous copy over the link."""

            def used(memory, writing, *rest):
                self.pause()
                with hazards._lock:
                    result = use(memory, writing, *rest)
                    refused = result is False or result == stream_order.NOT_COVERED
                    if self.doing.get(threading.get_ident()) is not None and not refused:
                        entry = Entry(None, ())
                        self.checks.made.append((entry, memory.claim(writing=writing)))
                        self.log.append(entry)
                self.pause()
                return result

            return used

        enter_alone = hazards.enter_alone

        def entering(submission, claim, queue, beside, other):
            self.pause()
            with hazards._lock:
                entry = enter_alone(submission, claim, queue, beside, other)
                operation = self.doing.get(threading.get_ident())
                if entry is not None and operation is not None:
                    low, high, _ = (other[0] or other[1])[0]
                    operation.noted = True
                    self.log.append(Entry(operation, [claim, (beside, low, high, bool(other[0]), False)]))
            self.pause()
            return entry

        link_copies.enter_alone = entering
        stream_order.covered = gate_code.covered = checking
        async_link_copies.covered = checking
        async_link_copies._on_device = using(async_link_copies._on_device)
        async_link_copies._on_host = using(async_link_copies._on_host)
        submitted = submitting_in_order(async_link_copies.submitted_over_link)
        transfer.submitted_over_link = over_link.submitted = submitted
        storage_work.try_in_order = within_device.try_in_order = submitting_in_order(stream_order.try_in_order)
        fills.try_fill_in_order = submitting_in_order(stream_order.try_fill_in_order)
        byte_copies.try_copy_in_order = submitting_in_order(stream_order.try_copy_in_order)
        address, function = gate_code._address, Launchers._function

        def asking(memory):
            """Return the lines that ask `covered` about the usual uses too, so that they are logged."""
            return [re.sub(r"\bnot \((?=w == u|r and )", "not (False and ", line) for line in address(memory)]

        def launching(launchers, *given):
            written = function(launchers, *given)
            return None if written is None else submitting_in_order(written)

        gate_code._address, Launchers._function = asking, launching

    def place(self, checks):
        """Log work that was covered: at its last check, or before what used its memory after an earlier one.

        What was recorded between is then placed before it, if a later check covered the use of the same memory.
        """
        operation = self.doing.get(threading.get_ident())
        if operation is None or not checks:
            return
        log, claims = list(self.log), [claim for _, claim in checks]
        at = [log.index(entry) for entry, _ in checks]
        meeting = [
            (log[n], n < place)
            for n in range(at[0], at[-1])
            for place, claim in zip(at, claims, strict=True)
            if n != place and log[n].meets(claim)
        ]
        early = not all(before for _, before in meeting)
        entry = checks[0 if early else -1][0]
        operation.noted = True
        entry.operation, entry.claims = operation, claims
        if early:
            entry.last = checks[-1][0]
            first = [each for each, before in meeting if before]
            self.log[at[0] : at[-1]] = sorted(log[at[0] : at[-1]], key=lambda each: each not in first)

    def pause(self):
        if self.yields.random() < 0.15:
            time.sleep(0)

    # Operations.

    def tensor(self, number, part):
        step, count = part.step or 1, len(range(*part.indices(SIZE)))
        return LayoutTensor(self.containers[number], Layout(count, step), part.start)

    def fill(self, number, value):
        self.containers[number].fill(value)

    def fill_part(self, number, part, value):
        self.tensor(number, part).fill(value)

    def copy(self, to, of):
        self.containers[to].copy_from(self.containers[of])

    def copy_part(self, to, into, of, out_of):
        self.tensor(to, into).copy_from(self.tensor(of, out_of))

    def copy_later(self, operation, to, of, stream, wait):
        operation.transfer = self.containers[to].copy_from_async(self.containers[of], stream=stream)
        if wait:
            operation.transfer.wait()

    def copy_part_later(self, operation, to, into, of, out_of, stream, wait):
        operation.transfer = self.tensor(to, into).copy_from_async(self.tensor(of, out_of), stream=stream)
        if wait:
            operation.transfer.wait()

    def read(self, number):
        return self.containers[number].to_numpy().tobytes()

    def move(self, number, device, stream=None):
        return self.containers[number].to(device, copy=True, stream=stream)

    def launch(self, operation, to, of, stream):
        """Launch a kernel that copies: on the stream, or on the current one."""
        target, source = self.containers[to], self.containers[of]
        operation.transfer = self.kernel(target, source, SIZE, over=SIZE, stream=stream)

    def copy_on(self, to, of, stream):
        with stream:
            self.copy(to, of)

    def copy_part_on(self, to, into, of, out_of, stream):
        with stream:
            self.copy_part(to, into, of, out_of)

    def launch_on(self, operation, to, of, stream):
        with stream:
            self.launch(operation, to, of, None)

    def temporary_on(self, to, of, stream):
        """Copy by way of memory of another stream that is released at once, and then allocated again."""
        between = accel.empty(SIZE, "uint8", device=stream.device)
        with stream:
            self.kernel(between, self.containers[of], SIZE, over=SIZE)
            self.kernel(self.containers[to], between, SIZE, over=SIZE)
        between.release()
        accel.full(SIZE, 255, "uint8", device=stream.device)

    def temporary(self, operation, to, value, stream):
        """Copy from a container that is dropped at once, and whose memory is then allocated again."""
        container = self.containers[to]
        where = "cpu" if self.gpus and value % 2 else container.device
        given = self.full(value, where, page_locked=value % 4 > 1)
        operation.transfer = container.copy_from_async(given, stream=stream)
        given.release()
        self.full(255, where, page_locked=value % 4 > 1)

    def fail(self, operation, number, stream):
        """Submit a write of a whole container that fails."""

        def boom(*_):
            raise BoomError

        storage = self.containers[number].storage
        give = partial(stream.submit, boom) if stream.device.type == "cpu" else partial(stream.submit, "boom", boom)
        operation.transfer = submit_ordered(stream, (Use(storage, True, whole=True),), give)

    def element(self, number, index):
        return bytes([int(self.containers[number][index])])

    def set_element(self, number, index, value):
        self.containers[number][index] = value

    def array_element(self, number, index):
        return bytes([int(self.arrays[number][index])])

    def set_array_element(self, number, index, value):
        self.arrays[number][index] = value

    # Schedules.

    def any_operation(self, rng, value):
        to, of = rng.randrange(len(self.containers)), rng.randrange(len(self.containers))
        while self.memory[of] == self.memory[to]:
            of = rng.randrange(len(self.containers))
        devices = self.containers[to].device, self.containers[of].device
        kind = rng.choices(KINDS, WEIGHTS)[0]
        drawn = Drawn(
            to,
            of,
            *rng.sample(PARTS[1:], 2),
            rng.choice(
                [stream for stream in self.streams if stream.device in devices and self.may_use(stream, devices)]
            ),
            rng.choice([stream for stream in self.streams if stream.device is devices[0]]),
            rng.randrange(SIZE),
            value,
            rng.random() < 0.3,
        )
        if kind in HOST_ONLY and to not in self.arrays:
            kind = "read"
        if self.gpus:
            kind = self.of_gpus(kind, devices, rng)
        return self.operation(kind, drawn)

    def may_use(self, stream, devices):
        """Return whether a stream copies between two devices: those of the host wait for a GPU's default stream."""
        return stream.device.type != "cpu" or all(device.type == "cpu" for device in devices) or not self.gpus

    def of_gpus(self, kind, devices, rng):
        """Return the kind of an operation; most of those within one GPU are done there."""
        within = devices[0] is devices[1] and devices[0].type != "cpu"
        if within and rng.random() < 0.6:
            return rng.choice(ON_GPUS)
        return "fill" if kind == "fail" else kind  # a failed copy within a GPU is raised by reads only

    def operation(self, kind, drawn):
        """Return a random operation of a kind, ready to run."""
        to, of, into, out_of, stream, mine, index, value, wait = drawn
        at = slice(index, index + 1)
        # The part and container that it writes, what it reads, and how.
        written, read, run, *arguments = {
            "fill": (PARTS[0], None, self.fill, to, value),
            "fill part": (into, None, self.fill_part, to, into, value),
            "copy": (PARTS[0], PARTS[0], self.copy, to, of),
            "copy part": (into, out_of, self.copy_part, to, into, of, out_of),
            "copy later": (PARTS[0], PARTS[0], self.copy_later, to, of, stream, wait),
            "copy part later": (into, out_of, self.copy_part_later, to, into, of, out_of, stream, wait),
            "temporary": (PARTS[0], None, self.temporary, to, value, mine),
            "read": (None, PARTS[0], self.read, to),
            "move": (None, PARTS[0], self.move, to, stream.device),
            "move later": (None, PARTS[0], self.move, to, mine.device, mine),
            "fail": (PARTS[0], None, self.fail, to, self.failing[str(mine.device)]),
            "launch": (PARTS[0], PARTS[0], self.launch, to, of, None),
            "launch later": (PARTS[0], PARTS[0], self.launch, to, of, mine),
            "launch on": (PARTS[0], PARTS[0], self.launch_on, to, of, mine),
            "temporary on": (PARTS[0], PARTS[0], self.temporary_on, to, of, mine),
            "copy on": (PARTS[0], PARTS[0], self.copy_on, to, of, mine),
            "copy part on": (into, out_of, self.copy_part_on, to, into, of, out_of, mine),
            "element": (None, at, self.element, to, index),
            "set element": (at, None, self.set_element, to, index, value),
            "array element": (None, at, self.array_element, to, index),
            "set array element": (at, None, self.set_array_element, to, index, value),
        }[kind]
        target = None if written is None else Place(self.memory[to], written)
        source = None if read is None else Place(self.memory[to if written is None else of], read)
        result = Operation(kind, target, source, value)
        result.run = partial(run, *([result] if kind in LATE else []), *arguments)
        return result

    def schedule(self, seed):
        """Run one schedule; return what is wrong with it, or None."""
        rng = random.Random(seed)
        values = iter(range(1, 255))
        plans = [
            [self.any_operation(rng, next(values)) for _ in range(rng.randint(1, 4))] for _ in range(rng.randint(2, 4))
        ]
        self.log.clear()
        for errands, plan in zip(self.errands, plans, strict=False):
            errands.put((random.Random(rng.random()), plan))
        for _ in plans:
            self.over.get()
        return self.judged(plans)

    def judged(self, plans):
        log = tuple(self.log)
        for operation in (each for plan in plans for each in plan):
            self.finish(operation)
            if isinstance(operation.result, BaseException):
                return self.report(plans, log, f"{operation.kind} raised {operation.result!r}")
        last = [self.left(number) for number in range(len(self.containers))]
        unnoted = [[each for each in plan if not each.noted] for plan in plans]
        state = Replay(self, log, unnoted, last).explained(self.state)
        if state is None:
            return self.report(plans, log, f"no order explains what is left, {last}")
        self.state = state._replace(before=())
        self.mend()
        return None

    def finish(self, operation):
        """Wait for the work that an operation left in flight, and store its result."""
        if operation.transfer is not None:
            try:
                operation.transfer.wait()
            except BoomError:
                operation.failed = True
        if operation.kind.startswith("move") and not (operation.failed or isinstance(operation.result, Exception)):
            moved = operation.result
            try:
                operation.result = moved.to_numpy().tobytes()
            except BoomError:
                operation.result, operation.failed = None, True
            moved.release()

    def left(self, number):
        try:
            return self.read(number)
        except BoomError:
            return None

    def mend(self):
        """Overwrite memory whose last write failed."""
        for memory in {each[0] for each in self.state.failures}:
            number = self.memory.index(memory)
            self.fill(number, 0)
            self.state = self.state.replaced(memory, 0, SIZE).written(Place(memory, PARTS[0]), bytes(SIZE))

    def report(self, plans, log, what):
        order = [f"    {each!r}" for each, _ in log]
        threads = [f"  thread {n}:\n" + "\n".join(f"    {each!r}" for each in plan) for n, plan in enumerate(plans)]
        before = f"  before: {self.state}"
        return "\n".join((what, before, *threads, "  noted in this order:", *order))

    def region(self, claim):
        """Return the bytes of the model that a claim uses; None for other memory."""
        _, low, high, _, _ = claim
        for memory, base in self.base.items():
            if base <= low and high <= base + SIZE and low < high:
                return memory, low - base, high - base
        return None


KINDS = (
    "fill",
    "fill part",
    "copy",
    "copy part",
    "copy later",
    "copy part later",
    "temporary",
    "read",
    "move",
    "move later",
    "fail",
    "element",
    "set element",
    "array element",
    "set array element",
)
WEIGHTS = (4, 3, 4, 4, 10, 8, 4, 4, 2, 2, 1, 2, 3, 2, 2)
ON_GPUS = (
    "launch",
    "launch",
    "launch later",
    "launch on",
    "launch on",
    "copy",
    "copy part",
    "copy on",
    "copy part on",
    "temporary on",
)
LATE = {"copy later", "copy part later", "temporary", "fail", "launch", "launch later", "launch on"}
HOST_ONLY = {"element", "set element", "array element", "set array element"}


class Replay:
    """The search for an order that explains a schedule."""

    def __init__(self, bench, log, unnoted, last):
        self.bench = bench
        self.log = log
        self.unnoted = unnoted
        self.last = last
        # What is not recorded may come before what is in the log if it began before the last check of that.
        self.checked = [max(at, log.index(entry.last)) for at, entry in enumerate(log)] + [len(log)]

    def explained(self, state, at=0, done=None, read=None):
        """Return the state after an order that explains all results, or None."""
        done = done or (0,) * len(self.unnoted)
        read = read or {}
        due = [
            thread
            for thread, plan in enumerate(self.unnoted)
            if done[thread] < len(plan) and plan[done[thread]].begin <= self.checked[at]
        ]
        for thread in due:
            after = self.at_once(state, self.unnoted[thread][done[thread]])
            if after is not None:
                further = (*done[:thread], done[thread] + 1, *done[thread + 1 :])
                end = self.explained(after, at, further, read)
                if end is not None:
                    return end
        if any(self.unnoted[thread][done[thread]].end <= at for thread in due):
            return None  # it ended before this was recorded
        if at == len(self.log):
            return state if all(map(self.fits, self.bench.memory, self.last, (state,) * len(self.last))) else None
        coming = [self.unnoted[thread][done[thread]] for thread in due]
        ends = (
            self.explained(after, at + 1, done, has_read) for after, has_read in self.noted(state, at, read, coming)
        )
        return next((end for end in ends if end is not None), None)

    def fits(self, memory, content, state):
        return content is None if state.fails(memory) else content == state.memory[memory]

    def at_once(self, state, operation):
        """Apply an operation that is not recorded."""
        if operation.source is not None:
            fails = state.fails(operation.source.memory)
            if operation.failed or fails:
                # Data of work that fails in the meantime may be read before the failure is known.
                return state if fails and (operation.failed or state.failed_since(operation)) else None
            content = state.read(operation.source)
            if operation.target is None:
                return state if content == operation.result else None
            return None if state.fails(operation.target.memory) else state.written(operation.target, content)
        before = operation.target, state.read(operation.target), operation.end
        written = state.written(operation.target, _content(operation))
        return written._replace(before=(*written.before, before))

    def noted(self, state, at, read, coming):
        """Apply a recorded operation: read, then write; yield the possible states.

        A read may already see elements that are being written: by a write that began earlier and has not ended.
        """
        operation, claims = self.log[at]
        if operation is None:
            yield state, read
            return
        reads = operation.source is not None and any(not claim[3] and self.bench.region(claim) for claim in claims)
        for content in state.seen(operation.source, at, coming) if reads else (None,):
            after = self.done(state, at, {**read, operation: content} if reads else read)
            if after is not None:
                yield after

    def done(self, state, at, read):
        operation, claims = self.log[at]
        regions = [(self.bench.region(claim), claim) for claim in claims]
        mine = [(region, claim) for region, claim in regions if region is not None]
        failing = operation.kind == "fail"
        for (memory, low, high), claim in mine:
            if not claim[3]:
                failing = failing or state.fails(memory, low, high)
        if failing != operation.failed and (operation.target is None or any(claim[3] for _, claim in mine)):
            return None
        late = operation.transfer is not None
        if not failing and operation.target is None and read[operation] != operation.result:
            return None
        for (memory, low, high), claim in mine:
            if claim[3] and (late or not failing):
                if claim[4]:
                    state = state.replaced(memory, low, high)
                if failing:
                    state = state._replace(failures=state.failures | {(memory, low, high, at)})
                content = _content(operation) if operation.source is None else read[operation]
                if operation.kind != "fail":
                    state = state.written(operation.target, content)
        return state, read


def _meet(one, other):
    indices = (set(range(*place.part.indices(SIZE))) for place in (one, other))
    return one.memory == other.memory and not set.isdisjoint(*indices)


def _content(operation):
    return bytes([operation.value]) * len(range(*operation.target.part.indices(SIZE)))


def install_standin(seed):
    """Let the stand-in be CuPy; its streams work late."""
    sys.path.insert(0, str(Path(__file__).parents[2]))
    from tests.cupy_backend.standin.machine import Machine
    from tests.cupy_backend.standin.module import modules

    result = modules(Machine("cuda", seed=seed))
    result["cupy"].__spec__ = ModuleSpec("cupy", None)
    sys.modules.update(result)


def plant_no_gate():
    """Take the gate for nothing: neither checks nor closings wait for each other."""
    submission.Gate.overtake = lambda gate: None
    close = submission.Submission._close

    def closing(work, **how):
        work._gate = submission.Gate(nullcontext())
        close(work, **how)

    submission.Submission._close = closing


def plant_no_overtaking():
    submission.Gate.overtake = lambda gate: None


def plant_no_use():
    """Forget which other streams use a block."""
    from accel.backends.cupy.memory import DeviceBlock

    DeviceBlock.use = lambda block, stream: None


def plant_closed_is_open():
    """Take a closed submission for open."""

    def close(work, **_):
        if work.event is None:
            work.event = work.queue.record()

    submission.Submission._close = close


def plant_host_unrecorded():
    """Record nothing of the host's memory while it is copied over the link."""
    enter = hazards.enter_alone
    hazards.enter_alone = lambda work, claim, queue, beside, other: enter(
        work, claim, queue, hazards.HazardRecord(), other
    )


def plant_host_unrecorded_in_flight():
    """Record nothing of the host's memory while it is copied asynchronously."""

    def on_host(host, writing, opened, heap, low, high):
        heap.hold(opened, host.owner)
        return True

    async_link_copies._on_host = on_host


def plant_host_freed_in_flight():
    """Keep no memory of the host alive while it is copied asynchronously."""
    from accel.memory.heap import Heap

    Heap.hold = lambda heap, opened, owner: None


PLANTED = {
    "no gate": plant_no_gate,
    "no overtaking": plant_no_overtaking,
    "no use": plant_no_use,
    "closed is open": plant_closed_is_open,
    "host freed in flight": plant_host_freed_in_flight,
    "host unrecorded": plant_host_unrecorded,
    "host unrecorded in flight": plant_host_unrecorded_in_flight,
}


def run(count, seed, devices, switch):
    """Run schedules; return the report of the first that is wrong, or an empty text."""
    sys.setswitchinterval(switch)
    bench = Bench(devices)
    bench.install()
    for number in range(seed, seed + count):
        if number % 100 == 0:
            faulthandler.dump_traceback_later(HUNG, exit=True)
        result = bench.schedule(number)
        if result:
            return f"schedule {number}: {result}"
    faulthandler.cancel_dump_traceback_later()
    return ""


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=1000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--devices", default="cpu,sim")
    options.add_argument("--switch", type=float, default=1e-6)
    options.add_argument("--standin", type=int)
    options.add_argument("--plant", choices=PLANTED)
    given = options.parse_args()
    if given.standin is not None:
        install_standin(given.standin)
    if given.plant:
        PLANTED[given.plant]()
    began, result = time.perf_counter(), []
    # Not in the main thread: there the simulator hands each step to another thread.
    work = threading.Thread(
        target=lambda: result.append(run(given.count, given.seed, given.devices.split(","), given.switch)), daemon=True
    )
    work.start()
    work.join()
    took = time.perf_counter() - began
    sys.stdout.write(f"{result[0] if result else 'the schedules ended early'}\n")
    sys.stdout.write(f"{given.count} schedules on {given.devices} in {took:.1f} s\n")
    sys.exit(result != [""])


if __name__ == "__main__":
    main()
