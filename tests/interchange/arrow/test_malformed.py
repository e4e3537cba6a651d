"""What other libraries get wrong is refused, with the position, before any of it is used."""

import ctypes
import gc
import mmap
from contextlib import suppress
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accel.errors import AccelError, DTypeError, FormatError, InterchangeError
from accel.interchange.arrow import receive_column, receive_columns
from accel.interchange.arrow.abi import ArrowArray, ArrowSchema, new_capsule
from accel.interchange.arrow.checks import check_offsets, check_text
from accel.interchange.arrow.readable import is_readable

from ...tables import rows

RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
NAMES = b"arrow_schema", b"arrow_array"


_alive = set()


class Raw:
    """A producer whose structures the tests fill by hand; it counts releases."""

    def __init__(self, code, length, buffers, children=(), **fields):
        self.released = []
        _alive.add(self)  # until it is released, as a library in C would be
        self.kept = [each for each in buffers if each is not None]
        self.children = children
        addresses = [None if each is None else each.ctypes.data for each in buffers]
        self.table = (ctypes.c_void_p * max(len(buffers), 1))(*addresses)
        self.callbacks = RELEASE(self.release_schema), RELEASE(self.release_array)
        self.schema = ArrowSchema(code.encode(), b"x", None, 2, len(children), self.pointers("schema"))
        table = ctypes.cast(self.table, ctypes.POINTER(ctypes.c_void_p))
        self.array = ArrowArray(length, 0, 0, len(buffers), len(children), table, self.pointers("array"))
        for each, callback in zip((self.schema, self.array), self.callbacks, strict=True):
            each.release = ctypes.cast(callback, ctypes.c_void_p)
        for name, value in fields.items():
            setattr(self.schema if hasattr(self.schema, name) and name != "n_children" else self.array, name, value)

    def pointers(self, what):
        if not self.children:
            return None
        addresses = [ctypes.addressof(getattr(child, what)) for child in self.children]
        result = (ctypes.c_void_p * len(addresses))(*addresses)
        self.kept.append(result)
        return ctypes.cast(result, ctypes.POINTER(ctypes.c_void_p))

    def release_schema(self, address):
        ArrowSchema.from_address(address).release = None

    def release_array(self, address):
        self.released.append(address)
        _alive.discard(self)
        ArrowArray.from_address(address).release = None

    def __arrow_c_array__(self, requested_schema=None):
        held = zip((self.schema, self.array), NAMES, strict=True)
        return tuple(new_capsule(ctypes.addressof(each), name, None) for each, name in held)


def numbers(length=3, code="l", **fields):
    return Raw(code, length, [None, np.arange(8)], **fields)


def strings(offsets, chars=b"abcdef", mask=None, code="u"):
    offsets = np.array(offsets, np.int32 if code == "u" else np.int64)
    return Raw(code, len(offsets) - 1, [mask, offsets, np.frombuffer(chars + b"\0", np.uint8)])


def lists(offsets, length=4, code="+l"):
    offsets = np.array(offsets, np.int32 if code == "+l" else np.int64)
    return Raw(code, len(offsets) - 1, [None, offsets], [numbers(length)])


def refused(raw, message, error=InterchangeError):
    with pytest.raises(error, match=message):
        receive_column(raw)
    gc.collect()
    assert len(raw.released) == 1


def test_a_structure_made_by_hand_is_read_and_released_once():
    raw = numbers(offset=2)
    column = receive_column(raw)
    assert np.asarray(column.values).tolist() == [2, 3, 4]
    assert not raw.released
    del column
    gc.collect()
    assert len(raw.released) == 1


@rows(
    ("raw", "message"),
    [
        (lambda: numbers(-1), "length of the column is -1"),
        (lambda: numbers(offset=-1), "offset of the column is -1"),
        (lambda: numbers(null_count=-2), "null_count of the column is -2"),
        (lambda: numbers(null_count=4), "3 elements, 4 of them null"),
        (lambda: numbers(null_count=1), "1 nulls, and a null pointer for its validity"),
        (lambda: numbers(n_buffers=3), "has 3 buffers; format 'l' needs 2"),
        (lambda: numbers(2**62, offset=2**62), "overflows|leaves all memory"),
        (lambda: numbers(2**60), "leaves all memory"),
        (lambda: Raw("l", 3, [None, None]), "buffer 1 of the column is a null pointer"),
        (lambda: Raw("u", 3, [None, None, None]), "buffer 1 of the column is a null pointer"),
        (lambda: Raw("+l", 0, [None, None]), "0 children, and its type has 0; format '\\+l' needs 1"),
        (lambda: Raw("+s", 0, [None], [numbers()], n_children=2), "has 2 children, and its type has 1"),
        (lambda: Raw("+s", 5, [None], [numbers(3)]), "3 elements.*its parent has 5"),
        (lambda: Raw("+s", 3, [None], [numbers(-3)]), "length of field 'x' of the column is -3"),
        (lambda: numbers(dictionary=8), "dictionary"),
    ],
)
def test_impossible_structures_are_refused(raw, message):
    refused(raw(), message)


