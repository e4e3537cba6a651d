"""`Code`: a function on 64-bit integers and vectors, as text in LLVM's language.

An operator between two values prints an instruction, and a ``with`` statement a loop or a condition. So a kernel reads
as the same loops would in Python, though it is the text of a function that is written, not the function that is run.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, TypeAlias

from .host_code.machine_code import SIMPLE
from .host_code.text import Text
from .variants import Variant

__all__ = ["Code", "Int", "Number", "Variable", "Vector"]


class Int:
    """A 64-bit integer, or a truth of one bit: the result of an instruction. An address is an integer, too."""

    __slots__ = ("_code", "name")

    def __init__(self, code: "Code", name: str) -> None:
        self._code = code
        self.name = name

    def __add__(self, other: "Number") -> "Int":
        return self._code.binary("add", self, other)

    def __radd__(self, other: int) -> "Int":
        return self._code.binary("add", self, other)

    def __sub__(self, other: "Number") -> "Int":
        return self._code.binary("sub", self, other)

    def __rsub__(self, other: int) -> "Int":
        return self._code.binary("sub", other, self)

    def __mul__(self, other: "Number") -> "Int":
        return self._code.binary("mul", self, other)

    def __rmul__(self, other: int) -> "Int":
        return self._code.binary("mul", self, other)

    def __floordiv__(self, other: "Number") -> "Int":
        """Divide integers that are not negative."""
        return self._code.binary("udiv", self, other)

    def __mod__(self, other: "Number") -> "Int":
        """Return the rest of a division of integers that are not negative."""
        return self._code.binary("urem", self, other)

    def __and__(self, other: "Number") -> "Int":
        return self._code.binary("and", self, other)

    def __neg__(self) -> "Int":
        return 0 - self

    def __lt__(self, other: "Number") -> "Int":
        return self._code.binary("icmp slt", self, other)

    def __le__(self, other: "Number") -> "Int":
        return self._code.binary("icmp sle", self, other)

    def __gt__(self, other: "Number") -> "Int":
        return self._code.binary("icmp sgt", self, other)

    def __ge__(self, other: "Number") -> "Int":
        return self._code.binary("icmp sge", self, other)

    def equals(self, other: "Number") -> "Int":
        """Return whether two integers are equal."""
        return self._code.binary("icmp eq", self, other)


Number: TypeAlias = Int | int


class Variable:
    """An integer that changes; LLVM keeps it in a register."""

    __slots__ = ("_code", "_place")

    def __init__(self, code: "Code", value: Number) -> None:
        self._code = code
        self._place = code.slot("i64", "variable")
        self.set(value)

    def get(self) -> Int:
        """Return its value here."""
        return Int(self._code, self._code.value(f"load i64, ptr {self._place}"))

    def set(self, value: Number) -> None:
        """Change it."""
        self._code.do(f"store i64 {_name(value)}, ptr {self._place}")


class Vector(NamedTuple):
    """A vector of integers.

    Attributes
    ----------
    name : str
        Its name in the text.
    lanes, nbytes : int
        How many integers it has, and the bytes of each.
    """

    name: str
    lanes: int
    nbytes: int

    @property
    def kind(self) -> str:
        """Its type in LLVM's language."""
        return f"<{self.lanes} x i{8 * self.nbytes}>"

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class Code(Text):
    """The text of a function whose arguments are 64-bit integers, and which returns nothing."""

    def __init__(self, name: str, arguments: Sequence[str], variant: Variant) -> None:
        self._functions: dict[str, str] = {}
        self._variant = variant
        super().__init__(self._functions)
        self._head = f"void @{name}({', '.join(f'i64 %{each}' for each in arguments)})"
        self.arguments = tuple(Int(self, f"%{each}") for each in arguments)

    def module(self) -> str:
        """End the function; return the text of a module with it."""
        self.leave()
        return SIMPLE + "\n".join([*self._functions.values(), self.function(self._head)])

    # Integers

    def binary(self, operation: str, left: Number, right: Number) -> Int:
        """Return the result of an instruction with two operands."""
        return Int(self, self.value(f"{operation} i64 {_name(left)}, {_name(right)}"))

    def least(self, one: Number, other: Number) -> Int:
        """Return the smaller of two integers."""
        return self._either("smin", one, other)

    def most(self, one: Number, other: Number) -> Int:
        """Return the larger of two integers."""
        return self._either("smax", one, other)

    def _either(self, which: str, one: Number, other: Number) -> Int:
        function = self.declare("i64", f"llvm.{which}.i64", "i64", "i64")
        return Int(self, self.value(f"call i64 {function}(i64 {_name(one)}, i64 {_name(other)})"))

    def both(self, one: Int, other: Int) -> Int:
        """Return whether two truths hold."""
        return Int(self, self.value(f"and i1 {one.name}, {other.name}"))

    def chosen(self, condition: Int, yes: Number, no: Number) -> Int:
        """Return one of two integers."""
        return Int(self, self.value(f"select i1 {condition.name}, i64 {_name(yes)}, i64 {_name(no)}"))

    def integer(self, address: Int, number: int = 0) -> Int:
        """Return one of the integers at an address."""
        return Int(self, self.value(f"load i64, ptr {self._pointer(address + 8 * number)}"))

    def set_integer(self, value: Number, address: Int) -> None:
        """Write an integer to an address."""
        self.do(f"store i64 {_name(value)}, ptr {self._pointer(address)}")

    # Control

    @contextmanager
    def loop(self, begin: Number, end: Number, step: int = 1) -> Iterator[Int]:
        """Repeat for integers from one to another."""
        variable = Variable(self, begin)
        with self.loop_while(lambda: variable.get() < end):
            number = variable.get()
            yield number
            variable.set(number + step)

    @contextmanager
    def loop_while(self, condition: Callable[[], Int]) -> Iterator[None]:
        """Repeat while a condition holds, which is tested before each round."""
        again, within, over = self.fresh("again"), self.fresh("within"), self.fresh("over")
        self.block(again)
        self.branch(condition().name, within, over)
        self.block(within)
        yield
        self.jump(again)
        self.block(over)

    @contextmanager
    def when(self, condition: Int) -> Iterator[None]:
        """Do something if a condition holds."""
        then, over = self.fresh("then"), self.fresh("over")
        self.branch(condition.name, then, over)
        self.block(then)
        yield
        self.block(over)

    def call(self, function: Int, *arguments: Int) -> None:
        """Call the function at an address."""
        listed = ", ".join(f"i64 {each.name}" for each in arguments)
        self.do(f"call void {self._pointer(function)}({listed})")

    # Memory

    def _pointer(self, address: Int) -> str:
        return self.value(f"inttoptr i64 {address.name} to ptr")

    def scratch(self, nbytes: int, align: int) -> Int:
        """Return the address of a buffer on the stack."""
        name = "%" + self.fresh("scratch")
        self.first(f"{name} = alloca [{nbytes} x i8], align {align}")
        return Int(self, self.value(f"ptrtoint ptr {name} to i64"))

    def prefetch(self, address: Int) -> None:
        """Fetch the cache line at an address, which need not be valid, as the variant says."""
        if self._variant.cache:
            function = self.declare("void", "llvm.prefetch.p0", "ptr", "i32 immarg", "i32 immarg", "i32 immarg")
            locality = 4 - self._variant.cache
            self.do(f"call void {function}(ptr {self._pointer(address)}, i32 0, i32 {locality}, i32 1)")

    def fence(self) -> None:
        """Order the stores that bypass the caches before all later ones."""
        self.do("fence seq_cst")  # on x86 this is mfence, or a locked instruction: both drain its write buffers

    # Vectors

    def load(self, address: Int, lanes: int, nbytes: int) -> Vector:
        """Read a vector at any address."""
        vector = Vector("", lanes, nbytes)
        return vector._replace(name=self.value(f"load {vector.kind}, ptr {self._pointer(address)}, align 1"))

    def store(self, vector: Vector, address: Int) -> None:
        """Write a vector to any address."""
        self.do(f"store {vector}, ptr {self._pointer(address)}, align 1")

    def stream(self, vector: Vector, address: Int) -> None:
        """Write a vector to a multiple of its size, past the caches if the variant says so."""
        past = ", !nontemporal !{i32 1}" if self._variant.streams else ""
        width = min(self._variant.width // vector.nbytes, vector.lanes)
        for first in range(0, vector.lanes, width):
            part = self.shuffle(vector, vector, range(first, first + width)) if width < vector.lanes else vector
            place = self._pointer(address + first * vector.nbytes)
            self.do(f"store {part}, ptr {place}, align {width * vector.nbytes}{past}")

    def shuffle(self, one: Vector, other: Vector, places: Sequence[int]) -> Vector:
        """Return a vector of lanes of two others, which are counted one after the other."""
        mask = ", ".join(f"i32 {place}" for place in places)
        name = self.value(f"shufflevector {one}, {other}, <{len(places)} x i32> <{mask}>")
        return Vector(name, len(places), one.nbytes)


def _name(number: Number) -> str:
    return number.name if isinstance(number, Int) else str(number)
