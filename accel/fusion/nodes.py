"""The graph of a traced function: its nodes, which never change.

Each node is an array: its shape and dtype are known, its elements are not. A node refers to the nodes that it is
computed from. A write to part of an array is a node too, `Update`, whose elements are those of the array after it.
"""

from collections.abc import Callable, Iterable
from itertools import count
from typing import Any, Literal, NamedTuple, TypeAlias

from accel.dtypes import DType
from accel.fusion.boxes import Box, Ends, box_of, ends_of
from accel.fusion.index_maps import Axis, IndexMap

__all__ = [
    "Call",
    "Constant",
    "Empty",
    "Input",
    "Line",
    "Node",
    "Operation",
    "Position",
    "Reduction",
    "Reshape",
    "Result",
    "Scalar",
    "Scan",
    "Update",
    "View",
    "Viewed",
    "in_order",
]

Shape: TypeAlias = tuple[int, ...]
Line: TypeAlias = tuple[str, int, str]
"""A file, a line of it, and the function there."""

_serial = count()


class Node:
    """An array of the graph.

    Attributes
    ----------
    shape : tuple of int
        Extent of each axis.
    dtype : numpy.dtype
        Type of the elements.
    serial : int
        Larger than that of each node that it is computed from.
    line : tuple of (str, int, str) or None
        The line of the traced function that made it.
    """

    __slots__ = ("dtype", "line", "serial", "shape")

    def __init__(self, shape: Shape, dtype: DType) -> None:
        self.shape: Shape = shape
        self.dtype: DType = dtype
        self.serial: int = next(_serial)
        self.line: Line | None = None

    @property
    def operands(self) -> "tuple[Node, ...]":
        """The nodes that it is computed from."""
        return ()

    @property
    def size(self) -> int:
        """Number of elements."""
        size = 1
        for extent in self.shape:
            size *= extent
        return size


class Input(Node):
    """An array that exists before the function runs: an argument, or one that the function captures.

    Attributes
    ----------
    number : int
        Its place among the inputs.
    strides : tuple of int
        Of its memory, in elements.
    name : str
        For messages.
    """

    __slots__ = ("name", "number", "strides")

    def __init__(self, shape: Shape, dtype: DType, number: int, strides: tuple[int, ...], name: str) -> None:
        super().__init__(shape, dtype)
        self.number: int = number
        self.strides: tuple[int, ...] = strides
        self.name: str = name


class Constant(Node):
    """A number that is the same in each call; it has no axes."""

    __slots__ = ("value",)

    def __init__(self, value: Any, dtype: DType) -> None:
        super().__init__((), dtype)
        self.value: Any = value


class Scalar(Node):
    """A number that each call passes; it has no axes."""

    __slots__ = ("number",)

    def __init__(self, dtype: DType, number: int) -> None:
        super().__init__((), dtype)
        self.number: int = number


class Position(Node):
    """The integers from 0 on, along one axis."""

    __slots__ = ()


class Empty(Node):
    """Elements of no meaning."""

    __slots__ = ()


class Operation(Node):
    """A function of elements; operands are broadcast to the shape.

    Attributes
    ----------
    kind : str
        What `accel.ir` has for it: ``unary``, ``binary``, ``compare``, ``logic``, ``select``, ``cast`` or ``call``.
    name : str
        Its name there; empty for ``select`` and ``cast``.
    """

    __slots__ = ("_operands", "kind", "name")

    def __init__(
        self,
        kind: Literal["unary", "binary", "compare", "logic", "select", "cast", "call"],
        name: str,
        operands: tuple[Node, ...],
        shape: Shape,
        dtype: DType,
    ) -> None:
        super().__init__(shape, dtype)
        self.kind = kind
        self.name: str = name
        self._operands = operands

    @property
    def operands(self) -> tuple[Node, ...]:
        """The nodes that it is computed from."""
        return self._operands


class View(Node):
    """Elements of another node, at the indices of a map."""

    __slots__ = ("map", "source")

    def __init__(self, source: Node, index_map: IndexMap, shape: Shape) -> None:
        super().__init__(shape, source.dtype)
        self.source: Node = source
        self.map: IndexMap = index_map

    @property
    def operands(self) -> tuple[Node, ...]:
        """The node that it is a view of."""
        return (self.source,)


class Reshape(Node):
    """The elements of another node, in C order, with another shape."""

    __slots__ = ("source",)

    def __init__(self, source: Node, shape: Shape) -> None:
        super().__init__(shape, source.dtype)
        self.source: Node = source

    @property
    def operands(self) -> tuple[Node, ...]:
        """The node that has the elements."""
        return (self.source,)


