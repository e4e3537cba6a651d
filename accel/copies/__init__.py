"""Copies of elements from any place to any other: planned as integers, then run where the memory is."""

from accel.copies.elements import Elements
from accel.copies.planner import plan
from accel.copies.run import copy, fill, read, write

__all__ = ["Elements", "copy", "fill", "plan", "read", "write"]
