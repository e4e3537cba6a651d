"""`RawParameter` and `Pointer`: the parameters and the arguments of kernels in the language of a backend."""

from typing import Protocol, Self

import numpy as np

from accel.dtypes import DType

__all__ = ["Pointer", "RawParameter"]


class RawParameter(Protocol):
    """The description of a parameter of a kernel."""

    @property
    def name(self) -> str:
        """Its name in the source."""
        ...

    @property
    def dtype(self) -> DType:
        """Type of the number, or of the elements of the memory."""
        ...

    @property
    def rank(self) -> int | None:
        """None for a number, 0 for an address, else the rank of an ``accel::View``, which begins with an address."""
        ...

    @property
    def writable(self) -> bool:
        """Whether the kernel may write through it."""
        ...


class Pointer(np.uint64):
    """An address as an argument of a kernel, with how many bytes the memory there has: ``pointer.extent``."""

    extent: int

    @classmethod
    def to(cls, address: int, nbytes: int) -> Self:
        """Return a pointer to ``nbytes`` bytes at an address.

        Parameters
        ----------
        address : int
            The address.
        nbytes : int
            How many bytes.
        """
        pointer = cls(address)
        pointer.extent = nbytes
        return pointer
