"""Kernels on arrays of `accel.xp`, whose memory the library reuses: each launch comes after all that was before it.

The modules that run this have the fixture ``device``; a subclass says how many programs there are.
"""

import random

import numpy as np

import accel
from accel import RawKernel, xp
from accel.kernels import kernel
from accel.memory import heap_of

SIZE = 64

RAW = """
extern "C" __global__ void raw(float* v, float factor) { v[threadIdx.x] = v[threadIdx.x] * factor + threadIdx.x; }
"""


@kernel
def loop(v, factor):
    for i in range(len(v)):
        v[i] = v[i] * factor + i


@kernel
def added(target, source):
    for i in range(len(target)):
        target[i] = source[i] + 1


def expected(values, factor):
    return values * np.float32(factor) + np.arange(len(values), dtype="float32")


class Program:
    """A random program: arrays, NumPy's values for each, and streams that use them."""

    def __init__(self, device, seed, launches):
        self.draw = random.Random(seed)
        self.device = device
        self.streams = [accel.new_stream(device) for _ in range(2)]
        self.launches = launches
        self.pairs = [self.new() for _ in range(3)]

    def run(self, steps):
        operations = [
            self.launch,
            self.launch,
            self.part,
            self.result,
            self.read,
            self.in_place,
            self.replaced,
            self.on_a_stream,
        ]
        for _ in range(steps):
            place = self.draw.randrange(len(self.pairs))
            self.pairs[place] = self.draw.choice(operations)(*self.pairs[place])
            self.new()  # in the memory of what is gone now
            if self.draw.random() < 0.1:
                self.check(*self.pairs[place])
        for pair in self.pairs:
            self.check(*pair)
        for stream in self.streams:
            stream.close()

    def new(self):
        number = self.draw.randrange(50)
        return xp.full(SIZE, float(number), dtype="float32", device=self.device), np.full(SIZE, number, "float32")

    def launch(self, x, values):
        factor = self.draw.choice([0.5, 1.0])
        self.draw.choice(self.launches)(x, factor, self.draw.choice([None, *self.streams]))
        return x, expected(values, factor)

    def part(self, x, values):
        self.launches[0](x[8:40], 1.0, self.draw.choice([None, *self.streams]))
        return x, np.concatenate([values[:8], expected(values[8:40], 1.0), values[40:]])

    def result(self, x, values):
        return x * 0.5, values * np.float32(0.5)  # the memory of the operand is reused

    def read(self, x, values):
        y = xp.empty(SIZE, dtype="float32", device=self.device)
        added.on(self.draw.choice(self.streams))(y, x)
        return y, values + 1  # the memory of the other argument is reused, too

    def in_place(self, x, values):
        x += 1
        self.wait_for_computations()
        return x, values + 1

    def replaced(self, _, __):
        return self.new()

    def on_a_stream(self, x, values):
        self.wait_for_computations()
        stream = self.draw.choice(self.streams)
        with stream:
            y = x + 1
            self.draw.choice(self.launches)(y, 1.0, None)
            y = xp.concat([y[: SIZE // 2], y[SIZE // 2 :]]) + 1  # in the order of the kernel
        if self.queue is not None:
            self.queue.wait_for(stream.record())
        self.wait_for_computations()
        return y, expected(values + 1, 1.0) + 1

    @property
    def queue(self):
        return heap_of(self.device).stream

    def wait_for_computations(self):
        """Order the streams, as programs have to: computations on two of them are not ordered for them."""
        for stream in self.streams if self.queue is not None else ():
            stream.wait_for(self.queue.record())

    def check(self, x, values):
        assert np.array_equal(x.to_device("cpu").to_numpy(), values)


def by_a_loop(x, factor, stream):
    (loop if stream is None else loop.on(stream))(x, factor)


class ArrayLaws:
    """Kernels in Python, CUDA and HIP."""

    programs = 20
    steps = 40
    raw = True

    def test_each_launch_comes_after_all_that_was_before_it(self, device):
        launches = [by_a_loop]
        if self.raw:
            made = RawKernel.from_source(RAW)
            launches.append(lambda x, factor, stream: made(x, factor, grid=1, block=SIZE, stream=stream))
        for seed in range(self.programs):
            Program(device, seed, launches).run(self.steps)
