"""The operations of the typed form, on numbers in registers."""

from accel.errors import CapabilityError

from . import complex_numbers
from .casts import narrowed, widened
from .forms import DOUBLE, Form, Value
from .integers import defined
from .text import Text
from .vector_math import of_vectors

__all__ = ["binary", "compare", "unary"]

_INTEGERS = {"add": "add", "sub": "sub", "mul": "mul", "and": "and", "or": "or", "xor": "xor"}
_FLOATS = {"add": "fadd", "sub": "fsub", "mul": "fmul", "truediv": "fdiv"}
# NumPy's addition of booleans is `or`, and their product is `and`.
_TRUTHS = {"add": "or", "max": "or", "or": "or", "mul": "and", "min": "and", "and": "and", "xor": "xor", "sub": "xor"}
_ORDERED = {"lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "eq": "oeq", "ne": "une"}

# As NumPy: the remainder has the sign of the divisor; the quotient is rounded to the nearest integer below.
_DIVMOD = """define internal {{{T}, {T}}} @divmod.{T}({T} %x, {T} %y) alwaysinline {{
  %rest = frem {T} %x, %y
  %zero = fcmp oeq {T} %y, 0.0
  %ratio = fdiv {T} %x, %y
  %whole = fsub {T} %x, %rest
  %near = fdiv {T} %whole, %y
  %some = fcmp une {T} %rest, 0.0
  %below = fcmp olt {T} %y, 0.0
  %under = fcmp olt {T} %rest, 0.0
  %unlike = xor i1 %below, %under
  %down = and i1 %some, %unlike
  %more = fadd {T} %rest, %y
  %less = fsub {T} %near, 1.0
  %moved = select i1 %down, {T} %more, {T} %rest
  %quotient = select i1 %down, {T} %less, {T} %near
  %nothing = call {T} @llvm.copysign.{S}({T} 0.0, {T} %y)
  %mod = select i1 %some, {T} %moved, {T} %nothing
  %floor = call {T} @llvm.floor.{S}({T} %quotient)
  %gap = fsub {T} %quotient, %floor
  %far = fcmp ogt {T} %gap, 0.5
  %next = fadd {T} %floor, 1.0
  %rounded = select i1 %far, {T} %next, {T} %floor
  %empty = fcmp oeq {T} %quotient, 0.0
  %signed = call {T} @llvm.copysign.{S}({T} 0.0, {T} %ratio)
  %div = select i1 %empty, {T} %signed, {T} %rounded
  %first = select i1 %zero, {T} %ratio, {T} %div
  %second = select i1 %zero, {T} %rest, {T} %mod
  %one = insertvalue {{{T}, {T}}} poison, {T} %first, 0
  %both = insertvalue {{{T}, {T}}} %one, {T} %second, 1
  ret {{{T}, {T}}} %both
}}
"""


def unary(text: Text, op: str, form: Form, x: Value) -> Value:
    """Return the result of ``neg``, ``invert`` or ``not``."""
    if form.kind == "float":
        parts = [widened(text, part, form) for part in x]
        return tuple(narrowed(text, text.value(f"fneg {form.computed.register} {part}"), form) for part in parts)
    if form.kind == "bool":
        return (text.value(f"xor i1 {x[0]}, true"),)
    if op == "neg":
        return (text.value(f"sub {form.register} 0, {x[0]}"),)
    return (text.value(f"xor {form.register} {x[0]}, -1"),)


def binary(text: Text, op: str, form: Form, x: Value, y: Value, flags: str = "") -> Value:
    """Return the result of arithmetic; the flags are LLVM's, of additions of floats."""
    if form.parts == 2:
        return complex_numbers.binary(text, op, form.part, x, y, flags)
    if form.kind == "float":
        a, b = (widened(text, part, form) for part in x + y)
        return (narrowed(text, _floats(text, op, form.computed, a, b, flags), form),)
    if form.kind == "bool":
        if op not in _TRUTHS:
            raise _unknown(op, form)
        return (text.value(f"{_TRUTHS[op]} i1 {x[0]}, {y[0]}"),)
    return (_integers(text, op, form, x[0], y[0]),)


def _integers(text: Text, op: str, form: Form, x: str, y: str) -> str:
    kind = form.register
    if op in _INTEGERS:
        return text.value(f"{_INTEGERS[op]} {kind} {x}, {y}")
    if op in ("min", "max"):
        name = f"llvm.{'s' if form.kind == 'int' else 'u'}{op}.{kind}"
        return text.value(f"call {kind} {text.declare(kind, name, kind, kind)}({kind} {x}, {kind} {y})")
    if op not in ("floordiv", "mod", "pow", "lshift", "rshift"):
        raise _unknown(op, form)
    return text.value(f"call {kind} {defined(text, op, form)}({kind} {x}, {kind} {y})")


def _floats(text: Text, op: str, form: Form, x: str, y: str, flags: str) -> str:
    kind, suffix = form.register, "f64" if form == DOUBLE else "f32"
    if op in _FLOATS:
        return text.value(f"{_FLOATS[op]} {flags}{kind} {x}, {y}")
    if op in ("floordiv", "mod"):
        for name, count in (("copysign", 2), ("floor", 1)):
            text.declare(kind, f"llvm.{name}.{suffix}", *[kind] * count)
        function = text.helper(f"divmod.{kind}", _DIVMOD.format(T=kind, S=suffix))
        both = text.value(f"call {{{kind}, {kind}}} {function}({kind} {x}, {kind} {y})")
        return text.value(f"extractvalue {{{kind}, {kind}}} {both}, {int(op == 'mod')}")
    if op not in ("pow", "min", "max"):
        raise _unknown(op, form)
    if op == "pow" and (value := of_vectors(text, op, form, [x, y])) is not None:
        return value
    name = f"llvm.{ {'pow': 'pow', 'min': 'minimum', 'max': 'maximum'}[op] }.{suffix}"
    return text.value(f"call {kind} {text.declare(kind, name, kind, kind)}({kind} {x}, {kind} {y})")


def compare(text: Text, op: str, form: Form, x: Value, y: Value) -> str:
    """Return the truth of a comparison."""
    if form.parts == 2:
        if op not in ("eq", "ne"):
            raise _unknown(op, form)
        parts = [text.value(f"fcmp {_ORDERED[op]} {form.register} {a}, {b}") for a, b in zip(x, y, strict=True)]
        return text.value(f"{'and' if op == 'eq' else 'or'} i1 {parts[0]}, {parts[1]}")
    if form.kind == "float":
        a, b = (widened(text, part, form) for part in x + y)
        return text.value(f"fcmp {_ORDERED[op]} {form.computed.register} {a}, {b}")
    order = op if op in ("eq", "ne") else ("s" if form.kind == "int" else "u") + op
    return text.value(f"icmp {order} {form.register} {x[0]}, {y[0]}")


def _unknown(op: str, form: Form) -> CapabilityError:
    return CapabilityError(f"kernels on the host have no operation {op!r} for {form.name}; convert the operands before")
