"""Tensors with models. A model is an array of the storage offset of each element."""

from math import prod

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

import accel
from accel.layout import ComposedLayout, Layout, Swizzle, offsets

QUICK = settings(max_examples=150, deadline=None, database=None)
DEVICES = ("cpu", "sim")


def tensor(layout, values=None, *, offset=0, dtype="float32", device="cpu", **more):
    """Return a tensor on a container of values; by default 0, 1, 2, ..., as many as the layout needs."""
    layout = Layout.parse(layout) if isinstance(layout, str) else layout
    values = np.arange(layout.cosize + offset) if values is None else np.asarray(values)
    return accel.LayoutTensor(accel.container(values.astype(dtype), device=device), layout, offset, **more)


def model_of(layout, start=0):
    """Return the offset of each coordinate, in row-major order."""
    return by_rows(offsets(layout) + start, layout)


def by_rows(table, layout):
    """Return colexicographic values as an array of the shape of a layout."""
    sizes = [layout.mode(k).size for k in range(layout.rank)]
    return table.reshape(sizes[::-1]).transpose()


def lowest(layout):
    return sum(min(0, (extent - 1) * stride) for extent, stride in layout.leaves) if layout.size else 0


def modelled(layout):
    """Return a tensor whose numbers are their offsets in the storage, and its model."""
    start = -lowest(layout)
    storage = accel.container(np.arange(max(layout.cosize, 1), dtype=np.int64))
    return accel.LayoutTensor(storage, layout, start), model_of(layout, start)


flat_layouts = st.lists(st.tuples(st.integers(0, 9), st.integers(-12, 12)), min_size=1, max_size=3).map(
    lambda leaves: Layout(*map(tuple, zip(*leaves, strict=True)))
)
"""Layouts that are empty, of one element, with negative strides, and with strides of zero."""


def vectors(model, element_rank, counts):
    """Return the model of a vectorized tensor; the numbers of a former element are the fastest part of each mode."""
    rank = len(counts)
    outer, inner = model.shape[:rank], model.shape[rank:] if element_rank else (1,) * rank
    parts = [extent for size, count in zip(outer, counts, strict=True) for extent in (size // count, count)]
    cut = model.reshape(*parts, *inner)
    order = [*range(0, 2 * rank, 2), *(k for axis in range(rank) for k in (2 * axis + 1, 2 * rank + axis))]
    sizes = [size // count for size, count in zip(outer, counts, strict=True)]
    element = [count * size for count, size in zip(counts, inner, strict=True)]
    return cut.transpose(order).reshape(*sizes, *(element if prod(element) != 1 else ()))


@st.composite
def composed_layouts(draw, inner=flat_layouts):
    """Layouts under swizzles with positive, negative or no shift, with an offset inside the swizzle."""
    bits = draw(st.integers(0, 3))
    apart = draw(st.integers(bits, 4)) * draw(st.sampled_from([1, -1]))
    return ComposedLayout(Swizzle(bits, draw(st.integers(0, 3)), apart), draw(st.integers(-40, 40)), draw(inner))


def placed(layout, device="cpu"):
    """Return a tensor of a plain or composed layout whose numbers are their storage offsets, and its model."""
    table = offsets(layout)
    start, end = (int(-table.min()), int(table.max())) if table.size else (0, 0)
    storage = accel.container(np.arange(start + end + 1, dtype=np.int64), device=device)
    inner = layout.layout if isinstance(layout, ComposedLayout) else layout
    return storage.view(layout, start), by_rows(table + start, inner)
