"""Arithmetic of integers that LLVM leaves undefined, as functions in its language.

Division by zero gives 0; the smallest integer divided by -1 wraps around.
"""

from .forms import Form
from .text import Text

__all__ = ["defined"]

_SIGNED = """  %zero = icmp eq {T} %y, 0
  %minus = icmp eq {T} %y, -1
  %special = or i1 %zero, %minus
  %safe = select i1 %special, {T} 1, {T} %y
  %quotient = sdiv {T} %x, %safe
  %rest = srem {T} %x, %safe
  %signs = xor {T} %rest, %safe
  %unlike = icmp slt {T} %signs, 0
  %uneven = icmp ne {T} %rest, 0
  %down = and i1 %unlike, %uneven
"""

_UNSIGNED = """  %zero = icmp eq {T} %y, 0
  %safe = select i1 %zero, {T} 1, {T} %y
"""

_BODIES = {
    ("floordiv", "int"): _SIGNED
    + """  %less = sext i1 %down to {T}
  %floor = add {T} %quotient, %less
  %negative = sub {T} 0, %x
  %either = select i1 %minus, {T} %negative, {T} %floor
  %result = select i1 %zero, {T} 0, {T} %either
""",
    ("mod", "int"): _SIGNED
    + """  %more = select i1 %down, {T} %safe, {T} 0
  %result = add {T} %rest, %more
""",
    ("floordiv", "uint"): _UNSIGNED
    + """  %quotient = udiv {T} %x, %safe
  %result = select i1 %zero, {T} 0, {T} %quotient
""",
    ("mod", "uint"): _UNSIGNED
    + """  %result = urem {T} %x, %safe
""",
    ("lshift", "int"): """  %far = icmp uge {T} %y, {W}
  %near = select i1 %far, {T} 0, {T} %y
  %shifted = shl {T} %x, %near
  %result = select i1 %far, {T} 0, {T} %shifted
""",
    ("rshift", "int"): """  %far = icmp uge {T} %y, {W}
  %near = select i1 %far, {T} {L}, {T} %y
  %result = ashr {T} %x, %near
""",
    ("rshift", "uint"): """  %far = icmp uge {T} %y, {W}
  %near = select i1 %far, {T} 0, {T} %y
  %shifted = lshr {T} %x, %near
  %result = select i1 %far, {T} 0, {T} %shifted
""",
    ("pow", "uint"): """  br label %head
head:
  %result = phi {T} [1, %begin], [%next, %body]
  %base = phi {T} [%x, %begin], [%square, %body]
  %left = phi {T} [%y, %begin], [%fewer, %body]
  %some = icmp ne {T} %left, 0
  br i1 %some, label %body, label %end
body:
  %bit = trunc {T} %left to i1
  %factor = select i1 %bit, {T} %base, {T} 1
  %next = mul {T} %result, %factor
  %square = mul {T} %base, %base
  %fewer = lshr {T} %left, 1
  br label %head
end:
""",
}
_BODIES["lshift", "uint"] = _BODIES["lshift", "int"]
# The inverse of 1 is 1, of -1 is -1, of 0 is 0 as is division by 0; other inverses are rounded to 0.
_BODIES["pow", "int"] = """  %inverse = icmp slt {T} %y, 0
  %above = add {T} %x, 1
  %unit = icmp ult {T} %above, 3
  %minus = icmp eq {T} %x, -1
  %one = select i1 %unit, {T} %x, {T} 0
  %start = select i1 %inverse, {T} %one, {T} %x
""" + _BODIES["pow", "uint"].replace("[%x, %begin]", "[%start, %begin]")


def defined(text: Text, op: str, form: Form) -> str:
    """Return the function of an operation, as ``@floordiv.int32``."""
    body = "begin:\n" + _BODIES[op, form.kind].format(T=form.register, W=form.bits, L=form.bits - 1)
    name, kind = f"{op}.{form.name}", form.register
    head = f"define internal {kind} @{name}({kind} %x, {kind} %y) alwaysinline"
    return text.helper(name, f"{head} {{\n{body}  ret {kind} %result\n}}\n")
