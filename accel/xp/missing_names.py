"""What to write for a name that `accel` or `accel.xp` lacks; imported when somebody asks for such a name."""

import sys

import numpy as np

from accel.support.foreign_names import of_function

__all__ = ["advice"]


def advice(package: str, name: str) -> str:
    """Return what to write for a name that a package lacks, as the end of an error; empty if that is unknown."""
    if package == __package__:
        return of_function(name, (), dir(np), "xp")
    return of_function(name, sys.modules[__package__].__all__, dir(np), __package__)
