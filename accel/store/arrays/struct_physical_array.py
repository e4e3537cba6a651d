"""`StructPhysicalArray`: the memory of an array of structs."""

from collections.abc import Mapping
from typing import Any, Self

from accel.store.arrays.physical_array import PhysicalArray
from accel.store.arrays.types import ArrayType, StructType
from accel.store.local_buffer import Domain
from accel.store.physical_store import PhysicalStore

__all__ = ["StructPhysicalArray"]


class StructPhysicalArray(PhysicalArray):
    """The memory of an array of structs: an array for each field.

    Parameters
    ----------
    fields : mapping of str to PhysicalArray
        The fields, of one shape.
    null_mask : PhysicalStore, optional
        True where a struct is valid.
    """

    __slots__ = ("_fields",)
    _kind = "struct array"

    def __init__(self, fields: Mapping[str, PhysicalArray], null_mask: PhysicalStore | None = None) -> None:
        self._fields = dict(fields)
        self._mask = null_mask

    @property
    def dtype(self) -> ArrayType:
        """Type of the structs."""
        return StructType(tuple((name, field.dtype) for name, field in self._fields.items()))

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of structs along each dimension."""
        return next(iter(self._fields.values())).shape

    @property
    def domain(self) -> Domain:
        """The first and the last point."""
        return next(iter(self._fields.values())).domain

    @property
    def fields(self) -> dict[str, PhysicalArray]:
        """The array of each field, by name."""
        return dict(self._fields)

    def as_struct_array(self) -> Self:
        """Return this array."""
        return self

    def elements(self) -> dict[str, Any]:
        """Return the elements of each field, by name; the null mask of the structs is not applied."""
        return {name: field.elements() for name, field in self._fields.items()}

    def _children(self) -> tuple[PhysicalArray, ...]:
        return tuple(self._fields.values())
