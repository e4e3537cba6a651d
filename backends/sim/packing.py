"""`Packing`: the values of a launch of a kernel of numba.cuda, as the bytes of its parameters."""

import ctypes
import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..cuda_on_cpu.launch.execution import Arguments

__all__ = ["Packing"]

_CODES = {
    "i1": "?",
    "i8": "b",
    "i16": "h",
    "i32": "i",
    "i64": "q",
    "half": "e",
    "float": "f",
    "double": "d",
    "ptr": "q",
}
"""Types of LLVM's language, as `struct` names them."""
_TYPES = {code: np.dtype(code).type for code in "?bhiqefd"}
_FLOATS = "efd"
_ADDRESS = struct.Struct("<Q")


class _Plan(NamedTuple):
    """How values of some types are packed.

    Attributes
    ----------
    layout : struct.Struct
        The block.
    conversions : sequence of (int, callable)
        The values that are not packed as they are, by their places.
    """

    layout: struct.Struct
    conversions: Sequence[tuple[int, Callable[[Any], Any]]]


class Packing:
    """Where each parameter of a kernel is in a block of bytes.

    The types of the values are few, and most values are integers: so they are looked at once for each list of types.

    Attributes
    ----------
    sizes : tuple of int
        Bytes of each parameter.

    Parameters
    ----------
    kinds : sequence of str
        The types of the parameters, in LLVM's language.
    """

    def __init__(self, kinds: Sequence[str]) -> None:
        self._codes = [_CODES[kind] for kind in kinds]
        self.sizes = tuple(map(struct.calcsize, self._codes))
        offsets, end = [], 0
        for size in self.sizes:
            offsets.append(end + -end % size)
            end = offsets[-1] + size
        self._offsets, self._block = offsets, ctypes.c_char * end
        self._table = np.array(offsets, np.uint64)
        self._numbers = self._layout(self._codes)
        self._plans: dict[tuple[type, ...], _Plan] = {}

    def packed(self, values: Sequence[Any]) -> bytes:
        """Return values of Python, NumPy and ctypes as one block of bytes.

        Raises
        ------
        OverflowError
            If an integer has too many bits.
        """
        kinds = tuple(map(type, values))
        plan = self._plans.get(kinds) or self._plans.setdefault(kinds, self._plan(kinds))
        if plan.conversions:
            values = [*values]
            for place, convert in plan.conversions:
                values[place] = convert(values[place])
        try:
            return plan.layout.pack(*values)
        except struct.error:
            return plan.layout.pack(*map(_signed, values, self.sizes))

    def numbers(self, content: bytes) -> tuple[Any, ...]:
        """Return the values of a block as numbers of Python; integers are signed."""
        return self._numbers.unpack(content)

    def arguments(self, content: bytes, addresses: Sequence[tuple[int, int]]) -> Arguments:
        """Return a block as the arguments of a launch.

        Parameters
        ----------
        content : bytes
            The block.
        addresses : sequence of (int, int)
            Addresses to write there, and the places of the parameters that they are.
        """
        block = self._block.from_buffer_copy(content)
        for place, address in addresses:
            _ADDRESS.pack_into(block, self._offsets[place], address)
        table = self._table + np.uint64(ctypes.addressof(block))
        return Arguments(table.ctypes.data, (table, block))

    def _plan(self, types: Sequence[type]) -> _Plan:
        """Return how values of some types are packed: what `struct` does not take becomes bytes."""
        codes, conversions = [*self._codes], []
        for place, (kind, code, size) in enumerate(zip(types, self._codes, self.sizes, strict=True)):
            convert = _conversion(kind, code, size)
            if convert is not None:
                conversions.append((place, convert))
                codes[place] = code if convert is int else f"{size}s"
        return _Plan(self._layout(codes), conversions)

    def _layout(self, codes: Sequence[str]) -> struct.Struct:
        text, end = "<", 0
        for offset, size, code in zip(self._offsets, self.sizes, codes, strict=True):
            text += "x" * (offset - end) + code
            end = offset + size
        return struct.Struct(text)


def _conversion(kind: type, code: str, size: int) -> Callable[[Any], Any] | None:
    """Return what makes bytes, or an integer, of a value for a parameter; None if it is packed as it is."""
    if issubclass(kind, ctypes._SimpleCData):
        return bytes if ctypes.sizeof(kind) == size else lambda value: _TYPES[code](value.value).tobytes()
    if code in _FLOATS:
        return lambda value: _TYPES[code](value).tobytes()
    return None if kind is int or code == "?" else int


def _signed(value: Any, size: int) -> Any:
    """Return an integer as the signed one with the same bits."""
    if isinstance(value, int):
        return int.from_bytes(value.to_bytes(size, "little", signed=value < 0), "little", signed=True)
    return value
