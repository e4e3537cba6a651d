"""Conversions between the types of numbers."""

import struct

from .forms import DOUBLE, FLOAT, Form, Value
from .text import Text

__all__ = ["cast", "narrowed", "widened"]

# Rounds to nearest, and ties to even, by adding to the bits below; a NaN keeps its sign.
_TO_BFLOAT16 = """define internal i16 @bfloat16(float %x) alwaysinline {
  %bits = bitcast float %x to i32
  %high = lshr i32 %bits, 16
  %odd = and i32 %high, 1
  %half = add i32 %odd, 32767
  %sum = add i32 %bits, %half
  %rounded = lshr i32 %sum, 16
  %sign = and i32 %high, 32768
  %quiet = or i32 %sign, 32704
  %nan = fcmp uno float %x, 0.0
  %result = select i1 %nan, i32 %quiet, i32 %rounded
  %short = trunc i32 %result to i16
  ret i16 %short
}
"""

# A float64 is first rounded to the nearest float32 that is odd or exact: then the second rounding cannot be wrong.
_TO_FLOAT16 = """define internal half @float16(double %x) alwaysinline {
  %near = fptrunc double %x to float
  %back = fpext float %near to double
  %exact = fcmp ueq double %back, %x
  %bits = bitcast float %near to i32
  %distance = call double @llvm.fabs.f64(double %back)
  %length = call double @llvm.fabs.f64(double %x)
  %beyond = fcmp ogt double %distance, %length
  %less = sext i1 %beyond to i32
  %inner = add i32 %bits, %less
  %odd = or i32 %inner, 1
  %chosen = select i1 %exact, i32 %bits, i32 %odd
  %float = bitcast i32 %chosen to float
  %result = fptrunc float %float to half
  ret half %result
}
"""


def widened(text: Text, x: str, form: Form) -> str:
    """Return a number of one part in the form in which it is computed with."""
    if form.name == "bfloat16":
        bits = text.value(f"shl i32 {text.value(f'zext i16 {x} to i32')}, 16")
        return text.value(f"bitcast i32 {bits} to float")
    return text.value(f"fpext half {x} to float") if form.is_narrow else x


def narrowed(text: Text, x: str, form: Form) -> str:
    """Return a computed number, rounded to its own form."""
    if form.name == "bfloat16":
        return text.value(f"call i16 {text.helper('bfloat16', _TO_BFLOAT16)}(float {x})")
    return text.value(f"fptrunc float {x} to half") if form.is_narrow else x


def cast(text: Text, value: Value, source: Form, target: Form) -> Value:
    """Convert a number."""
    if source == target:
        return value
    if target.parts == 2:
        imaginary = value[1] if source.parts == 2 else "0.0"
        parts = (value[0], source.part), (imaginary, source.part if source.parts == 2 else target.part)
        return tuple(cast(text, (x,), form, target.part)[0] for x, form in parts)
    if target.kind == "bool":
        truths = [_truth(text, widened(text, each, source.part), source.part.computed) for each in value]
        return (truths[0] if len(truths) == 1 else text.value(f"or i1 {truths[0]}, {truths[1]}"),)
    if target.kind == "float":
        return (_to_float(text, value[0], source, target),)
    if source.kind == "float":
        return (_saturated(text, widened(text, value[0], source), source.computed, target),)
    return (_between_integers(text, value[0], source, target),)


def _truth(text: Text, x: str, form: Form) -> str:
    compare, zero = ("fcmp une", "0.0") if form.kind == "float" else ("icmp ne", "0")
    return text.value(f"{compare} {form.register} {x}, {zero}")


def _to_float(text: Text, x: str, source: Form, target: Form) -> str:
    if source.kind != "float":
        convert = "sitofp" if source.kind == "int" else "uitofp"
        into = target.computed
        return narrowed(text, text.value(f"{convert} {source.register} {x} to {into.register}"), target)
    if source == DOUBLE and target.name == "float16":
        text.declare("double", "llvm.fabs.f64", "double")
        return text.value(f"call half {text.helper('float16', _TO_FLOAT16)}(double {x})")
    x, source = widened(text, x, source), source.computed
    if source == FLOAT and target == DOUBLE:
        return text.value(f"fpext float {x} to double")
    if source == DOUBLE:
        x = text.value(f"fptrunc double {x} to float")
    return narrowed(text, x, target)


def _saturated(text: Text, x: str, source: Form, target: Form) -> str:
    """Convert a float to an integer; by comparisons, as LLVM has no vectors for its own saturating conversions."""
    bits, is_signed, kind = 8 * target.nbytes, target.kind == "int", source.register
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    unseen = max(0, high.bit_length() - (24 if source == FLOAT else 53))
    top = high >> unseen << unseen  # the largest float that fits
    inside = _limited(text, _limited(text, x, kind, "ogt", low), kind, "olt", top)
    wide = target.register if bits >= 32 else "i32"
    convert = "fptosi" if is_signed or bits < 32 else "fptoui"
    result = text.value(f"{convert} {kind} {inside} to {wide}")
    if bits < 32:
        result = text.value(f"trunc i32 {result} to {target.register}")
    if top != high:
        is_above = text.value(f"fcmp ogt {kind} {x}, {_float(top)}")
        result = text.value(f"select i1 {is_above}, {target.register} {high}, {target.register} {result}")
    if is_signed:
        is_number = text.value(f"fcmp ord {kind} {x}, 0.0")
        result = text.value(f"select i1 {is_number}, {target.register} {result}, {target.register} 0")
    return result


def _limited(text: Text, x: str, kind: str, compare: str, limit: int) -> str:
    """Return a float if it compares so with a limit, and else the limit, also for NaN."""
    holds = text.value(f"fcmp {compare} {kind} {x}, {_float(limit)}")
    return text.value(f"select i1 {holds}, {kind} {x}, {kind} {_float(limit)}")


def _float(number: int) -> str:
    """Return a number that is a float of 32 or 64 bits, as LLVM writes it."""
    return f"0x{struct.pack('>d', number).hex().upper()}"


def _between_integers(text: Text, x: str, source: Form, target: Form) -> str:
    if source.kind == "bool" or source.nbytes < target.nbytes:
        extend = "sext" if source.kind == "int" else "zext"
        return text.value(f"{extend} {source.register} {x} to {target.register}")
    if source.nbytes > target.nbytes:
        return text.value(f"trunc {source.register} {x} to {target.register}")
    return x
