"""A launch that was prepared by earlier ones does what the first launch of a new kernel does, whatever changes.

The modules that run this have the fixture ``device``; a subclass says how many examples there are.
"""

import random
import sys
from functools import partial

import numpy as np
import pytest

import accel
from accel import BufferView, LayoutTensor, NDBuffer, RawKernel, xp
from accel.dtypes import f32
from accel.kernels import block_index, block_size, kernel, thread_index
from accel.layout import Layout, row_major
from accel.memory import heap_of

from ..threads import run_at_once

SIZE = 12

RAW = """
extern "C" __global__ void flat(float* v, float factor, long long n) {
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) v[i] = v[i] * factor + i;
}
extern "C" __global__ void adding(float* v, float number) { v[threadIdx.x] += number; }
extern "C" __global__ void viewed(accel::View<float, 1> v, float factor, long long n) {
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n && i < v.extents[0]) v(i) = v(i) * factor + i;
}
"""


def any_memory(v, factor, n):
    for i in range(n):
        v[i] = v[i] * factor + i


def annotated(v: BufferView[f32], factor: f32, n: int):
    for i in range(n):
        v[i] = v[i] * factor + f32(i)


def by_threads(v, factor, n):
    i = block_index.x * block_size.x + thread_index.x
    if i < n:
        v[i] = v[i] * factor + i


def twice(v, factor, n):
    for i in range(n):
        v[i] = v[i] * factor
    for i in range(n):
        v[i] = v[i] + i


def adding(v: BufferView[f32], number: f32):
    for i in range(v.size):
        v[i] = v[i] + number


def read_only(container):
    return LayoutTensor(container, row_major(SIZE)).origin_cast(mutable=False)


def released(container):
    view = container[:]
    container.release()
    return view


MEMORY = {
    "container": lambda c: c,
    "storage": lambda c: c.storage,
    "whole": lambda c: c[:],
    "slice": lambda c: c[1:7],
    "other slice": lambda c: c[5:11],
    "buffer": lambda c: NDBuffer(c, (6,)),
    "steps": lambda c: NDBuffer(c, (6,), strides=(2,)),
    "tensor": lambda c: LayoutTensor(c, row_major(SIZE)),
    "tensor of steps": lambda c: LayoutTensor(c, Layout(6, 2)),
    "part of a tensor": lambda c: LayoutTensor(c, row_major(SIZE))[3:9],
    "two axes": lambda c: LayoutTensor(c, row_major(3, 4)),
    "array": xp.asarray,
    "part of an array": lambda c: xp.asarray(c)[2:9],
    "array of steps": lambda c: xp.asarray(c)[1::2],
    "array backwards": lambda c: xp.asarray(c)[::-1],
    "array of two axes": lambda c: xp.reshape(xp.asarray(c), (3, 4)).T,
    "array without axes": lambda c: xp.asarray(c)[3],
    "NumPy": np.asarray,
    "NumPy of steps": lambda c: np.asarray(c)[::3],
    "NumPy, read-only": lambda c: np.broadcast_to(np.asarray(c)[:1], (6,)),
    "NumPy, unaligned": lambda c: np.asarray(c).view("uint8")[2:-2].view("float32"),
    "read-only": read_only,
    "released": released,
    "number": lambda _: 1.0,
}
WRITTEN = ["container", "whole", "slice", "tensor", "two axes"]
ARRAYS = ["array", "array of steps"]
ON_THE_HOST = ["NumPy", "NumPy of steps", "array", "array backwards"]
NUMBERS = [2.0, 3, -1, np.float32(1.5), np.float64(0.5), np.int8(2), True, 1e300, 1 << 70, 1j, "x", None]
COUNTS = [4, 3, 4, 1, 0, np.int64(2), 2.0, "x"]
GRIDS = [{"grid": 1, "block": 4}, {"grid": 2, "block": 2}, {"over": 4}, {"grid": (1,)}, {"grid": 0}, {}]


def outcome(launches, container, example):
    """Return the elements after some launches, or the error of the first that fails."""
    try:
        for launch, memory in zip(launches, example.memory, strict=True):
            launch(MEMORY[memory](container), *example.numbers)
    except (accel.errors.AccelError, TypeError, ValueError, OverflowError) as error:
        return type(error), str(error)
    return container.to_numpy().tolist()


