"""Copies from, to and between devices, against NumPy and a model that moves one element at a time."""

from itertools import product
from math import prod

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from accel import Device, copies
from accel.copies import Elements
from accel.memory import HostStorage, copy_elements
from accel.testing import arrangements

from ..copies.model import DTYPES, Memory, put, sizes, stored, values_of, within
from .effort import THOROUGH

dtypes = st.sampled_from(DTYPES)
# Sizes near those of tiles and of blocks.
extents = st.lists(st.sampled_from([1, 2, 3, 7, 8, 31, 32, 33, 64, 65, 127, 130]), max_size=4)
shapes = extents.filter(lambda shape: prod(shape) <= 20_000)


def pairs(device):
    """Return pairs of target and source device; at least one of them is a GPU."""
    everywhere = [Device.CPU, *Device.available(device.type)[:2]]
    return [pair for pair in product(everywhere, repeat=2) if set(pair) != {Device.CPU}]


def elements(storage, arrangement):
    """Return elements in row-major order."""
    leaves = zip(arrangement.extents[::-1], arrangement.strides[::-1], strict=True)
    return Elements(storage, arrangement.start, tuple(leaves))


@THOROUGH
@given(st.data(), dtypes)
def test_a_copy_is_that_of_one_element_at_a_time(device, data, dtype):
    to, of = data.draw(st.sampled_from(pairs(device)))
    target, source, size = Memory(to), Memory(of, seed=11), data.draw(sizes)
    into, out_of = data.draw(within(target, dtype, size, distinct=True)), data.draw(within(source, dtype, size))
    put(target, into, values_of(source, out_of))
    copies.copy(into, out_of)
    target.check()
    source.check()


@THOROUGH
@given(st.data(), dtypes)
def test_elements_may_overlap_those_they_are_copied_from(device, data, dtype):
    memory, size = Memory(device), data.draw(sizes)
    into, out_of = data.draw(within(memory, dtype, size, distinct=True)), data.draw(within(memory, dtype, size))
    put(memory, into, values_of(memory, out_of))
    copies.copy(into, out_of)
    memory.check()


@THOROUGH
@given(st.data(), dtypes)
def test_a_fill_sets_these_elements_and_no_others(device, data, dtype):
    memory, value = Memory(device), np.array([3], dtype)
    into = data.draw(within(memory, dtype, data.draw(sizes), distinct=True))
    put(memory, into, np.repeat(value, into.size))
    copies.fill(into, value[0])
    memory.check()


@THOROUGH
@given(st.data(), dtypes, shapes)
def test_elements_in_any_arrangement_arrive_where_numpy_puts_them(device, data, dtype, shape):
    into = data.draw(arrangements(extents=shape, distinct=True))
    out_of = data.draw(arrangements(extents=shape))
    places = data.draw(st.sampled_from(pairs(device)))
    target, source = into.array(dtype, seed=1), out_of.array(dtype, seed=2)
    storages = [stored(place, values.base) for place, values in zip(places, (target, source), strict=True)]
    target[...] = source
    copies.copy(*map(elements, storages, (into, out_of)))
    for storage, expected in zip(storages, (target.base, source.base), strict=True):
        result = np.empty_like(expected)
        copy_elements(HostStorage(result), storage)
        assert result.tobytes() == expected.tobytes()
