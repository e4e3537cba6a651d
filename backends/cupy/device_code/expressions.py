"""Expressions of a kernel as C++ text."""

from accel.dtypes import DType
from accel.ir import (
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
    Program,
    Select,
    Stride,
    Unary,
    View,
    of_type,
)

from .calls import call
from .trips import NARROW
from .types import FLOATS16, identifier, is_float, literal, type_name, wide

__all__ = ["Printer"]

_AXES = "xyz"
_PLACES = {"thread": "threadIdx", "block": "blockIdx", "block_size": "blockDim", "grid_size": "gridDim"}
_COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
_LOGIC = {"and": "&&", "or": "||"}
_INFIX = {"add": "+", "sub": "-", "mul": "*", "truediv": "/"}
_DISTANCES = frozenset({"add", "sub", "mul"})
_BITS = {"and": "&", "or": "|", "xor": "^"}
_FUNCTIONS = {"lshift": "shifted_left", "rshift": "shifted_right", "min": "least", "max": "greatest", "pow": "power"}
_OF_FLOATS = {"floordiv": "float_floordiv", "mod": "float_mod", "min": "least", "max": "greatest"}


class Printer:
    """Writes the expressions of a program."""

    def __init__(self, program: Program) -> None:
        views = [parameter for parameter in program.parameters if isinstance(parameter, View)]
        # The distances in a view of constant extents are not known at a launch.
        self._far = {view.name for view in views if not view.rank and not _is_near(view)}

    def text(self, x: Expr) -> str:
        """Return an expression as text that can be an operand of any operator."""
        result: str = getattr(self, f"_{type(x).__name__.lower()}")(x)
        return result

    def element(self, memory: str, at: Expr) -> str:
        """Return an element of memory."""
        return f"{identifier(memory)}[{bare(self.text(at)) if memory in self._far else self._distance(at)}]"

    def _distance(self, x: Expr) -> str:
        """Return a distance in memory, computed with as many bits as the largest one needs.

        What wraps around on the way has the right lower bits.
        """
        if isinstance(x, Binary) and x.op in _DISTANCES:
            return f"{x.op}({self._distance(x.x)}, {self._distance(x.y)})"
        return _stride(x) if isinstance(x, Stride) else f"index_t({bare(self.text(x))})"

    def inside(self, guard: Guard) -> str:
        """Return the condition that a guard's indices are within their extents."""
        pairs = zip(guard.indices, guard.extents, strict=True)
        numbers = [guard.offset, *[each for pair in pairs for each in pair]]
        return f"inside(failures, {guard.site}, iteration, {', '.join([bare(self.text(x)) for x in numbers])})"

    def _const(self, x: Const) -> str:
        return literal(x.value, x.dtype)

    def _local(self, x: Local) -> str:
        return identifier(x.name)

    def _extent(self, x: Extent) -> str:
        return f"{identifier(x.view)}extent{x.axis}"

    def _stride(self, x: Stride) -> str:
        return f"i64({_stride(x)})"

    def _place(self, x: Place) -> str:
        if x.what == "warp":
            return "i64(ACCEL_WARP)"
        return "lane()" if x.what == "lane" else f"i64({_PLACES[x.what]}.{_AXES[x.axis]})"

    def _unary(self, x: Unary) -> str:
        operand = self.text(x.x)
        if x.op == "not" or x.dtype.kind == "b":
            return f"!{operand}" if x.op != "neg" else operand
        if x.op == "invert":
            return f"{type_name(x.dtype)}(~{operand})"
        if x.dtype.kind in "iu":
            return f"negative({bare(operand)})"
        return rounded(f"(-{wide(operand, x.dtype)})", x.dtype)  # the negative of this would be a decrement

    def _binary(self, x: Binary) -> str:
        left, right = wide(self.text(x.x), x.dtype), wide(self.text(x.y), x.dtype)
        if is_float(x.dtype):
            return rounded(_of_floats(x.op, left, right, x.dtype), x.dtype)
        if x.dtype.kind == "c":
            return f"({left} {_INFIX[x.op]} {right})" if x.op in _INFIX else f"power({left}, {right})"
        if x.op in _BITS:
            return f"{type_name(x.dtype)}({left} {_BITS[x.op]} {right})"
        return f"{_FUNCTIONS.get(x.op, x.op)}({bare(left)}, {bare(right)})"

    def _compare(self, x: Compare) -> str:
        return f"({self.text(x.x)} {_COMPARISONS[x.op]} {self.text(x.y)})"

    def _logic(self, x: Logic) -> str:
        return f"({self.text(x.x)} {_LOGIC[x.op]} {self.text(x.y)})"

    def _select(self, x: Select) -> str:
        return f"({self.text(x.condition)} ? {self.text(x.x)} : {self.text(x.y)})"

    def _cast(self, x: Cast) -> str:
        return converted(self.text(x.x), of_type(x.x), x.dtype)

    def _call(self, x: Call) -> str:
        return call(x, [self.text(argument) for argument in x.arguments])

    def _load(self, x: Load) -> str:
        element = self.element(x.memory, x.at)
        if x.guard is None:
            return element
        return f"({self.inside(x.guard)} ? {element} : {zero(x.dtype)})"


def bare(text: str) -> str:
    """Return text without the parentheses around all of it, for places where nothing binds more tightly."""
    if not text.startswith("("):
        return text
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if not depth:
            return text[1:-1] if position == len(text) - 1 else text
    return text


def _is_near(view: View) -> bool:
    """Return whether all distances in a view of constant extents fit 32 bits."""
    return view.span is not None and view.span[0] > -NARROW and view.span[1] < NARROW


def _stride(x: Stride) -> str:
    return f"{identifier(x.view)}stride{x.axis}"


def zero(dtype: DType) -> str:
    """Return the number 0."""
    return literal(0, dtype)


def rounded(text: str, dtype: DType) -> str:
    """Return the result of an operation on floats, rounded to 16 bits where the type has so many."""
    return f"{type_name(dtype)}({bare(text)})" if dtype.name in FLOATS16 else text


def converted(text: str, source: DType, target: DType) -> str:
    """Return a number as another type."""
    if source == target:
        return text
    name = type_name(target)
    if target.kind == "b":
        return f"({wide(text, source)} != {zero(source) if source.kind == 'c' else 0})"
    if target.kind == "c":
        return _complex(text, source, target)
    if is_float(source) and not is_float(target):
        return f"to_integer<{name}>({bare(wide(text, source))})"
    if target.name in FLOATS16:
        return f"{name}({bare(text) if source == 'float64' else f'f32({bare(text)})'})"
    return f"{name}({bare(wide(text, source))})"


def _complex(text: str, source: DType, target: DType) -> str:
    name = type_name(target)
    if source.kind == "c":
        return f"to_complex<{name}>({bare(text)})"
    part = "f32" if name == "c64" else "f64"
    return f"{name}{{{part}({bare(wide(text, source))}), 0}}"


def _of_floats(op: str, left: str, right: str, dtype: DType) -> str:
    if op in _INFIX:
        return f"({left} {_INFIX[op]} {right})"
    if op == "pow":
        return f"{'pow' if dtype == 'float64' else 'powf'}({bare(left)}, {bare(right)})"
    return f"{_OF_FLOATS[op]}({bare(left)}, {bare(right)})"