def test_a_child_that_was_released_is_refused():
    child = numbers()
    child.array.release = None
    refused(Raw("+s", 3, [None], [child]), "child 0 of the column was released")


def test_a_structure_inside_of_itself_is_refused():
    inner = Raw("+s", 1, [None], [numbers()])
    for what in ("schema", "array"):
        getattr(inner, what).children[0] = ctypes.addressof(getattr(inner, what))
    refused(Raw("+s", 1, [None], [inner]), "inside of more than 64")


@pytest.mark.parametrize("code", ["", "l8", "zz", "tdD", "vu", "\xff"])
def test_formats_that_are_unknown_are_refused(code):
    refused(numbers(code=code), "no counterpart here", DTypeError)


@pytest.mark.parametrize("code", ["u", "U"])
def test_wrong_offsets_of_strings_are_refused_with_the_position(code):
    byte = 4 if code == "u" else 8
    refused(strings([0, 2, 1, 6], code=code), f"element 1 .* from 2 to 1.* \\(byte {byte} of its offsets", FormatError)
    refused(strings([-1, 2], code=code), "element 0 .* starts at -1", FormatError)


def test_offsets_past_the_values_of_lists_are_refused_with_the_position():
    refused(lists([0, 2, 5]), "element 1 of the column ends at 5, and only 4 are there", FormatError)
    refused(lists([0, 2**62], code="+L"), "element 0 .*only 4", FormatError)


def test_offsets_past_the_text_that_pyarrow_has_are_refused():
    offsets = np.array([0, 2, 4], np.int32)
    array = pa.Array.from_buffers(pa.utf8(), 2, [None, pa.py_buffer(offsets), pa.py_buffer(b"abcd")])
    offsets[2] = 90
    with pytest.raises(FormatError, match=r"element 1 .* ends at 90, and only 4 are there"):
        receive_column(array)


def test_offsets_past_the_text_of_a_column_of_a_table_are_refused():
    offsets = np.array([0, 2, 4], np.int32)
    array = pa.Array.from_buffers(pa.utf8(), 2, [None, pa.py_buffer(offsets), pa.py_buffer(b"abcd")])
    table = pa.table({"a": [1, 2], "b": array})
    offsets[2] = 90
    with pytest.raises(FormatError, match=r"element 1 of field 'b' of the column ends at 90, and only 4 are there"):
        receive_columns(table)


def test_buffers_that_share_their_first_byte_are_taken_for_the_longest():
    memory = pa.py_buffer(np.arange(8))
    long, short = (pa.Array.from_buffers(pa.int64(), n, [None, memory.slice(0, 8 * n)]) for n in (8, 2))
    assert len(receive_columns(pa.chunked_array([long, short]))) == 2
    assert len(receive_columns(pa.chunked_array([short, long]))) == 2


def test_a_length_past_the_memory_that_pyarrow_has_is_refused():
    class Known(Raw):
        def buffers(self):
            return [pa.py_buffer(each) for each in self.kept]

    refused(Known("l", 20, [None, np.arange(8)]), "needs 160 bytes, and its library says that it has 64", FormatError)


def test_offsets_past_all_memory_do_not_end_the_process():
    refused(strings([0, 2**60], code="U"), "not all can be read", FormatError)


def test_text_that_is_no_utf8_is_refused_with_the_position():
    refused(strings([0, 2, 4], b"ab\xff\xfe"), "element 1 of the column is no UTF-8: .* at byte 2", FormatError)


def test_a_string_that_begins_inside_of_a_character_is_refused():
    refused(strings([0, 1, 2], "é".encode()), "element 0 .* no UTF-8", FormatError)


