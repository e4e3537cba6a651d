"""Streams of Arrow: columns of one type, one after the other."""

import ctypes
from typing import Any

from accel.errors import InterchangeError
from accel.interchange.arrow.abi import ArrowArray, ArrowArrayStream, ArrowSchema
from accel.interchange.arrow.ownership import Moved, move

__all__ = ["chunks_of"]

_fill = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_text = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)


def chunks_of(capsule: object) -> tuple[Moved, list[Moved]]:
    """Return the type and all columns of a stream.

    Raises
    ------
    InterchangeError
        If it is no stream, was taken over before, or reports an error.
    """
    stream = move(capsule, b"arrow_array_stream", ArrowArrayStream)
    try:
        schema = _next(stream.structure, stream.structure.get_schema, ArrowSchema())
        if schema is None:
            raise InterchangeError("the stream has no schema")
        chunks = []
        while (chunk := _next(stream.structure, stream.structure.get_next, ArrowArray())) is not None:
            chunks.append(chunk)
        return schema, chunks
    finally:
        stream.release()


def _next(stream: Any, callback: int, structure: Any) -> Moved | None:
    """Let a callback fill a structure; None if the stream has ended."""
    status = _fill(callback)(ctypes.addressof(stream), ctypes.addressof(structure))
    if status:
        text = _text(stream.get_last_error)(ctypes.addressof(stream)) or b"no message"
        raise InterchangeError(f"the stream failed with code {status}: {text.decode(errors='replace')}")
    return Moved(structure, structure) if structure.release else None
