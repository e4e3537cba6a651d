"""Arithmetic of complex numbers, on pairs of floats."""

from accel.errors import CapabilityError

from .casts import cast
from .forms import DOUBLE, Form, Value
from .text import Text

__all__ = ["absolute", "binary"]

# Smith's method, as in NumPy: the larger part of the divisor is taken out, so that no square overflows.
_DIVIDE = """define internal {{{T}, {T}}} @divide.complex.{T}({T} %a, {T} %b, {T} %c, {T} %d) alwaysinline {{
  %real = call {T} @llvm.fabs.{S}({T} %c)
  %imag = call {T} @llvm.fabs.{S}({T} %d)
  %wide = fcmp oge {T} %real, %imag
  %large = select i1 %wide, {T} %c, {T} %d
  %small = select i1 %wide, {T} %d, {T} %c
  %lead = select i1 %wide, {T} %a, {T} %b
  %rest = select i1 %wide, {T} %b, {T} %a
  %ratio = fdiv {T} %small, %large
  %part = fmul {T} %small, %ratio
  %sum = fadd {T} %large, %part
  %scale = fdiv {T} 1.0, %sum
  %first = fmul {T} %rest, %ratio
  %upper = fadd {T} %lead, %first
  %x = fmul {T} %upper, %scale
  %second = fmul {T} %lead, %ratio
  %ahead = fsub {T} %rest, %second
  %behind = fsub {T} %second, %rest
  %lower = select i1 %wide, {T} %ahead, {T} %behind
  %y = fmul {T} %lower, %scale
  %zero = fcmp oeq {T} %large, 0.0
  %i = fdiv {T} %a, %real
  %j = fdiv {T} %b, %real
  %re = select i1 %zero, {T} %i, {T} %x
  %im = select i1 %zero, {T} %j, {T} %y
  %one = insertvalue {{{T}, {T}}} poison, {T} %re, 0
  %both = insertvalue {{{T}, {T}}} %one, {T} %im, 1
  ret {{{T}, {T}}} %both
}}
"""

# In float64, through logarithm and angle; the power 0 is 1, and positive powers of 0 are 0.
_POWER = """define internal {double, double} @power.complex(double %a, double %b, double %c, double %d) {
begin:
  %length = call double @hypot(double %a, double %b)
  %angle = call double @atan2(double %b, double %a)
  %log = call double @log(double %length)
  %c.log = fmul double %c, %log
  %d.angle = fmul double %d, %angle
  %grow = fsub double %c.log, %d.angle
  %scale = call double @exp(double %grow)
  %d.log = fmul double %d, %log
  %c.angle = fmul double %c, %angle
  %turn = fadd double %d.log, %c.angle
  %cos = call double @cos(double %turn)
  %sin = call double @sin(double %turn)
  %x = fmul double %scale, %cos
  %y = fmul double %scale, %sin
  %no.c = fcmp oeq double %c, 0.0
  %no.d = fcmp oeq double %d, 0.0
  %one = and i1 %no.c, %no.d
  %nothing = fcmp oeq double %length, 0.0
  %grows = fcmp ogt double %c, 0.0
  %zero = and i1 %nothing, %grows
  %x.zero = select i1 %zero, double 0.0, double %x
  %y.zero = select i1 %zero, double 0.0, double %y
  %re = select i1 %one, double 1.0, double %x.zero
  %im = select i1 %one, double 0.0, double %y.zero
  %first = insertvalue {double, double} poison, double %re, 0
  %both = insertvalue {double, double} %first, double %im, 1
  ret {double, double} %both
}
"""


def absolute(text: Text, form: Form, x: Value) -> str:
    """Return the absolute value; the form is that of a part."""
    kind = form.register
    function = text.declare(kind, "hypot" if form == DOUBLE else "hypotf", kind, kind)
    return text.value(f"call {kind} {function}({kind} {x[0]}, {kind} {x[1]})")


def binary(text: Text, op: str, form: Form, x: Value, y: Value, flags: str = "") -> Value:
    """Return the result of arithmetic; the form is that of a part."""
    if op in ("add", "sub"):
        kind = f"f{op} {flags}{form.register}"
        return tuple(text.value(f"{kind} {a}, {b}") for a, b in zip(x, y, strict=True))
    if op == "mul":
        return _product(text, form, x, y)
    if op == "truediv":
        return _quotient(text, form, x, y)
    if op == "pow":
        return _power(text, form, x, y)
    raise CapabilityError(f"kernels on the host have no operation {op!r} for complex numbers; write it with * and /")


def _product(text: Text, form: Form, x: Value, y: Value) -> Value:
    (a, b), (c, d), kind = x, y, form.register
    products = [text.value(f"fmul {kind} {one}, {other}") for one, other in ((a, c), (b, d), (a, d), (b, c))]
    real = text.value(f"fsub {kind} {products[0]}, {products[1]}")
    return real, text.value(f"fadd {kind} {products[2]}, {products[3]}")


def _quotient(text: Text, form: Form, x: Value, y: Value) -> Value:
    kind, suffix = form.register, "f64" if form == DOUBLE else "f32"
    text.declare(kind, f"llvm.fabs.{suffix}", kind)
    function = text.helper(f"divide.complex.{kind}", _DIVIDE.format(T=kind, S=suffix))
    arguments = ", ".join(f"{kind} {part}" for part in x + y)
    both = text.value(f"call {{{kind}, {kind}}} {function}({arguments})")
    real = text.value(f"extractvalue {{{kind}, {kind}}} {both}, 0")
    return real, text.value(f"extractvalue {{{kind}, {kind}}} {both}, 1")


def _power(text: Text, form: Form, x: Value, y: Value) -> Value:
    for name, count in (("hypot", 2), ("atan2", 2), ("log", 1), ("exp", 1), ("cos", 1), ("sin", 1)):
        text.declare("double", name, *["double"] * count)
    function = text.helper("power.complex", _POWER)
    arguments = ", ".join(f"double {cast(text, (part,), form, DOUBLE)[0]}" for part in x + y)
    both = text.value(f"call {{double, double}} {function}({arguments})")
    parts = [text.value(f"extractvalue {{double, double}} {both}, {number}") for number in range(2)]
    return tuple(cast(text, (part,), DOUBLE, form)[0] for part in parts)
