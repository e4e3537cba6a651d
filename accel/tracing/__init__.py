"""`accel.fuse`: functions of arrays are run once with arrays that record, and compiled.

The recording arrays are those of `accel.xp`, on a library of their own, whose arrays are `Symbol`. So the functions,
operators, promotions and errors of a trace are those of an ordinary call.
"""

from accel.tracing.fused_function import Fused, fuse

__all__ = ["Fused", "fuse"]
