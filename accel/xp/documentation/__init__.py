"""The docstrings of the functions that are compiled or made: composed from tables when the functions are made."""

from accel.xp.documentation.rows import about, of_draws, of_numpy

__all__ = ["about", "of_draws", "of_numpy"]
