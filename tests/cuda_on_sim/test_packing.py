"""The bytes of a launch's parameters, beside a conversion of each value by itself."""

import ctypes
import threading

import numpy as np
import pytest
from accel.backends.sim.packing import Packing
from hypothesis import given
from hypothesis import strategies as st

DTYPES = {
    "i1": "?",
    **{f"i{8 * size}": f"i{size}" for size in (1, 2, 4, 8)},
    "half": "f2",
    "float": "f4",
    "double": "f8",
    "ptr": "u8",
}
CTYPES = [
    ctypes.c_bool, ctypes.c_int8, ctypes.c_uint8, ctypes.c_int16, ctypes.c_uint16, ctypes.c_int32, ctypes.c_uint32,
    ctypes.c_int64, ctypes.c_uint64, ctypes.c_float, ctypes.c_double,
]  # fmt: skip


def converted(kind, value):
    """Return the bytes of one value: what each value took before they were packed together."""
    dtype = np.dtype(DTYPES[kind])
    if isinstance(value, ctypes._SimpleCData):
        return bytes(value) if ctypes.sizeof(value) == dtype.itemsize else dtype.type(value.value).tobytes()
    if dtype.kind in "iu":
        return int(value).to_bytes(dtype.itemsize, "little", signed=int(value) < 0)
    return dtype.type(value).tobytes()


@st.composite
def values_of(draw, kind):
    """Return a value that a launch may have for a parameter of a type."""
    size = np.dtype(DTYPES[kind]).itemsize
    if draw(st.booleans()):
        alike = [each for each in CTYPES if ctypes.sizeof(each) == size]
        return draw(st.sampled_from(alike)).from_buffer_copy(draw(st.binary(min_size=size, max_size=size)))
    if kind in ("half", "float", "double"):
        number = draw(st.floats(width=8 * size))
        return draw(st.sampled_from([float, np.float64, np.dtype(DTYPES[kind]).type, ctypes.c_double]))(number)
    if kind == "i1":
        return draw(st.sampled_from([bool, np.bool_, int]))(draw(st.booleans()))
    number = draw(st.integers(-(1 << 8 * size - 1), (1 << 8 * size) - 1))
    return draw(st.sampled_from([int, lambda n: np.array(n, np.int64 if n < 0 else np.uint64)[()]]))(number)


KINDS = st.sampled_from([*DTYPES])
PAIRS = KINDS.flatmap(lambda kind: st.tuples(st.just(kind), values_of(kind)))


def passed(packing, values, addresses=()):
    arguments = packing.arguments(packing.packed(values), addresses)
    table = (ctypes.c_void_p * len(values)).from_address(arguments.address)
    assert all(address % size == 0 for address, size in zip(table, packing.sizes, strict=True))
    return [ctypes.string_at(address, size) for address, size in zip(table, packing.sizes, strict=True)]


@given(st.lists(PAIRS, max_size=12))
def test_each_value_has_the_bytes_that_it_has_alone(pairs):
    kinds, values = [kind for kind, _ in pairs], [value for _, value in pairs]
    packing = Packing(kinds)
    expected = [converted(kind, value) for kind, value in pairs]
    assert passed(packing, values) == passed(packing, values) == expected
    for number, content, kind in zip(packing.numbers(packing.packed(values)), expected, kinds, strict=True):
        if kind in ("i8", "i16", "i32", "i64", "ptr"):
            assert number == int.from_bytes(content, "little", signed=True)


@given(st.lists(KINDS, max_size=4), st.data())
def test_launches_with_values_of_other_types_share_a_packing(kinds, data):
    packing = Packing(kinds)
    for _ in range(3):
        values = [data.draw(values_of(kind)) for kind in kinds]
        expected = [converted(kind, value) for kind, value in zip(kinds, values, strict=True)]
        assert passed(packing, values) == expected


@given(st.lists(PAIRS, min_size=1, max_size=8), st.data())
def test_addresses_replace_only_their_parameters(pairs, data):
    kinds = ["ptr", *[kind for kind, _ in pairs], "ptr"]
    values = [1 << 49, *[value for _, value in pairs], 3 << 48]
    addresses = [(place, data.draw(st.integers(0, (1 << 48) - 1))) for place in (0, len(values) - 1)]
    expected = [converted(kind, value) for kind, value in zip(kinds, values, strict=True)]
    for place, address in addresses:
        expected[place] = address.to_bytes(8, "little")
    assert passed(Packing(kinds), values, addresses) == expected


@pytest.mark.parametrize(("kind", "value"), [("i8", 256), ("i16", -(1 << 15) - 1), ("i64", 1 << 64), ("ptr", 1 << 64)])
def test_integers_with_too_many_bits_are_refused(kind, value):
    with pytest.raises(OverflowError):
        Packing([kind]).packed([value])


def test_threads_pack_for_one_kernel():
    packing, wrong = Packing(["i64", "float", "ptr"]), []

    def pack(number):
        for turn in range(200):
            values = [number, ctypes.c_float(turn), number << 32] if turn % 2 else [np.int64(number), turn, number]
            expected = [converted(kind, value) for kind, value in zip(["i64", "float", "ptr"], values, strict=True)]
            if passed(packing, values) != expected:
                wrong.append((number, turn))

    threads = [threading.Thread(target=pack, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
