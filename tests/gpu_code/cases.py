"""Copies that together use every kernel."""

import functools

import numpy as np

from accel.abc import Fill, Leaf, Plan

from .comparison import Case, End, Memory, launch_of
from .strategies import aligned, plan_of

__all__ = ["accesses", "every_kernel", "launches_with", "macro", "matrix", "nothing", "rows"]


def matrix(width, rows, columns, bits=32, multiple=1):
    """Return a transpose of a matrix whose rows start at multiples of ``multiple`` items at both ends."""
    wide, high = (-(-extent // multiple) * multiple * width for extent in (columns, rows))
    plan = plan_of(width, (columns, rows), (high, width), (width, wide), (0, 0), bits)
    return aligned(plan, End(), End())


def every_kernel(width, bits):
    """Return copies with accesses of a width: one loop, strided, masked, by a table, narrow, transposed, long rows."""
    contiguous = Plan((Leaf(500 // width, width, width),), width, "memcpy", vector=width, index_bits=bits)
    strided = Plan((Leaf(50, 3 * width, -width),), width, vector=width, index_bits=bits)
    masked = strided._replace(bound=-9 * width, fill=Fill.ZERO)
    table = Plan((Leaf(50, width, 0),), width, "table", vector=width, index_bits=bits)
    cases = [Case(contiguous), Case(strided), Case(masked), Case(table, source=End(table=np.arange(50)[::-1].copy()))]
    cases += [Case(matrix(width, 3, 301, bits)), Case(matrix(width, 67, 70, bits))]
    return cases if width == 16 else [*cases, Case(matrix(width, 72, 80, bits, multiple=8)), Case(rows(width, bits))]


def rows(width, bits=32, *, length=1600, phases=(0, 0)):
    """Return a copy of three rows, which start at multiples of a width only."""
    leaves = Leaf(3, length + width, length + 3 * width), Leaf(length // width, width, width)
    plan = Plan(leaves, width, "rows", vector=width, index_bits=bits)
    return aligned(plan, *[End(phase=phase) for phase in phases])


def nothing(seed):
    """Return memory of no positions, for launches that are not run."""
    return Memory(np.zeros(0, np.int64), 0, 0, seed)


@functools.cache
def launches_with(width, bits):
    """Return launches that use every kernel with accesses of a width, by the kernel, or the kernel and its words."""
    copies = [launch_of(case, nothing(1), nothing(2)) for case in every_kernel(width, bits)]
    words = [macro(launch, "WORD") for launch in copies]
    return {launch.kernel + (f" {word}" if word else ""): launch for launch, word in zip(copies, words, strict=True)}


def macro(launch, name):
    """Return the value of a macro of a launch, or None."""
    return dict([define.split("=") for define in launch.defines]).get(f"-DACCEL_{name}")


def accesses(launch):
    """Return the bytes of the accesses by which a launch reads and writes memory."""
    if launch.kernel == "copy_rows":
        return 16, 16
    both = macro(launch, "WORD") or macro(launch, "ITEM")
    return int(macro(launch, "READ") or both), int(macro(launch, "WRITE") or both)
