"""`Trace`: one run of a function with symbols; it has the nodes that the run made."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from accel.dtypes import DType, as_dtype
from accel.errors import FuseError
from accel.fusion.elementwise import loop_of
from accel.fusion.graph import WriteBack
from accel.fusion.index_maps import IndexMap, identity, strides_of
from accel.fusion.nodes import (
    Call,
    Constant,
    Input,
    Node,
    Operation,
    Reduction,
    Reshape,
    Result,
    Scalar,
    Update,
    View,
    Viewed,
)
from accel.fusion.read_through import read_through
from accel.support.call_sites import call_line, call_site
from accel.tracing.call_operands import call_key, view_of_memory
from accel.tracing.existing_arrays import ExistingArrays
from accel.tracing.memory_order import order_of
from accel.tracing.models import model_function
from accel.tracing.numbers import TracedNumber
from accel.tracing.operand_kinds import is_exact, kind_of
from accel.tracing.reductions import reduced
from accel.tracing.selections import Selection
from accel.tracing.symbols import Base, Symbol
from accel.xp.array_base import ArrayBase

__all__ = ["Trace", "input_of", "is_contiguous"]

_REMEDIES = (
    "use xp.where(condition, x, y) instead of a branch on elements, name the argument in static= if it is a number, or "
    "split the function there"
)


_COMPARISONS = frozenset({"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})


class Trace:
    """One run of a function with symbols.

    Parameters
    ----------
    library : ArrayLibrary
        That of the device, which the traced function's arrays are on.

    Attributes
    ----------
    functions, namespace
        Functions of symbols; set when there are some.
    inputs : list of Base
        Of the arrays that exist before the function runs: its arguments first, then those that it refers to.
    existing : ExistingArrays
        Those that it refers to.
    numbers : list of TracedNumber
        The numbers that each call passes, or computes from these.
    adapted : list of Scalar
        These numbers, of the dtypes to which they adapt.
    written : list of Base
        The inputs that the function writes.
    finished : bool
        Whether the function has returned.
    """

    def __init__(self, library: Any) -> None:
        self.real = library
        self.functions: Any = None
        self.namespace: Any = None
        self.inputs: list[Base] = []
        self.existing: ExistingArrays = ExistingArrays(self)
        self.numbers: list[Any] = []
        self._known: dict[Any, Node] = {}
        self._calls: dict[Any, tuple[Call, Any]] = {}
        self.adapted: list[Scalar] = []
        self.written: list[Base] = []
        self.finished = False

    # Nodes; equal ones are one.

    def make(self, kind: Any, name: Any, operands: Sequence[Node], dtype: DType) -> Node:
        """Return an operation, or for ``constant`` a number, which is ``name``."""
        if kind == "constant":
            return self.constant(name, dtype)
        key = kind, name, tuple([each.serial for each in operands]), dtype
        return self._once(key, lambda: Operation(kind, name, tuple(operands), _broadcast(operands), dtype))

    def _once(self, key: Any, make: Callable[[], Node]) -> Node:
        """Return the node of a key, which is made the first time."""
        node = self._known.get(key)
        if node is None:
            node = self._known[key] = make()
            if type(node) is not Constant:
                node.line = call_line()
        return node

    def constant(self, value: Any, dtype: DType) -> Node:
        """Return a number of a dtype."""
        element = np.asarray(value).astype(dtype)[()] if dtype.kind == "b" else dtype.type(value)
        number = element.item() if dtype.isbuiltin == 1 and dtype.kind != "c" else element
        return self._once(("constant", repr(number), dtype), lambda: Constant(number, dtype))

    def view(self, source: Node, index_map: IndexMap, shape: tuple[int, ...]) -> Node:
        """Return the elements of a node at the indices of a map."""
        source, index_map = read_through(source, index_map, shape)
        if index_map == identity(source.shape) and shape == source.shape:
            return source
        return self._once(("view", source.serial, index_map, shape), lambda: View(source, index_map, shape))

    def reshaped(self, source: Node, shape: tuple[int, ...]) -> Node:
        """Return the elements of a node with another shape."""
        if isinstance(source, Input) and not is_contiguous(source):
            source = View(source, identity(source.shape), source.shape)
        if isinstance(source, Reshape):
            source = source.source
        if source.shape == shape:
            return source
        return self._once(("reshape", source.serial, shape), lambda: Reshape(source, shape))

    def combined(self, source: Node, op: Any, axes: tuple[int, ...]) -> Node:
        """Return the elements of a node combined along axes."""
        return self._once((op, source.serial, axes), lambda: Reduction(source, op, axes))

    def write(self, x: Symbol, value: Node) -> None:
        """Replace the elements of an array by those of a node of its shape and dtype."""
        base = x.base
        if x.is_whole:
            self._note_write(base)
            base.node = value
        elif value.size:
            self._note_write(base)
            base.node = self._updated(base.node, x.map, value)

    def _updated(self, before: Node, index_map: Any, value: Node) -> Node:
        """Return the elements after a write to a part."""
        if isinstance(before, Update) and before.value is value and before.map == index_map:
            return before  # x[k] += y writes to x[k], and then writes that to x[k]
        update = Update(before, index_map, value)
        update.line = call_line()
        return update

    def _note_write(self, base: Base) -> None:
        if base.source is not None and base not in self.written:
            self.written.append(base)

    @property
    def write_backs(self) -> list[WriteBack]:
        """The inputs that were written, and their last elements; what replaces all of an input is a write to it too."""
        found = [(base.source, base.node) for base in self.written if base.source is not None]
        return [
            WriteBack(target, node if isinstance(node, Update) else Update(target, identity(target.shape), node))
            for target, node in found
        ]

    # Arrays

    def symbol(self, node: Node, like: Sequence[Any] = ()) -> Symbol:
        """Return a new array with the elements of a node, whose order in memory follows other arrays."""
        is_simulated = self.real.device.type == "sim"  # whose functions return arrays in C order
        return Symbol(self, Base(node, order=None if is_simulated else order_of(like, node.shape)))

    def argument(self, native: Any, name: str, *, readonly: bool) -> Symbol:
        """Return the symbol of an argument, of which the trace knows the form of the library's array."""
        node = input_of(native, len(self.inputs), name)
        self.inputs.append(Base(node, source=node, readonly=readonly, contiguous=is_contiguous(node)))
        return Symbol(self, self.inputs[-1])

    def scalar(self, number: TracedNumber, dtype: DType | None = None) -> Symbol:
        """Return the symbol of a number that each call computes; without a dtype it adapts, as Python's numbers do."""
        self.numbers.append(number)
        node = Scalar(np.dtype(number.kind) if dtype is None else dtype, len(self.numbers) - 1)
        return Symbol(self, Base(node, readonly=True), weak=number.kind if dtype is None else None)

    def _number(self, number: int, dtype: DType) -> Node:
        """Return a number that each call passes, of the dtype to which it adapts."""

        def adapted() -> Scalar:
            self.adapted.append(Scalar(dtype, number))
            return self.adapted[-1]

        return self._once(("number", number, dtype), adapted)

    def of_size(self, value: float, dtype: DType) -> Node:
        """Return a number that depends on sizes, which is passed: so other sizes have the same code."""

        def passed() -> Node:
            self.numbers.append(TracedNumber(lambda _: value, value))
            return self._number(len(self.numbers) - 1, dtype)

        return self._once(("of size", value, dtype), passed)

    def operand(self, value: Any) -> Any:
        """Return an operand of a function as a symbol, or as a Python number."""
        if isinstance(value, Symbol) or type(value) in (bool, int, float, complex):
            return value
        if isinstance(value, TracedNumber):
            return self.scalar(value, as_dtype(value.dtype) if issubclass(value.kind, np.generic) else None)
        if isinstance(value, np.generic):
            return self.symbol(self.constant(value, value.dtype))
        if isinstance(value, Selection):
            value.refuse()
        return self.of_numpy(value)

    def of_numpy(self, value: Any) -> Symbol:
        """Return the symbol of an array of NumPy, or of numbers, as an operand."""
        if isinstance(value, np.ndarray):
            return self.symbol(self.existing.of_numpy(value).node)
        return self.copied(self.existing.on_device(value))

    # Functions

    def elementwise(self, function: np.ufunc, operands: Sequence[Any]) -> Symbol | None:
        """Return the result of an elementwise function; None if the library should compute it."""
        found = loop_of(function, tuple([kind_of(each) for each in operands]))
        if found is None:
            return None
        loop, build = found
        if function.__name__ in _COMPARISONS and not all(is_exact(each, loop[0]) for each in operands):
            return None  # NumPy compares with numbers that do not fit the dtype
        nodes = [self.cast(each, dtype) for each, dtype in zip(operands, loop, strict=False)]
        node = build(self.make, nodes, loop[-1])
        return self.symbol(node, operands)

    def cast(self, operand: Any, dtype: DType) -> Node:
        """Return the node of an operand, of a dtype."""
        if not isinstance(operand, Symbol):
            return self.constant(operand, dtype)
        node = operand.node
        if node.dtype == dtype:
            return node
        if isinstance(node, Constant) and (operand.weak is not None or dtype.kind not in "iu"):
            return self.constant(node.value, dtype)
        if isinstance(node, Constant) and node.dtype.kind in "biu":  # an array's elements wrap around
            return self.constant(np.asarray(node.value, node.dtype).astype(dtype)[()], dtype)
        if isinstance(node, Scalar) and operand.weak is not None:
            return self._number(node.number, dtype)
        return self.make("cast", "", (node,), dtype)

    def call(self, name: str, function: Callable[..., Any], arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """Record a call of a function of the library, and return symbols of its results, or what ``out`` is."""
        out = keywords.pop("out", None)
        result = self._called(name, function, arguments, keywords)
        return result if out is None else self.functions.store(result, out)

    def _called(
        self, name: str, function: Callable[..., Any], arguments: Sequence[Any], keywords: dict[str, Any]
    ) -> Any:
        operands: list[Node] = []
        recorded = tuple([self._recorded(each, operands) for each in arguments])
        named = {key: self._recorded(value, operands) for key, value in keywords.items()}
        if not operands:
            return self._of_numbers(function(*arguments, **keywords))
        key = call_key(function, (recorded, named))
        call, model = self._calls.get(key, (None, None))
        if call is None:
            call = Call(name, function, recorded, named, tuple(operands))
            model = self._model(call)
            self._calls[key] = call, model
        result = reduced(self, name, arguments, keywords, model)
        return self._results(call, model) if result is None else result

    def _of_numbers(self, result: Any) -> Any:
        if isinstance(result, tuple | list):
            return type(result)([self._of_numbers(each) for each in result])
        from accel.xp.arrays import wrap

        return self.copied(wrap(self.real, result))

    def copied(self, array: Any) -> Symbol:
        """Return a new array with the elements of one that the trace has made, which no call may change."""
        return self.symbol(self.existing.capture(array).node)

    def _recorded(self, value: Any, operands: list[Node]) -> Any:
        if type(value) in (tuple, list):
            return type(value)([self._recorded(each, operands) for each in value])
        if isinstance(value, np.ndarray):
            value = self.of_numpy(value)
        if isinstance(value, TracedNumber):
            value.refuse("an argument of a function of the library")
        if isinstance(value, Selection):
            value.refuse()
        if isinstance(value, ArrayBase):  # elsewhere the function would make a number of it
            raise self.needs_value("an array as an argument that is a number")
        if not isinstance(value, Symbol):
            return value
        viewed = view_of_memory(value)
        if viewed is not None:
            operands.append(viewed.node)
            return viewed
        node = value.node
        if value.weak is None:
            if isinstance(node, Scalar):
                node = View(node, (), ())  # it has a dtype of its own, so the call needs it in memory
            operands.append(node)
        return node

    def _model(self, call: Call) -> Any:
        """Return what the function returns for zeros on the host, of which the shapes and dtypes are taken."""

        def model(value: Any) -> Any:
            if type(value) in (tuple, list):
                return type(value)([model(each) for each in value])
            if isinstance(value, Scalar):
                return value.dtype.type(1).item()
            if isinstance(value, Node | Viewed):
                return np.broadcast_to(np.zeros((), value.dtype), value.shape)
            return value

        keywords = {name: model(value) for name, value in call.keywords.items()}
        try:
            return model_function(call.name)(*map(model, call.arguments), **keywords)
        except ValueError as error:
            if "read-only" not in str(error):
                raise
            raise self.needs_value(f"{call.name}, which writes to an argument") from None

    def _results(self, call: Call, model: Any) -> Any:
        if isinstance(model, tuple | list):
            nodes = [self._result(call, place, each) for place, each in enumerate(model)]
            make: Any = type(model)
            return make(*nodes) if hasattr(model, "_fields") else make(nodes)
        return self._result(call, None, model)

    def _result(self, call: Call, place: int | None, model: Any) -> Symbol:
        node = self._known.get((call, place))
        if node is None:
            node = self._known[call, place] = Result(call, place, *_form(model))
            node.line = call_line()
        return self.symbol(node)

    def call_method(self, name: str, x: Symbol | Selection, arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """Record a call of a method of the library's arrays."""
        if type(x) is Selection:
            return getattr(self.namespace, name)(x, *arguments, **keywords)
        return self.call(f"ndarray.{name}", getattr(self.real.array_type, name), (x, *arguments), keywords)

    def evaluate(self, _function: Callable[[Any], Any], _x: Symbol, what: str) -> Any:
        """Refuse: there are no elements."""
        raise self.needs_value(what)

    lend = evaluate

    def needs_value(self, what: str) -> FuseError:
        """Return the error for a function that needs elements while it is traced, or that has kept an array."""
        if self.finished:
            return FuseError(
                f"an array that was made while a fused function was traced was kept, and has no elements; found "
                f"{what} at {call_site()}: return it from the function"
            )
        return FuseError(
            f"a fused function has no elements while it is traced; found {what} at {call_site()}: {_REMEDIES}"
        )


def _broadcast(operands: Sequence[Node]) -> tuple[int, ...]:
    shapes = [each.shape for each in operands]
    different = {*shapes, ()}
    if len(different) < 3:  # most have one shape, or are numbers
        return max(different)
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        found = " ".join(f"({','.join(map(str, shape))})" for shape in shapes)
        raise ValueError(f"operands could not be broadcast together with shapes {found}") from None


def _form(model: Any) -> tuple[tuple[int, ...], DType]:
    array = np.asarray(model)
    return array.shape, array.dtype


def input_of(native: Any, number: int, name: str) -> Input:
    """Return the input that one of the library's arrays is."""
    strides = tuple([step // native.dtype.itemsize for step in native.strides])
    return Input(tuple(native.shape), native.dtype, number, strides, name)


def is_contiguous(x: Input) -> bool:
    """Tell whether the elements of an input lie in C order."""
    return all(
        extent == 1 or step == wanted
        for extent, step, wanted in zip(x.shape, x.strides, strides_of(x.shape), strict=True)
    )
