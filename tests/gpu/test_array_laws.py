"""Kernels on arrays of `accel.xp`, on a real device."""

from ..kernels import array_laws
from .effort import EXAMPLES


class TestArrays(array_laws.ArrayLaws):
    programs = EXAMPLES // 5
