"""Copies on and between all devices, compared with a model that moves one element at a time."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accel import copies
from accel.copies import Elements
from accel.dtypes import as_dtype
from accel.errors import AccelError
from accel.testing import no_races

from .model import DTYPES, QUICK, Memory, any_leaves, places, put, sizes, values_of, within

DEVICES = ("cpu", "sim", "sim:1")
dtypes = st.sampled_from(DTYPES)
everywhere = pytest.mark.parametrize("device", DEVICES)
between = pytest.mark.parametrize(("to", "of"), [(to, of) for to in DEVICES for of in DEVICES])


def draw_copy(data, target, source, dtype, source_dtype=None):
    size = data.draw(sizes)
    into = data.draw(within(target, dtype, size, distinct=True))
    return into, data.draw(within(source, source_dtype or dtype, size))


@between
@QUICK
@given(st.data(), dtypes)
def test_a_copy_is_that_of_one_element_at_a_time(to, of, data, dtype):
    target, source = Memory(to), Memory(of, seed=11)
    into, out_of = draw_copy(data, target, source, dtype)
    put(target, into, values_of(source, out_of))
    with no_races():
        copies.copy(into, out_of)
    target.check()
    source.check()


@everywhere
@QUICK
@given(st.data(), dtypes)
def test_elements_may_overlap_those_they_are_copied_from(device, data, dtype):
    memory = Memory(device)
    into, out_of = draw_copy(data, memory, memory, dtype)
    put(memory, into, values_of(memory, out_of))
    copies.copy(into, out_of)
    memory.check()


@everywhere
@pytest.mark.parametrize("into", [-3, -2, -1, 1, 2, 3])
@pytest.mark.parametrize("out_of", [-3, -2, -1, 0, 1, 2, 3])
def test_a_loop_may_start_anywhere_in_the_other(device, into, out_of):
    """NumPy copies some of these wrongly: it reads elements that it has overwritten before."""
    memory = Memory(device)
    for start in range(40, 50, 1 if device == "cpu" else 4):
        target = Elements(memory.storage, 45, ((4, into),))
        source = Elements(memory.storage, start, ((4, out_of),))
        put(memory, target, values_of(memory, source))
        copies.copy(target, source)
        memory.check()


@between
@QUICK
@given(st.data(), dtypes, dtypes)
@pytest.mark.filterwarnings("error")
def test_a_cast_is_that_of_astype_without_its_warnings(to, of, data, dtype, source_dtype):
    target, source = Memory(to), Memory(of, seed=11)
    into, out_of = draw_copy(data, target, source, dtype, source_dtype)
    with np.errstate(all="ignore"):
        values = values_of(source, out_of)
        put(target, into, (values.real if source_dtype.kind == "c" != dtype.kind else values).astype(dtype))
    copies.copy(into, out_of, cast=True)
    target.check()
    source.check()


@everywhere
def test_a_complex_number_is_true_for_either_of_its_parts(device):
    storage = Memory(device).storage
    target = Elements(storage, 0, ((3, 1),), as_dtype("bool"))
    source = Elements(storage, 2, ((3, 1),), as_dtype("complex64"))
    copies.write(source, np.array([0, 2, 1j], "complex64"))
    copies.copy(target, source, cast=True)
    assert copies.read(target).tolist() == [False, True, True]


@settings(QUICK, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), dtypes)
def test_devices_that_do_not_know_each_other_copy_by_way_of_the_host(strangers, data, dtype):
    target, source = map(Memory, data.draw(st.permutations(strangers)))
    into, out_of = draw_copy(data, target, source, dtype)
    put(target, into, values_of(source, out_of))
    copies.copy(into, out_of)
    target.check()
    source.check()


@everywhere
@QUICK
@given(st.data(), dtypes)
def test_a_fill_sets_these_elements_and_no_others(device, data, dtype):
    memory = Memory(device)
    into = data.draw(within(memory, dtype, data.draw(sizes), distinct=True))
    value = np.array([3], dtype)
    put(memory, into, np.repeat(value, into.size))
    copies.fill(into, value[0])
    memory.check()


@everywhere
@QUICK
@given(st.data(), dtypes)
def test_reading_gives_the_elements_in_order_in_memory_of_its_own(device, data, dtype):
    memory = Memory(device)
    out_of = data.draw(within(memory, dtype, data.draw(sizes)))
    values = copies.read(out_of)
    assert (values.dtype, values.ndim) == (dtype, 1)
    assert values.tobytes() == values_of(memory, out_of).tobytes()
    values.view("uint8")[...] = 1
    memory.check()


@everywhere
@QUICK
@given(st.data(), dtypes, st.sampled_from([1, -1, 2]))
def test_what_was_written_is_read(device, data, dtype, step):
    memory = Memory(device)
    into = data.draw(within(memory, dtype, data.draw(sizes), distinct=True))
    values = np.arange(2 * into.size).astype(dtype)[::step][: into.size]
    values.flags.writeable = False
    put(memory, into, values)
    copies.write(into, values)
    memory.check()
    assert copies.read(into).tobytes() == values.tobytes()


@QUICK
@given(st.data(), dtypes)
def test_values_may_lie_where_they_are_written(data, dtype):
    memory = Memory("cpu")
    into = data.draw(within(memory, dtype, data.draw(sizes), distinct=True))
    whole = memory.storage.export().view(dtype)
    values = whole[: into.size][:: data.draw(st.sampled_from([1, -1]))]
    put(memory, into, values.copy())
    copies.write(into, values)
    memory.check()


@everywhere
@QUICK
@given(st.data(), dtypes, st.integers(-20, 60))
def test_what_names_an_element_twice_or_leaves_the_storage_changes_nothing(device, data, dtype, start):
    memory = Memory(device)
    leaves = data.draw(any_leaves(data.draw(sizes)))
    target = Elements(memory.storage, start, leaves, dtype)
    named = places(target)
    room = len(memory.expected) // dtype.itemsize
    inside = all(0 <= place < room for place in named)
    right = inside and len(set(named)) == len(named)
    value = np.ones(1, dtype)
    if right:
        put(memory, target, np.repeat(value, len(named)))
    raised = None
    try:
        copies.fill(target, value[0])
    except AccelError as error:
        raised = type(error).__name__
    assert raised == (None if right else "OverlapError" if inside else "BoundsError")
    memory.check()


@everywhere
def test_a_bitcast_reads_the_same_bytes(device):
    memory = Memory(device)
    odd = memory.storage.window(1, 10, as_dtype("uint8"))
    whole = Elements(odd, 0, ((2, 1),), as_dtype("float32"))
    assert copies.read(whole).tobytes() == bytes(memory.expected[1:9])


@everywhere
def test_sizes_of_nothing_are_valid(device):
    storage = Memory(device).storage.window(0, 0, as_dtype("float32"))
    for nothing in (Elements(storage, 0, ((0, 1),)), Elements(storage, 9, ((3, 1), (0, -4)))):
        copies.fill(nothing, np.float32(1))
        copies.copy(nothing, nothing)
        copies.write(nothing, np.empty(0, "float32"))
        assert copies.read(nothing).shape == (0,)
