"""`cupy.vectorize`: a function of Python on elements becomes a kernel, with the lines of the Python file."""

import ast
import builtins
import inspect
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from accel.dtypes import DType
from accel.errors import CapabilityError
from accel.testing.cupy_simulation.elementwise import ElementwiseKernel
from accel.testing.cupy_simulation.jit import JitKernel
from accel.testing.cupy_simulation.jit_expressions import spelled
from accel.testing.cupy_simulation.jit_members import Constant
from accel.testing.cupy_simulation.text_parameters import element_type
from accel.testing.cupy_simulation.typed_expressions import Typed, TypedExpressions, cast, typed
from accel.xp.arrays import Array

__all__ = ["vectorize"]

_INCLUDE = "#include <accel_sim/cupy_jit.h>"


class vectorize:  # noqa: N801 - CuPy's name
    """Stands for `cupy.vectorize`: a function of Python that is called for each element, as a kernel.

    Parameters
    ----------
    pyfunc : callable
        The function.
    otypes, excluded, signature
        Refused, as CuPy does.
    doc : str, optional
        By default that of the function.
    cache
        Of no effect.
    """

    def __init__(
        self,
        pyfunc: Callable[..., Any],
        otypes: Any = None,
        doc: str | None = None,
        excluded: Any = None,
        cache: bool = False,
        signature: Any = None,
    ) -> None:
        if otypes is not None:
            raise NotImplementedError("cupy.vectorize finds the types of results itself; leave out otypes=")
        for name, value in (("excluded", excluded), ("signature", signature)):
            if value is not None:
                raise NotImplementedError(f"cupy.vectorize does not support `{name}` option currently.")
        self.pyfunc, self.otypes, self.excluded, self.cache, self.signature = pyfunc, None, None, cache, None
        self.__doc__ = pyfunc.__doc__ if doc is None else doc
        self._kernels: dict[tuple[DType, ...], ElementwiseKernel] = {}

    def __call__(self, *args: Any) -> Any:
        """Call the function for each element of the arrays, which are broadcast.

        Raises
        ------
        TypeError, NotImplementedError, CapabilityError
            If elements have no such operation.
        """
        dtypes = tuple([_dtype_of(each) for each in args])
        kernel = self._kernels.get(dtypes)
        if kernel is None:
            kernel = self._kernels.setdefault(dtypes, _kernel(self.pyfunc, dtypes))
        return kernel(*args)


def _dtype_of(value: Any) -> DType:
    if isinstance(value, Array | np.generic):
        return value.dtype
    if isinstance(value, bool | int | float | complex):
        return typed(Constant(value)).dtype
    raise TypeError(f"Unsupported type {type(value)}: write cupy.asarray(x)")


def _kernel(function: Any, dtypes: Sequence[DType]) -> ElementwiseKernel:
    functions: dict[Any, tuple[str, str, list[DType]]] = {}
    name, results = _function(function, dtypes, functions)
    inputs = ", ".join([f"{dtype} in{place}" for place, dtype in enumerate(dtypes)])
    outputs = ", ".join([f"{dtype} out{place}" for place, dtype in enumerate(results)])
    given = [*[f"in{place}" for place in range(len(dtypes))], *[f"out{place}" for place in range(len(results))]]
    preamble = "\n".join([_INCLUDE, *[text for _, text, _ in functions.values()]])
    return ElementwiseKernel(inputs, outputs, f"{name}({', '.join(given)})", f"vectorized_{name}", preamble=preamble)


def _function(
    function: Any, dtypes: Sequence[DType], functions: dict[Any, tuple[str, str, list[DType]]]
) -> tuple[str, list[DType]]:
    """Return the name of a function for devices for some types, and the types of its results; it writes to these.

    The functions that were translated so far, and in which order, are in a dictionary.
    """
    key = function, tuple(dtypes)
    if key not in functions:
        body = _Body(function, dtypes, functions)
        lines = [*body.lines()]
        if not body.results:
            raise TypeError("Invalid return type: void")
        name = f"function_{len(functions)}"
        taken = [f"{element_type(dtype)} {spelled(each)}" for each, dtype in zip(body.names, dtypes, strict=True)]
        given = [f"{element_type(dtype)}& _result{place}" for place, dtype in enumerate(body.results)]
        head = f"__device__ void {name}({', '.join([*taken, *given])}) {{"
        variables = [f"{element_type(dtype)} {spelled(each)}{{}};" for each, dtype in body.variables.items()]
        functions[key] = name, "\n".join([head, *variables, *lines, "}"]), body.results
    name, _, results = functions[key]
    return name, results


