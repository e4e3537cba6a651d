"""Dtypes: what is one, what is refused, and casts that lose nothing."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from accel import dtypes
from accel.dtypes import as_dtype, exact_cast, supported
from accel.errors import DTypeError

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


@pytest.mark.parametrize(("short", "long"), NAMES.items())
def test_short_names_are_scalar_classes(short, long):
    assert getattr(dtypes, short) is np.dtype(long).type


def test_those_of_ml_dtypes_are_too():
    assert dtypes.bf16 is ml_dtypes.bfloat16
    assert dtypes.f8e4m3fn is ml_dtypes.float8_e4m3fn
    assert dtypes.f8e5m2 is ml_dtypes.float8_e5m2
    with pytest.raises(AttributeError, match="f128"):
        dtypes.f128  # noqa: B018 - the access is the test


@pytest.mark.parametrize("dtype", supported(), ids=lambda dtype: dtype.name)
def test_every_spelling_means_the_same(dtype):
    assert as_dtype(dtype) is as_dtype(dtype.name) is as_dtype(dtype.type) == dtype


def test_python_types_are_spellings():
    assert [as_dtype(kind).name for kind in (bool, int, float, complex)] == ["bool", "int64", "float64", "complex128"]
    assert as_dtype("bf16").name == "bfloat16"


@pytest.mark.parametrize(
    "dtype", [None, 3, True, "U3", "S", object, str, "M8[s]", "m8", "V8", "i4,f4", "float128", ">i4", [("a", "i4")], {}]
)
def test_the_rest_is_refused_with_the_list(dtype):
    with pytest.raises(DTypeError, match=r"cannot be the dtype of memory: .*float32, .*bfloat16"):
        as_dtype(dtype)


def test_the_other_byte_order_is_refused_also_when_its_twin_is_known():
    as_dtype(np.dtype("<f4"))
    with pytest.raises(DTypeError, match="other order"):
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
