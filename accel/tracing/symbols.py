"""`Symbol`: an array of a trace, in the place of the array of a device's library."""

import operator
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, ClassVar, Protocol

import numpy as np

from accel.dtypes import DType
from accel.errors import FuseError
from accel.fusion.index_maps import IndexMap, composed, identity, offset_and_strides, strides_of
from accel.fusion.nodes import Input, Node
from accel.tracing.memory_order import strides_in

__all__ = ["OPERATORS", "Base", "Symbol"]


class Tracer(Protocol):
    """What symbols ask of their trace."""

    functions: Any
    namespace: Any
    finished: bool

    def view(self, source: Node, index_map: IndexMap, shape: tuple[int, ...]) -> Node:
        """Return the elements of a node at the indices of a map."""
        ...

    def reshaped(self, source: Node, shape: tuple[int, ...]) -> Node:
        """Return the elements of a node with another shape."""
        ...

    def call_method(self, name: str, x: "Symbol", arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """Record a call of a method of the library's arrays."""
        ...

    def make(self, kind: Any, name: Any, operands: Sequence[Node], dtype: DType) -> Node:
        """Return an operation."""
        ...

    def symbol(self, node: Node, like: Sequence[Any] = ()) -> "Symbol":
        """Return a new array with the elements of a node."""
        ...

    def call(self, name: str, function: Callable[..., Any], arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """Record a call of a function of the library."""
        ...

    def write(self, x: "Symbol", value: Node) -> None:
        """Replace the elements of an array by those of a node of its shape and dtype."""
        ...

    def evaluate(self, function: Callable[[Any], Any], x: "Symbol", what: str) -> Any:
        """Return what a function of an array with elements returns, or refuse."""
        ...

    def lend(self, function: Callable[[Any], Any], x: "Symbol", what: str) -> Any:
        """Return what a function of the memory of an array returns, which other code may write later; or refuse."""
        ...

    def needs_value(self, what: str) -> FuseError:
        """Return the error for a function that needs elements while it is traced."""
        ...


class Base:
    """What memory would be: the node of its elements, which a write replaces.

    Attributes
    ----------
    node : Node
        The elements now.
    source : Input or None
        The input whose memory it is.
    readonly : bool
        Whether it must not be written.
    contiguous : bool
        Whether the elements would lie in C order.
    order : tuple of int or None
        The axes of new memory in another order than C's, the slowest first.
    """

    __slots__ = ("__weakref__", "contiguous", "node", "order", "readonly", "source")

    def __init__(
        self,
        node: Node,
        *,
        source: Input | None = None,
        readonly: bool = False,
        contiguous: bool = True,
        order: tuple[int, ...] | None = None,
    ) -> None:
        self.node: Node = node
        self.source: Input | None = source
        self.readonly: bool = readonly
        self.contiguous: bool = contiguous and order is None
        self.order: tuple[int, ...] | None = order

    def read(self, tracer: "Tracer", index_map: IndexMap | None, shape: tuple[int, ...]) -> Node:
        """Return the elements as they are now: all, or those of a view."""
        return self.node if index_map is None else tracer.view(self.node, index_map, shape)


class Symbol:
    """An array of a trace: all of a base, or a view of it.

    Attributes
    ----------
    tracer : Trace
        The trace.
    base : Base
        Its memory.
    map : tuple of Axis or None
        From its indices to those of the base; None for all of it.
    shape, dtype
        As for arrays.
    parent : (Symbol, callable) or None
        The array that it is a view of, and what makes the view of such an array.
    readonly : bool
        Whether it must not be written.
    """

    __slots__ = ("__weakref__", "base", "dtype", "map", "parent", "readonly", "shape", "tracer", "weak")
    __array_ufunc__ = None
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __init__(
        self,
        tracer: Tracer,
        base: Base,
        index_map: IndexMap | None = None,
        shape: tuple[int, ...] | None = None,
        parent: "tuple[Symbol, Callable[[Any], Any]] | None" = None,
        weak: type | None = None,
        readonly: bool = False,
    ) -> None:
        self.tracer: Tracer = tracer
        self.base: Base = base
        self.map: IndexMap | None = index_map
        self.shape: tuple[int, ...] = base.node.shape if shape is None else shape
        self.dtype: DType = base.node.dtype
        self.parent: tuple[Symbol, Callable[[Any], Any]] | None = parent
        self.weak: type | None = weak
        self.readonly: bool = readonly or base.readonly or (parent is not None and parent[0].readonly)

    @property
    def node(self) -> Node:
        """The elements, as they are now."""
        return self.base.read(self.tracer, self.map, self.shape)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return prod(self.shape) * self.dtype.itemsize

    @property
    def contiguous(self) -> bool:
        """Whether the elements would lie in C order."""
        return self.base.contiguous and (self.map is None or self.size <= 1)

    @property
    def in_c_order(self) -> bool:
        """Whether no axis would step farther than one before it."""
        base = self.base
        if base.order is not None or (base.source is not None and not base.contiguous):
            return False
        axes = [axis for each in self.map or () for axis, _ in each.steps]
        return axes == sorted(axes)

    @property
    def flags(self) -> Any:
        """Whether it would be contiguous and writable."""
        model = np.lib.stride_tricks.as_strided(np.empty((), self.dtype), self.shape, self.strides)
        if self.readonly:
            model.flags.writeable = False
        return model.flags

    @property
    def strides(self) -> tuple[int, ...]:
        """The strides in bytes, of an argument or of new memory."""
        source, order, shape = self.base.source, self.base.order, self.base.node.shape
        steps = strides_of(shape) if order is None else strides_in(order, shape)
        steps = steps if source is None else source.strides
        if self.map is not None:
            _, steps = offset_and_strides(self.map, steps, self.ndim)
        return tuple([step * self.itemsize for step in steps])

    @property
    def T(self) -> Any:  # noqa: N802 - as of arrays
        """The array with its axes in the opposite order."""
        return self.transpose()

    def viewed(self, index_map: IndexMap, shape: tuple[int, ...], make: Callable[[Any], Any]) -> "Symbol":
        """Return a view of this array: its map to this array's indices, and what makes it of an array."""
        index_map = _without_single_steps(index_map, shape)
        whole = index_map if self.map is None else _without_single_steps(composed(self.map, index_map), shape)
        return Symbol(self.tracer, self.base, whole, shape, (self, make))

    def write(self, value: Node) -> None:
        """Replace the elements by those of a node of this shape and dtype."""
        if self.readonly:
            raise ValueError("assignment destination is read-only")
        self.tracer.write(self, value)

    @property
    def is_whole(self) -> bool:
        """Whether it has all elements of its base, in their order."""
        return self.map is None or (self.shape == self.base.node.shape and self.map == identity(self.shape))

    def __bool__(self) -> bool:
        return bool(self.tracer.evaluate(bool, self, "the truth value of an array, as of if or while"))

    def __int__(self) -> int:
        return int(self.tracer.evaluate(int, self, "int(array)"))

    def __float__(self) -> float:
        return float(self.tracer.evaluate(float, self, "float(array)"))

    def __complex__(self) -> complex:
        return complex(self.tracer.evaluate(complex, self, "complex(array)"))

    def __index__(self) -> int:
        return int(self.tracer.evaluate(operator.index, self, "an array as an index or as a size"))

    def item(self, *place: Any) -> Any:
        """Return an element as a number of Python."""
        what = "the element of an array, as a number of Python"
        return self.tracer.evaluate(operator.methodcaller("item", *place), self, what)

    def tolist(self) -> Any:
        """Return the elements as a list."""
        return self.tracer.evaluate(operator.methodcaller("tolist"), self, "the elements of an array, as a list")

    def __array__(self, dtype: object = None, copy: object = None) -> Any:
        return self.tracer.lend(lambda x: x.__array__(dtype, copy), self, "an array of NumPy")

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        return self.tracer.functions.getitem(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.tracer.functions.setitem(self, key, value)

    def reshape(self, *shape: Any, **options: Any) -> Any:
        """Return the elements with another shape."""
        extents = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
        return self.tracer.functions.reshape(self, extents, **options)

    def transpose(self, *axes: Any) -> Any:
        """Return the array with its axes in another order."""
        order = axes[0] if len(axes) == 1 and isinstance(axes[0], tuple | list | None) else axes
        return self.tracer.functions.permute_dims(self, order or tuple(range(self.ndim))[::-1])

    def squeeze(self, axis: Any = None) -> Any:
        """Return the array without axes of extent 1."""
        return self.tracer.functions.squeeze(self, axis)

    def swapaxes(self, one: int, other: int) -> Any:
        """Return the array with two axes exchanged."""
        order = list(range(self.ndim))
        order[one], order[other] = order[other], order[one]
        return self.tracer.functions.permute_dims(self, tuple(order))

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """Return the elements with another dtype."""
        return self.tracer.functions.astype(self, dtype, copy=copy)

    def copy(self, _: str = "C") -> Any:
        """Return a copy."""
        return self.tracer.functions.copied(self)


def _without_single_steps(index_map: IndexMap, shape: tuple[int, ...]) -> IndexMap:
    """Return a map without steps along axes of extent 1, so that equal views have equal maps."""
    if 1 not in shape:
        return index_map
    return tuple(
        [each._replace(steps=tuple([step for step in each.steps if shape[step[0]] != 1])) for each in index_map]
    )


_OPERATORS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "pow",
    "matmul": "matmul",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}
_COMPARISONS = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}
_UNARY = {"abs": "abs", "neg": "negative", "pos": "positive", "invert": "bitwise_invert"}
OPERATORS = tuple(
    [f"__{prefix}{name}__" for name in _OPERATORS for prefix in ("", "r")]
    + [f"__{name}__" for name in (*_COMPARISONS, *_UNARY)]
)
"""The methods of operators that make new arrays."""
_METHODS = (
    *(
        "all",
        "any",
        "argmax",
        "argmin",
        "clip",
        "cumprod",
        "cumsum",
        "diagonal",
        "max",
        "mean",
        "min",
        "nonzero",
        "prod",
    ),
    *("repeat", "round", "sort", "std", "sum", "take", "trace", "var"),
)


def _add_methods() -> None:  # noqa: C901 - a function for each kind of method
    def operation(name: str, *, reflected: bool = False) -> Callable[..., Any]:
        def method(self: Symbol, other: Any) -> Any:
            function = getattr(self.tracer.namespace, name)
            return function(other, self) if reflected else function(self, other)

        return method

    def in_place(name: str) -> Callable[..., Any]:
        def method(self: Symbol, other: Any) -> Symbol:
            self.tracer.functions.store(getattr(self.tracer.namespace, name)(self, other), self)
            return self

        return method

    def unary(name: str) -> Callable[..., Any]:
        return lambda self: getattr(self.tracer.namespace, name)(self)

    def method_of_library(name: str) -> Callable[..., Any]:
        return lambda self, *arguments, **options: self.tracer.call_method(name, self, arguments, options)

    for name, function in _OPERATORS.items():
        setattr(Symbol, f"__{name}__", operation(function))
        setattr(Symbol, f"__r{name}__", operation(function, reflected=True))
        setattr(Symbol, f"__i{name}__", in_place(function))
    for name, function in _COMPARISONS.items():
        setattr(Symbol, f"__{name}__", operation(function))
    for name, function in _UNARY.items():
        setattr(Symbol, f"__{name}__", unary(function))
    for name in _METHODS:
        setattr(Symbol, name, method_of_library(name))


_add_methods()
