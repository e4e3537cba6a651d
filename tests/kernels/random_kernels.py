"""`kernels`: small random kernels as Python source, which compute the same in Python as NumPy's scalars do.

All numbers have a type that is the same on all paths, and no Python integer exceeds a byte, so that each operation is
one that NumPy defines. Each iteration writes its own elements only.
"""

from random import Random
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

import accel
from accel.layout import Layout, Swizzle

__all__ = ["Generated", "kernels"]

FLOATS = "f32", "f64", "f16"
INTEGERS = "i32", "i64", "u8", "u64", "i8"
SIZE = 7
ROWS, COLUMNS = 4, 6
LAYOUTS = (
    Layout.row_major(ROWS, COLUMNS),
    Layout((ROWS, COLUMNS), (1, 5)),
    Layout(((2, 2), (3, 2)), ((3, 12), (1, 6))),
    Swizzle(2, 1, 2) @ Layout.row_major(ROWS, COLUMNS),
)
HEADER = """from typing import NamedTuple

import numpy as np

from accel.dtypes import f16, f32, f64, i8, i32, i64, u8, u64
from accel.kernels import accumulator, func, grid, vector


class Pair(NamedTuple):
    x: float
    y: float

"""


class Generated(NamedTuple):
    """A kernel.

    Attributes
    ----------
    text : str
        The source of a module that defines the function ``kernel``, without a decorator.
    seed : int
        Decides the values of its arguments.
    dtypes : tuple of str
        The dtypes of its arrays.
    """

    text: str
    seed: int
    dtypes: tuple[str, ...]

    def arguments(self):
        """Return new arguments: read arrays, written arrays, a written matrix, a read tensor, and two numbers."""
        choice = np.random.default_rng(self.seed)
        read = [_array(choice, dtype, SIZE) for dtype in self.dtypes]
        written = [_array(choice, dtype, SIZE) for dtype in self.dtypes]
        layout = LAYOUTS[self.seed % len(LAYOUTS)]
        tensor = accel.container(_array(choice, "f32", 40)).view(layout)
        return (*read, *written, _array(choice, self.dtypes[0], (3, 4)), tensor, 3, 0.75)


def _array(choice, name, shape):
    dtype = getattr(accel.dtypes, name)
    info = None if name[0] == "f" else np.iinfo(dtype)
    low, high = (-8, 9) if info is None else (max(info.min, -100), min(info.max, 100))
    values = choice.integers(low, high, shape)
    return (values / 4 if info is None else values).astype(dtype)


@st.composite
def kernels(draw):
    """Draw kernels."""
    choice = draw(st.randoms(use_true_random=False))
    floats = choice.sample(FLOATS, 2)
    integers = choice.sample(INTEGERS, 2)
    writer = _Writer(choice, (*floats, *integers))
    return Generated(writer.module(), choice.randrange(1 << 16), writer.dtypes)


