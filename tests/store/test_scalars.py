"""A scalar keeps one value: its bytes are NumPy's, and each request that does not fit them is refused."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from accel.dtypes import as_dtype, supported
from accel.errors import DTypeError, StoreValueError
from accel.store import Domain, Scalar, create_store, null

NUMBERS = st.one_of(
    st.integers(-(2**63), 2**64 - 1), st.floats(allow_nan=False), st.complex_numbers(allow_nan=False), st.booleans()
)
VALUES = st.one_of(
    NUMBERS, st.text(st.characters(codec="utf-8")), st.binary(), st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1)
)


class TestAScalar:
    @given(VALUES)
    def test_gives_its_value_back(self, value):
        scalar = Scalar(value)
        assert scalar == value
        assert scalar == Scalar(value)
        assert np.asarray(scalar.value()).tolist() == (value if isinstance(value, list) else np.asarray(value).tolist())

    @given(VALUES, VALUES)
    def test_is_equal_where_the_values_are(self, one, other):
        assert (Scalar(one) == Scalar(other)) == (Scalar(one) == other) == (one == other)

    @given(npst.arrays(npst.scalar_dtypes().filter(lambda d: d in supported() and d.kind != "b"), st.integers(0, 5)))
    def test_has_the_bytes_of_the_array(self, array):
        scalar = Scalar(array)
        assert scalar.size == array.nbytes
        assert (scalar.dtype.base, scalar.dtype.shape) == (array.dtype, array.shape)
        np.testing.assert_array_equal(scalar.values(), array)
        assert scalar.value().tobytes() == array.tobytes()
        assert scalar.values(f"u{array.itemsize}" if array.itemsize < 16 else "complex128").tobytes() == array.tobytes()

    @given(st.integers(-(2**63), 2**64 - 1))
    def test_of_an_integer_has_the_smallest_type_that_holds_it(self, value):
        result = Scalar(value).dtype
        sizes = [np.dtype(f"{'u' if value >= 0 else 'i'}{size}") for size in (1, 2, 4, 8)]
        assert result == next(each for each in sizes if np.iinfo(each).min <= value <= np.iinfo(each).max)

    @pytest.mark.parametrize("dtype", supported(), ids=str)
    def test_has_the_type_that_is_asked_for(self, dtype):
        scalar = Scalar(True, dtype)
        assert (scalar.dtype, scalar.size, scalar.value()) == (dtype, dtype.itemsize, dtype.type(1))
        assert scalar.value(dtype).dtype == scalar.values()[0].dtype == dtype
        assert scalar == 1

    @pytest.mark.parametrize(
        ("value", "dtype"), [(1.5, "float64"), (1j, "complex128"), (True, "bool"), (np.float32(2), "float32")]
    )
    def test_of_any_other_number_has_the_type_that_numpy_gives_it(self, value, dtype):
        assert Scalar(value).dtype == dtype

    def test_keeps_booleans_of_a_sequence_as_bytes(self):
        scalar = Scalar([True, False, True])
        assert (scalar.dtype, scalar.size) == (np.dtype(("uint8", (3,))), 3)
        assert scalar.values(bool).tolist() == [True, False, True]
        assert Scalar([True], "bool").dtype.base == "bool"

    def test_keeps_a_point_as_coordinates_of_64_bits(self):
        *_, last = Domain((0, 0), (3, 4))
        assert Scalar(last).dtype == np.dtype(("int64", (2,)))
        assert Scalar(last).value(np.dtype(("int64", (2,)))).tolist() == [3, 4]

    def test_keeps_text_in_utf_8(self):
        scalar = Scalar("héllo")
        assert (scalar.size, scalar.dtype, scalar.value(), scalar.value(str)) == (6, "S6", "héllo", "héllo")
        assert scalar.values("int8").tobytes().decode() == "héllo"
        assert Scalar("").value() == ""

    def test_keeps_bytes_with_zeros_at_their_end(self):
        assert Scalar(b"a\0\0").value() == Scalar(b"a\0\0").value(bytes) == b"a\0\0"

    def test_of_a_scalar_has_its_value(self):
        assert Scalar(Scalar(5, "int16")).dtype == "int16"
        assert Scalar(Scalar(5, "int16"), "float32").dtype == "float32"
        assert Scalar(null()) == null()

    def test_reads_its_bytes_as_another_type_of_their_size(self):
        assert Scalar(1.0, "float32").value("uint32") == 0x3F800000

    def test_fills_a_store(self):
        store = create_store("int32", (3,))
        store.fill(Scalar(7))
        assert np.asarray(store.get_physical_store()).tolist() == [7, 7, 7]

    def test_is_an_array_for_numpy(self):
        assert (np.asarray(Scalar([1, 2])) + 1).tolist() == [2, 3]
        assert np.asarray(Scalar(2), "float32").dtype == "float32"
        with pytest.raises(ValueError, match="only by a copy"):
            np.asarray(Scalar(2), copy=False)

    def test_is_not_hashed_because_its_value_may_change(self):
        with pytest.raises(TypeError, match="unhashable"):
            hash(Scalar(1))

    @pytest.mark.parametrize("other", [object(), 2**64, [[1]], "5", [5], 5.5, None, int])
    def test_differs_from_any_other_value(self, other):
        assert Scalar(5) != other

    @pytest.mark.parametrize(
        ("scalar", "text"),
        [
            (Scalar(300), "Scalar(300, dtype='uint16')"),
            (Scalar([1.5]), "Scalar([1.5], dtype='float64')"),
            (Scalar("a"), "Scalar('a')"),
            (Scalar(b"a"), "Scalar(b'a')"),
            (null(), "null()"),
        ],
    )
    def test_says_what_it_is(self, scalar, text):
        assert repr(scalar) == text


class TestASharedScalar:
    def test_has_the_value_that_is_in_the_memory_now(self):
        memory = np.array([1, 2, 3], "int32")
        shared, owned = Scalar("int32", memory), Scalar("int32", memory, copy=True)
        memory[0] = 9
        assert (shared.value(), owned.value()) == (9, 1)
        assert shared.ptr == memory.ctypes.data != owned.ptr
        assert Scalar(np.dtype(("int32", (2,))), memory) == [9, 2]

    def test_is_shared_by_its_copies_and_owned_by_deep_copies(self):
        memory = bytearray(8)
        shared = Scalar("int64", memory)
        duplicate, deep, pickled = copy.copy(shared), copy.deepcopy(shared), pickle.loads(pickle.dumps(shared))
        memory[0] = 1
        assert duplicate == shared == 1
        assert duplicate.ptr == shared.ptr
        assert deep == pickled == 0

    def test_forbids_writing_through_its_values(self):
        memory = np.array([1, 2], "int32")
        assert not Scalar("int32", memory).values().flags.writeable
        assert memory.flags.writeable

    @pytest.mark.parametrize(("kind", "value"), [(str, "text"), (bytes, b"text")])
    def test_may_be_text_or_bytes(self, kind, value):
        assert Scalar(kind, b"text").value() == value

    @given(VALUES)
    def test_copies_of_an_owned_one_own_their_bytes(self, value):
        owned = Scalar(value)
        for duplicate in (copy.copy(owned), copy.deepcopy(owned), pickle.loads(pickle.dumps(owned))):
            assert duplicate == owned
            assert duplicate.dtype == owned.dtype
            assert not owned.size or duplicate.ptr != owned.ptr

    def test_needs_contiguous_memory_that_is_large_enough(self):
        with pytest.raises(StoreValueError, match="int64 has 8 bytes; the memory has 4"):
            Scalar("int64", b"1234")
        with pytest.raises(StoreValueError, match="contiguous memory"):
            Scalar("int32", np.arange(8, dtype="int32")[::2])
        with pytest.raises(TypeError, match="reads a buffer; found int"):
            Scalar("int64", 4096)


class TestTheNullScalar:
    def test_is_empty(self):
        assert null() == Scalar() == copy.copy(null()) == pickle.loads(pickle.dumps(null()))
        assert (null().size, null().ptr, null().dtype) == (0, 0, None)
        assert null() != Scalar(0)
        assert null() != Scalar(b"")

    @pytest.mark.parametrize("ask", [Scalar.value, Scalar.values, lambda s: s.value("int8"), lambda s: s.value(str)])
    def test_has_no_value(self, ask):
        with pytest.raises(StoreValueError, match="null scalar has no value"):
            ask(null())


class TestARefusal:
    @pytest.mark.parametrize(
        ("scalar", "ask", "message"),
        [
            (Scalar(5, "int32"), lambda s: s.value("int64"), "has 4 bytes; int64 has 8"),
            (Scalar(5, "int32"), lambda s: s.values("int8"), "have 4 bytes; those of int8 have 1"),
            (Scalar([1, 2]), lambda s: s.value("int64"), "has 16 bytes; int64 has 8"),
            (Scalar([1, 2]), lambda s: s.value(np.dtype(("int32", (3,)))), "int32 of shape .3,. has 12"),
            (Scalar(65, "int8"), lambda s: s.value(str), "only text"),
            (Scalar("a"), lambda s: s.value("int8"), "cannot be read as int8"),
            (Scalar("abcd"), lambda s: s.value(bytes), "cannot be read as"),
            (Scalar("abcd"), lambda s: s.values("int32"), "have 1 bytes; those of int32 have 4"),
        ],
    )
    def test_names_the_mismatch_of_a_type(self, scalar, ask, message):
        with pytest.raises(StoreValueError, match=message):
            ask(scalar)

    @pytest.mark.parametrize(
        ("value", "dtype"), [(300, "uint8"), (-1, "uint8"), (2**64, None), (-(2**63) - 1, None), ([2**64], None)]
    )
    def test_of_an_integer_out_of_range_is_an_overflow(self, value, dtype):
        with pytest.raises(OverflowError):
            Scalar(value, dtype)

    @pytest.mark.parametrize(
        ("value", "dtype"), [(1.5, "int32"), (1j, "float32"), ("5", "int32"), (5, str), (5, bytes), (object(), None)]
    )
    def test_of_a_value_that_the_dtype_cannot_hold_is_a_type_error(self, value, dtype):
        with pytest.raises(DTypeError):
            Scalar(value, dtype)

    @pytest.mark.parametrize("value", [[[1, 2]], [[1], 2], np.ones((2, 2)), []])
    def test_of_a_sequence_that_is_nested_or_empty_is_a_value_error(self, value):
        with pytest.raises(StoreValueError, match=r"sequence of numbers|no type"):
            Scalar(value)

    def test_of_another_shape_names_both(self):
        with pytest.raises(StoreValueError, match=r"found the shape \(2,\)"):
            Scalar([1, 2], np.dtype(("int64", (3,))))

    def test_leaves_an_empty_sequence_with_a_dtype(self):
        assert Scalar([], "int8").dtype == np.dtype((as_dtype("int8"), (0,)))
