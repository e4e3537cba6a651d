"""Expressions of the typed form of a kernel."""

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from accel.dtypes import DType

__all__ = [
    "INDEX",
    "TRUTH",
    "Binary",
    "Call",
    "Cast",
    "Compare",
    "Const",
    "Expr",
    "Extent",
    "Guard",
    "Load",
    "Local",
    "Logic",
    "Place",
    "Select",
    "Stride",
    "Unary",
    "of_type",
]

INDEX: DType = np.dtype(np.int64)
"""The type of indices, extents, strides and loop variables."""

TRUTH: DType = np.dtype(np.bool_)
"""The type of conditions."""


class Const(NamedTuple):
    """A number."""

    value: Any
    dtype: DType


class Local(NamedTuple):
    """A variable; a `Number` among the parameters is one too, and never assigned."""

    name: str
    dtype: DType


class Extent(NamedTuple):
    """The extent of a view along an axis; of type `INDEX`."""

    view: str
    axis: int


class Stride(NamedTuple):
    """The stride of a view along an axis, in elements; of type `INDEX`."""

    view: str
    axis: int


class Place(NamedTuple):
    """Where a thread is, along an axis (x is 0); of type `INDEX`, and only for programs with an explicit grid.

    ``warp`` is the number of threads of a warp, and ``lane`` the number of a thread in its warp; their axis is 0.
    Threads are numbered with x fastest, and warps are consecutive threads of a block.
    """

    what: Literal["thread", "block", "block_size", "grid_size", "lane", "warp"]
    axis: int


class Unary(NamedTuple):
    """``neg``, ``invert`` or ``not``; the operand has the same type."""

    op: Literal["neg", "invert", "not"]
    x: "Expr"
    dtype: DType


class Binary(NamedTuple):
    """Arithmetic; both operands have the type of the result.

    ``truediv`` is for floats and complex numbers only; ``min`` and ``max`` return NaN if an operand is NaN, and
    -0.0 is less than 0.0 there.
    """

    op: Literal[
        "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift", "min", "max"
    ]
    x: "Expr"
    y: "Expr"
    dtype: DType


class Compare(NamedTuple):
    """A comparison of two operands of one type; of type `TRUTH`."""

    op: Literal["lt", "le", "gt", "ge", "eq", "ne"]
    x: "Expr"
    y: "Expr"


class Logic(NamedTuple):
    """``and`` or ``or`` of conditions; ``y`` is evaluated only if ``x`` does not decide."""

    op: Literal["and", "or"]
    x: "Expr"
    y: "Expr"


class Select(NamedTuple):
    """``x`` if the condition holds, else ``y``; only the chosen one is evaluated."""

    condition: "Expr"
    x: "Expr"
    y: "Expr"
    dtype: DType


class Cast(NamedTuple):
    """A conversion; from a complex number only to a complex number, or to its truth value."""

    x: "Expr"
    dtype: DType


class Call(NamedTuple):
    """A mathematical function, by its name in `FUNCTIONS`; ``complex`` makes a complex number of two floats."""

    function: str
    arguments: tuple["Expr", ...]
    dtype: DType


class Guard(NamedTuple):
    """What debug mode checks before an access: each index is at least 0 and less than its extent.

    If the check fails, the failure is recorded, a load gives 0, and a store or an atomic operation is not done. The
    expressions are constants, locals, extents, and arithmetic on these, so they may be evaluated again.

    Attributes
    ----------
    site : int
        Number in `Program.sites`.
    indices, extents : tuple of Expr
        Of type `INDEX`; one of each for every axis.
    offset : Expr
        The first element of a sub-view in its parameter, for the message; of type `INDEX`.
    """

    site: int
    indices: tuple["Expr", ...]
    extents: tuple["Expr", ...]
    offset: "Expr"


class Load(NamedTuple):
    """An element of a view or of an array.

    The index counts elements from the first one; it may be negative if strides are.
    """

    memory: str
    at: "Expr"
    dtype: DType
    guard: Guard | None = None


Expr: TypeAlias = (
    Const | Local | Extent | Stride | Place | Unary | Binary | Compare | Logic | Select | Cast | Call | Load
)


def of_type(x: Expr) -> DType:
    """Return the type of an expression."""
    if isinstance(x, Extent | Stride | Place):
        return INDEX
    if isinstance(x, Compare | Logic):
        return TRUTH
    return x.dtype
