"""polars makes of our arrays what it makes of NumPy's."""

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import DeviceMismatchError

polars = pytest.importorskip("polars", reason="polars is not installed; it is no dependency of the tests")

X = np.arange(6.0)
DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]
MADE = {
    "Series": lambda a: polars.Series(a(X)),
    "named": lambda a: polars.Series("b", a(X)),
    "of a dtype": lambda a: polars.Series("b", a(X), dtype=polars.Float32),
    "NaN": lambda a: polars.Series(a(np.asarray([np.nan, 1.0])), nan_to_null=True),
    "two axes": lambda a: polars.Series("b", a(X.reshape(3, 2))),
    "views": lambda a: polars.Series(a(X)[::-2]),
    "DataFrame": lambda a: polars.DataFrame(a(X.reshape(3, 2)), schema=["p", "q"]),
    "of columns": lambda a: polars.DataFrame({"a": a(X), "b": a(X > 2)}),
    "of a list": lambda a: polars.DataFrame([a(X), a(X)]),
    "with_columns": lambda a: polars.DataFrame({"a": X}).with_columns(b=a(X)),
    "lit": lambda a: polars.select(polars.lit(a(X))),
    **{dtype: lambda a, dtype=dtype: polars.Series(a(np.asarray([1, 0], dtype))) for dtype in DTYPES},
}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_what_is_made_is_equal(make):
    found, expected = make(xp.asarray), make(np.asarray)
    assert found.equals(expected, null_equal=True)
    for attribute in ("name", "dtype", "schema"):
        assert getattr(found, attribute, None) == getattr(expected, attribute, None)


def test_arrow_columns_are_series():
    assert polars.Series(X).equals(polars.from_arrow(xp.asarray(X)) if hasattr(polars, "from_arrow") else None)


def test_device_arrays_are_read_with_host_copies_only():
    x = xp.ones(3, device="sim")
    with pytest.raises(DeviceMismatchError, match="polars cannot read it there"):
        polars.Series(x)
    before = xp.host_copies()
    with accel.using(host_copies="allow"):
        assert polars.Series("a", x).to_list() == [1.0, 1.0, 1.0]
    assert (xp.host_copies() - before).copies == 1
