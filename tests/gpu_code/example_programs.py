"""Programs that together use all steps and statements; the tests run them, and the devices' compilers compile them."""

import ml_dtypes
import numpy as np

from accel.ir import (
    INDEX,
    Array,
    Assign,
    Atomic,
    Barrier,
    Binary,
    Break,
    Call,
    Cast,
    Check,
    Compare,
    Continue,
    CopyAsync,
    Extent,
    For,
    Frame,
    Guard,
    If,
    Load,
    Loop,
    Number,
    Once,
    Place,
    Reduction,
    Shuffle,
    Site,
    Store,
    Stride,
    Threads,
    Vote,
    WaitForCopies,
    While,
)

from .pieces import POSITION, at, const, index, load, local, loop, program, store, view

__all__ = [
    "COLLATZ",
    "COPIED",
    "DEBUG",
    "SAXPY",
    "TRANSPOSED",
    "atomic",
    "checked_copies",
    "every_program",
    "grid",
    "reduced",
    "shuffled",
    "votes",
]

F32 = np.dtype("f4")
X, Y, OUT = (view(name, "f4") for name in ("x", "y", "out"))
SAXPY = program(
    "saxpy",
    [view("x", "f4", writable=False), Y, Number("a", F32)],
    loop(Y, store(Y, Binary("add", Binary("mul", local("a", "f4"), load(X), F32), load(Y), F32))),
)


def reduced(dtype, op="add"):
    """Return a program that reduces a view, from a number on, and returns the total and twice the total."""
    dtype = np.dtype(dtype)
    values, total, twice = view("values", dtype, writable=False), local("total", dtype), local("twice", dtype)
    return program(
        "reduce",
        [values, Number("start", dtype)],
        Once((Assign(total, local("start", dtype)),), Frame(writes=(total,))),
        loop(values, Assign(total, Binary(op, total, load(values), dtype)), reductions=(Reduction(total, op),)),
        Once((Assign(twice, Binary("add", total, total, dtype)),), Frame((total,), (twice,))),
        frame=(total, twice),
        results=(total, twice),
    )


N, STEPS = local("n"), local("steps")
COUNTS = view("counts", "i8")
COLLATZ = program(
    "collatz",
    [COUNTS],
    loop(
        COUNTS,
        If(Compare("eq", index("mod", POSITION, const(5)), const(0)), (store(COUNTS, const(-1)), Continue())),
        Assign(N, POSITION),
        Assign(STEPS, const(0)),
        While(
            Compare("ne", N, const(1)),
            (
                If(
                    Compare("eq", index("mod", N, const(2)), const(0)),
                    (Assign(N, index("floordiv", N, const(2))),),
                    (Assign(N, index("add", index("mul", N, const(3)), const(1))),),
                ),
                Assign(STEPS, index("add", STEPS, const(1))),
                If(Compare("gt", STEPS, const(20)), (Break(),)),
            ),
        ),
        store(COUNTS, STEPS),
    ),
)
"""Counts of steps, at most 21; -1 for multiples of 5. Position 0 is one of these."""

LAST, WEIGHTS = local("last"), Array("weights", np.dtype("i8"), 5, "local")
GRID_TARGET = view("target", "i8", 2)


def grid(steps):
    """Return a program with a loop over two axes with steps, and serial loops with a local array."""
    k, total, place = local("k"), local("total"), index("mul", POSITION, const(100))
    body = (
        For(k, const(0), const(5), const(1), (Store("weights", k, index("add", k, POSITION)),)),
        Assign(total, place),
        Assign(LAST, const(-7)),
        For(
            LAST,
            const(4),
            local("j"),
            const(-2),
            (Assign(total, index("add", total, Load("weights", LAST, INDEX))),),
        ),
        store(GRID_TARGET, index("add", index("mul", total, const(1000)), LAST), POSITION, local("j")),
    )
    bounds = [(const(1), Extent("target", 0)), (const(0), index("min", Extent("target", 1), const(9)))]
    starts, stops = zip(*bounds, strict=True)
    indices = (POSITION, local("j"))
    step = Loop(indices, starts, stops, tuple(map(const, steps)), body)
    return program("grid", [GRID_TARGET], step, arrays=(WEIGHTS,))


