"""Structures of Arrow become columns: each field is checked before any memory is used."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from accel.abc.block import Span
from accel.abc.external import ExternalAllocation
from accel.device import Device
from accel.dtypes import DType, as_dtype
from accel.errors import FormatError, InterchangeError
from accel.interchange.arrow.abi import ArrowArray, ArrowSchema
from accel.interchange.arrow.checks import check_offsets, check_text
from accel.interchange.arrow.columns import Column, Lists, Strings, Struct, Values
from accel.interchange.arrow.fields import LISTS, OFFSETS, STRINGS, STRUCT, dtype_of
from accel.interchange.arrow.ownership import Moved
from accel.interchange.arrow.readable import is_readable
from accel.interchange.arrow.transfers import on_device, on_host
from accel.memory.any_storage import AnyStorage, allocate
from accel.memory.device_storage import DeviceStorage
from accel.memory.heap import heap_of
from accel.memory.host_storage import HostArray, HostStorage
from accel.memory.owner import ForeignOwner

__all__ = ["Node", "Reader"]

_MOST = 2**63 - 1
_DEEPEST = 64
_BYTE, _BOOL = as_dtype("uint8"), as_dtype("bool")


class Node(NamedTuple):
    """A column and its type.

    Attributes
    ----------
    schema, array : ctypes.Structure
        The structures.
    path : str
        The column, for messages.
    depth : int
        Number of columns that it is inside of.
    """

    schema: Any
    array: Any
    path: str
    depth: int = 0

    @property
    def format(self) -> str:
        """Arrow's format string."""
        return (self.schema.format or b"").decode(errors="replace")

    def child(self, i: int) -> tuple[str, "Node"]:
        """Return name and node of a child."""
        schema, array = self.schema.children[i], self.array.children[i]
        if not schema or not array:
            raise InterchangeError(f"child {i} of {self.path} is a null pointer")
        node = ArrowSchema.from_address(schema), ArrowArray.from_address(array)
        if not all(each.release for each in node):
            raise InterchangeError(f"child {i} of {self.path} was released")
        name = (node[0].name or b"").decode(errors="replace")
        kind = f"field {name!r}" if self.format == STRUCT else "the items"
        return name, Node(*node, f"{kind} of {self.path}", self.depth + 1)


