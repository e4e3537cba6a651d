"""Arrays with axes in any order, and what a copy between them makes of every byte."""

import math

import numpy as np
from accel.backends.common import host_copies
from hypothesis import strategies as st

from accel.abc import Operand
from accel.copies import plan
from accel.testing.blocks import host_span, random_bytes

__all__ = ["ITEMSIZES", "arrays", "compare", "long_rows", "operand_of"]

ITEMSIZES = (1, 2, 3, 4, 8, 12, 16)
SIZES = (1, 2, 3, 4, 5, 8, 12, 20, 31, 33, 64, 67, 130, 1000)


@st.composite
def arrays(draw):
    """Source and target of equal shape: axes in any order, some reversed, at any address."""
    itemsize = draw(st.sampled_from(ITEMSIZES))
    shape = draw(
        st.lists(st.sampled_from(SIZES), min_size=2, max_size=4).filter(lambda sizes: math.prod(sizes) < 40_000)
    )
    ends = []
    for axes in (range(len(shape)), draw(st.permutations(range(len(shape))))):
        pad = draw(st.sampled_from([0, 0, 0, 1]))
        data = random_bytes(math.prod([each + pad for each in shape]) * itemsize + 70)
        start = draw(st.integers(0, 64))
        stored = [shape[axis] + pad for axis in axes]
        whole = np.ndarray(stored, f"V{itemsize}", data, start).transpose(np.argsort(axes))
        ends.append((data, whole[tuple(slice(0, each) for each in shape)]))
    turns = tuple(slice(None, None, draw(st.sampled_from([1, 1, 1, -1]))) for _ in shape)
    (into, target), (out_of, source) = ends
    return into, target, out_of, source[turns]


@st.composite
def long_rows(draw):
    """Source and target of a transpose: of long rows and columns, at any address, with bytes beside on both sides."""
    itemsize = draw(st.sampled_from((1, 2, 4, 8, 16)))
    rows = draw(st.integers(960, 2000) | st.integers(2040, 2240)) // itemsize + 1  # a tile has rows of 2048 bytes
    columns = draw(st.integers(320, 1400)) // itemsize
    depth = draw(st.sampled_from([1, 1, 2, 7]))
    shape = (draw(st.integers(1, 2)), depth, -(-rows // depth), columns)
    padded = [each + draw(st.sampled_from([0, 0, 1, 5])) for each in shape]
    ends = []
    for axes in ((0, 3, 1, 2), draw(st.sampled_from([(0, 1, 2, 3), (1, 0, 2, 3), (2, 1, 0, 3)]))):
        stored = [shape[axis] if axis == 2 and axes[-1] == 2 else padded[axis] for axis in axes]
        data = random_bytes(math.prod(stored) * itemsize + 280)
        whole = np.ndarray(stored, f"V{itemsize}", data, draw(st.integers(64, 140))).transpose(np.argsort(axes))
        ends.append((data, whole[tuple(slice(0, each) for each in shape)]))
    turns = tuple(slice(None, None, draw(st.sampled_from([1, 1, 1, -1]))) for _ in shape)
    (into, target), (out_of, source) = ends
    return into, target, out_of, source[turns]


def operand_of(data, array):
    """Return the operand of an array within the bytes of another one."""
    start = array.__array_interface__["data"][0] - data.__array_interface__["data"][0]
    return Operand(host_span(data), start, array.dtype, array.shape, array.strides)


def compare(into, target, out_of, source):
    """Copy between arrays within bytes, and compare every byte with what NumPy makes of it."""
    ends = operand_of(into, target), operand_of(out_of, source)
    expected, given = into.copy(), out_of.copy()
    np.copyto(np.ndarray(target.shape, target.dtype, expected, ends[0].start, target.strides), source)
    host_copies.copy(ends[0], into, ends[1], out_of, plan(*ends))
    assert np.array_equal(into, expected)
    assert np.array_equal(out_of, given)