class _Body:
    """Translates the statements of a function for arguments of some types.

    Attributes
    ----------
    names : list of str
        The parameters.
    variables : dict of str to DType
        The variables that it sets.
    results : list of DType
        The types of what it returns.
    """

    def __init__(self, function: Any, dtypes: Sequence[DType], functions: dict[Any, Any]) -> None:
        self._tree, self._first = _source(function)
        parameters = self._tree.args
        if parameters.defaults or parameters.kwonlyargs or parameters.vararg or parameters.kwarg:
            raise NotImplementedError("Default values are not supported currently.")
        self.names = [each.arg for each in parameters.args]
        if len(self.names) != len(dtypes):
            name = getattr(function, "__name__", "function")
            raise TypeError(f"{name}() takes {len(self.names)} positional arguments but {len(dtypes)} were given.")
        closure = inspect.getclosurevars(function)
        self._functions, self._file = functions, inspect.getsourcefile(function) or "<function>"
        self._at = TypedExpressions({**vars(builtins), **closure.globals, **closure.nonlocals}, self._called)
        self._at.locals.update(zip(self.names, dtypes, strict=True))
        self.variables: dict[str, DType] = {}
        self.results: list[DType] = []
        self._count = 0

    def lines(self) -> Iterator[str]:
        """Yield the statements in CUDA."""
        if isinstance(self._tree, ast.Lambda):
            yield from self._returned(self._tree.body, self._tree)
        else:
            yield from self._all(self._tree.body)

    def _called(self, function: Any, arguments: list[Typed]) -> Typed | None:
        if not isinstance(function, JitKernel) or not function._device:
            return None
        name, results = _function(function._function, [each.dtype for each in arguments], self._functions)
        if len(results) != 1:
            raise CapabilityError(f"{function._function.__name__} returns {len(results)} values; one can be used here")
        kind, given = element_type(results[0]), ", ".join([each.text for each in arguments])
        return Typed(f"[&] {{ {kind} _value{{}}; {name}({given}, _value); return _value; }}()", results[0])

    def _all(self, body: Sequence[ast.stmt]) -> Iterator[str]:
        for statement in body:
            method = getattr(self, f"_{type(statement).__name__.lower()}", None)
            if method is None:
                line = self._first + statement.lineno - 1
                kind = type(statement).__name__
                raise CapabilityError(f"functions of cupy.vectorize have no statement {kind}; found one in line {line}")
            yield from method(statement)

    def _mark(self, node: ast.AST) -> str:
        name = self._file.replace("\\", r"\\").replace('"', r"\"")
        return f'#line {self._first + getattr(node, "lineno", 1) - 1} "{name}"'

    def _test(self, node: ast.expr) -> str:
        return cast(self._at.typed(node), np.dtype(np.bool_))

    def _expr(self, node: ast.Expr) -> Iterator[str]:
        if not isinstance(node.value, ast.Constant):  # a docstring
            yield self._mark(node)
            yield f"(void)({self._at.typed(node.value).text});"

    def _pass(self, node: ast.Pass) -> Iterator[str]:
        yield ";"

    def _break(self, node: ast.Break) -> Iterator[str]:
        yield "break;"

    def _continue(self, node: ast.Continue) -> Iterator[str]:
        yield "continue;"

    def _return(self, node: ast.Return) -> Iterator[str]:
        if node.value is None:
            raise TypeError("Invalid return type: void")
        yield from self._returned(node.value, node)

    def _returned(self, value: ast.expr, node: ast.AST) -> Iterator[str]:
        values = [self._at.typed(each) for each in (value.elts if isinstance(value, ast.Tuple) else [value])]
        dtypes = [each.dtype for each in values]
        self.results = self.results or dtypes
        if self.results != dtypes:
            kinds = [" and ".join(map(str, each)) for each in (self.results, dtypes)]
            raise ValueError(f"Failed to infer the return type: {kinds[0]} or {kinds[1]}; write a cast")
        yield self._mark(node)
        yield "{"
        yield from [f"_result{place} = {each.text};" for place, each in enumerate(values)]
        yield "return;"
        yield "}"

    def _if(self, node: ast.If) -> Iterator[str]:
        yield self._mark(node)
        yield f"if ({self._test(node.test)}) {{"
        yield from self._all(node.body)
        yield "} else {"
        yield from self._all(node.orelse)
        yield "}"

    def _while(self, node: ast.While) -> Iterator[str]:
        if node.orelse:
            raise NotImplementedError("while-else is not supported.")
        yield self._mark(node)
        yield f"while ({self._test(node.test)}) {{"
        yield from self._all(node.body)
        yield "}"

    def _for(self, node: ast.For) -> Iterator[str]:
        call = node.iter
        if not isinstance(call, ast.Call) or self._at.value(call.func) != Constant(range) or node.orelse:
            raise NotImplementedError("for-loop is supported only for range iterator.")
        if not isinstance(node.target, ast.Name):
            raise NotImplementedError("Tuple is not supported for loop counter.")
        ends = [self._at.typed(each) for each in call.args]
        zero, one = (typed(Constant(number)) for number in (0, 1))
        ends = [zero, *ends, one] if len(ends) == 1 else [*ends, one][:3]
        dtype = np.result_type(*[each.dtype for each in ends])
        self._count += 1
        names = [f"_{name}{self._count}" for name in ("at", "stop", "step")]
        at, stop, step = names
        values = ", ".join([f"{name} = {cast(each, dtype)}" for name, each in zip(names, ends, strict=True)])
        yield self._mark(node)
        yield f"for ({element_type(dtype)} {values}; {step} >= 0 ? {at} < {stop} : {at} > {stop}; {at} += {step}) {{"
        yield self._set(node.target, Typed(at, dtype))
        yield from self._all(node.body)
        yield "}"

    def _assign(self, node: ast.Assign) -> Iterator[str]:
        if len(node.targets) != 1:
            raise NotImplementedError("an assignment has one target")
        target = node.targets[0]
        yield self._mark(node)
        if not isinstance(target, ast.Tuple):
            yield self._set(target, self._at.typed(node.value))
            return
        if not isinstance(node.value, ast.Tuple) or len(node.value.elts) != len(target.elts):
            raise ValueError("several variables are set from a tuple of as many values")
        values = [self._at.typed(each) for each in node.value.elts]
        self._count += 1
        kept = [Typed(f"_kept{self._count}_{place}", each.dtype) for place, each in enumerate(values)]
        yield "{"
        pairs = zip(kept, values, strict=True)
        yield from [f"const {element_type(each.dtype)} {name.text} = {each.text};" for name, each in pairs]
        yield from [self._set(part, each) for part, each in zip(target.elts, kept, strict=True)]
        yield "}"

    def _augassign(self, node: ast.AugAssign) -> Iterator[str]:
        yield self._mark(node)
        yield self._set(node.target, typed(self._at.operated(node.op, *map(self._at.value, (node.target, node.value)))))

    def _set(self, target: ast.expr, value: Typed) -> str:
        """Return the assignment to a variable, which has the type of the first."""
        if not isinstance(target, ast.Name):
            raise CapabilityError(f"functions of cupy.vectorize assign to variables; found {ast.unparse(target)}")
        dtype = self._at.locals.get(target.id)
        if dtype is None:
            dtype = self._at.locals[target.id] = self.variables[target.id] = value.dtype
        if not np.can_cast(value.dtype, dtype, "same_kind"):
            raise TypeError(f"Cannot cast from '{value.dtype}' to {dtype} with casting rule same_kind.")
        return f"{spelled(target.id)} = {cast(value, dtype)};"


def _source(function: Any) -> tuple[Any, int]:
    """Return the tree of a function or lambda, and the line at which its text begins.

    Raises
    ------
    TypeError
        If it is written in another language.
    ValueError
        If several functions begin on its line.
    """
    lines, first = inspect.getsourcelines(function)
    text = textwrap.dedent("".join(lines))
    if function.__name__ != "<lambda>":
        tree = ast.parse(text).body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise CapabilityError("functions of cupy.vectorize are written with def or lambda")
        return tree, first
    found = [node for node in ast.walk(_parsed(text)) if isinstance(node, ast.Lambda)]
    same = [
        node for node in found if [each.arg for each in node.args.args] == [*inspect.signature(function).parameters]
    ]
    if len(same) != 1:
        raise ValueError(
            f"line {first} has {len(same)} lambdas with the parameters of the function: write each on a line of its own"
        )
    return same[0], first


def _parsed(text: str) -> ast.AST:
    """Return the tree of lines that may begin or end within a statement."""
    for end in range(len(text), 0, -1):
        for head in (text[:end], f"({text[:end]})"):
            try:
                return ast.parse(head)
            except SyntaxError:
                continue
    raise ValueError("the text of the lambda is not found")