class Reduction(Node):
    """The elements of another node combined along axes, which the shape does not have.

    Attributes
    ----------
    source : Node
        The node that has the elements, at least one.
    op : str
        ``add``, ``mul``, ``min`` or ``max``.
    axes : tuple of int
        The axes, in order.
    """

    __slots__ = ("axes", "op", "source")

    def __init__(self, source: Node, op: Literal["add", "mul", "min", "max"], axes: tuple[int, ...]) -> None:
        super().__init__(tuple([each for axis, each in enumerate(source.shape) if axis not in axes]), source.dtype)
        self.source: Node = source
        self.op = op
        self.axes: tuple[int, ...] = axes

    @property
    def operands(self) -> tuple[Node, ...]:
        """The node that has the elements."""
        return (self.source,)

    @property
    def map(self) -> IndexMap:
        """From the indices of the elements to those of the results."""
        kept = [axis for axis in range(len(self.source.shape)) if axis not in self.axes]
        return tuple([Axis(0, ((axis, 1),)) if self.source.shape[axis] > 1 else Axis() for axis in kept])


class Scan(Node):
    """The elements of another node up to each one, combined in order along an axis.

    Attributes
    ----------
    source : Node
        The node that has the elements, more than one along the axis.
    op : str
        ``add``, ``mul``, ``min`` or ``max``.
    axis : int
        The axis.
    """

    __slots__ = ("axis", "op", "source")

    def __init__(self, source: Node, op: Literal["add", "mul", "min", "max"], axis: int) -> None:
        super().__init__(source.shape, source.dtype)
        self.source: Node = source
        self.op = op
        self.axis: int = axis

    @property
    def operands(self) -> tuple[Node, ...]:
        """The node that has the elements."""
        return (self.source,)


class Update(Node):
    """An array after a write to a view of it.

    Attributes
    ----------
    target : Node
        The array before.
    map : tuple of Axis
        From the value's indices to the target's; no two of them are the same.
    value : Node
        What is written.
    box : tuple of Span or None
        Where, if that is a box.
    ends : tuple of (int, int)
        The first and the last index of that along each axis.
    """

    __slots__ = ("box", "ends", "map", "target", "value")

    def __init__(self, target: Node, index_map: IndexMap, value: Node) -> None:
        super().__init__(target.shape, target.dtype)
        self.target: Node = target
        self.map: IndexMap = index_map
        self.value: Node = value
        self.box: Box | None = box_of(index_map, value.shape)
        self.ends: Ends = ends_of(index_map, value.shape)

    @property
    def operands(self) -> tuple[Node, ...]:
        """The array before, and the value."""
        return self.target, self.value


class Viewed(NamedTuple):
    """An operand of a call that is a view of memory which exists.

    Attributes
    ----------
    node : Node
        The memory.
    views : tuple of callable
        Make the view, one of another, first of the array of the memory.
    shape, dtype
        Those of the view.
    """

    node: Node
    views: tuple[Callable[[Any], Any], ...]
    shape: Shape
    dtype: DType


class Call:
    """A call of a function of the library, between the parts that are fused.

    Attributes
    ----------
    name : str
        For messages.
    function : callable
        Called with the library's arrays in place of the operands.
    arguments, keywords : tuple, dict
        With nodes and `Viewed`, also in tuples and lists.
    operands : tuple of Node
        The nodes among them.
    """

    __slots__ = ("arguments", "function", "keywords", "name", "operands")

    def __init__(
        self, name: str, function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], operands: tuple[Node, ...]
    ) -> None:
        self.name: str = name
        self.function: Any = function
        self.arguments: tuple[Any, ...] = arguments
        self.keywords: dict[str, Any] = keywords
        self.operands: tuple[Node, ...] = operands


class Result(Node):
    """An array that a call returns; ``place`` is its index among several."""

    __slots__ = ("call", "place")

    def __init__(self, call: Call, place: int | None, shape: Shape, dtype: DType) -> None:
        super().__init__(shape, dtype)
        self.call: Call = call
        self.place: int | None = place

    @property
    def operands(self) -> tuple[Node, ...]:
        """The nodes that the call reads."""
        return self.call.operands


def in_order(nodes: Iterable[Node]) -> list[Node]:
    """Return nodes and all that they are computed from; operands come first."""
    reached: set[Node] = set()
    pending = [*nodes]
    while pending:
        node = pending.pop()
        if node not in reached:
            reached.add(node)
            pending += node.operands
    return sorted(reached, key=lambda node: node.serial)
