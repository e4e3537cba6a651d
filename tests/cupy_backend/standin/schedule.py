"""Streams and events of the stand-in: work runs when somebody waits, in an order drawn by a seed."""

from collections import deque
from random import Random

LEGACY, PER_THREAD = 1, 2
"""CUDA's handles of the default streams; handle 0 means one of them."""
_STEP = 0.01
"""Simulated milliseconds of one operation."""


class Mark:
    """A point in a stream, for recorded events; a captured one is a point in a graph, and is never reached."""

    def __init__(self, *, captured=False):
        self.time = None
        self.captured = captured


class Reach:
    """The operation of a recorded event: it reaches the mark."""

    def __init__(self, mark):
        self.mark = mark


class Queue:
    """The work of one stream: functions, and marks of other streams to wait for.

    While it is captured, ``graph`` has the work instead, and nothing of it is done.
    """

    def __init__(self, device, handle):
        self.device = device
        self.handle = handle
        self.work = deque()
        self.graph = None
        self.destroyed = False

    def ready(self):
        head = self.work[0] if self.work else None
        return head is not None and not (isinstance(head, Mark) and head.time is None)


class Scheduler:
    """All streams of a machine."""

    def __init__(self, machine, seed):
        self.machine = machine
        self.random = Random(seed)
        self.time = 0.0
        self.queues = [Queue(device, 0) for device in range(len(machine.spaces))]
        self.defaults = list(self.queues)
        self._next = 0x7000
        self._given_up = []

    # Streams

    def create(self):
        """Return a new stream of the current device; it reuses the handle of a destroyed one, as the driver may."""
        if not self._given_up:
            self._next += 0x10
            self._given_up.append(self._next)
        made = Queue(self.machine.device, self._given_up.pop())
        self.queues.append(made)
        return made

    def destroy(self, handle):
        """Destroy a stream by its handle; its pending work still runs."""
        queue = next(queue for queue in self.queues if queue.handle == handle and not queue.destroyed)
        queue.destroyed = True
        self._given_up.append(handle)
        if not queue.work:
            self.queues.remove(queue)

    def of(self, handle):
        """Return the stream with a handle; it must be of the current device, as the driver requires for launches."""
        machine = self.machine
        if handle == 0 or (handle == LEGACY and machine.flavour == "cuda"):
            return self.defaults[machine.device]
        if handle == PER_THREAD and machine.flavour == "cuda":
            return self._of_thread()
        found = next((queue for queue in self.queues if queue.handle == handle and not queue.destroyed), None)
        machine.require(found is not None and found.device == machine.device, 400)
        return found

    def _of_thread(self):
        """Return the default stream of the current device for this thread."""
        found = self.machine.local.__dict__.setdefault("defaults", {})
        if self.machine.device not in found:
            found[self.machine.device] = Queue(self.machine.device, PER_THREAD)
            self.queues.append(found[self.machine.device])
        return found[self.machine.device]

    def stack(self):
        """Return the streams that are current in this thread, by device."""
        local = self.machine.local
        if not hasattr(local, "stack"):
            local.stack = {}
        return local.stack.setdefault(self.machine.device, [])

    def set_current(self, stream):
        """Make a stream current in this thread, on the current device."""
        self.machine.local.__dict__.setdefault("streams", {})[self.machine.device] = stream

    def given_current(self):
        """Return the stream that was made current on the current device; None if none was."""
        return self.machine.local.__dict__.get("streams", {}).get(self.machine.device)

    def current(self):
        """Return the queue of the stream that is current on the current device."""
        stream = self.given_current()
        return self.defaults[self.machine.device] if stream is None else self.of(stream.ptr)

    # Work

    def submit(self, queue, work):
        """Append a function, or a mark to wait for, to a stream."""
        with self.machine.lock:
            self.machine.check(queue.device)
            (queue.work if queue.graph is None else queue.graph).append(work)

    def record(self, queue):
        """Return a mark at the end of a stream."""
        mark = Mark(captured=queue.graph is not None)
        self.submit(queue, Reach(mark))
        return mark

    def poll(self):
        """Run one operation that is ready, or none, at random."""
        with self.machine.lock:
            ready = [queue for queue in self.queues if queue.ready()]
            if ready and self.random.random() < 0.5:
                self._run(self.random.choice(ready))

    def drive(self, over):
        """Run work until a condition holds."""
        while True:
            with self.machine.lock:
                if over():
                    return
                ready = [queue for queue in self.queues if queue.ready()]
                self.machine.demand(ready, "nothing can run, and something is waited for")
                self._run(self.random.choice(ready))

    def drive_stream(self, queue):
        mark = self.record(queue)
        self.drive(lambda: mark.time is not None or queue.device in self.machine.lost)
        self.machine.check(queue.device)

    def drive_device(self, device):
        self.drive(lambda: not any(queue.work for queue in self.queues if queue.device == device))

    def drop(self, device):
        for queue in self.queues:
            if queue.device == device:
                for work in queue.work:
                    self._reach(work)
                queue.work.clear()

    def _run(self, queue):
        work = queue.work.popleft()
        self.time += _STEP
        if callable(work):
            work()
        self._reach(work)
        if queue.destroyed and not queue.work:
            self.queues.remove(queue)

    def _reach(self, work):
        if isinstance(work, Reach):
            work.mark.time = self.time
