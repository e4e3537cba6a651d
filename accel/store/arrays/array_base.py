"""`ArrayBase`: what logical and physical arrays share."""

from operator import index as as_index
from typing import Generic, NoReturn, SupportsIndex, TypeVar

from accel.errors import StoreIndexError, StoreValueError
from accel.store.arrays.types import ArrayType, Kind
from accel.store.logical_store import LogicalStore
from accel.store.physical_store import PhysicalStore

__all__ = ["ArrayBase"]

_Store = TypeVar("_Store", bound=LogicalStore | PhysicalStore)
_Array = TypeVar("_Array")


class ArrayBase(Generic[_Store, _Array]):
    """The elements and the null mask of an array, and its child arrays."""

    __slots__ = ("_data", "_mask")
    _kind = Kind.PRIMITIVE
    _data: _Store
    _mask: _Store | None

    @property
    def nullable(self) -> bool:
        """Whether there is a null mask."""
        return self._mask is not None

    @property
    def nested(self) -> bool:
        """Whether there are child arrays."""
        return self.num_children > 0

    @property
    def num_children(self) -> int:
        """Number of child arrays."""
        return len(self._children())

    @property
    def dtype(self) -> ArrayType:
        """Type of the elements."""
        return self._data.dtype

    @property
    def data(self) -> _Store:
        """The elements; `StoreValueError` if there are child arrays, which have them."""
        if self.nested:
            raise StoreValueError(
                f"Data store of a nested array cannot be retrieved: a {self._kind.value} array has children"
            )
        return self._data

    @property
    def null_mask(self) -> _Store:
        """A boolean for each element, True where it is valid; `StoreValueError` if the array is not nullable."""
        if self._mask is None:
            raise StoreValueError("Invalid to retrieve the null mask of a non-nullable array; ask array.nullable first")
        return self._mask

    def child(self, index: SupportsIndex) -> _Array:
        """Return a child array.

        Raises
        ------
        StoreValueError
            If there are none, or the array is an unbound struct.
        StoreIndexError
            If there is no such child.
        """
        children, kind = self._children(), f"{self._kind.value} array"
        if not children:
            raise StoreValueError(f"Non-nested array has no child sub-array: this is a {kind}; take its data")
        at = as_index(index)
        if not 0 <= at < len(children):
            raise StoreIndexError(f"child {at} is out of range: this {kind} has children 0 to {len(children) - 1}")
        return children[at]

    def _children(self) -> tuple[_Array, ...]:
        return ()

    def _refuse_cast(self, kind: Kind) -> NoReturn:
        raise StoreValueError(f"Array is not a {kind.value} array: it is a {self._kind.value} array of {self.dtype}")

    def _text(self, shape: str, values: str = "") -> str:
        return f"<{type(self).__name__} of {self.dtype}, {shape}{', nullable' * self.nullable}{values}>"
