"""The elements that the code of a program reads and writes by an index; every access is checked.

`Cells` are those of a parameter, and `Scratch` those of a local or shared array. A site is None where the program has
no guard.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from accel.dtypes import DType

from .accesses import Access, Accesses, Kind
from .actors import Actor
from .messages import copied_too_late, never_written, out_of_memory, race

__all__ = ["Cells", "Memory", "Scratch", "Values"]

Values = np.ndarray[Any, np.dtype[Any]]


class Memory:
    """Elements with an index.

    Attributes
    ----------
    name : str
        The parameter or array.
    values : numpy.ndarray
        The elements, along one axis.
    origin : int
        Which of them has index 0.
    accesses : Accesses or None
        Where accesses are compared; None if races are not checked.
    """

    __slots__ = ("accesses", "name", "origin", "size", "values")

    def __init__(self, name: str, values: Values, origin: int) -> None:
        self.name = name
        self.values = values
        self.size = values.size
        self.origin = origin
        self.accesses: Accesses | None = None

    def read(self, actor: Actor, at: Any, site: int | None) -> Any:
        """Return an element."""
        return self._load(actor, self._index(actor, at, site, Kind.READ), site)

    def write(self, actor: Actor, at: Any, value: Any, site: int | None) -> None:
        """Set an element."""
        index = self._index(actor, at, site, Kind.WRITE)
        self._store(index, value)

    def change(self, actor: Actor, at: Any, function: Callable[..., Any], site: int | None, *operands: Any) -> Any:
        """Replace an element by a function of it and of operands, atomically; return the old one."""
        index = self._index(actor, at, site, Kind.ATOMIC)
        old = self._load(actor, index, site)
        self._store(index, function(old, *operands))
        return old

    def _load(self, actor: Actor, index: int, site: int | None) -> Any:
        return self.values[index]

    def _store(self, index: int, value: Any) -> None:
        self.values[index] = value

    def _index(self, actor: Actor, at: Any, site: int | None, kind: Kind) -> int:
        """Return which of the values an index means; raises an error if there is none, or at a race."""
        actor.run.spend()
        index = int(at) + self.origin
        if not 0 <= index < self.size:
            raise out_of_memory(actor, self.name, int(at), (-self.origin, self.size - self.origin), kind, site)
        if self.accesses is not None:
            access = actor.access(kind, site)
            other = self._enter(self.accesses, access, index)
            if other is not None:
                raise race(actor, self.name, int(at), access, other)
        return index

    def _enter(self, accesses: Accesses, access: Access, index: int) -> Access | None:
        return accesses.enter(access, index)


class Cells(Memory):
    """The elements of a parameter.

    Parameters
    ----------
    name : str
        The parameter.
    values : numpy.ndarray
        All elements that may be accessed, along one axis.
    origin : int
        Which of them has index 0.
    address : int
        Address of the first of them. Parameters may share memory: accesses are compared by address.
    extents, strides : tuple of int
        Of the view, in elements; empty if they are constants of the program.
    poisoned : bool
        Whether to report reads of a float whose bits are all ones: memory of the simulated device has these bits until
        it is written. Integers are not checked, because with these bits they are an ordinary number, often -1; nor are
        floats of 8 bits, whose NaN may have them.
    """

    __slots__ = ("address", "extents", "poison", "strides")

    def __init__(
        self,
        name: str,
        values: Values,
        origin: int = 0,
        address: int = 0,
        extents: tuple[int, ...] = (),
        strides: tuple[int, ...] = (),
        *,
        poisoned: bool = False,
    ) -> None:
        super().__init__(name, values, origin)
        self.address = address
        self.extents = extents
        self.strides = strides
        checked = poisoned and values.dtype.kind in "fcV" and values.itemsize > 1
        self.poison = b"\xff" * values.itemsize if checked else None

    @property
    def host_address(self) -> int:
        """Where the element with index 0 is in the memory of the host."""
        return int(self.values.__array_interface__["data"][0]) + self.origin * self.values.itemsize

    def _load(self, actor: Actor, index: int, site: int | None) -> Any:
        value = self.values[index]
        if self.poison is not None and self.values[index : index + 1].tobytes() == self.poison:
            raise never_written(actor, self.name, index - self.origin, site)
        return value

    def _enter(self, accesses: Accesses, access: Access, index: int) -> Access | None:
        itemsize = self.values.itemsize
        return accesses.enter(access, self.address + index * itemsize, itemsize)


class Scratch(Memory):
    """The elements of a local or shared array, which are not initialised."""

    __slots__ = ("_pending", "_written")

    def __init__(self, name: str, dtype: DType, size: int) -> None:
        super().__init__(name, np.zeros(size, dtype), 0)
        self._written = bytearray(size)
        self._pending: dict[int, Access] = {}

    def copy_later(self, actor: Actor, at: Any, value: Any, site: int | None) -> Callable[[], None]:
        """Begin an asynchronous copy of a value to an element; return the function that ends it."""
        index = self._index(actor, at, site, Kind.WRITE)
        self._pending[index] = actor.access(Kind.WRITE, site)

        def arrive() -> None:
            self._pending.pop(index, None)
            self.write(actor, at, value, site)

        return arrive

    def _index(self, actor: Actor, at: Any, site: int | None, kind: Kind) -> int:
        index = super()._index(actor, at, site, kind)
        if index in self._pending:
            raise copied_too_late(actor, self.name, index, kind, site, self._pending[index])
        return index

    def _load(self, actor: Actor, index: int, site: int | None) -> Any:
        if not self._written[index]:
            raise never_written(actor, self.name, index, site)
        return self.values[index]

    def _store(self, index: int, value: Any) -> None:
        self.values[index] = value
        self._written[index] = 1
