"""A storm of interrupts: a KeyboardInterrupt at a random moment of each operation, and the checks after it.

Run with ``--device``, ``--seconds`` and ``--seed``; prints each failure, and exits with 1 if there is any.
"""

import argparse
import collections
import faulthandler
import gc
import pickle
import random
import signal
import sys
import time
import traceback
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np

import accel
from accel import HostStorage, LayoutTensor, xp
from accel.errors import AccelError
from accel.layout import Layout
from accel.memory import trim
from accel.memory.heap import heaps
from accel.testing.simulation import in_use, take_races

SIDE = 1024
SIZES = (500,) * 40 + (60_000,) * 10 + (SIDE * SIDE,)  # bytes: copied by the caller; by a stream's thread; by several
HUNG = 60  # seconds


class Interrupts:
    """Raises KeyboardInterrupt at a random moment of an operation, and rarely a second one right after it."""

    def __init__(self, rng):
        self.left = 0
        self.rng = rng
        self.takes = collections.defaultdict(lambda: 1e-4)
        signal.signal(signal.SIGALRM, self.strike)

    def strike(self, *_):
        if self.left:
            self.left -= 1
            raise KeyboardInterrupt

    def during(self, operation, *arguments):
        """Call something; return whether it was interrupted."""
        self.where = ""
        name, began = operation.__name__, time.perf_counter()
        try:
            try:
                self.left = 1 if self.rng.random() < 0.9 else 2
                signal.setitimer(signal.ITIMER_REAL, 1e-6 + self.rng.random() * 1.2 * self.takes[name], 2e-5)
                operation(*arguments)
            finally:
                self.left = 0
        except KeyboardInterrupt as interrupt:
            self.left = 0
            signal.setitimer(signal.ITIMER_REAL, 0)
            frames = traceback.extract_tb(interrupt.__traceback__)[2:-1]
            self.where = " > ".join(f"{Path(frame.filename).stem}:{frame.lineno}" for frame in frames)
            self.takes[name] *= 1.03  # its duration without the interrupt is unknown
            return True
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.takes[name] += (time.perf_counter() - began - self.takes[name]) / 8
        return False


class Moments(Interrupts):
    """Raises KeyboardInterrupt at each moment where a signal could be handled, one after the other.

    These are the entry of each Python function and the return of each C function.
    """

    def __init__(self):
        self.where, self.at, self.count = "", 0, 0

    def trace(self, frame, event, argument):
        if event in ("call", "c_return"):
            self.count += 1
            if self.count == self.at:
                raise KeyboardInterrupt

    def during(self, operation, *arguments):
        """Call something; return whether it was interrupted."""
        self.where, self.count = f"at moment {self.at}", 0
        try:
            sys.setprofile(self.trace)
            try:
                operation(*arguments)
            finally:
                sys.setprofile(None)
        except KeyboardInterrupt as interrupt:
            frames = traceback.extract_tb(interrupt.__traceback__)[1:-1]
            self.where += " " + " > ".join(f"{Path(frame.filename).stem}:{frame.lineno}" for frame in frames)
            return True
        return False


def values(container):
    """Return the set of values in a container."""
    return set(np.flatnonzero(np.bincount(container.to_numpy())).tolist())


class World:
    """Containers with one value each, or one of several possible values after an interrupt."""

    def __init__(self, device, rng, size):
        self.device, self.rng, self.size = device, rng, size
        self.stream = accel.new_stream(device)
        self.containers = [accel.full(size, value, "uint8", device=device) for value in range(4)]
        self.allowed = [{value} for value in range(4)]

    def tensor(self, place, *strides):
        return LayoutTensor(self.containers[place], Layout((SIDE, SIDE), strides))

    def wrong(self):
        """Yield each broken promise."""
        for place, (container, allowed) in enumerate(zip(self.containers, self.allowed, strict=True)):
            try:
                result = values(container)
            except (AccelError, RuntimeError) as error:
                yield f"container {place} is not read: {error!r}"
                container.fill(place)
                allowed.clear()
                allowed.add(place)
                continue
            if not result <= allowed:
                yield f"container {place} has {result}, allowed is {allowed}"
            if len(allowed) > 1:
                container.fill(place)
                self.allowed[place] = {place}


# Each writes at most one container; it first returns the index and the new value by `target`.


def fill(world, to, value, of):
    world.containers[to].fill(value)


def copy(world, to, value, of):
    world.containers[to].copy_from(world.containers[of])


def copy_later(world, to, value, of):
    return world.containers[to].copy_from_async(world.containers[of], stream=world.stream)


def copy_later_and_wait(world, to, value, of):
    world.containers[to].copy_from_async(world.containers[of], stream=world.stream).wait()


