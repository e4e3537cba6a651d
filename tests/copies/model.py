"""A model of copies: it computes the address of each element and moves the bytes of one element at a time.

Memory is a `bytearray`. A storage is compared with all of it, so a stray write is detected.
"""

from itertools import product

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from accel import Device
from accel.copies import Elements
from accel.dtypes import as_dtype
from accel.memory import HostStorage, allocate, copy_elements

QUICK = settings(max_examples=60, deadline=None, database=None)
BYTE = as_dtype("uint8")
WIDTH = 96  # bytes of every storage
DTYPES = tuple(map(as_dtype, ("uint8", "int16", "float32", "bfloat16", "complex64")))


def stored(device, array):
    """Return memory of a device that holds the values of an array."""
    storage = allocate(device, array.size, array.dtype)
    copy_elements(storage, HostStorage(array))
    return storage


class Named:
    """Anything that describes its elements, as tensors do."""

    def __init__(self, elements):
        self.elements = elements

    def __accel_elements__(self):
        return self.elements


class Memory:
    """A storage of known bytes, and the bytes that it must contain."""

    def __init__(self, device, seed=0):
        self.storage = allocate(Device(device), WIDTH, BYTE)
        self.expected = bytearray((np.arange(WIDTH) * 37 + seed).astype(BYTE).tobytes())
        copy_elements(self.storage, HostStorage(np.frombuffer(self.expected, BYTE)))

    def check(self):
        """Compare every byte."""
        result = np.empty(WIDTH, BYTE)
        copy_elements(HostStorage(result), self.storage)
        assert result.tobytes() == bytes(self.expected)


def places(elements):
    """Return the offset of each element from the start of the storage, in order."""
    if elements.table is not None:
        return [elements.start + int(offset) for offset in elements.table]
    loops = [[step * stride for step in range(extent)] for extent, stride in reversed(elements.leaves)]
    return [elements.start + sum(steps) for steps in product(*loops)]


def values_of(memory, elements):
    """Return the elements in order, as an array."""
    dtype = elements.element_type
    size = dtype.itemsize
    raw = b"".join(memory.expected[place * size : (place + 1) * size] for place in places(elements))
    return np.frombuffer(raw, dtype)


def put(memory, elements, values):
    """Write the elements in order."""
    dtype = elements.element_type
    size = dtype.itemsize
    raw = values.tobytes()
    for i, place in enumerate(places(elements)):
        memory.expected[place * size : (place + 1) * size] = raw[i * size : (i + 1) * size]


@st.composite
def extents(draw, size):
    """Factors of a size, in any order, with ones in between."""
    result = []
    while size > 1:
        factor = draw(st.sampled_from([n for n in range(2, size + 1) if size % n == 0]))
        result.append(factor)
        size //= factor
    return draw(st.permutations([*result, *draw(st.lists(st.just(1), max_size=2)), *[0] * (size == 0)]))


@st.composite
def distinct_leaves(draw, size):
    """Leaves that name no element twice: compact ones with gaps, in any order, each forwards or backwards."""
    shape = draw(extents(size))
    strides, covered = [0] * len(shape), 1
    for axis in draw(st.permutations(range(len(shape)))):
        stride = covered + draw(st.sampled_from([0, 0, 0, 1]))
        strides[axis] = stride * draw(st.sampled_from([1, 1, -1]))
        covered = stride * max(shape[axis], 1)
    return tuple(zip(shape, strides, strict=True))


@st.composite
def any_leaves(draw, size):
    """Leaves that may name elements more than once."""
    return tuple((extent, draw(st.integers(-5, 5))) for extent in draw(extents(size)))


def spread(leaves):
    """Return the lowest and the highest offset."""
    if 0 in [extent for extent, _ in leaves]:
        return 0, 0
    reaches = [(extent - 1) * stride for extent, stride in leaves]
    return sum(min(reach, 0) for reach in reaches), sum(max(reach, 0) for reach in reaches)


@st.composite
def within(draw, memory, dtype, size, *, distinct=False):
    """Elements of a storage, by leaves or by a table."""
    room = WIDTH // dtype.itemsize
    kind = draw(st.sampled_from(["leaves", "leaves", "leaves", "table"]))
    if kind == "table":
        offsets = draw(st.lists(st.integers(0, room - 1), min_size=size, max_size=size, unique=distinct))
        start = draw(st.integers(0, room - 1))
        return Elements(memory.storage, start, (), dtype, np.array(offsets, np.int64) - start)
    leaves = draw((distinct_leaves if distinct else any_leaves)(size).filter(lambda leaves: _fits(leaves, room)))
    low, high = spread(leaves)
    return Elements(memory.storage, draw(st.integers(-low, room - 1 - high)), leaves, dtype)


def _fits(leaves, room):
    low, high = spread(leaves)
    return high - low < room


sizes = st.sampled_from([0, 1, 2, 3, 4, 6, 8, 12])
