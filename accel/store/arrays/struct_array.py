"""`StructLogicalArray`: elements with named fields (Legate's)."""

from collections.abc import Callable, Mapping
from typing import Self, SupportsIndex

from accel.errors import StoreValueError
from accel.store.arrays.logical_array import LogicalArray, refuse_mask_of_shape
from accel.store.arrays.nesting import Kind, Nesting
from accel.store.arrays.types import ArrayType, StructType
from accel.store.logical_store import LogicalStore

__all__ = ["StructLogicalArray"]


class StructLogicalArray(LogicalArray):
    """Elements with named fields, an array for each (Legate's ``StructLogicalArray``).

    Parameters
    ----------
    fields : mapping of str to LogicalArray
        The fields, of one shape.
    null_mask : LogicalStore, optional
        True where a struct is valid.

    Raises
    ------
    StoreValueError
        If there is no field, or the shapes differ.
    """

    __slots__ = ("_fields",)
    _kind = Kind.STRUCT

    def __init__(self, fields: Mapping[str, LogicalArray], null_mask: LogicalStore | None = None) -> None:
        self._set(dict(fields), null_mask)
        if not fields:
            raise StoreValueError("a struct array has one field or more; found none")
        if self.unbound:
            return
        shape = self.shape
        for name, field in fields.items():
            if field.shape != shape:
                raise StoreValueError(f"the fields of a struct have one shape, {shape}; {name!r} has {field.shape}")
        if null_mask is not None:
            refuse_mask_of_shape(null_mask, shape)

    def _set(self, fields: dict[str, LogicalArray], null_mask: LogicalStore | None) -> Self:
        self._fields = fields
        first = next(iter(fields.values()), None)
        if first is not None:
            self._start(first._data, null_mask, first._origin)
        return self

    @property
    def dtype(self) -> ArrayType:
        """Type of the structs."""
        return StructType(tuple((name, field.dtype) for name, field in self._fields.items()))

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return next(iter(self._fields.values())).ndim

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of structs along each dimension; waits for the tasks that choose it."""
        return next(iter(self._fields.values())).shape

    @property
    def nesting(self) -> Nesting:
        """How the stores belong together."""
        return super().nesting._replace(names=tuple(self._fields))

    @property
    def fields(self) -> dict[str, LogicalArray]:
        """The array of each field, by name."""
        return dict(self._fields)

    def child(self, index: SupportsIndex) -> LogicalArray:
        """Return a field, by its place; as `LogicalArray.child`."""
        if self.unbound:
            raise StoreValueError("Invalid to retrieve a child of an unbound struct array; its tasks come first")
        return super().child(index)

    def as_struct_array(self) -> Self:
        """Return this array."""
        return self

    def rows(self, low: int, high: int) -> "StructLogicalArray":
        """Return the structs from ``low`` to before ``high`` along the first dimension."""
        fields = {name: field.rows(low, high) for name, field in self._fields.items()}
        return object.__new__(type(self))._set(fields, self._mask_rows(low, high))

    def _children(self) -> tuple[LogicalArray, ...]:
        return tuple(self._fields.values())

    def _parts(self) -> tuple[LogicalArray, ...]:
        return tuple(self._fields.values())

    def _own_stores(self) -> tuple[LogicalStore, ...]:
        return ()

    def _each(self, transform: Callable[[LogicalStore], LogicalStore]) -> Self:
        if self._has_list:
            self._refuse_transform()
        fields = {name: field._each(transform) for name, field in self._fields.items()}
        made: Self = object.__new__(type(self))
        return made._set(fields, None if self._mask is None else transform(self._mask))