def test_the_bytes_of_null_strings_may_be_anything():
    mask = np.array([0b101], np.uint8)
    raw = strings([0, 1, 3, 4], b"a\xff\xfeb", mask)
    raw.array.null_count = -1
    column = receive_column(raw)
    assert np.asarray(column.mask).tolist() == [True, False, True]
    raw = strings([0, 1, 3, 4], b"a\xff\xfe\xff", mask)
    raw.array.null_count = 1
    refused(raw, "element 2 .* no UTF-8", FormatError)


def test_misaligned_memory_is_copied():
    memory = np.zeros(33, np.uint8)
    memory[1:] = np.arange(4).view(np.uint8)
    column = receive_column(Raw("l", 4, [None, memory[1:]]))
    assert np.asarray(column.values).tolist() == [0, 1, 2, 3]


def test_an_array_without_elements_needs_no_memory():
    for code, buffers in (("l", 2), ("b", 2), ("u", 3)):
        assert receive_column(Raw(code, 0, [None] * buffers)).length == 0


@pytest.mark.parametrize(("capsules", "message"), [((1, 2), "capsule named 'arrow_schema'")])
def test_what_is_no_capsule_is_refused(capsules, message):
    class Wrong:
        def __arrow_c_array__(self, requested_schema=None):
            return capsules

    with pytest.raises(InterchangeError, match=message):
        receive_column(Wrong())


@given(
    st.lists(st.integers(-(2**31), 2**31 - 1) | st.integers(-2, 9), min_size=1, max_size=6),
    st.binary(min_size=6, max_size=6),
)
def test_random_offsets_and_text_are_refused_or_right(offsets, chars):
    memory, length = np.zeros(len(offsets), np.int32), len(offsets) - 1
    array = pa.Array.from_buffers(pa.utf8(), length, [None, pa.py_buffer(memory), pa.py_buffer(chars)])
    memory[:] = offsets
    try:
        array.validate(full=True)
        expected = array.to_pylist()
    except (pa.ArrowInvalid, UnicodeDecodeError):
        expected = None
    try:
        column = receive_column(array)
    except FormatError:
        assert expected is None
        return
    assert [chars[a:b].decode() for a, b in pairwise(offsets)] == (expected or [])
    assert column.length == length


@given(st.data())
def test_random_numbers_in_structures_are_refused_or_harmless(data):
    raw = data.draw(st.sampled_from([numbers, lambda: strings([0, 2, 3]), lambda: lists([0, 1, 4])]))()
    small = st.integers(-2, 4) | st.sampled_from([2**31, 2**62, 2**63 - 1, -(2**63)])
    for part in (raw, *raw.children):
        for name in data.draw(st.sets(st.sampled_from(["length", "offset", "null_count", "n_buffers", "n_children"]))):
            setattr(part.array, name, data.draw(small))
    with suppress(AccelError):
        receive_column(raw)
    gc.collect()
    assert len(raw.released) == 1


@given(st.lists(st.integers(-3, 12), min_size=1, max_size=9), st.integers(0, 9))
def test_offsets_are_right_if_and_only_if_each_step_is(offsets, available):
    right = offsets[0] >= 0 and offsets == sorted(offsets) and offsets[-1] <= available
    assert (_failure(check_offsets, np.array(offsets), available, "x") is None) == right


@given(st.lists(st.text(max_size=4).map(str.encode) | st.binary(max_size=4), min_size=1, max_size=6))
def test_text_is_right_if_and_only_if_each_string_is(strings):
    offsets = np.cumsum([0, *map(len, strings)])
    first = next((i for i, each in enumerate(strings) if not _is_utf8(each)), None)
    failure = _failure(check_text, np.frombuffer(b"".join(strings), np.uint8), offsets, None, "x")
    assert failure is None if first is None else failure.startswith(f"element {first} ")


def _failure(check, *arguments):
    try:
        check(*arguments)
    except FormatError as error:
        return str(error)
    return None


def _is_utf8(text):
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_pages_that_cannot_be_read_are_found():
    size = mmap.PAGESIZE
    with mmap.mmap(-1, 3 * size) as memory:
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        libc = ctypes.CDLL(None)
        assert is_readable(address, 3 * size)
        assert libc.mprotect(ctypes.c_void_p(address + size), size, 0) == 0
        try:
            assert is_readable(address, size)
            assert not is_readable(address, size + 1)
            assert not is_readable(address, 3 * size)
            assert is_readable(address + 2 * size, size)
            assert not is_readable(0, 1)
        finally:
            libc.mprotect(ctypes.c_void_p(address + size), size, mmap.PROT_READ | mmap.PROT_WRITE)
        gc.collect()
