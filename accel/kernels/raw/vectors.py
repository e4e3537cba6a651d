"""`Vector`: the vector types of CUDA and HIP, such as ``float4``, whose elements are a few numbers side by side."""

from collections.abc import Mapping
from typing import NamedTuple

from accel.dtypes import DType, as_dtype

__all__ = ["Vector", "vector_named"]

_WIDEST = 16
"""Bytes of the widest access of a thread: larger vectors need no more alignment."""

_SCALARS: Mapping[str, str] = {
    "char": "int8",
    "uchar": "uint8",
    "short": "int16",
    "ushort": "uint16",
    "int": "int32",
    "uint": "uint32",
    "longlong": "int64",
    "ulonglong": "uint64",
    "float": "float32",
    "double": "float64",
}


class Vector(NamedTuple):
    """A vector type.

    Attributes
    ----------
    name : str
        Its name in CUDA.
    scalar : numpy.dtype
        Type of its numbers.
    lanes : int
        How many it has.
    """

    name: str
    scalar: DType
    lanes: int

    @property
    def nbytes(self) -> int:
        """Bytes of a vector."""
        return self.scalar.itemsize * self.lanes

    @property
    def alignment(self) -> int:
        """Bytes of which the address of a vector is a multiple: three numbers are aligned as one."""
        return self.scalar.itemsize if self.lanes == 3 else min(self.nbytes, _WIDEST)


_VECTORS: Mapping[str, Vector] = {
    each.name: each
    for each in (
        *[
            Vector(f"{name}{lanes}", as_dtype(scalar), lanes)
            for name, scalar in _SCALARS.items()
            for lanes in (1, 2, 3, 4)
        ],
        *[Vector(name, as_dtype("float16"), 2) for name in ("half2", "__half2")],
        *[Vector(name, as_dtype("bfloat16"), 2) for name in ("nv_bfloat162", "__nv_bfloat162")],
    )
}


def vector_named(name: str) -> Vector | None:
    """Return the vector type of a name; None if it is none.

    Examples
    --------
    >>> vector_named("float4").nbytes
    16
    >>> vector_named("float4").alignment, vector_named("float3").alignment, vector_named("double4").alignment
    (16, 4, 16)
    """
    return _VECTORS.get(name)
