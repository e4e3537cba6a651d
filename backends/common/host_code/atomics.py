"""Atomic operations on elements of memory."""

from accel.errors import CapabilityError

from .arithmetic import binary, compare
from .forms import Form
from .text import Text

__all__ = ["atomic"]


def atomic(text: Text, op: str, form: Form, place: str, value: str, expected: str | None) -> str:
    """Replace an element at once for all threads; return the old element."""
    if form.parts == 2:
        raise CapabilityError(
            f"no processor changes a {form.name} atomically; keep real and imaginary parts in two views of floats"
        )
    if form.kind in ("int", "uint") and op != "compare":
        name = {"add": "add", "exchange": "xchg"}.get(op, op if form.kind == "int" else "u" + op)
        instruction = f"atomicrmw {name} ptr {place}, {form.register} {value} monotonic, align {form.nbytes}"
        return text.value(instruction, "old")
    return _by_comparing(text, op, form, place, value, expected)


def _by_comparing(text: Text, op: str, form: Form, place: str, value: str, expected: str | None) -> str:
    """Compute the new element, and store it if no other thread was faster; else repeat."""
    bits = f"i{form.bits}"
    cell = text.slot(bits, "seen")
    again, attempt, after = (text.fresh(hint) for hint in ("again", "attempt", "after"))
    text.do(f"store {bits} {text.value(f'load atomic {bits}, ptr {place} monotonic, align {form.nbytes}')}, ptr {cell}")
    text.block(again)
    current = text.value(f"load {bits}, ptr {cell}")
    old = _from_bits(text, form, current)
    if expected is not None:
        text.branch(compare(text, "eq", form, (old,), (expected,)), attempt, after)
        text.block(attempt)
    new = value if op in ("exchange", "compare") else binary(text, op, form, (old,), (value,))[0]
    exchange = f"cmpxchg ptr {place}, {bits} {current}, {bits} {_to_bits(text, form, new)} monotonic monotonic"
    pair = text.value(f"{exchange}, align {form.nbytes}")
    text.do(f"store {bits} {text.value(f'extractvalue {{{bits}, i1}} {pair}, 0')}, ptr {cell}")
    text.branch(text.value(f"extractvalue {{{bits}, i1}} {pair}, 1"), after, again)
    text.block(after)
    return _from_bits(text, form, text.value(f"load {bits}, ptr {cell}"))


def _from_bits(text: Text, form: Form, bits: str) -> str:
    if form.kind == "bool":
        return text.value(f"icmp ne i8 {bits}, 0")
    if form.register == f"i{form.bits}":
        return bits
    return text.value(f"bitcast i{form.bits} {bits} to {form.register}")


def _to_bits(text: Text, form: Form, value: str) -> str:
    if form.kind == "bool":
        return text.value(f"zext i1 {value} to i8")
    if form.register == f"i{form.bits}":
        return value
    return text.value(f"bitcast {form.register} {value} to i{form.bits}")
