"""`cupyx.jit.rawkernel`: kernels in Python, whose statements become CUDA with the lines of the Python file."""

import ast
import builtins
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import update_wrapper
from typing import Any

import numpy as np

from accel.errors import CapabilityError
from accel.testing.cupy_simulation.element_arguments import Argument, declared, headers
from accel.testing.cupy_simulation.jit_expressions import Expressions, spelled
from accel.testing.cupy_simulation.jit_members import BUILTINS, Code, Constant, Items, Symbol, Value, code_of
from accel.testing.cupy_simulation.kernels import RawKernel
from accel.testing.cupy_simulation.text_parameters import TextParameter, element_type
from accel.xp.arrays import Array

__all__ = ["JitKernel", "jit_members"]

_SCALARS: Mapping[type, str] = {bool: "bool", int: "int32", float: "float32", complex: "complex64"}


class JitKernel:
    """A kernel in Python, called as that of CuPy: ``kernel(grid, block, arguments)``, or ``kernel[grid, block](x)``."""

    def __init__(self, function: Callable[..., Any], mode: str, device: bool) -> None:
        if mode != "cuda":
            raise CapabilityError(f"kernels of cupyx.jit are simulated with the types of mode='cuda'; found {mode!r}")
        self._function, self._device = function, device
        self._kernels: dict[Any, RawKernel] = {}

    @property
    def cached_codes(self) -> dict[Any, str]:
        """The text of each kernel that was compiled so far, by the types of its arguments."""
        return {key: kernel.code for key, kernel in self._kernels.items()}

    @property
    def cached_code(self) -> str:
        """The text of the first kernel that was compiled."""
        return next(iter(self.cached_codes.values()))

    def __getitem__(self, grid_and_block: Any) -> Callable[..., None]:
        grid, block = (each if isinstance(each, tuple) else (each, 1, 1) for each in grid_and_block)
        return lambda *arguments, **keywords: self(grid, block, arguments, **keywords)

    def __call__(
        self, grid: Sequence[int], block: Sequence[int], args: Sequence[Any], shared_mem: int = 0, stream: Any = None
    ) -> None:
        """Launch the kernel on a stream, by default the current one, and return at once.

        Raises
        ------
        TypeError, CapabilityError
            If kernels have no such statement, or take no such argument.
        KernelSyntaxError
            If a type does not fit.
        """
        names = [*inspect.signature(self._function).parameters]
        if len(names) != len(args):
            raise TypeError(f"{self._function.__name__} takes {len(names)} arguments; found {len(args)}")
        arguments = [_argument(name, value) for name, value in zip(names, args, strict=True)]
        key = tuple([each.key for each in arguments])
        kernel = self._kernels.get(key)
        if kernel is None:
            kernel = self._kernels.setdefault(key, self._compiled(arguments))
        values = [value for each in arguments for value in each.passed]
        kernel(grid, block, values, shared_mem=shared_mem, stream=stream)

    def _compiled(self, arguments: list[Argument]) -> RawKernel:
        parameters = [parameter for each in arguments for parameter in each.parameters]
        functions: dict[Any, str] = {}
        ranks = {each.parameter.name: each.value.ndim for each in arguments if each.is_array}
        body = "\n".join(_Statements(self._function, ranks, functions).lines())
        name = self._function.__name__
        text = "\n".join(
            [
                headers([each.dtype for each in arguments], body) + "#include <accel_sim/cupy_jit.h>",
                *functions.values(),
                f"__global__ void {name}({', '.join(map(declared, parameters))}) {{",
                *[each.outer for each in arguments],
                "{",
                *[f"auto {spelled(each.parameter.name)} = _raw_{each.parameter.name};" for each in arguments],
                body,
                "}",
                "}",
            ]
        )
        return RawKernel(text, name, parameters=parameters)


def _argument(name: str, value: Any) -> Argument:
    if isinstance(value, Array):
        return Argument(TextParameter(name, "", value.dtype, raw=True, constant=False), value, value.dtype)
    dtype = value.dtype if isinstance(value, np.generic) else None
    for kind, number in _SCALARS.items():
        if dtype is None and isinstance(value, kind):
            dtype = np.dtype(number)
    if type(value) is int and not -(1 << 31) <= value < 1 << 31:
        dtype = np.dtype(np.int64)
    if dtype is None:
        raise TypeError(f"{type(value)} is not supported for RawKernel; pass arrays of cupy and numbers")
    return Argument(TextParameter(name, "", dtype, raw=False, constant=True), value, dtype)


