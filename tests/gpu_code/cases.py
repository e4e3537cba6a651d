"""Copies that together use every kernel."""

import numpy as np

from accel.abc import Fill, Leaf, Plan

from .copying import Case, End
from .strategies import aligned, plan_of

__all__ = ["every_kernel", "matrix"]


def matrix(width, rows, columns, bits=32, multiple=1):
    """Return a transpose of a matrix whose rows start at multiples of ``multiple`` items at both ends."""
    wide, high = (-(-extent // multiple) * multiple * width for extent in (columns, rows))
    plan = plan_of(width, (columns, rows), (high, width), (width, wide), (0, 0), bits)
    return aligned(plan, End(), End())


def every_kernel(width, bits):
    """Return copies with accesses of a width: one loop, strided, masked, by a table, and transposed."""
    contiguous = Plan((Leaf(500 // width, width, width),), width, "memcpy", vector=width, index_bits=bits)
    strided = Plan((Leaf(50, 3 * width, -width),), width, vector=width, index_bits=bits)
    masked = strided._replace(bound=-9 * width, fill=Fill.ZERO)
    table = Plan((Leaf(50, width, 0),), width, "table", vector=width)
    cases = [Case(contiguous), Case(strided), Case(masked), Case(table, source=End(table=np.arange(50)[::-1].copy()))]
    cases.append(Case(matrix(width, 33, 41, bits)))
    return [*cases, Case(matrix(width, 33, 41, bits, multiple=4))] if width < 4 else cases
