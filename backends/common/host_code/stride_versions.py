"""Two versions of an independent loop: for elements that follow one another, and for those that lie apart.

LLVM alone would use vectors only where all strides are 1, and would else compute one number at a time.
"""

from collections.abc import Callable, Sequence

from accel.ir import Binary, Local, Stmt, Stride

from .guards import all_expressions_in, expressions_in
from .scopes import Scope

__all__ = ["in_stride_versions", "strides_along"]


def strides_along(index: Local, body: Sequence[Stmt]) -> list[Stride]:
    """Return the strides that a body multiplies by a loop variable."""
    found: dict[Stride, None] = {}
    for x in all_expressions_in(body):
        if isinstance(x, Binary) and x.op == "mul":
            for stride, factor in ((x.x, x.y), (x.y, x.x)):
                if isinstance(stride, Stride) and index in expressions_in(factor):
                    found[stride] = None
    return list(found)


def in_stride_versions(scope: Scope, strides: Sequence[Stride], one: str, printer: Callable[[], None]) -> None:
    """Print a loop for strides of 1, and again for others.

    Parameters
    ----------
    scope : Scope
        The names of the program.
    strides : sequence of Stride
        Those along the loop.
    one : str
        The number 1 in a register, of which LLVM does not know that it is 1: it asks whether a stride is 1, but not
        whether a product is.
    printer : callable
        Prints the loop.
    """
    text, memories = scope.text, dict(scope.memories)
    together, other = "true", {}
    for stride in strides:
        value = memories[stride.view].strides[stride.axis]
        other[stride] = text.value(f"mul i64 {value}, {one}")
        together = text.value(f"and i1 {together}, {text.value(f'icmp eq i64 {value}, 1')}")
    labels = [text.fresh(hint) for hint in ("together", "apart", "end")]
    text.branch(together, labels[0], labels[1])
    for label, values in ((labels[0], dict.fromkeys(strides, "1")), (labels[1], other)):
        text.block(label)
        for stride, value in values.items():
            scope.memories[stride.view] = scope.memories[stride.view].with_stride(stride.axis, value)
        printer()
        text.jump(labels[2])
    scope.memories.update(memories)
    text.block(labels[2])
