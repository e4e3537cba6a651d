"""Memory of other symbols in another form: what is read comes from them, and what is written goes to them."""

from typing import Any, Literal

import numpy as np

from accel.fusion.nodes import Node
from accel.tracing.symbols import Base, Symbol

__all__ = ["PartBase", "ReshapedBase"]


class ReshapedBase(Base):
    """The memory of a symbol, with another shape."""

    __slots__ = ("_of", "_shape")

    def __init__(self, of: Symbol, shape: tuple[int, ...]) -> None:
        self._of, self._shape = of, shape
        self.source, self.readonly, self.contiguous = None, of.readonly, True

    @property
    def node(self) -> Node:
        """The elements now."""
        return self._of.tracer.reshaped(self._of.node, self._shape)

    @node.setter
    def node(self, value: Node) -> None:
        self._of.write(self._of.tracer.reshaped(value, self._of.shape))


class PartBase(Base):
    """The real or the imaginary parts of a symbol."""

    __slots__ = ("_of", "_part")

    def __init__(self, of: Symbol, part: Literal["real", "imag"]) -> None:
        self._of, self._part = of, part
        self.source, self.readonly, self.contiguous = None, of.readonly, False

    @property
    def node(self) -> Node:
        """The elements now."""
        of = self._of
        return of.tracer.make("call", self._part, (of.node,), np.empty(0, of.dtype).real.dtype)

    @node.setter
    def node(self, value: Node) -> None:
        of, tracer = self._of, self._of.tracer
        arguments = tracer.symbol(of.node), self._part, tracer.symbol(value)
        of.write(tracer.call("with_part", _with_part, arguments, {}).node)


def _with_part(array: Any, part: str, value: Any) -> Any:
    copy = array.copy()
    numbers = copy.reshape(-1).view(value.dtype)  # of which an array of no axes has no view
    numbers[part == "imag" :: 2] = value.reshape(-1)
    return copy
