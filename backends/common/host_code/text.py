"""Text in LLVM's language: instructions, blocks, and the functions that they call."""

import re
from collections.abc import Iterable

__all__ = ["Text"]

_FOREIGN = re.compile(r"[^\w.]", re.ASCII)
"""What names in LLVM's language may not contain."""


class Text:
    """The instructions of one function, in order; those that cannot be reached are left out.

    Parameters
    ----------
    helpers : dict of str to str
        The definitions that functions of the module call, by name; more are added.
    vector_math : bool
        As `Program.vector_math`.
    """

    def __init__(self, helpers: dict[str, str], vector_math: bool = False) -> None:
        self._helpers = helpers
        self.vector_math = vector_math
        self._slots: list[str] = []
        self._lines: list[str] = []
        self._names = 0
        self._open = True

    def fresh(self, hint: str) -> str:
        """Return a new name, without its ``%``."""
        self._names += 1
        return f"{_FOREIGN.sub('_', hint)}.{self._names}"

    def do(self, instruction: str) -> None:
        """Add an instruction without a result."""
        if self._open:
            self._lines.append("  " + instruction)

    def value(self, instruction: str, hint: str = "t") -> str:
        """Add an instruction; return the name of its result."""
        name = "%" + self.fresh(hint)
        self.do(f"{name} = {instruction}")
        return name

    def slot(self, kind: str, hint: str, count: int = 1) -> str:
        """Return the address of new memory on the stack, for numbers of an LLVM type."""
        name = "%" + self.fresh(hint)
        many = f", i64 {count}" if count > 1 else ""
        self._slots.append(f"  {name} = alloca {kind}{many}, align 16")
        return name

    def first(self, instruction: str) -> None:
        """Add an instruction at the beginning of the function; it may use arguments and what was added so before."""
        self._slots.append("  " + instruction)

    def jump(self, label: str, hints: str = "") -> None:
        """End the block."""
        self.do(f"br label %{label}{hints}")
        self._open = False

    def branch(self, condition: str, yes: str, no: str, hints: str = "") -> None:
        """End the block, by a condition."""
        self.do(f"br i1 {condition}, label %{yes}, label %{no}{hints}")
        self._open = False

    def switch(self, number: str, otherwise: str, cases: Iterable[tuple[int, str]]) -> None:
        """End the block, by a 64-bit number."""
        table = " ".join(f"i64 {case}, label %{label}" for case, label in cases)
        self.do(f"switch i64 {number}, label %{otherwise} [{table}]")
        self._open = False

    def leave(self, value: str = "void") -> None:
        """End the block, and return from the function."""
        self.do(f"ret {value}")
        self._open = False

    def block(self, label: str) -> None:
        """Begin a block, after the one before if that did not end."""
        if self._open:
            self.jump(label)
        self._lines.append(f"{label}:")
        self._open = True

    def helper(self, name: str, definition: str) -> str:
        """Define a function in the module, once; return its name with the ``@``."""
        self._helpers.setdefault(name, definition)
        return "@" + name

    def declare(self, kind: str, name: str, *arguments: str) -> str:
        """Declare a function of the system or of LLVM; return its name with the ``@``."""
        return self.helper(name, f"declare {kind} @{name}({', '.join(arguments)})\n")

    def function(self, head: str) -> str:
        """Return the whole function."""
        return "\n".join([f"define {head} {{", "begin:", *self._slots, *self._lines, "}", ""])
