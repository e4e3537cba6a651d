"""Memory of other symbols in another form, which is read and written there; memory of NumPy; and what is shared."""

from typing import Any, Literal

import numpy as np

from accel.errors import FuseError
from accel.fusion.index_maps import IndexMap
from accel.fusion.nodes import Input, Node
from accel.support.call_sites import call_site
from accel.tracing.symbols import Base, Symbol

__all__ = ["HostBase", "PartBase", "ReshapedBase", "SharedBase"]


class HostBase(Base):
    """The memory of an array of NumPy that a function refers to, or makes: it is read."""

    __slots__ = ("_node",)

    def __init__(self, of: Base) -> None:
        self._node = of.node
        self.source: Input | None = None
        self.readonly: bool = of.readonly
        self.contiguous: bool = of.contiguous
        self.order: tuple[int, ...] | None = of.order

    @property
    def node(self) -> Node:
        """The elements."""
        return self._node

    @node.setter
    def node(self, _: Node) -> None:
        raise FuseError(
            f"a fused function does not write to the memory of an array of NumPy, unless that is an argument; found a "
            f"write at {call_site()}: pass the array as an argument, or write to xp.asarray(array, copy=True)"
        )


class SharedBase(Base):
    """Memory that other code, such as NumPy's functions, may write at any time: what is read is copied at once."""

    __slots__ = ()

    def read(self, tracer: Any, index_map: IndexMap | None, shape: tuple[int, ...]) -> Node:
        """Return the elements as they are now: all, or those of a view."""
        return tracer.snapshot(self, index_map, shape)  # type: ignore[no-any-return]


class ReshapedBase(Base):
    """The memory of a symbol, with another shape."""

    __slots__ = ("_of", "_shape")

    def __init__(self, of: Symbol, shape: tuple[int, ...]) -> None:
        self._of, self._shape = of, shape
        self.source: Input | None = None
        self.readonly: bool = of.readonly
        self.contiguous: bool = True
        self.order: tuple[int, ...] | None = None

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
        self.source: Input | None = None
        self.readonly: bool = of.readonly
        self.contiguous: bool = False
        self.order: tuple[int, ...] | None = None

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