class _Writer:
    """Writes one kernel."""

    def __init__(self, choice: Random, dtypes):
        self.choice = choice
        self.dtypes = dtypes
        self.lines = []
        self.depth = 0
        self.locals = {}
        self.count = 0
        self.functions = {}
        self.in_kernel = False

    def module(self):
        for dtype in self.dtypes[:3]:
            if self.choice.random() < 0.7:
                self.function(dtype)
        self.in_kernel, self.locals = True, {}
        reads = [f"a_{dtype}" for dtype in self.dtypes]
        writes = [f"o_{dtype}" for dtype in self.dtypes]
        self.begin(f"def kernel({', '.join([*reads, *writes, 'm', 't', 'n', 'z'])}):")
        self.locals = {"n": "int", "z": "float"}
        if self.choice.random() < 0.7:
            self.declare(self.choice.choice(["int", self.dtypes[0], self.dtypes[2]]), "c")
        results = []
        for _ in range(self.choice.randint(1, 3)):
            results += self.loop()
        self.line(f"return {', '.join(results)}" if results else "pass")
        self.end()
        return HEADER + "\n".join(self.lines) + "\n"

    # Lines.

    def line(self, text):
        self.lines.append("    " * self.depth + text)

    def begin(self, text):
        self.line(text)
        self.depth += 1

    def end(self):
        self.depth -= 1

    def name(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    # Functions and parallel loops.

    def function(self, dtype):
        self.line("@func")
        name = f"h_{dtype}"
        self.begin(f"def {name}(x, y, k=2):")
        self.locals = {"x": dtype, "y": dtype, "k": "int"}
        self.declare(dtype)
        self.statements(2, dtype)
        if self.choice.random() < 0.5:
            self.begin(f"for _ in range({self.value('int', 1)}):")
            self.statements(1, dtype)
            self.leave(f"return {self.value(dtype, 1)}")
            self.end()
        self.leave(f"return {self.value(dtype, 2)}")
        self.statements(1, dtype)
        self.line(f"return {self.value(dtype, 2)}")
        self.end()
        self.line("")
        self.functions[dtype] = name

    def leave(self, text):
        self.begin(f"if {self.condition(1)}:")
        if self.choice.random() < 0.3:
            self.begin(f"if {self.condition(1)}:")
            self.line(text)
            self.end()
        else:
            self.line(text)
        self.end()

    def loop(self):
        """Write a parallel loop, and what comes before it; return the names of results."""
        results, combined = [], ""
        if self.choice.random() < 0.5:
            total, op = self.name("s"), self.choice.choice(["+=", "min", "max"])
            self.line(f"{total} = accumulator(i64, {self.choice.randint(-5, 5)})")
            value = f"i64({{}} if {{}} else {self.choice.randint(0, 9)})"
            combined = f"{total} += {value}" if op == "+=" else f"{total} = {op}({total}, {value})"
            results = [total]
        before = dict(self.locals)
        if not combined and self.choice.random() < 0.3:
            self.begin("for i, j in grid(3, 4):")
            self.locals |= {"i": "int", "j": "int"}
            self.declare(self.dtypes[0])
            self.statements(2, self.dtypes[0])
            self.line(f"m[i, j] = {self.value(self.dtypes[0], 3)}")
        else:
            dtype = self.choice.choice(self.dtypes)
            self.begin(f"for i in range({self.choice.choice([f'o_{dtype}.size', f'len(a_{dtype})', '1, 6, 2', 'n'])}):")
            self.locals["i"] = "int"
            for each in {dtype, self.choice.choice(self.dtypes)}:
                self.declare(each)
            self.declare("int")
            self.statements(3, dtype)
            self.line(
                f"o_{dtype}[i] {self.choice.choice(['=', '='] if combined else ['=', '+='])} {self.value(dtype, 3)}"
            )
            if combined:
                self.line(combined.format(self.value("i64", 2), self.condition(1)))
        self.end()
        self.locals = before
        return results

    # Statements.

    def declare(self, kind, prefix="x"):
        name = self.name(prefix)
        self.line(f"{name} = {self.value(kind, 2)}")
        self.locals[name] = kind

    def assignable(self, kind):
        return [name for name, each in self.locals.items() if each == kind and name[0] == "x"]

    def statements(self, depth, dtype):
        for _ in range(self.choice.randint(1, 3)):
            self.choice.choice([self.assign, self.augment, self.swap, self.branch, self.counted, self.conditional])(
                depth, dtype
            )

    def assign(self, depth, dtype):
        kind = self.choice.choice([dtype, dtype, "int"])
        names = self.assignable(kind)
        if names:
            self.line(f"{self.choice.choice(names)} = {self.value(kind, depth)}")
        else:
            self.line("pass")

    def augment(self, depth, dtype):
        names = self.assignable(dtype)
        if names:
            self.line(f"{self.choice.choice(names)} {self.choice.choice('+-*')}= {self.value(dtype, depth)}")
        else:
            self.line("pass")

    def swap(self, depth, dtype):
        names = self.assignable(dtype)
        if len(names) > 1:
            one, other = self.choice.sample(names, 2)
            self.line(f"{one}, {other} = {other}, {self.value(dtype, depth)}")
        else:
            self.line("pass")

    def branch(self, depth, dtype):
        self.begin(f"if {self.condition(1)}:")
        self.nested(depth, dtype)
        self.end()
        if self.choice.random() < 0.5:
            self.begin("else:")
            self.nested(depth, dtype)
            self.end()

    def nested(self, depth, dtype):
        if depth > 1:
            self.statements(depth - 1, dtype)
        else:
            self.assign(depth, dtype)

    def counted(self, depth, dtype):
        name = self.name("j")
        self.begin(f"for {name} in range({self.value('int', 1)} % 4):")
        before, self.locals[name] = dict(self.locals), "int"
        if self.choice.random() < 0.4:
            self.leave(self.choice.choice(["break", "continue"]))
        self.nested(depth, dtype)
        self.locals = before
        self.end()

    def conditional(self, depth, dtype):
        name = self.name("w")
        self.line(f"{name} = {self.choice.randint(0, 3)}")
        self.begin(f"while {name} > 0 and {self.condition(1)}:")
        self.line(f"{name} -= 1")
        self.nested(depth, dtype)
        self.end()

    # Expressions.

    def value(self, kind, depth):
        """Write an expression of a dtype, or a Python int from 0 to 60, or a Python float."""
        options = [self.literal, self.variable, self.variable]
        if self.in_kernel and kind in self.dtypes:
            options.append(self.element)
        if depth > 0:
            options += [self.choose, self.arithmetic, self.arithmetic]
            options += [self.called, self.item] if kind in self.dtypes else []
        return self.choice.choice(options)(kind, depth - 1)

    def literal(self, kind, _depth):
        if kind == "int":
            return str(self.choice.randint(0, 9))
        if kind == "float":
            return self.choice.choice(["0.5", "1.25", "3.0"])
        return f"{kind}({self.choice.choice(['0.5', '-1.5', '2']) if kind[0] == 'f' else self.choice.randint(0, 50)})"

    def variable(self, kind, depth):
        names = [name for name, each in self.locals.items() if each == kind]
        return self.choice.choice(names) if names else self.literal(kind, depth)

    def choose(self, kind, depth):
        return f"({self.value(kind, depth)} if {self.condition(depth)} else {self.value(kind, depth)})"

    def called(self, kind, depth):
        if kind not in self.functions or depth < 1:
            return self.literal(kind, depth)
        more = self.choice.choice(["", f", k={self.value('int', 0)}", f", {self.value('int', 0)}"])
        return f"{self.functions[kind]}({self.value(kind, depth)}, {self.value(kind, 0)}{more})"

    def item(self, kind, depth):
        other = self.choice.choice(self.dtypes)
        pair = self.value(kind, depth), self.value(other, 0)
        texts = [f"({pair[0]}, {pair[1]})[0]", f"Pair(y={pair[0]}, x={pair[1]}).y"]
        if kind[0] == "f":
            texts.append(
                f"(vector({pair[0]}, {self.value(kind, 0)}) * {self.value(kind, 0)})[{self.choice.randint(0, 1)}]"
            )
        return self.choice.choice(texts)

    def element(self, kind, depth):
        index = self.value("int", depth)
        part = f"a_{kind}[{self.choice.choice(['', '1', '-4', '2'])}:{self.choice.choice(['', '5', '-1', '20'])}]"
        texts = [f"a_{kind}[{index} % {SIZE}]", f"{part}[{index} % len({part})]"]
        if kind == "f32":
            place = f"{index} % 2, {self.value('int', 0)} % 3"
            texts.append(f"t.tile((2, 3), ({index} % 2, {self.value('int', 0)} % 2))[{place}]")
            texts.append(f"t.transpose()[{self.value('int', 0)} % {COLUMNS}, {index} % {ROWS}]")
        return self.choice.choice(texts)

    def arithmetic(self, kind, depth):
        x, y = self.value(kind, depth), self.value(kind, depth)
        if kind == "int":
            return self.choice.choice(
                [f"({x} + {y}) % 53", f"{x} * {y} % 31", f"{x} // 2", f"int({self.condition(depth)})"]
            )
        if kind == "float":
            return self.choice.choice([f"({x} + {y})", f"({x} * 0.5)", f"float({self.value('int', depth)})"])
        other = self.value(
            self.choice.choice([each for each in self.dtypes if kind[0] == "f" or each[0] != "f"]), depth
        )
        common = [f"({x} {op} {y})" for op in "+-*"] + [f"{kind}({other})", f"np.maximum({x}, {y})", f"abs({x})"]
        if kind[0] == "f":
            weak = self.value(self.choice.choice(["int", "float"]), depth)
            more = [
                f"({x} / {y})",
                f"(-{x})",
                f"np.sqrt(abs({x}))",
                f"np.floor({x})",
                f"({x} * {weak})",
                f"({weak} - {x})",
            ]
        else:
            weak = self.value("int", depth)
            more = [f"({x} // ({y} | 1))", f"({x} % ({y} | 1))", f"(~{x})", f"({x} >> 2)", f"({x} << 1)"]
            more += [f"({x} & {y})", f"({x} ^ {y})", f"({x} + {weak})", f"({x} | {weak})"]
        return self.choice.choice(common + more)

    def condition(self, depth):
        kind = self.choice.choice([*self.dtypes, "int", "float"])
        op = self.choice.choice(["<", "<=", ">", ">=", "==", "!="])
        plain = f"{self.value(kind, depth)} {op} {self.value(kind, depth)}"
        if depth <= 0:
            return plain
        return self.choice.choice(
            [
                plain,
                f"{self.value(self.dtypes[2], 0)} {op} {self.value(self.dtypes[3], 0)}",
                f"not ({self.condition(depth - 1)})",
                f"({self.condition(depth - 1)} {self.choice.choice(['and', 'or'])} {self.condition(depth - 1)})",
                f"{plain} {self.choice.choice('<>')} {self.value(kind, depth - 1)}",
            ]
        )