CALLS = (("kernel", "script.py", 11),)
SITES = tuple(Site(what, name, CALLS) for what, name in (("read", "x"), ("write", "out"), ("atomic", "out")))


def guard(site, memory, *indices, offset=0):
    extents = tuple(Extent(memory.name, axis) for axis in range(len(indices)))
    return Guard(site, indices, extents, const(offset))


AHEAD = index("add", POSITION, local("shift"))
DEBUG = program(
    "debug",
    [X, OUT, Number("shift", INDEX)],
    loop(
        X,
        store(
            OUT,
            Binary("add", load(X, AHEAD, guard=guard(0, X, AHEAD, offset=3)), const(1, "f4"), F32),
            guard=guard(1, OUT, POSITION),
        ),
        Atomic("add", "out", at(OUT, AHEAD), const(100, "f4"), guard=guard(2, OUT, AHEAD)),
        Check(Guard(0, (const(0),), (const(1),), const(0))),
    ),
    sites=SITES,
    debug=True,
)
"""Each element of ``out`` becomes that of ``x``, ``shift`` further, and 101; checked."""

TX, TY = Place("thread", 0), Place("thread", 1)
TILE = Array("tile", F32, 8 * 9, "shared")
FLAT, TURNED = view("flat", "f4", 2), view("turned", "f4", 2)


def place(axis, side=8):
    return index("add", index("mul", Place("block", axis), const(side)), Place("thread", axis))


def within(memory, *indices):
    (first, second) = (Compare("lt", each, Extent(memory.name, axis)) for axis, each in enumerate(indices))
    return first, second


def guarded_if(memory, indices, body):
    first, second = within(memory, *indices)
    return If(first, (If(second, (body,)),))


ROW, COLUMN = place(1), place(0)
CORNER = [index("add", index("mul", Place("block", axis), const(8)), Place("thread", 1 - axis)) for axis in (0, 1)]
TRANSPOSED = program(
    "transpose",
    [FLAT, TURNED],
    Threads(
        (
            guarded_if(
                FLAT,
                (ROW, COLUMN),
                Store("tile", index("add", index("mul", TY, const(9)), TX), load(FLAT, ROW, COLUMN)),
            ),
            Barrier(0),
            guarded_if(
                TURNED,
                CORNER,
                store(TURNED, Load("tile", index("add", index("mul", TX, const(9)), TY), F32), *CORNER),
            ),
        )
    ),
    arrays=(TILE,),
)
"""A transpose through tiles of 8 x 8, with rows of 9 elements in shared memory."""


def shuffled(kind, dtype):
    """Return a program that stores what each thread gets from another lane, which is a parameter."""
    values = view("values", dtype)
    got, number = local("got", dtype), index("add", index("mul", Place("block", 0), Place("block_size", 0)), TX)
    shuffle = Shuffle(kind, got, load(values, number), local("there"), 0)
    body = Threads((shuffle, store(values, got, number)))
    return program("shuffle", [values, Number("there", INDEX)], body)


def votes():
    """Return a program that stores, for each thread, what its warp says of its numbers."""
    values, answers = view("values", "i8"), view("said", "u8", 2)
    names = {"some": "any", "every": "all"}
    condition = Compare("gt", load(values, TX), Place("lane", 0))
    body = [Vote(kind, local(name, "?"), condition, 0) for name, kind in names.items()]
    body += [store(answers, Cast(local(name, "?"), np.dtype("u8")), TX, const(n)) for n, name in enumerate(names)]
    body += [Vote("ballot", local("bits", "u8"), condition, 0), store(answers, local("bits", "u8"), TX, const(2))]
    body.append(store(answers, Cast(Place("warp", 0), np.dtype("u8")), TX, const(3)))
    return program("votes", [values, answers], Threads(tuple(body)))