class Reader:
    """Reads the columns of one structure, whose memory they keep alive.

    Parameters
    ----------
    moved : Moved
        The structure.
    device : Device
        Where its memory is.
    sizes : mapping of int to int
        Known sizes of buffers in bytes, by address.
    """

    __slots__ = ("_device", "_moved", "_sizes")

    def __init__(self, moved: Moved, device: Device, sizes: Mapping[int, int]) -> None:
        self._moved = moved
        self._device = device
        self._sizes = sizes

    def column(self, node: Node, skipped: int, length: int) -> Column:
        """Return ``length`` elements of a node after the first ``skipped``.

        Raises
        ------
        InterchangeError
            If the structures break Arrow's rules.
        FormatError
            If offsets or text are invalid.
        DTypeError
            If the type has no counterpart here.
        """
        code = node.format
        if code in STRINGS:
            return self._strings(node, *_checked(node, 3, 0, skipped, length))
        if code in LISTS:
            return self._lists(node, *_checked(node, 2, 1, skipped, length))
        if code == STRUCT:
            return self._struct(node, *_checked(node, 1, node.schema.n_children, skipped, length))
        dtype = dtype_of(code, node.path)
        start, length = _checked(node, 2, 0, skipped, length)
        mask = self._mask(node, start, length)
        return Values(self._values(node, dtype, start, length), mask)

    def _values(self, node: Node, dtype: DType, start: int, length: int) -> AnyStorage:
        if dtype != _BOOL:
            return self._buffer(node, 1, dtype, start, length)
        return self._on_device(self._bits(node, 1, start, length))

    def _strings(self, node: Node, start: int, length: int) -> Strings:
        mask = self._mask(node, start, length)
        offsets, seen = self._offsets(node, start, length, None)
        first, last = int(seen[0]), int(seen[-1])
        chars = self._buffer(node, 2, _BYTE, 0, last, whole=True)
        text = on_host(chars.window(first, last - first, _BYTE))
        check_text(text, seen, None if mask is None else on_host(mask), node.path)
        return Strings(offsets, chars, mask)

    def _lists(self, node: Node, start: int, length: int) -> Lists:
        _, child = node.child(0)
        mask = self._mask(node, start, length)
        offsets, _ = self._offsets(node, start, length, child.array.length)
        return Lists(offsets, self.column(child, 0, child.array.length), mask)

    def _struct(self, node: Node, start: int, length: int) -> Struct:
        mask = self._mask(node, start, length)
        children = [node.child(i) for i in range(node.schema.n_children)]
        return Struct(length, tuple((name, self.column(child, start, length)) for name, child in children), mask)

    def _offsets(self, node: Node, start: int, length: int, available: int | None) -> tuple[AnyStorage, HostArray]:
        """Return checked offsets, and the same on the host."""
        dtype = OFFSETS[node.format]
        if not length:  # then the buffer may be missing
            zero = HostStorage.on_array(np.zeros(1, dtype))
            return self._on_device(zero), zero.export()
        offsets = self._buffer(node, 1, dtype, start, length + 1, whole=True)
        seen = on_host(offsets)
        check_offsets(seen, self._available(node) if available is None else available, node.path)
        return offsets, seen

    def _available(self, node: Node) -> int | None:
        """Return how many bytes of text there are, if that is known."""
        return self._sizes.get(node.array.buffers[2] or 0)

    def _mask(self, node: Node, start: int, length: int) -> AnyStorage | None:
        nulls, bitmap = node.array.null_count, node.array.buffers[0]
        if not bitmap and nulls > 0:
            raise InterchangeError(f"{node.path} has {nulls} nulls, and a null pointer for its validity bitmap")
        if not bitmap or not nulls or not length:
            return None
        mask = self._bits(node, 0, start, length)
        return None if mask.array.all() else self._on_device(mask)

    def _bits(self, node: Node, i: int, start: int, length: int) -> HostStorage:
        """Return booleans that have a bit each as booleans with a byte each, on the host."""
        first, last = start // 8, -(-(start + length) // 8)
        packed = on_host(self._buffer(node, i, _BYTE, first, last - first, whole=True))
        bits = np.unpackbits(packed, count=start - 8 * first + length, bitorder="little")
        return HostStorage.on_array(bits[start - 8 * first :].view(_BOOL))

    def _on_device(self, storage: HostStorage) -> AnyStorage:
        return on_device(storage, self._device)

    def _buffer(self, node: Node, i: int, dtype: DType, start: int, length: int, *, whole: bool = False) -> AnyStorage:
        """Return elements of a buffer; ``whole`` if all of them are read now, so that each page is checked."""
        if not length:
            return allocate(self._device, 0, dtype)
        address, low, nbytes = node.array.buffers[i], start * dtype.itemsize, length * dtype.itemsize
        where = f"buffer {i} of {node.path}"
        if not address:
            raise InterchangeError(f"{where} is a null pointer, and has {nbytes} bytes")
        if address + low + nbytes > _MOST:
            raise InterchangeError(f"{where} has {nbytes} bytes from {address + low:#x} on, which leaves all memory")
        self._check_size(address, low, nbytes, where, whole=whole)
        return self._storage(address + low, nbytes, dtype, where)

    def _check_size(self, address: int, low: int, nbytes: int, where: str, *, whole: bool) -> None:
        available, required = self._sizes.get(address), low + nbytes
        if available is not None and required > available:
            raise FormatError(f"{where} needs {required} bytes, and its library says that it has {available}")
        if available is not None or self._device is not Device.CPU:
            return
        first = address + low if whole else address + required - 1
        if not is_readable(first, address + required - first):
            raise FormatError(f"{where} needs {required} bytes from {address:#x} on, and not all can be read")

    def _storage(self, pointer: int, nbytes: int, dtype: DType, where: str) -> AnyStorage:
        external = ExternalAllocation(nbytes, pointer=pointer, owner=self._moved, readonly=True)
        kind = HostStorage if self._device is Device.CPU else DeviceStorage
        owner = ForeignOwner(heap_of(self._device), external)
        try:
            Span(owner.block, 0, nbytes)
        except Exception as error:  # of a driver, or because the library means another device by the same number
            raise InterchangeError(f"{self._device} has no memory of {where}: {error}") from error
        if pointer % dtype.alignment == 0:
            return kind._on(owner, dtype, nbytes // dtype.itemsize)
        copied = kind._on(owner, _BYTE, nbytes).deep_copy()
        return copied.window(0, nbytes // dtype.itemsize, dtype)


def _checked(node: Node, buffers: int, children: int, skipped: int, length: int) -> tuple[int, int]:
    """Check the numbers of a node; return the place of the first wanted element in its buffers, and the length."""
    schema, array, path = node.schema, node.array, node.path
    if node.depth > _DEEPEST:
        raise InterchangeError(f"{path} is inside of more than {_DEEPEST} columns")
    if schema.dictionary or array.dictionary:
        raise InterchangeError(f"{path} is encoded by a dictionary; decode it first, with column.dictionary_decode()")
    for what, least in (("length", 0), ("offset", 0), ("null_count", -1)):
        if getattr(array, what) < least:
            raise InterchangeError(f"the {what} of {path} is {getattr(array, what)}; it must be {least} or more")
    if array.n_buffers != buffers or not array.buffers:
        raise InterchangeError(f"{path} has {array.n_buffers} buffers; format {node.format!r} needs {buffers}")
    if not schema.n_children == array.n_children == children >= 0:
        raise InterchangeError(
            f"{path} has {array.n_children} children, and its type has {schema.n_children}; "
            f"format {node.format!r} needs {max(children, 0)}"
        )
    if children and not (schema.children and array.children):
        raise InterchangeError(f"{path} has {children} children, and a null pointer for them")
    if skipped + length > array.length or array.null_count > array.length:
        raise InterchangeError(
            f"{path} has {array.length} elements, {array.null_count} of them null; its parent has {skipped + length}"
        )
    if array.offset + skipped + length > _MOST:
        raise InterchangeError(f"{path} has {length} elements from {array.offset + skipped} on, which overflows")
    return array.offset + skipped, length
