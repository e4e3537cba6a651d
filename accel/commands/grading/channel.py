"""`Channel`: messages between the grader and a process that runs a submission: JSON, and arrays as plain bytes.

Each end distrusts the other: sizes are checked before memory is taken for them, and nothing that is read can run.
"""

import json
import math
import socket
import struct
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["Channel", "ProtocolError"]

_LENGTH = struct.Struct("<I")
_MOST_TEXT = 8 << 20
_MOST_AXES = 32
_DTYPES = {np.dtype(code).str for code in "?bBhHiIlLqQefdFD"}


class ProtocolError(ValueError):
    """What came is no message."""


class Channel:
    """One end of a connection.

    Parameters
    ----------
    connection : socket.socket
        The connection.
    most : int
        Bytes that the arrays of a message may have.
    """

    def __init__(self, connection: socket.socket, most: int = 1 << 30) -> None:
        self._connection = connection
        self._most = most

    def send(self, message: dict[str, Any], arrays: Sequence[np.ndarray[Any, Any]], end: float | None = None) -> None:
        """Send a message with arrays.

        Parameters
        ----------
        message : dict
            A value for `json.dumps`.
        arrays : sequence of ndarray
            Arrays of numbers.
        end : float, optional
            The time by `time.monotonic` until which the other end must have taken it.

        Raises
        ------
        TypeError
            If an array has a dtype that is not one of NumPy's numbers.
        OSError
            If the other end is gone, or does not take it in time (`TimeoutError`).
        """
        for each in arrays:
            if each.dtype.str not in _DTYPES:
                raise TypeError(f"arrays of {each.dtype} are not sent; convert to one of NumPy's numbers first")
        shapes = [{"dtype": each.dtype.str, "shape": each.shape} for each in arrays]
        text = json.dumps({"message": message, "arrays": shapes}).encode()
        self._write(_LENGTH.pack(len(text)) + text, end)
        for each in arrays:
            if each.size:
                self._write(np.ascontiguousarray(each).data.cast("B"), end)

    def _write(self, content: bytes | memoryview, end: float | None) -> None:
        left = memoryview(content)
        while left:
            self._wait(end)
            left = left[self._connection.send(left[: 1 << 20]) :]

    def receive(self, end: float | None = None) -> tuple[dict[str, Any], list[np.ndarray[Any, Any]]]:
        """Return the next message and its arrays.

        Raises
        ------
        ProtocolError
            If it is none.
        EOFError
            If the other end is gone.
        TimeoutError
            If it has not come in time.
        """
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size, end))
        if length > _MOST_TEXT:
            raise ProtocolError("a message that is too long")
        try:
            content = json.loads(self._read(length, end))
            message, forms = content["message"], [_form(each) for each in content["arrays"]]
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise ProtocolError(f"no message: {error!s:.200}") from None
        if not isinstance(message, dict) or sum(size for _, _, size in forms) > self._most:
            raise ProtocolError("no message, or too much data")
        return message, [np.frombuffer(self._read(size, end), dtype).reshape(shape) for dtype, shape, size in forms]

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _wait(self, end: float | None) -> None:
        if end is not None:
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._connection.settimeout(left)

    def _read(self, size: int, end: float | None) -> bytearray:
        content = bytearray()
        while len(content) < size:
            self._wait(end)
            try:
                part = self._connection.recv(min(size - len(content), 1 << 20))
            except ConnectionError:
                part = b""
            if not part:
                raise EOFError
            content += part
        return content


def _form(values: dict[str, Any]) -> tuple[np.dtype[Any], tuple[int, ...], int]:
    dtype, shape = values["dtype"], values["shape"]
    whole = all(type(extent) is int and 0 <= extent < 1 << 40 for extent in shape)
    if dtype not in _DTYPES or len(shape) > _MOST_AXES or not whole:
        raise ProtocolError("an array of an unknown type or shape")
    return np.dtype(dtype), tuple(shape), np.dtype(dtype).itemsize * math.prod(shape)