class _Statements:
    """Translates the statements of a function.

    Parameters
    ----------
    function : callable
        The function.
    ranks : dict of str to int
        The number of axes of each array among its parameters.
    functions : dict
        The functions for devices that were translated so far, in CUDA.
    """

    def __init__(self, function: Callable[..., Any], ranks: dict[str, int], functions: dict[Any, str]) -> None:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise CapabilityError("kernels of cupyx.jit are functions that are written with def")
        self._tree, self._first, self._file = tree, first, inspect.getsourcefile(function) or "<kernel>"
        closure = inspect.getclosurevars(function)
        names = {**vars(builtins), **closure.globals, **closure.nonlocals}
        self._functions = functions
        self._expressions = Expressions(names, ranks, self._device_function)
        self._expressions.locals.update(each.arg for each in tree.args.args)
        self._hoisted: list[str] = []
        self._count = 0

    def lines(self) -> Iterator[str]:
        """Yield the statements in CUDA."""
        for statement in self._tree.body:
            text = [*self._statement(statement, top=True)]
            yield from self._hoisted
            self._hoisted.clear()
            yield from text

    def _device_function(self, function: Any, arguments: list[Value]) -> str | None:
        """Return the name of a function for devices, which is translated when it is first called."""
        if not isinstance(function, JitKernel):
            return None
        if not function._device:
            name = function._function.__name__
            raise TypeError(f"Calling __global__ function {name} from __global__ function is not allowed.")
        ranks = tuple([each.rank if isinstance(each, Code) else None for each in arguments])
        name = f"{function._function.__name__}_{'_'.join(map(str, ranks))}"
        if name not in self._functions:
            names = [*inspect.signature(function._function).parameters]
            arrays = {each: rank for each, rank in zip(names, ranks, strict=True) if rank is not None}
            inner = _Statements(function._function, arrays, self._functions)
            head = ", ".join([f"typename T{place}" for place in range(len(names))])
            given = ", ".join([f"T{place} {spelled(name)}" for place, name in enumerate(names)])
            body = "\n".join(inner.lines())
            self._functions[name] = f"template <{head}>\n__device__ auto {name}({given}) {{\n{body}\n}}"
        return name

    def _statement(self, node: ast.stmt, *, top: bool = False) -> Iterator[str]:
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            kind = type(node).__name__
            raise CapabilityError(
                f"kernels of cupyx.jit have no statement {kind}; found one in line {self._line(node)}"
            )
        if isinstance(node, ast.Assign | ast.For | ast.AnnAssign):
            yield from method(node, top)
        else:
            yield from method(node)

    def _line(self, node: ast.stmt) -> int:
        return self._first + node.lineno - 1

    def _mark(self, node: ast.stmt) -> str:
        name = self._file.replace("\\", r"\\").replace('"', r"\"")
        return f'#line {self._line(node)} "{name}"'

    def _block(self, body: list[ast.stmt]) -> list[str]:
        return ["{", *[line for each in body for line in self._statement(each)], "}"]

    def _expr(self, node: ast.Expr) -> Iterator[str]:
        if not isinstance(node.value, ast.Constant):  # a docstring
            yield self._mark(node)
            yield f"{self._expressions.code(node.value)};"

    def _pass(self, node: ast.Pass) -> Iterator[str]:
        yield ";"

    def _break(self, node: ast.Break) -> Iterator[str]:
        yield "break;"

    def _continue(self, node: ast.Continue) -> Iterator[str]:
        yield "continue;"

    def _return(self, node: ast.Return) -> Iterator[str]:
        yield self._mark(node)
        yield "return;" if node.value is None else f"return {self._expressions.code(node.value)};"

    def _assert(self, node: ast.Assert) -> Iterator[str]:
        yield self._mark(node)
        yield f"assert({self._expressions.code(node.test)});"

    def _if(self, node: ast.If) -> Iterator[str]:
        yield self._mark(node)
        yield f"if ({self._expressions.code(node.test)})"
        yield from self._block(node.body)
        if node.orelse:
            yield "else"
            yield from self._block(node.orelse)

    def _while(self, node: ast.While) -> Iterator[str]:
        if node.orelse:
            raise NotImplementedError("while-else is not supported.")
        yield self._mark(node)
        yield f"while ({self._expressions.code(node.test)})"
        yield from self._block(node.body)

    def _for(self, node: ast.For, top: bool) -> Iterator[str]:
        if node.orelse or not isinstance(node.target, ast.Name):
            raise NotImplementedError("a for loop has one variable, and no else")
        start, stop, step = self._range(node.iter)
        self._count += 1
        it, end, by = (f"_{name}{self._count}" for name in ("it", "stop", "step"))
        name = spelled(node.target.id)
        if node.target.id not in self._expressions.locals:
            self._expressions.locals.add(node.target.id)
            self._hoisted.append(f"std::decay_t<decltype({code_of(stop)})> {name};")
        yield self._mark(node)
        kind = f"std::decay_t<decltype({code_of(stop)})>"
        ahead = f"{by} >= 0 ? {it} < {end} : {it} > {end}"
        begin = f"{kind} {it} = {code_of(start)}, {end} = {code_of(stop)}, {by} = {code_of(step)}"
        yield f"for ({begin}; {ahead}; {it} += {by})"
        yield "{"
        yield f"{name} = {it};"
        for each in node.body:
            yield from self._statement(each)
        yield "}"

    def _range(self, node: ast.expr) -> tuple[Value, Value, Value]:
        function = self._expressions.value(node.func) if isinstance(node, ast.Call) else None
        if not isinstance(node, ast.Call) or function not in (Constant(range), Constant(BUILTINS["range"])):
            raise NotImplementedError("for-loop is supported only for range iterator.")
        values = [*map(self._expressions.value, node.args)]
        if len(values) == 1:
            return Constant(0), values[0], Constant(1)
        return (values[0], values[1], values[2] if len(values) == 3 else Constant(1))

    def _annassign(self, node: ast.AnnAssign, top: bool) -> Iterator[str]:
        raise CapabilityError(f"annotated variables are not simulated; write the cast; line {self._line(node)}")

    def _augassign(self, node: ast.AugAssign) -> Iterator[str]:
        target, value = self._expressions.value(node.target), self._expressions.value(node.value)
        if isinstance(target, Constant):
            raise TypeError(f"Cannot augassign to {ast.unparse(node.target)}")
        yield self._mark(node)
        yield _assigned(code_of(target), code_of(self._expressions.operated(node.op, target, value)))

    def _assign(self, node: ast.Assign, top: bool) -> Iterator[str]:
        if len(node.targets) != 1:
            raise NotImplementedError("an assignment has one target")
        target = node.targets[0]
        yield self._mark(node)
        shared = self._shared(target, node.value)
        if shared:
            yield shared
            return
        value = self._expressions.value(node.value)
        if isinstance(target, ast.Tuple):
            yield from self._unpacked(target, value, top)
        else:
            yield self._stored(target, value, top)

    def _unpacked(self, target: ast.Tuple, value: Value, top: bool) -> Iterator[str]:
        if not isinstance(value, Items) or len(value.values) != len(target.elts):
            raise ValueError(f"{len(target.elts)} values are unpacked from a tuple of as many")
        names = []
        for each in value.values:
            self._count += 1
            names.append(f"_value{self._count}")
            if top:
                yield f"const auto {names[-1]} = {code_of(each)};"
            else:
                self._hoisted.append(f"std::decay_t<decltype({code_of(each)})> {names[-1]};")
                yield f"{names[-1]} = {code_of(each)};"
        for part, name in zip(target.elts, names, strict=True):
            yield self._stored(part, Code(name), top)

    def _stored(self, target: ast.expr, value: Value, top: bool) -> str:
        text = code_of(value)
        if isinstance(target, ast.Name) and target.id not in self._expressions.locals:
            self._expressions.locals.add(target.id)
            if isinstance(value, Code) and value.rank is not None:
                self._expressions.arrays[target.id] = value.rank
            if top:
                return f"std::decay_t<decltype({text})> {spelled(target.id)} = {text};"
            self._hoisted.append(f"std::decay_t<decltype({text})> {spelled(target.id)};")
        return _assigned(self._expressions.code(target), text)

    def _shared(self, target: ast.expr, node: ast.expr) -> str:
        """Return the declaration of shared memory; empty for another assignment."""
        if not isinstance(node, ast.Call) or self._expressions.value(node.func) != Constant(BUILTINS["shared_memory"]):
            return ""
        given = [self._expressions.value(each) for each in [*node.args, *[each.value for each in node.keywords]]]
        if not isinstance(target, ast.Name) or not all(isinstance(each, Constant) for each in given):
            raise TypeError("shared memory is x = jit.shared_memory(dtype, size); both are known when it is compiled")
        dtype, size = (each.value for each in given[:2] if isinstance(each, Constant))
        if not isinstance(size, int | None):
            raise TypeError(f"size of shared_memory must be integer or `None`; found {size!r}")
        self._expressions.locals.add(target.id)
        self._expressions.arrays[target.id] = 1
        kind = element_type(np.dtype(dtype))
        extent, first = ("", "extern ") if size is None else (size, "")
        return f"{first}__shared__ {kind} {spelled(target.id)}[{extent}];"


def _assigned(target: str, value: str) -> str:
    return f"{target} = accel_sim::same_kind<std::decay_t<decltype({target})>>({value});"


def _rawkernel(*, mode: str = "cuda", device: bool = False) -> Callable[[Callable[..., Any]], JitKernel]:
    """Return a decorator that makes a kernel of a function."""

    def decorate(function: Callable[..., Any]) -> JitKernel:
        kernel = JitKernel(function, mode, device)
        update_wrapper(kernel, function)
        return kernel

    return decorate


def jit_members() -> dict[str, Any]:
    """Return the members of `cupyx.jit`."""
    symbols = {name: Symbol(name) for name in ("threadIdx", "blockIdx", "blockDim", "gridDim")}
    return {"rawkernel": _rawkernel, **BUILTINS, **symbols, "warpsize": Symbol("warpSize")}
