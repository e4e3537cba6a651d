"""Protocols of a backend whose memory a library of arrays can compute on."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol, runtime_checkable

from accel.abc.block import Block
from accel.abc.operand import Operand
from accel.abc.stream import Stream
from accel.device import Device

__all__ = [
    "ComputesDirectly",
    "ComputesWithin",
    "OrdersArrays",
    "ReusesMemory",
    "SupportsArrays",
    "SupportsSpecial",
]


@runtime_checkable
class SupportsArrays(Protocol):
    """A backend whose memory a library of the array API standard can compute on."""

    def namespace(self, device: Device) -> Any:
        """Return the namespace of that library, as the array API standard defines it.

        Parameters
        ----------
        device : Device
            The device.
        """
        ...

    def array(self, operand: Operand, keep: object) -> Any:
        """Return an array of the library on the memory of an operand; it and its views keep an object alive.

        Parameters
        ----------
        operand : Operand
            Where the elements are.
        keep : object
            The object.
        """
        ...

    def root(self, array: Any) -> Any:
        """Return the array that owns the memory of a view; an array that is no view is its own root.

        Parameters
        ----------
        array : Any
            An array of the library.
        """
        ...

    def address(self, array: Any) -> int:
        """Return the address of the first element of an array.

        Parameters
        ----------
        array : Any
            An array of the library.
        """
        ...

    def is_readonly(self, array: Any) -> bool:
        """Tell whether an array is not to be written to: it, or one that it is a view of, is on a read-only operand.

        The library may refuse more arrays, such as broadcast ones. It need not refuse by itself to write to them.

        Parameters
        ----------
        array : Any
            An array of the library.
        """
        ...


@runtime_checkable
class SupportsSpecial(Protocol):
    """A backend with `SupportsArrays` whose library also has special functions, such as the error function."""

    def special(self, device: Device) -> Any:
        """Return a namespace of functions of the library's arrays, with the names and the arguments of `scipy.special`.

        Parameters
        ----------
        device : Device
            The device.

        Raises
        ------
        CapabilityError
            If the library that has them is not installed.
        """
        ...


@runtime_checkable
class ComputesWithin(Protocol):
    """A backend whose array library needs a context around each computation, for example the current device."""

    def computing(self, device: Device) -> Callable[..., AbstractContextManager[None]]:
        """Return a function that makes the context of one computation on a device.

        It is called with the arrays of the library that the computation uses, or with tuples and lists of them. The
        functions of the library's namespace enter the context themselves.

        Parameters
        ----------
        device : Device
            The device.
        """
        ...


@runtime_checkable
class ComputesDirectly(Protocol):
    """What `ComputesWithin.computing` returns, if a computation often needs no context: that takes less time."""

    def compute(self, function: Callable[..., Any], /, *operands: Any, **keywords: Any) -> Any:
        """Call a function of the library: in the context of its operands, or at once if it needs none.

        Parameters
        ----------
        function : callable
            The function.
        *operands : Any
            Its arguments by position.
        **keywords
            Its keywords.
        """
        ...

    def stream(self) -> Stream | None:
        """Return the stream on which the library computes now; None if that is none of accel's."""
        ...

    def queue(self, *operands: Any) -> Any | None:
        """Return where the library computes now, for `empty` and for `ComputesArrays`; None if the context is needed.

        The operands are the arrays that the computation uses: their memory is reused after it.

        Parameters
        ----------
        *operands : Any
            The arrays of the computation.
        """
        ...

    def empty(self, shape: tuple[int, ...], dtype: Any, queue: Any) -> Any:
        """Return an array of the library in C order with uninitialised elements, for a computation in a queue.

        Parameters
        ----------
        shape : tuple of int
            The shape.
        dtype : Any
            The dtype of the elements.
        queue : Any
            Where the library computes.

        Raises
        ------
        OutOfMemoryError
            If there is not enough memory.
        """
        ...


@runtime_checkable
class OrdersArrays(Protocol):
    """A backend with `FreesInOrder` whose library of arrays reuses memory in stream order too."""

    def block_of(self, device: Device, array: Any) -> tuple[Block, object] | None:
        """Return the memory of an array that is no view, as a block that `Backend.free` takes, and what identifies it.

        Arrays on the same memory have the same identity, which they keep alive. None if it is not known when
        the library reuses the memory. To free the block leaves the memory to the library: it reuses the memory once no
        array is left on it, and after all work that was ordered by the block.

        Parameters
        ----------
        device : Device
            The device.
        array : Any
            An array of the library.
        """
        ...


@runtime_checkable
class ReusesMemory(Protocol):
    """A backend that gives large arrays the memory of earlier ones, which costs less than new memory of the system."""

    smallest_reused: int
    """Bytes of the smallest array that it gives such memory."""

    def empty_array(self, shape: tuple[int, ...], dtype: Any, order: Literal["C", "F"]) -> Any:
        """Return an array with uninitialised elements, or None if the library should allocate it.

        Raises `MemoryError` if there is no memory.

        Parameters
        ----------
        shape : tuple of int
            The shape.
        dtype : Any
            The dtype of the elements.
        order : {"C", "F"}
            C's or Fortran's.
        """
        ...

    def reusable_bytes(self, device: Device) -> int:
        """Return the bytes that are kept for later requests.

        Parameters
        ----------
        device : Device
            The device.
        """
        ...
