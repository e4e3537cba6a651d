"""The typed form of a kernel: plain data between the front end, which makes it, and the backends, which compile it.

A `Program` is a kernel for arguments of certain types. Its steps run in order: each is a parallel loop, a piece of code
that runs once, or code that all threads of an explicit grid run. Expressions have no side effects and no operand is
converted implicitly: conversions are `Cast`. Vectors, structures, calls of functions and sub-views are gone: the front
end expands them to scalars.

Meaning of the operations, on every device:

- Integers wrap around. ``floordiv`` and ``mod`` round towards minus infinity, as in Python. Division by zero gives 0.
  A shift by the width of the integer, or by more, gives 0, or -1 for negative integers shifted right.
- Floats follow IEEE 754. An operation on float16 or bfloat16 is computed in float32 and rounded.
- A cast from float to integer drops the fraction and saturates; NaN becomes 0. A cast to bool tells whether the value
  is not 0. Between integers it wraps around.
- Arithmetic is done as written: nothing is reassociated, except for the order of reductions.
"""

from accel.ir.expressions import (
    INDEX,
    TRUTH,
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Expr,
    Extent,
    Guard,
    Load,
    Local,
    Logic,
    Place,
    Select,
    Stride,
    Unary,
    of_type,
)
from accel.ir.functions import FUNCTIONS, Function
from accel.ir.neutral_elements import neutral
from accel.ir.programs import (
    SLOT,
    Array,
    Frame,
    Loop,
    Number,
    Once,
    Parameter,
    Program,
    Site,
    Step,
    Threads,
    View,
)
from accel.ir.statements import (
    Assign,
    Atomic,
    Barrier,
    Break,
    Check,
    Continue,
    CopyAsync,
    For,
    If,
    Mark,
    Reduction,
    Shuffle,
    Stmt,
    Store,
    Vote,
    WaitForCopies,
    While,
)

__all__ = [
    "FUNCTIONS",
    "INDEX",
    "SLOT",
    "TRUTH",
    "Array",
    "Assign",
    "Atomic",
    "Barrier",
    "Binary",
    "Break",
    "Call",
    "Cast",
    "Check",
    "Compare",
    "Const",
    "Continue",
    "CopyAsync",
    "Expr",
    "Extent",
    "For",
    "Frame",
    "Function",
    "Guard",
    "If",
    "Load",
    "Local",
    "Logic",
    "Loop",
    "Mark",
    "Number",
    "Once",
    "Parameter",
    "Place",
    "Program",
    "Reduction",
    "Select",
    "Shuffle",
    "Site",
    "Step",
    "Stmt",
    "Store",
    "Stride",
    "Threads",
    "Unary",
    "View",
    "Vote",
    "WaitForCopies",
    "While",
    "neutral",
    "of_type",
]
