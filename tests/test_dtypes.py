"""Dtypes: which are supported, which are refused, and exact casts."""

import gc
import weakref

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from accel import dtypes
from accel.dtypes import as_dtype, exact_cast, supported
from accel.errors import DTypeError

from .tables import rows

NAMES = {
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "c64": "complex64",
    "c128": "complex128",
    "boolean": "bool",
}


@rows(("short", "long"), NAMES.items())
def test_short_names_are_scalar_classes(short, long):
    assert getattr(dtypes, short) is np.dtype(long).type


def test_those_of_ml_dtypes_are_too():
    assert dtypes.bf16 is ml_dtypes.bfloat16
    assert dtypes.f8e4m3fn is ml_dtypes.float8_e4m3fn
    assert dtypes.f8e5m2 is ml_dtypes.float8_e5m2
    with pytest.raises(AttributeError, match="f128"):
        dtypes.f128  # noqa: B018 - the access is the test


@rows("dtype", supported(), ids=lambda dtype: dtype.name)
def test_every_spelling_means_the_same(dtype):
    assert as_dtype(dtype) is as_dtype(dtype.name) is as_dtype(dtype.type) == dtype


def test_python_types_are_spellings():
    assert [as_dtype(kind).name for kind in (bool, int, float, complex)] == ["bool", "int64", "float64", "complex128"]


@rows("short", [*sorted(NAMES.keys() - {"i8", "u8", "f16"}), "bf16", "f8e4m3fn", "f8e5m2"])
def test_short_names_are_spellings(short):
    assert as_dtype(short) is as_dtype(getattr(dtypes, short))


def test_what_numpy_reads_means_what_it_does_there():
    assert [as_dtype(text).name for text in ("i8", "u8", "f8", "c8")] == ["int64", "uint64", "float64", "complex64"]
    with pytest.raises(DTypeError, match="'f16' cannot be the dtype of memory: it is not a supported dtype"):
        as_dtype("f16")


def test_classes_of_users_are_not_kept_alive():
    class Field:
        dtype = np.dtype("float32")

    alive = weakref.ref(Field)
    assert as_dtype(Field) == np.dtype("float32")
    del Field
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("text", ["i4,(", ",", "f4,,", "\ud800"])
def test_text_that_numpy_cannot_even_parse_names_no_dtype(text):
    with pytest.raises(DTypeError, match="it names no dtype"):
        as_dtype(text)


@pytest.mark.parametrize("dtype", [np.longdouble, ml_dtypes.int4, "U3"])
def test_a_number_of_another_kind_is_not_one_of_the_dtypes(dtype):
    with pytest.raises(DTypeError, match="it is not a supported dtype"):
        as_dtype(dtype)


@rows(
    "dtype", [None, 3, True, "U3", "S", object, str, "M8[s]", "m8", "V8", "i4,f4", "float128", ">i4", [("a", "i4")], {}]
)
def test_the_rest_is_refused_with_the_list(dtype):
    with pytest.raises(DTypeError, match=r"cannot be the dtype of memory: .*float32, .*bfloat16"):
        as_dtype(dtype)


def test_the_other_byte_order_is_refused_also_when_its_twin_is_known():
    as_dtype(np.dtype("<f4"))
    with pytest.raises(DTypeError, match="byte order"):
        as_dtype(np.dtype(">f4"))


@given(
    hnp.arrays(st.sampled_from(["i1", "i4", "i8", "u1", "u8"]), st.integers(0, 5)),
    st.sampled_from(["i1", "i4", "u2", "u8"]),
)
def test_integers_are_kept_or_refused(values, name):
    dtype = np.dtype(name)
    fits = all(np.iinfo(dtype).min <= int(value) <= np.iinfo(dtype).max for value in values)
    if fits:
        stored = exact_cast(values, dtype)
        assert stored.dtype == dtype
        assert [int(value) for value in stored] == [int(value) for value in values]
    else:
        with pytest.raises(OverflowError):
            exact_cast(values, dtype)


@given(st.floats(width=64), st.sampled_from(["f2", "f4", "f8", "c8"]))
def test_reals_are_rounded_and_never_become_infinite(value, name):
    dtype = np.dtype(name)
    with np.errstate(over="ignore"):
        rounded = np.float64(value).astype(dtype)
    if np.isfinite(value) and not np.isfinite(rounded):
        with pytest.raises(OverflowError):
            exact_cast(value, dtype)
    else:
        assert np.array_equal(exact_cast(value, dtype), rounded, equal_nan=True)


def test_what_already_fits_is_not_copied():
    values = np.arange(3.0)
    assert exact_cast(values, values.dtype) is values


@pytest.mark.parametrize("values", [2**70, [2**64], [[2**64, 1]], -(2**80)])
@pytest.mark.parametrize("name", ["float64", "float32", "complex64", "bf16"])
def test_integers_of_any_size_are_rounded_to_reals(values, name):
    dtype = as_dtype(name)
    assert np.array_equal(exact_cast(values, dtype), np.asarray(values, float).astype(dtype))


@pytest.mark.parametrize(
    ("exponent", "name"), [(64, "float16"), (20_000, "float64"), (64, "u64"), (20_000, "int8"), (64, "bool")]
)
def test_integers_of_any_size_may_be_out_of_range(exponent, name):
    with pytest.raises(OverflowError, match=f"is out of range for {as_dtype(name).name}"):
        exact_cast(2**exponent, as_dtype(name))


def test_objects_are_refused_also_when_there_are_none():
    for values in ([2**64, "2"], np.array([], object)):
        with pytest.raises(DTypeError, match="values of dtype object cannot be stored as int64"):
            exact_cast(values, as_dtype("int64"))


@pytest.mark.parametrize(
    ("values", "found"),
    [(None, "None"), ("a", "'a'"), ([1, "a"], "'a'"), ([2, None], "None"), ([{}], "{}"), (b"a", "b'a'")],
)
def test_of_values_the_first_that_is_not_a_number_is_named(values, found):
    for dtype in ("float32", "int8", "bool"):
        with pytest.raises(DTypeError, match=f"{found} is not a number, and cannot be stored as {dtype}"):
            exact_cast(values, as_dtype(dtype))


def test_values_in_the_other_byte_order_say_how_to_turn_them():
    with pytest.raises(DTypeError, match=r"the byte order of the values is not this machine's: write .*newbyteorder"):
        exact_cast(np.array([1.0], ">f8"), as_dtype("float64"))


def test_a_name_that_numpy_will_forget_is_refused_where_warnings_are_errors():
    with pytest.raises(DTypeError):
        as_dtype("a")
