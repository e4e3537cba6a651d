"""The mathematical functions of the typed form."""

from accel.errors import CapabilityError
from accel.ir import FUNCTIONS

from .casts import narrowed, widened
from .complex_numbers import absolute
from .forms import DOUBLE, Form, Value
from .text import Text
from .vector_math import of_vectors

__all__ = ["call"]

_FIXED = {"imag": "0", "isfinite": "true", "isinf": "false", "isnan": "false"}
"""What is the same for all integers."""

# The neighbour of a float of 16 bits: its bits are counted up or down, away from zero or towards it.
_NEXT = """define internal i16 @nextafter.i16(i16 %x, i16 %y, float %a, float %b) alwaysinline {
  %same = fcmp oeq float %a, %b
  %nan = fcmp uno float %a, %b
  %zero = fcmp oeq float %a, 0.0
  %up = fcmp olt float %a, %b
  %positive = fcmp ogt float %a, 0.0
  %unlike = xor i1 %up, %positive
  %step = select i1 %unlike, i16 -1, i16 1
  %moved = add i16 %x, %step
  %least = select i1 %up, i16 1, i16 -32767
  %next = select i1 %zero, i16 %least, i16 %moved
  %either = select i1 %same, i16 %y, i16 %next
  %odd = fcmp uno float %a, 0.0
  %which = select i1 %odd, i16 %x, i16 %y
  %result = select i1 %nan, i16 %which, i16 %either
  ret i16 %result
}
"""


def call(text: Text, function: str, form: Form, arguments: list[Value]) -> Value:
    """Return the result of a function for arguments of a form."""
    if form.parts == 2:
        return _of_complex(text, function, form.part, arguments[0])
    if function == "complex":
        return arguments[0] + arguments[1]
    if form.kind == "float":
        return (_of_floats(text, function, form, [argument[0] for argument in arguments]),)
    return (_of_integers(text, function, form, [argument[0] for argument in arguments]),)


def _of_complex(text: Text, function: str, form: Form, x: Value) -> Value:
    if function == "abs":
        return (absolute(text, form, x),)
    if function in ("real", "imag"):
        return (x[function == "imag"],)
    if function == "conj":
        return x[0], text.value(f"fneg {form.register} {x[1]}")
    raise _unknown(function, "complex numbers")


def _of_integers(text: Text, function: str, form: Form, x: list[str]) -> str:
    kind = form.register
    if FUNCTIONS[function].keeps_integers or (function == "abs" and form.kind != "int"):
        return x[0]
    if function in _FIXED:
        return _FIXED[function]
    if function == "signbit":
        return text.value(f"icmp slt {kind} {x[0]}, 0") if form.kind == "int" else "false"
    if function == "square":
        return text.value(f"mul {kind} {x[0]}, {x[0]}")
    if function == "sign":
        return _sign(text, form, x[0])
    if function in ("abs", "popcount"):
        name = f"llvm.abs.{kind}" if function == "abs" else f"llvm.ctpop.{kind}"
        flag, flag_type = (", i1 false", ("i1",)) if function == "abs" else ("", ())
        return text.value(f"call {kind} {text.declare(kind, name, kind, *flag_type)}({kind} {x[0]}{flag})")
    raise _unknown(function, form.name)


def _sign(text: Text, form: Form, x: str) -> str:
    kind = form.register
    some = text.value(f"zext i1 {text.value(f'icmp ne {kind} {x}, 0')} to {kind}")
    if form.kind != "int":
        return some
    return text.value(f"or {kind} {some}, {text.value(f'ashr {kind} {x}, {form.bits - 1}')}")


def _of_floats(text: Text, function: str, form: Form, x: list[str]) -> str:
    if function in ("real", "conj"):
        return x[0]
    if function == "imag":
        return form.constant(0)[0]
    operands = [widened(text, each, form) for each in x]
    if form.is_narrow and function == "nextafter":
        return _next(text, form, x, operands)
    if FUNCTIONS[function].result == "truth":
        return _predicate(text, function, form.computed, operands[0])
    return narrowed(text, _computed(text, function, form.computed, operands), form)


def _computed(text: Text, function: str, form: Form, x: list[str]) -> str:
    kind = form.register
    if function == "square":
        return text.value(f"fmul {kind} {x[0]}, {x[0]}")
    if function == "rsqrt":
        return text.value(f"fdiv {kind} 1.0, {_computed(text, 'sqrt', form, x)}")
    if function == "sign":
        some = text.value(f"fcmp une {kind} {x[0]}, 0.0")
        sign = _computed(text, "copysign", form, ["1.0", x[0]])
        number = text.value(f"fcmp ord {kind} {x[0]}, 0.0")
        sure = text.value(f"select i1 {number}, {kind} {sign}, {kind} {x[0]}")
        return text.value(f"select i1 {some}, {kind} {sure}, {kind} 0.0")
    if (value := of_vectors(text, FUNCTIONS[function].c, form, x)) is not None:
        return value
    name = _symbol(function, form)
    arguments = ", ".join(f"{kind} {each}" for each in x)
    return text.value(f"call {kind} {text.declare(kind, name, *[kind] * len(x))}({arguments})")


def _symbol(function: str, form: Form) -> str:
    """Return LLVM's name of a function, or that of the C library."""
    facts, is_double = FUNCTIONS[function], form == DOUBLE
    if facts.llvm:
        return f"llvm.{facts.llvm}.{'f64' if is_double else 'f32'}"
    if facts.c:
        return facts.c if is_double else f"{facts.c}f"
    raise _unknown(function, form.name)


def _predicate(text: Text, function: str, form: Form, x: str) -> str:
    kind = form.register
    if function == "isnan":
        return text.value(f"fcmp uno {kind} {x}, 0.0")
    if function == "signbit":
        return text.value(f"icmp slt i{form.bits} {text.value(f'bitcast {kind} {x} to i{form.bits}')}, 0")
    length, infinity = _computed(text, "abs", form, [x]), form.constant(float("inf"))[0]
    return text.value(f"fcmp {'oeq' if function == 'isinf' else 'olt'} {kind} {length}, {infinity}")


def _next(text: Text, form: Form, x: list[str], operands: list[str]) -> str:
    bits = [text.value(f"bitcast {form.register} {each} to i16") for each in x]
    function = text.helper("nextafter.i16", _NEXT)
    numbers = f"i16 {bits[0]}, i16 {bits[1]}, float {operands[0]}, float {operands[1]}"
    return text.value(f"bitcast i16 {text.value(f'call i16 {function}({numbers})')} to {form.register}")


def _unknown(function: str, name: str) -> CapabilityError:
    return CapabilityError(f"kernels on the host have no function {function!r} for {name}; convert the argument before")
