"""`Nesting`: how the stores of an array belong together; plain data, which also another process can use."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from accel.errors import StoreValueError
from accel.store.arrays.list_physical_array import ListPhysicalArray
from accel.store.arrays.physical_array import PhysicalArray
from accel.store.arrays.string_physical_array import StringPhysicalArray
from accel.store.arrays.struct_physical_array import StructPhysicalArray
from accel.store.physical_store import PhysicalStore
from accel.support.enums import PlainEnum

__all__ = ["Kind", "Nesting"]


class Kind(PlainEnum):
    """A kind of array."""

    PRIMITIVE = "primitive"
    LIST = "list"
    STRING = "string"
    STRUCT = "struct"


class Nesting(NamedTuple):
    """How the stores of an array belong together.

    Attributes
    ----------
    kind : Kind
        The kind of array.
    nullable : bool
        Whether it has a null mask.
    origin : int
        The coordinate of its first element: in a tile, that in the whole array.
    children : tuple of Nesting
        Of a list or a string its values, of a struct its fields.
    names : tuple of str
        The names of a struct's fields.
    """

    kind: Kind = Kind.PRIMITIVE
    nullable: bool = False
    origin: int = 0
    children: "tuple[Nesting, ...]" = ()
    names: tuple[str, ...] = ()

    @property
    def num_stores(self) -> int:
        """Number of stores of the array and its children."""
        return self.nullable + (self.kind is not Kind.STRUCT) + sum(child.num_stores for child in self.children)

    def physical(self, physical_stores: Iterable[PhysicalStore]) -> PhysicalArray:
        """Return the physical array of physical stores, which are in the order of `LogicalArray.stores`.

        Raises
        ------
        StoreValueError
            If there are more or fewer.
        """
        given = tuple(physical_stores)
        if len(given) != self.num_stores:
            raise StoreValueError(f"this array has {self.num_stores} stores; found {len(given)} physical ones")
        return self._built(iter(given).__next__)

    def _built(self, take: Callable[[], PhysicalStore]) -> PhysicalArray:
        mask = take() if self.nullable else None
        if self.kind is Kind.STRUCT:
            built = (child._built(take) for child in self.children)
            return StructPhysicalArray(dict(zip(self.names, built, strict=True)), mask)
        own = take()
        if self.kind is Kind.PRIMITIVE:
            return PhysicalArray(own, mask)
        (child,) = self.children
        nested = ListPhysicalArray if self.kind is Kind.LIST else StringPhysicalArray
        return nested(PhysicalArray(own), child._built(take), mask, child.origin)
