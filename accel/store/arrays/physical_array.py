"""`PhysicalArray`: the memory of an array in one place, the elements and their null mask (Legate's)."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex

from accel.errors import StoreValueError
from accel.store.arrays.children import child_at, on_host
from accel.store.arrays.types import ArrayType
from accel.store.local_buffer import Domain
from accel.store.physical_store import PhysicalStore

if TYPE_CHECKING:
    from accel.store.arrays.list_physical_array import ListPhysicalArray
    from accel.store.arrays.string_physical_array import StringPhysicalArray
    from accel.store.arrays.struct_physical_array import StructPhysicalArray

__all__ = ["PhysicalArray"]


class PhysicalArray:
    """The memory of an array in a task, or after `LogicalArray.get_physical_array` (Legate's ``PhysicalArray``).

    Parameters
    ----------
    data : PhysicalStore
        The elements.
    null_mask : PhysicalStore, optional
        A boolean for each element, True where it is valid; without it all are.
    """

    __slots__ = ("_data", "_mask")
    _kind = "primitive array"

    def __init__(self, data: PhysicalStore, null_mask: PhysicalStore | None = None) -> None:
        self._data = data
        self._mask = null_mask

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
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of elements along each dimension."""
        return self._data.shape

    @property
    def domain(self) -> Domain:
        """The first and the last point; in a task on a tile, those of the tile in its array."""
        return self._data.domain

    @property
    def data(self) -> PhysicalStore:
        """The elements; `StoreValueError` if there are child arrays, which have them."""
        if self.nested:
            raise StoreValueError(f"Data store of a nested array cannot be retrieved: a {self._kind} has children")
        return self._data

    @property
    def null_mask(self) -> PhysicalStore:
        """A boolean for each element, True where it is valid; `StoreValueError` if the array is not nullable."""
        if self._mask is None:
            raise StoreValueError("Invalid to retrieve the null mask of a non-nullable array; ask array.nullable first")
        return self._mask

    def child(self, index: SupportsIndex) -> "PhysicalArray":
        """Return a child array.

        Raises
        ------
        StoreValueError
            If there are none.
        StoreIndexError
            If there is no such child.
        """
        return child_at(self._children(), index, self._kind)

    def as_list_array(self) -> "ListPhysicalArray":
        """Return this array as one of lists; `StoreValueError` if it is another."""
        self._refuse_cast("list array")

    def as_string_array(self) -> "StringPhysicalArray":
        """Return this array as one of strings; `StoreValueError` if it is another."""
        self._refuse_cast("string array")

    def as_struct_array(self) -> "StructPhysicalArray":
        """Return this array as one of structs; `StoreValueError` if it is another."""
        self._refuse_cast("struct array")

    def elements(self) -> Any:
        """Return the elements on the host, without a copy where that is possible; null elements are undefined.

        Numbers are a read-only NumPy array. Strings are a list of str, lists a list of their elements, and structs a
        dictionary of their fields. In those a null element is None.

        Raises
        ------
        DeviceMismatchError
            If the memory is on a device.
        """
        return on_host(self._data)

    def valid(self) -> "Any | None":
        """Return the null mask as a NumPy array, True where an element is valid; None if the array is not nullable."""
        return None if self._mask is None else on_host(self._mask)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.elements())

    def __repr__(self) -> str:
        nullable = ", nullable" if self.nullable else ""
        return f"<{type(self).__name__} of {self.dtype}, shape {self.shape}{nullable}>"

    def _children(self) -> "tuple[PhysicalArray, ...]":
        return ()

    def _refuse_cast(self, wanted: str) -> NoReturn:
        raise StoreValueError(f"Array is not a {wanted}: it is a {self._kind} of {self.dtype}")
