"""Short forms for programs that tests write by hand."""

import numpy as np

from accel.ir import (
    INDEX,
    TRUTH,
    Array,
    Assign,
    Binary,
    Compare,
    Const,
    Extent,
    Frame,
    Guard,
    Load,
    Local,
    Loop,
    Once,
    Place,
    Program,
    Reduction,
    Site,
    Store,
    Stride,
    Threads,
    View,
    of_type,
)

F32 = np.dtype(np.float32)


def index(value):
    """Return a constant index."""
    return Const(value, INDEX)


def local(name, dtype=INDEX):
    """Return a variable."""
    return Local(name, np.dtype(dtype))


def op(name, x, y, dtype=INDEX):
    """Return an operation on two values."""
    return Binary(name, x, y, np.dtype(dtype))


def add(x, y, dtype=INDEX):
    """Return a sum."""
    return op("add", x, y, dtype)


def compare(name, x, y):
    """Return a comparison."""
    return Compare(name, x, y)


def view(name="v", dtype=F32, rank=1, *, writable=True, span=None):
    """Return a parameter that is memory."""
    return View(name, np.dtype(dtype), rank, writable, span)


def shared(name, size, dtype=F32):
    """Return a shared array."""
    return Array(name, np.dtype(dtype), size, "shared")


def private(name, size, dtype=F32):
    """Return a local array."""
    return Array(name, np.dtype(dtype), size, "local")


def guard(site, memory, at):
    """Return the guard of an access to a view with one axis."""
    return Guard(site, (at,), (Extent(memory, 0),), index(0))


def guard_of(site, size, at):
    """Return the guard of an access to an array."""
    return Guard(site, (at,), (index(size),), index(0))


def get(memory, at, dtype=F32, check=None):
    """Return an element of an array, or of a dense view."""
    return Load(memory, at, np.dtype(dtype), check)


def put(memory, at, value, check=None):
    """Return the statement that sets an element."""
    return Store(memory, at, value, check)


def strided(memory, at):
    """Return the place of an element of a view with one axis."""
    return op("mul", at, Stride(memory, 0))


def loop(body, stop, *names, reductions=(), **rest):
    """Return a parallel loop from 0."""
    names = names or ("i",)
    stops = stop if isinstance(stop, tuple) and not hasattr(stop, "_fields") else (stop,)
    count = len(stops)
    return Loop(
        tuple(map(local, names)), (index(0),) * count, stops, (index(1),) * count, tuple(body), reductions, **rest
    )


def program(*steps, parameters=(), name="kernel", sites=1, debug=False, calls=None, **rest):
    """Return a program; its sites are consecutive lines of one file."""
    places = tuple(Site("read", "v", ((name, "file.py", 10 + number),)) for number in range(sites))
    return Program(name, tuple(parameters), (), steps, sites=calls or places, debug=debug, **rest)


def computed(value, dtype):
    """Return a program with a result: the value of an expression."""
    result = local("result", dtype)
    step = Once((Assign(result, value),), Frame((), (result,)))
    return program(step, frame=(result,), results=(result,))


def result_of(function, dtype):
    """Return the type of the result of a function of `accel.ir.FUNCTIONS`."""
    if function.result == "truth":
        return TRUTH
    return np.dtype(f"f{dtype.itemsize // 2}") if function.result == "real" and dtype.kind == "c" else dtype


THREAD = Place("thread", 0)
BLOCK = Place("block", 0)
SIZE = Place("block_size", 0)
NUMBER = add(op("mul", BLOCK, SIZE), THREAD)
"""The number of a thread in the grid."""

__all__ = [
    "BLOCK",
    "F32",
    "INDEX",
    "NUMBER",
    "SIZE",
    "THREAD",
    "TRUTH",
    "Reduction",
    "Threads",
    "add",
    "compare",
    "computed",
    "get",
    "guard",
    "guard_of",
    "index",
    "local",
    "loop",
    "of_type",
    "op",
    "private",
    "program",
    "put",
    "result_of",
    "shared",
    "strided",
    "view",
]
