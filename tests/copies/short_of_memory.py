"""Runs copies of every kind with limited memory, and prints what is wrong.

``python short_of_memory.py``, in a process of its own, on Linux. Each copy is tried with more and more memory until it
succeeds. Each time before, it must raise `OutOfMemoryError` and leave every byte of the target unchanged.
"""

import ctypes
import faulthandler
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import accel
from accel import copies
from accel.abc import Fill
from accel.copies import Elements
from accel.dtypes import as_dtype
from accel.layout import Layout, Swizzle

MALLOC_TRIM = getattr(ctypes.CDLL(None), "malloc_trim", lambda _: None)  # not in every C library
SIDE = 224
SIZE = SIDE * SIDE
F32, I32 = as_dtype("float32"), as_dtype("int32")
ROOM = range(0, 4 << 20, 20 << 10)
TABLE = np.random.default_rng(0).permutation(SIZE)
ROWS, COLUMNS = Layout((SIDE, SIDE), (SIDE, 1)), Layout((SIDE, SIDE), (1, SIDE))
LINE, BACK = ((SIZE, 1),), ((SIZE, -1),)
TURNED, ALONG = ((SIDE, 1), (SIDE, SIDE)), ((SIDE, SIDE), (SIDE, 1))
XOR, OTHER = Swizzle(3, 0, 3), Swizzle(2, 1, 3)
VALUES = np.arange(SIZE, dtype=F32)

accel.configure(device="cpu", threads=1)
source = accel.container(VALUES % 251 + 1)
target = accel.full(SIZE, 7.0, "float32")
stream = accel.new_stream()


def look(c: Any, layout: Layout) -> Any:
    return accel.LayoutTensor(c, layout)


def some(c: Any, start: int, leaves: Any, dtype: Any = F32, table: Any = None) -> Elements:
    return Elements(c.storage, start, leaves, dtype, table)


def masked(fill: Fill) -> None:
    given = {"src_idx_bound": SIZE // 2, "is_masked": True, "fill": fill, "stream": stream}
    look(target, ROWS).copy_from_async(look(source, OTHER @ COLUMNS), **given).wait()


COPIES: dict[str, Callable[[], object]] = {
    "memcpy": lambda: target.copy_from(source),
    "rows": lambda: copies.copy(some(target, 0, ((64, 1), (SIDE, SIDE))), some(source, 0, ((64, 1), (SIDE, SIDE)))),
    "transpose": lambda: look(target, ROWS).copy_from(look(source, COLUMNS)),
    "gather": lambda: copies.copy(some(target, 0, LINE), some(source, SIZE - 1, BACK)),
    "table": lambda: copies.copy(some(target, 0, LINE), some(source, 0, (), table=TABLE)),
    "into a table": lambda: copies.copy(some(target, 0, (), table=TABLE), some(source, 0, LINE)),
    "no refinement": lambda: copies.copy(some(target, 0, ((7, 3), (1001, 24))), some(source, 0, ((1001, 7), (7, 1)))),
    "swizzled": lambda: look(target, XOR @ ROWS).copy_from(look(source, OTHER @ COLUMNS)),
    "masked": lambda: masked(Fill.NONE),
    "masked with zeros": lambda: masked(Fill.ZERO),
    "buffered": lambda: copies.copy(some(target, 0, TURNED), some(target, 0, ALONG)),
    "buffered and swizzled": lambda: look(target, XOR @ ROWS).copy_from(look(target, OTHER @ COLUMNS)),
    "cast": lambda: copies.copy(some(target, 0, TURNED), some(source, 0, ALONG, I32), cast=True),
    "cast and buffered": lambda: copies.copy(some(target, 0, LINE), some(target, SIZE - 1, BACK, I32), cast=True),
    "cast by a table": lambda: copies.copy(some(target, 0, LINE), some(source, 0, (), I32, TABLE), cast=True),
    "fill": lambda: copies.fill(some(target, 0, ((64, 1), (SIDE, SIDE))), F32.type(3)),
    "swizzled fill": lambda: look(target, XOR @ ROWS).fill(3.0),
    "fill by a table": lambda: copies.fill(some(target, 0, (), table=TABLE), F32.type(3)),
    "write": lambda: copies.write(some(target, 0, TURNED), VALUES),
    "small write by a table": lambda: copies.write(some(target, 0, (), table=TABLE[:8000]), VALUES[:8000]),
    "read": lambda: copies.read(some(target, 0, TURNED)),
    "copy of its own": target.deep_copy,
}


def attempt(copy: Callable[[], object], room: int) -> str:
    """Return the outcome of a copy with so many bytes of memory left."""
    MALLOC_TRIM(0)  # memory that was freed before must not count
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + room, before[1]))
    try:
        copy()
    except BaseException as error:
        return type(error).__name__
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    return "done"


def wrong(copy: Callable[[], object]) -> str:
    """Return what is wrong with what became of a copy, if anything, with all of the rooms it does not suffice with."""
    whole = np.asarray(target)
    before = whole.copy()
    copy()  # imports and plans are made once
    expected = whole.copy()
    for room in ROOM:
        whole[...] = before
        outcome = attempt(copy, room)
        if outcome == "done":
            return "" if np.array_equal(whole, expected) else f"wrong with {room} bytes"
        if outcome != "OutOfMemoryError" or not np.array_equal(whole, before):
            return f"{outcome} with {room} bytes; {np.count_nonzero(whole != before)} elements written"
    return "never done"


def main() -> None:
    faulthandler.dump_traceback_later(100, exit=True)
    stream.submit(lambda: None).wait()
    result = {name: wrong(copy) for name, copy in COPIES.items()}
    sys.stdout.writelines(f"{name}: {what}\n" for name, what in result.items() if what)
    sys.stdout.write(f"{len(result)} kinds\n")
    stream.close()


if __name__ == "__main__":
    main()
