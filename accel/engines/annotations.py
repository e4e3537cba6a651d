"""Annotations that declare a task's use of its stores: `Input`, `Output`, `InOut`, `Reduce`."""

from typing import Annotated, Any, NamedTuple, get_args

from accel.errors import StoreValueError
from accel.store.reductions import ReductionOp
from accel.store.regions import Access

__all__ = ["Declaration", "InOut", "Input", "Output", "Reduce", "declaration_of"]


class Declaration(NamedTuple):
    """A task's use of a store.

    Attributes
    ----------
    access : Access
        Whether it reads, writes or reduces.
    op : ReductionOp or None
        The operator of a reduction.
    """

    access: Access
    op: ReductionOp | None = None


Input = Annotated[Any, Declaration(Access.READ)]
"""The annotation of a store that the task only reads."""

Output = Annotated[Any, Declaration(Access.WRITE)]
"""The annotation of a store of which the task writes each element and reads none."""

InOut = Annotated[Any, Declaration(Access.READ_WRITE)]
"""The annotation of a store that the task reads and writes."""


class Reduce:
    """The annotation of a store into which the task combines values by an operator, as in ``Reduce[ADD]``.

    A type checker takes operators for values, and refuses them between brackets. For it, write
    ``Annotated[Any, Reduce(ADD)]``, which is the same.
    """

    def __new__(cls, op: ReductionOp) -> Any:
        """Return the declaration."""
        if not isinstance(op, ReductionOp):
            raise StoreValueError(
                f"{op!r} is no reduction operator; write Reduce[ADD], with an operator of accel.store"
            )
        return Declaration(Access.REDUCE, op)

    def __class_getitem__(cls, op: ReductionOp) -> Any:
        return Annotated[Any, cls(op)]


def declaration_of(annotation: Any) -> Declaration | None:
    """Return the declaration in an annotation of a parameter; None for a scalar."""
    if annotation is Reduce:
        raise StoreValueError("a reduction needs an operator; write Reduce[ADD]")
    return next((each for each in get_args(annotation) if isinstance(each, Declaration)), None)
