"""Kernels know which elements of a tensor they may access, so that nothing else of its memory counts as accessed."""

import numpy as np
import pytest
from accel.backends.cupy.device_code import device_source
from hypothesis import given
from hypothesis import strategies as st

import accel
from accel import Layout, LayoutTensor
from accel.errors import AccelError
from accel.kernels.frontend.function_source import FunctionSource
from accel.kernels.frontend.lowering import lower
from accel.kernels.frontend.types import TensorType
from accel.layout import Swizzle, row_major

from .execution import lowered

NEGATIVE = Layout((4, 6), (-8, 1))
LAYOUTS = [row_major(4, 6), Layout((4, 6), (1, 9)), Layout(((2, 2), (3, 2)), ((3, 12), (1, 6))), Layout((4, 6), (0, 2))]
COUNTS, PLACES = st.integers(1, 4), st.integers(0, 2)
PARTS = st.one_of(
    st.builds(
        lambda m, n, i, j, tail: lambda t: t.tile((m, n), (i, j), tail),
        *[COUNTS] * 2,
        *[PLACES] * 2,
        st.sampled_from(["mask", "pad"]),
    ),
    st.just(lambda t: t.transpose()),
    st.just(lambda t: t.vectorize(2, 1)),
    st.builds(lambda thread: lambda t: t.distribute(row_major(2, 2), thread), st.integers(0, 3)),
)


def set_first(t):
    for i in range(1):
        t[i, 0] = 0


def offsets_of(tensor):
    """Return the places of the numbers of a tensor in its storage, which counts up; none of its padding."""
    inside = tuple(map(slice, tensor._geometry.inside))
    return tensor.to_numpy()[inside].ravel()


@given(st.sampled_from([*LAYOUTS, NEGATIVE]), st.lists(PARTS, max_size=2))
def test_a_span_reaches_from_the_lowest_to_the_highest_element_that_is_valid(layout, parts):
    tensor = LayoutTensor(accel.container(range(80), dtype="int64"), layout, offset=30)
    try:
        for part in parts:
            tensor = part(tensor)
    except AccelError:
        return
    result, (leaf,) = lowered(set_first, tensor)
    offsets = offsets_of(tensor) - leaf.memory.offset
    (parameter,) = result.program.parameters
    assert parameter.span == ((offsets.min(), offsets.max() + 1) if offsets.size else (0, 0))


def test_a_swizzle_has_no_span():
    tensor = accel.container(range(64)).view(Swizzle(2, 1, 2) @ row_major(8, 8))
    (parameter,) = lowered(set_first, tensor)[0].program.parameters
    assert parameter.span is None


def distances(t):
    for i in range(2):
        t[i] = 0


@pytest.mark.parametrize("stride", [1 << 29, -(1 << 29), 1 << 30, -(1 << 30)])
def test_gpus_compute_distances_of_32_bits_where_these_suffice(stride):
    kind = TensorType(np.dtype("i1"), Layout(2, stride), Layout(1))
    text = device_source(lower(FunctionSource.of(distances), {"t": kind}, debug=False).program)
    assert ("index_t(i_)" in text) == (abs(stride) < 1 << 30)