def copy_on_a_new_stream(world, to, value, of):
    stream = accel.new_stream(world.device)
    world.containers[to].copy_from_async(world.containers[of], stream=stream)
    stream.close()


def transpose(world, to, value, of):
    world.tensor(to, 1, SIDE).copy_from(world.tensor(of, SIDE, 1))


def transpose_later(world, to, value, of):
    return world.tensor(to, 1, SIDE).copy_from_async(world.tensor(of, SIDE, 1), stream=world.stream)


def from_numpy(world, to, value, of):
    world.containers[to].from_numpy(np.full(world.size, value, np.uint8))


def assign_part(world, to, value, of):
    xp.asarray(world.containers[to])[::2] = value


def add_in_place(world, to, value, of):
    array = xp.asarray(world.containers[to])
    array -= array
    array += value


def from_pieces(world, to, value, of):
    piece = accel.full(world.size, value, "uint8", device="cpu")
    world.containers[to].copy_from(piece)


WRITING = (
    fill,
    copy,
    copy_later,
    copy_later_and_wait,
    copy_on_a_new_stream,
    from_numpy,
    assign_part,
    add_in_place,
    from_pieces,
)
COPYING = {copy, copy_later, copy_later_and_wait, copy_on_a_new_stream, transpose, transpose_later}
PARTIAL = {assign_part: set(), add_in_place: {0}}


def allocate(world):
    accel.empty(world.size, "uint8", device=world.device)


def use(world):
    c = accel.full(world.size, 7, "uint8", device=world.device)
    d = c.share()
    c.release()
    assert (d.to_numpy() == 7).all()
    del c, d


def cycle(world):
    c = [accel.zeros(world.size, "uint8", device=world.device)]
    c.append(c)
    del c
    gc.collect(0)


def read(world):
    world.containers[0].to_numpy()


def move(world):
    for where in ("cpu", "sim"):
        world.containers[1].to(where, copy=True)


def move_later(world):
    world.containers[1].to(world.device, copy=True, stream=world.stream)


def clone(world):
    world.containers[2].deep_copy()


def compute(world):
    x = xp.asarray(world.containers[3])
    y = xp.sum(x * 2 + 1, dtype=xp.int64)
    return x[1:] + x[:-1], y


def pickled(world):
    pickle.loads(pickle.dumps(world.containers[0].storage))


def exchanged(world):
    xp.from_dlpack(world.containers[0]).storage.release()


def streams(world):
    with accel.new_stream(world.device):
        accel.new_stream(world.device).record().wait()


def released_in_flight(world):
    c = accel.full(world.size, 3, "uint8", device=world.device)
    d = accel.empty(world.size, "uint8", device=world.device)
    d.copy_from_async(c, stream=world.stream)
    c.release()
    d.release()


def failing(world):
    with suppress(ValueError):
        world.containers[0].copy_from(accel.empty(3, "uint8", device=world.device))


def trimmed(world):
    trim(world.device)


READING = (
    allocate,
    use,
    cycle,
    read,
    move,
    move_later,
    clone,
    compute,
    pickled,
    exchanged,
    streams,
    released_in_flight,
    failing,
    trimmed,
)


def pinned(world):
    array = np.asarray(world.containers[0])
    view = world.containers[1].memoryview()
    part = np.asarray(xp.asarray(world.containers[2])[1:])
    del array, view, part


def pinned_alone(world):
    c = accel.zeros(world.size, "uint8")
    array = np.asarray(c)
    c.release()
    del array


def element(world):
    world.containers[0][3]
    c = accel.empty(9, "uint8")
    c[3] = 5
    assert c[3] == 5


OF_THE_HOST = (pinned, pinned_alone, element)


