"""`Nesting`: how the stores of an array belong together; plain data, which also another process can use."""

from typing import NamedTuple

from accel.store.arrays.types import Kind

__all__ = ["Nesting"]


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