class Example:
    """One launch: its memory, its numbers, and where and how it is done."""

    def __init__(self, draw, device, streams, written, memory):
        self.values = [draw.randrange(100) for _ in range(SIZE)]
        self.dtype = draw.choice(["float32"] * 8 + ["float64", "int32"])
        self.memory = draw.choice(written), draw.choice(memory)
        usual = draw.random() < 0.7
        self.numbers = (2.0, 4) if usual else (draw.choice(NUMBERS), draw.choice(COUNTS))
        self.grid = draw.choice(GRIDS)
        # A container does not know of work on an array of NumPy on its memory.
        self.stream = None if any("NumPy" in name for name in self.memory) else draw.choice(streams)
        self.debug = draw.random() < 0.1
        self.device = device

    def container(self):
        return accel.container(np.array(self.values, self.dtype), device=self.device)


def assert_as_the_first(launch, fresh, examples):
    """Compare launches of a kernel with those of a new kernel each: those of the first are prepared by earlier ones."""
    for example in examples:
        with accel.using(debug=example.debug), example.container() as warm, example.container() as cold:
            # The first launch comes after the copy from the host, in the general way.
            new = [partial(fresh(), example) for _ in range(2)]
            same = [partial(launch, example)] * 2
            assert outcome(same, warm, example) == outcome(new, cold, example), vars(example)


def hammer(device, launch):
    """Launch a kernel from eight threads, each with a number of its own; none sees that of another."""
    containers, times, interval = [accel.zeros(4, "float32", device) for _ in range(8)], 200, sys.getswitchinterval()

    def repeat(number, container):
        for _ in range(times):
            launch(container, float(number))

    sys.setswitchinterval(1e-6)
    try:
        run_at_once([partial(repeat, number, each) for number, each in enumerate(containers)])
    finally:
        sys.setswitchinterval(interval)
    for number, each in enumerate(containers):
        assert each.to_numpy().tolist() == [number * times] * 4
        each.release()


class Laws:
    """Sequences of random launches: how many there are for each kernel, how many launches each has, and of what."""

    examples = 2
    launches = 80
    written = (*WRITTEN, *ARRAYS)
    memory = (*MEMORY,)

    def sequences(self, device):
        streams = [None, accel.new_stream(device), accel.new_stream(device)]
        for seed in range(self.examples):
            draw = random.Random(seed)
            yield [Example(draw, device, streams, self.written, self.memory) for _ in range(self.launches)]
        for stream in streams[1:]:
            stream.close()


class LaunchLaws(Laws):
    """Kernels in Python."""

    @pytest.mark.parametrize("function", [any_memory, annotated, twice], ids=lambda each: each.__name__)
    def test_loops(self, device, function):
        warm = kernel(function)

        def launched(made, example, *arguments):
            return (made if example.stream is None else made.on(example.stream))(*arguments)

        for sequence in self.sequences(device):
            assert_as_the_first(partial(launched, warm), lambda: partial(launched, kernel(function)), sequence)

    def test_explicit_grids(self, device):
        warm = kernel(by_threads)

        def launched(made, example, *arguments):
            return made.on(example.stream, **example.grid)(*arguments)

        for sequence in self.sequences(device):
            assert_as_the_first(partial(launched, warm), lambda: partial(launched, kernel(by_threads)), sequence)

    def test_threads_that_launch_one_kernel_with_numbers_of_their_own(self, device):
        made = kernel(adding)
        hammer(device, lambda container, number: made(container[:], number))

    def test_launches_keep_no_memory_alive(self, device):
        made, heap = kernel(annotated), heap_of(device)
        heap.synchronize()
        before = heap.live_bytes
        with accel.zeros(SIZE, "float32", device) as container:
            for _ in range(3):
                made(container[:], 2.0, SIZE)
            heap.synchronize()
        heap.synchronize()
        assert heap.live_bytes <= before  # that of earlier tests may go meanwhile


class RawLaunchLaws(Laws):
    """The same for kernels in CUDA or HIP."""

    @pytest.mark.parametrize("name", ["flat", "viewed"])
    def test_raw_kernels(self, device, name):
        warm = RawKernel.from_source(RAW, name)

        def launched(made, example, *arguments):
            return made(*arguments, **example.grid, stream=example.stream)

        for sequence in self.sequences(device):
            fresh = lambda: partial(launched, RawKernel.from_source(RAW, name))  # noqa: E731
            assert_as_the_first(partial(launched, warm), fresh, sequence)

    def test_threads_that_launch_one_kernel_with_numbers_of_their_own(self, device):
        made = RawKernel.from_source(RAW, "adding")
        hammer(device, lambda container, number: made(container, number, grid=1, block=4))
