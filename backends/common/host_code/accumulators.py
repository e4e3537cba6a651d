"""Reductions: one accumulator for a block of iterations, a total for a piece of the loop, and the sum of all pieces.

The additions of a block may be done in any order, so that they are done on vectors. The total of floats is the sum of
the blocks in float64, with the rounding errors added up beside it. Pieces are combined in order.
"""

from dataclasses import dataclass

import numpy as np

from accel.ir import Reduction, neutral

from .arithmetic import binary
from .casts import cast
from .forms import DOUBLE, Form, Value, form_of
from .memory import load, store
from .text import Text

__all__ = ["BLOCK", "PARTIAL", "Accumulator"]

BLOCK = 1024
"""Iterations of a block."""

PARTIAL = 32
"""Bytes of a total in the memory for the totals of pieces."""

# The rounding error of a sum is exact in float64; Knuth.
_ADD = """define internal void @add.exactly(ptr %total, double %x) alwaysinline {
begin:
  %below = getelementptr double, ptr %total, i64 1
  %high = load double, ptr %total
  %low = load double, ptr %below
  %sum = fadd double %high, %x
  %part = fsub double %sum, %high
  %rest = fsub double %sum, %part
  %lost = fsub double %high, %rest
  %left = fsub double %x, %part
  %error = fadd double %lost, %left
  %errors = fadd double %low, %error
  store double %sum, ptr %total
  store double %errors, ptr %below
  ret void
}
"""

# Without the error if that is NaN, as it is of an infinite sum.
_TOTAL = """define internal double @total(ptr %total) alwaysinline {
begin:
  %below = getelementptr double, ptr %total, i64 1
  %high = load double, ptr %total
  %low = load double, ptr %below
  %number = fcmp ord double %low, 0.0
  %error = select i1 %number, double %low, double 0.0
  %sum = fadd double %high, %error
  ret double %sum
}
"""


@dataclass(frozen=True, slots=True)
class Accumulator:
    """A reduction in one function.

    Attributes
    ----------
    reduction : Reduction
        What is reduced, and how.
    form : Form
        Of the accumulator of a block.
    cells : tuple of str
        Addresses of its parts.
    total : str
        Address of the total of a piece: of each part the sum and its error, if floats are added; else one number.
    """

    reduction: Reduction
    form: Form
    cells: tuple[str, ...]
    total: str

    @classmethod
    def make(cls, text: Text, reduction: Reduction, total: str) -> "Accumulator":
        """Return an accumulator whose memory is on the stack."""
        form = form_of(reduction.total.dtype).computed
        return cls(reduction, form, tuple(text.slot(form.register, "sum") for _ in range(form.parts)), total)

    @property
    def is_sum_of_floats(self) -> bool:
        """Whether the total has an error beside it."""
        return self.form.kind == "float" and self.reduction.op == "add"

    def clear(self, text: Text) -> None:
        """Begin a block."""
        self._set(text, self._neutral())

    def begin(self, text: Text) -> None:
        """Begin a piece."""
        self.clear(text)
        if not self.is_sum_of_floats:
            store(text, self.form, self.total, self._neutral())
            return
        for number in range(2 * self.form.parts):
            text.do(f"store double 0.0, ptr {self._place(text, number)}")

    def take(self, text: Text, value: Value) -> None:
        """Combine the accumulator with a number."""
        flags = "reassoc nsz " if self.is_sum_of_floats else ""
        old = tuple(text.value(f"load {self.form.register}, ptr {cell}") for cell in self.cells)
        self._set(text, binary(text, self.reduction.op, self.form, old, value, flags))

    def flush(self, text: Text) -> None:
        """Add the block to the piece, and begin another block."""
        value = tuple(text.value(f"load {self.form.register}, ptr {cell}") for cell in self.cells)
        self.add(text, value)
        self.clear(text)

    def add(self, text: Text, value: Value) -> None:
        """Add a number to the piece."""
        if not self.is_sum_of_floats:
            old = load(text, self.form, self.total)
            store(text, self.form, self.total, binary(text, self.reduction.op, self.form, old, value))
            return
        for number, part in enumerate(value):
            exact = cast(text, (part,), self.form.part, DOUBLE)[0]
            self._add_exactly(text, number, exact)

    def merge(self, text: Text, other: str) -> None:
        """Add the total of a piece, given by its address."""
        if not self.is_sum_of_floats:
            self.add(text, load(text, self.form, other))
            return
        for number in range(2 * self.form.parts):
            place = text.value(f"getelementptr double, ptr {other}, i64 {number}")
            loaded = text.value(f"load double, ptr {place}")
            if number % 2:  # the error of an infinite sum is NaN
                valid = text.value(f"fcmp ord double {loaded}, 0.0")
                loaded = text.value(f"select i1 {valid}, double {loaded}, double 0.0")
            self._add_exactly(text, number // 2, loaded)

    def result(self, text: Text) -> Value:
        """Return the total, in the type of the variable."""
        form = form_of(self.reduction.total.dtype)
        if not self.is_sum_of_floats:
            return cast(text, load(text, self.form, self.total), self.form, form)
        function = text.helper("total", _TOTAL)
        numbers = [
            text.value(f"call double {function}(ptr {self._place(text, 2 * part)})") for part in range(form.parts)
        ]
        return tuple(cast(text, (number,), DOUBLE, form.part)[0] for number in numbers)

    def _set(self, text: Text, value: Value) -> None:
        for cell, part in zip(self.cells, value, strict=True):
            text.do(f"store {self.form.register} {part}, ptr {cell}")

    def _neutral(self) -> Value:
        """Return the number that changes no other when the two are combined."""
        return self.form.constant(neutral(self.reduction.op, np.dtype(self.form.name)))

    def _place(self, text: Text, number: int) -> str:
        return text.value(f"getelementptr double, ptr {self.total}, i64 {number}")

    def _add_exactly(self, text: Text, part: int, number: str) -> None:
        text.do(f"call void {text.helper('add.exactly', _ADD)}(ptr {self._place(text, 2 * part)}, double {number})")