def atomic(op, dtype):
    """Return a program that applies an atomic operation to few elements, and stores what it replaced."""
    dtype = np.dtype(dtype)
    target, values, old = view("target", dtype), view("values", dtype), view("old", dtype)
    place, was = index("mod", POSITION, const(3)), local("was", dtype)
    expected = const(0, dtype) if op == "compare" else None
    step = Atomic(op, "target", at(target, place), load(values), was, expected)
    return program("atomic", [target, values, old], loop(values, step, store(old, was)))


def copied(dtype):
    """Return a program that reverses parts of a view by asynchronous copies to shared memory."""
    dtype = np.dtype(dtype)
    source, target = view("source", dtype, writable=False), view("target", dtype)
    size, first = Place("block_size", 0), index("mul", Place("block", 0), Place("block_size", 0))
    mirrored = index("sub", index("sub", size, const(1)), TX)
    body = (
        CopyAsync("part", TX, "source", index("mul", index("add", first, TX), Stride("source", 0))),
        WaitForCopies(),
        Barrier(0),
        store(target, Load("part", mirrored, dtype), index("add", first, TX)),
    )
    return program("copied", [source, target], Threads(body), arrays=(Array("part", dtype, 64, "shared"),))


COPIED = copied(F32)


def checked_copies(dtype):
    """Return a program that copies what is ``shift`` further to shared memory, and from there back; checked."""
    dtype = np.dtype(dtype)
    source, target = view("source", dtype, writable=False), view("target", dtype)
    ahead = index("add", TX, local("shift"))
    inside = Guard(0, (TX,), (const(16),), const(0))
    body = (
        CopyAsync("part", TX, "source", at(source, ahead), inside, guard(1, source, ahead)),
        WaitForCopies(),
        Barrier(0),
        store(target, Load("part", TX, dtype, inside), TX),
    )
    arrays = (Array("part", dtype, 16, "shared"),)
    parameters = [source, target, Number("shift", INDEX)]
    return program("checked", parameters, Threads(body), arrays=arrays, sites=SITES, debug=True)


def functions(dtype):
    """Return a program that calls functions of the devices' libraries."""
    target, dtype = view("target", dtype), np.dtype(dtype)
    names = ("exp", "log1p", "tanh", "erf", "cbrt", "rsqrt", "round", "sign")
    x = load(target)
    for name in names:
        x = Call(name, (x,), dtype)
    return program("functions", [target], loop(target, store(target, Binary("pow", x, load(target), dtype))))


def every_program():
    """Return all these programs, by a name."""
    bf16 = ml_dtypes.bfloat16
    programs = {"saxpy": SAXPY, "collatz": COLLATZ, "grid": grid((1, 2)), "debug": DEBUG, "transpose": TRANSPOSED}
    programs |= {f"sum of {np.dtype(dtype)}": reduced(dtype) for dtype in ("i4", "f2", bf16, "f4", "f8", "c8", "c16")}
    programs |= {f"product of {np.dtype(dtype)}": reduced(dtype, "mul") for dtype in ("i4", "u1", "f2", "f4", "f8")}
    programs |= {f"smallest {np.dtype(dtype)}": reduced(dtype, "min") for dtype in ("u1", "f2", "f8")}
    programs |= {f"{kind} {dtype}": shuffled(kind, dtype) for kind, dtype in (("up", "f8"), ("xor", "f4"))}
    programs["votes"] = votes()
    programs |= {"copies of 2": copied("f2"), "copies of 4": COPIED, "copies of 16": copied("c16")}
    programs |= {f"checked copies of {dtype}": checked_copies(dtype) for dtype in ("f2", "c8")}
    programs |= {
        f"{op} {dtype}": atomic(op, dtype) for op in ("add", "max") for dtype in ("i4", "u8", "f2", "f4", "f8")
    }
    programs |= {f"functions of {np.dtype(dtype)}": functions(dtype) for dtype in ("f2", bf16, "f4", "f8")}
    return programs