class Storm:
    """Operations with an interrupt each, and the checks after them."""

    def __init__(self, device, seed):
        self.device = device
        self.rng = random.Random(seed)
        self.interrupts = Interrupts(self.rng)
        self.count = collections.Counter()
        self.findings = []
        self.deleted = []
        self.doing = ""
        self.history = collections.deque(maxlen=12)
        self.reports = []
        sys.unraisablehook = self.reports.append  # no Python code, which could be interrupted itself

    def found(self, text):
        self.findings.append("\n    ".join((f"{self.doing}: {text}; before it:", *self.history)))

    def books(self):
        """Return the memory in use after all is freed that can be."""
        gc.collect()
        for heap in heaps():
            heap.synchronize()
            heap.trim()
        return {
            str(heap.device): (heap.live_blocks, heap.live_bytes, heap.kept_blocks, in_use(heap)) for heap in heaps()
        }

    def round(self, size, operations):
        """Interrupt operations in a new world."""
        world = World(self.device, self.rng, size)
        for _ in range(operations):
            self.write(world) if self.rng.random() < 0.5 else self.read(world)
            for text in world.wrong():
                self.found(text)
        world.stream.close()

    def read(self, world):
        operation = self.rng.choice((*READING, self.external, *(OF_THE_HOST if self.device == "cpu" else ())))
        self.interrupted(operation, world)

    def interrupted(self, operation, *arguments):
        self.doing = operation.__name__
        interrupted = self.interrupts.during(operation, *arguments)
        self.count["interrupted" if interrupted else "done"] += 1
        self.history.append(f"{self.doing}{arguments[1:]} {self.interrupts.where}")
        while self.reports:
            report = self.reports.pop()
            if isinstance(report.exc_value, KeyboardInterrupt):
                self.count["swallowed by a finaliser"] += 1
            else:
                self.found(f"unraisable: {report.exc_value!r} in {report.object!r}")
            del report  # its frames refer to this one through objects that the collector cannot trace
        return interrupted

    def write(self, world):
        squares = (transpose, transpose_later) * 2 if world.size == SIDE * SIDE else ()
        self.write_by(self.rng.choice((*WRITING, *squares)), world)

    def write_by(self, operation, world):
        to, of, value = self.rng.randrange(4), self.rng.randrange(4), self.rng.randrange(10, 250)
        if operation in COPYING:
            (value,) = world.allowed[of]
        (before,) = world.allowed[to]
        if self.interrupted(operation, world, to, value, of) or operation is assign_part:
            world.allowed[to] = {before, value, *PARTIAL.get(operation, ())}
        else:
            world.allowed[to] = {value}

    def external(self, world):
        """Wrap external memory: its deleter must run once if that succeeded, else at most once."""
        array, state = np.full(100, 9, np.uint8), {"ran": [], "made": False}
        self.deleted.append((array, state))
        c = HostStorage(array.ctypes.data, array.size, "uint8", deleter=partial(state["ran"].append, 1))
        state["made"] = True
        d = c.__copy__()
        c.release()
        del d

    def check(self, before):
        after = self.books()
        if after != before:
            self.found(f"left over: {before} became {after}")
        for _, state in self.deleted:
            if len(state["ran"]) != 1 and (state["ran"] or state["made"]):
                self.found(f"a deleter ran {len(state['ran'])} times")
        self.deleted.clear()
        take_races()

    def run(self, seconds):
        for size in sorted(set(SIZES)):  # so that no import is interrupted
            self.rehearse(size)
        gc.freeze()
        before, end = self.books(), time.monotonic() + seconds
        while time.monotonic() < end and len(self.findings) < 10:
            faulthandler.dump_traceback_later(HUNG, exit=True)
            for _ in range(4):
                self.round(self.rng.choice(SIZES), 60)
            self.check(before)

    def every_moment(self, step):
        """Interrupt each operation at each moment, or some of them."""
        for size in (SIZES[0], SIZES[-1]):
            self.rehearse(size)
        gc.freeze()
        before, self.interrupts = self.books(), Moments()
        host = OF_THE_HOST if self.device == "cpu" else ()
        for operation in (*WRITING, transpose, *READING, self.external, *host):
            faulthandler.dump_traceback_later(HUNG, exit=True)
            self.interrupts.at = 1 + self.rng.randrange(step)
            self.interrupts.count = self.interrupts.at
            while self.interrupts.count >= self.interrupts.at - step and len(self.findings) < 10:
                world = World(self.device, self.rng, SIZES[-1 if operation is transpose else 0])
                reading = operation not in (*WRITING, transpose)
                self.interrupted(operation, world) if reading else self.write_by(operation, world)
                for text in world.wrong():
                    self.found(text)
                world.stream.close()
                self.interrupts.at += step
            del world
            self.check(before)

    def rehearse(self, size):
        world = World(self.device, self.rng, size)
        for operation in WRITING:
            operation(world, 0, 9, 1)
        if size == SIDE * SIDE:
            transpose(world, 0, 9, 1)
            transpose_later(world, 0, 9, 1).wait()
        for operation in (*READING, self.external, *(OF_THE_HOST if self.device == "cpu" else ())):
            operation(world)
        world.stream.close()


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--device", default="cpu")
    options.add_argument("--seconds", type=float, default=2)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--moments", type=int, help="not at random moments, but at each or each so manyth")
    given = options.parse_args()
    accel.configure(threads=2)
    storm = Storm(given.device, given.seed)
    storm.every_moment(given.moments) if given.moments else storm.run(given.seconds)
    sys.stdout.write("\n".join((str(dict(storm.count)), *storm.findings, "")))
    sys.exit(bool(storm.findings))


if __name__ == "__main__":
    main()
