"""Streams of the stand-in: work runs when a thread waits, in an order drawn by a seed."""

from collections import deque
from itertools import count
from random import Random

LEGACY, PER_THREAD = 1, 2
"""CUDA's handles of the default streams; handle 0 means one of them."""
_STEP = 0.01
"""Simulated milliseconds of one operation."""


class Work:
    """One operation of a stream, and the event after it; ``time`` is when it ended.

    It may call a function, and may wait for other work. One that is captured is in a graph, and never ends.
    """

    def __init__(self, queue=None, run=None, after=None):
        self.queue, self.run, self.after = queue, run, after
        self.time = self.pinned = None
        self.captured = queue is not None and queue.graph is not None

    @property
    def ready(self):
        return self.after is None or self.after.time is not None

    def end(self, time):
        self.time = time
        self.run = self.after = None


class Queue:
    """The work of one stream. While it is captured, ``graph`` has the work instead, and nothing of it is done.

    A call that the driver refuses meanwhile makes the capture ``spoiled``: then it ends with an error.
    """

    def __init__(self, device, handle):
        self.device, self.handle = device, handle
        self.work = deque()
        self.graph = None
        self.spoiled = False
        self.destroyed = False


class Scheduler:
    """All streams of a machine. Loops run over copies: other threads create streams meanwhile."""

    def __init__(self, machine, seed):
        self.machine = machine
        self.random = Random(seed)
        self.time = 0.0
        self.defaults = [Queue(device, 0) for device in machine.devices]
        self.queues = [*self.defaults]
        self._new_handles = count(0x7010, 0x10)
        self._free_handles = []

    # Streams

    def create(self):
        """Return a new stream of the current device; it reuses the handle of a destroyed one, as the driver may."""
        return self._add(self._free_handles.pop() if self._free_handles else next(self._new_handles))

    def _add(self, handle):
        queue = Queue(self.machine.device, handle)
        with self.machine.lock:
            self.queues.append(queue)
        return queue

    def destroy(self, handle):
        """Destroy a stream by its handle; its pending work still runs."""
        self.find(handle).destroyed = True
        self._free_handles.append(handle)

    def find(self, handle):
        """Return the stream with a handle; the default streams are those of the current device."""
        device, queues = self.machine.device, self.machine.local.queues
        if handle == 0 or (handle == LEGACY and self.machine.flavour == "cuda"):
            return self.defaults[device]
        if handle == PER_THREAD and self.machine.flavour == "cuda":
            queues[device] = queues.get(device) or self._add(PER_THREAD)
            return queues[device]
        match = next((each for each in [*self.queues] if each.handle == handle and not each.destroyed), None)
        self.machine.require(match, 400)
        return match

    def of(self, handle):
        """Return the stream with a handle; it must be of the current device, as the driver requires for launches."""
        queue = self.find(handle)
        self.machine.require(queue.device == self.machine.device, 400)
        return queue

    def current(self):
        """Return the queue of the stream that is current on the current device."""
        stream = self.machine.local.streams.get(self.machine.device)
        return self.of(stream.ptr if stream else 0)

    # Work

    def submit(self, queue, run=None, after=None):
        """Append work to a stream: a function to call, other work to wait for, or nothing but an event."""
        with self.machine.lock:
            self.machine.check(queue.device)
            work = Work(queue, run, after)
            (queue.work if queue.graph is None else queue.graph).append(work)
            return work

    def poll(self):
        """Run one operation that is ready, or none, at random."""
        with self.machine.lock:
            if self.random.random() < 0.5:
                self._step()

    def drive(self, over):
        """Run work until a condition holds."""
        while True:
            with self.machine.lock:
                if over():
                    return
                self.machine.demand(self._step(), "nothing can run, and something is waited for")

    def finish(self, work):
        """Run work until some of it has ended."""
        self.drive(lambda: work.time is not None)
        self.machine.check(work.queue.device)

    def drive_stream(self, queue):
        self.finish(self.submit(queue))

    def drive_device(self, device):
        self.drive(lambda: not any(queue.work for queue in [*self.queues] if queue.device == device))

    def drop(self, device):
        for queue in [*self.queues]:
            while queue.device == device and queue.work:
                queue.work.popleft().end(self.time)

    def _step(self):
        """Run an operation that is ready, at random; return whether there was one."""
        self.queues = [each for each in self.queues if each.work or not each.destroyed]
        ready = [each for each in self.queues if each.work and each.work[0].ready]
        if ready:
            work = self.random.choice(ready).work.popleft()
            self.time += _STEP
            if work.run:
                work.run()
            work.end(self.time)
        return bool(ready)
