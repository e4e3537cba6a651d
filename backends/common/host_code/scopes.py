"""The values of a program's names in one function of LLVM."""

from dataclasses import dataclass, field

from accel.ir import Local

from .forms import Value, form_of
from .memory import Memory
from .text import Text

__all__ = ["Scope"]


@dataclass
class Scope:
    """The names of a program.

    Attributes
    ----------
    numbers : dict of str to Value
        Parameters that are numbers.
    memories : dict of str to Memory
        Views and arrays.
    places : dict of (str, int) to str
        Where a thread is; for explicit grids only.
    cells : dict of str to (str, ...)
        The addresses of the parts of each variable, made when it is first used.
    frame : str
        Address of the memory that holds the variables of a thread while it waits; empty if they are on the stack.
    room : int
        Bytes of that memory that are in use.
    iteration : str
        Address of the number of the iteration, for failures.
    """

    text: Text
    numbers: dict[str, Value] = field(default_factory=dict)
    memories: dict[str, Memory] = field(default_factory=dict)
    places: dict[tuple[str, int], str] = field(default_factory=dict)
    cells: dict[str, tuple[str, ...]] = field(default_factory=dict)
    frame: str = ""
    room: int = 64
    iteration: str = ""

    def cell(self, kind: str, hint: str) -> str:
        """Return the address of a new variable of an LLVM type, of at most 8 bytes."""
        if not self.frame:
            return self.text.slot(kind, hint)
        return self.reserve(8, hint)

    def reserve(self, nbytes: int, hint: str) -> str:
        """Return the address of memory that a thread keeps while it waits."""
        name = "%" + self.text.fresh(hint)
        self.text.first(f"{name} = getelementptr i8, ptr {self.frame}, i64 {self.room}")
        self.room += -(-nbytes // 16) * 16
        return name

    def variable(self, local: Local) -> tuple[str, ...]:
        """Return the addresses of the parts of a variable."""
        if local.name not in self.cells:
            form = form_of(local.dtype)
            self.cells[local.name] = tuple(self.cell(form.register, local.name) for _ in range(form.parts))
        return self.cells[local.name]

    def read(self, local: Local) -> Value:
        """Load a variable, or return a parameter."""
        if local.name in self.numbers:
            return self.numbers[local.name]
        form = form_of(local.dtype)
        return tuple(self.text.value(f"load {form.register}, ptr {cell}") for cell in self.variable(local))

    def assign(self, local: Local, value: Value) -> None:
        """Store a variable."""
        form = form_of(local.dtype)
        for cell, part in zip(self.variable(local), value, strict=True):
            self.text.do(f"store {form.register} {part}, ptr {cell}")
