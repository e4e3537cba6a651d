"""pyarrow: columns and tables from our arrays."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

X = np.random.default_rng(17).normal(size=8)
DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]


def listed(column):
    return [str(column.type), *column.to_pylist()]


RETURNS_VALUES = {
    "array": lambda a: listed(pa.array(a(X))),
    "array of each dtype": lambda a: [listed(pa.array(a([1, 0, 1], dtype))) for dtype in DTYPES],
    "array of a type": lambda a: [listed(pa.array(a([1, 2, 3]), type=each)) for each in (pa.float32(), pa.int8())],
    "array of views": lambda a: [listed(pa.array(part)) for part in (a(X)[::2], a(X)[::-1], a(X)[2:5], a(X)[:0])],
    "chunked_array": lambda a: listed(pa.chunked_array([a(X), a(X[:3])])),
    "table": lambda a: pa.table({"a": a(X), "b": a(X > 0)}).to_pydict(),
    "record_batch": lambda a: pa.record_batch([a(X)], names=["x"]).to_pydict(),
    "append_column": lambda a: pa.table({"a": X}).append_column("b", pa.array(a(X))).to_pydict(),
    "take": lambda a: listed(pa.array(X).take(pa.array(a([2, 0])))),
    "compute": lambda a: [pc.sum(pa.array(a(X))).as_py(), pc.max(pa.array(a([3, 1, 2]))).as_py()],
    "DictionaryArray": lambda a: pa.DictionaryArray.from_arrays(a([0, 1, 0], "int32"), ["x", "y"]).to_pylist(),
    "FixedSizeListArray": lambda a: pa.FixedSizeListArray.from_arrays(pa.array(a(X)), 2).to_pylist(),
}
