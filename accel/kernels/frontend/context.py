"""The state of lowering: a `Unit` for the whole program, and an `Activation` for each function that it calls."""

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from accel.dtypes import DType
from accel.errors import AccelError, DTypeError, KernelSyntaxError
from accel.ir import Array, Assign, Const, Expr, Extent, Guard, Local, Mark, Site, Stmt, Stride
from accel.kernels.frontend.function_source import FunctionSource
from accel.kernels.frontend.hints import of_name
from accel.kernels.frontend.objects import entity_of_object
from accel.kernels.frontend.promotion import converted, joined
from accel.kernels.frontend.values import Entity, Value, mapped

__all__ = ["Activation", "Unit", "Unusable", "assigns"]

_Type = tuple[DType, bool]


class Unit:
    """A program that is being lowered.

    The types of variables are found by lowering again until no assignment changes one. They are kept from one pass to
    the next; all else begins anew.

    Attributes
    ----------
    debug : bool
        Whether accesses get guards.
    finds_nan : bool
        Whether writes of NaN are failures too.
    marked : bool
        Whether the lines of statements are counted.
    assigned : str
        The name to which the expression that is being lowered is assigned; empty if there is none.
    types : dict
        The type of each variable, and whether it is weak.
    temporaries : dict
        The same for temporaries, which are assigned once and are others in each pass.
    declared : dict
        The dtype of each variable that has an annotation.
    changed : bool
        Whether this pass has found another type for a variable.
    block : list of Stmt
        Where statements are appended.
    inline : callable
        Lowers a call of a function.
    fixed : set of str
        The parameters and variables that are not assigned any more.
    """

    def __init__(
        self,
        debug: bool,
        types: dict[str, _Type],
        names: Iterable[str],
        inline: Callable[..., Entity],
        finds_nan: bool = False,
        marked: bool = False,
    ) -> None:
        self.debug = debug
        self.finds_nan = finds_nan
        self.marked = marked
        self.assigned: str = ""
        self.types = types
        self.temporaries: dict[str, _Type] = {}
        self.declared: dict[str, DType] = {}
        self.changed: bool = False
        self.block: list[Stmt] = []
        self.sites: dict[Site, int] = {}
        self.arrays: list[Array] = []
        self.written: set[str] = set()
        self.captured: dict[tuple[FunctionSource, str], Any] = {}
        self.explicit = False
        self.inline: Callable[..., Entity] = inline
        self.fixed: set[str] = set(names)
        self._names = set(names)

    def name(self, base: str) -> str:
        """Return a name that no other variable or parameter has."""
        name, count = base, 1
        while name in self._names:
            count += 1
            name = f"{base}_{count}"
        self._names.add(name)
        return name

    def local(self, name: str) -> Value:
        """Return a variable or a temporary."""
        dtype, weak = self.temporaries.get(name) or self.types[name]
        return Value(Local(name, dtype), weak)

    def assign(self, name: str, value: Value) -> None:
        """Append an assignment; the type of the variable comes to hold the value too.

        Raises
        ------
        DTypeError
            If there is no such type, or an annotation says another one.
        """
        if name in self.temporaries:
            dtype = self.temporaries[name][0]
            self.block.append(Assign(Local(name, dtype), converted(value, dtype).expr))
            return
        number_type = value.dtype, value.weak
        previous = self.types.get(name)
        common = number_type if previous is None else joined(previous, number_type)
        declared = self.declared.get(name, common[0])
        if common[0] != declared:
            raise DTypeError(
                f"{name} is annotated as {declared.name}, and is assigned a value of {value.dtype.name}; convert it, "
                f"or leave the annotation out"
            )
        if common != previous:
            self.types[name] = common
            self.changed = True
        self.block.append(Assign(Local(name, common[0]), converted(value, common[0]).expr))

    def keep(self, value: Value) -> Value:
        """Return a value that can be evaluated again, and stays the same."""
        if isinstance(value.expr, Const | Extent | Stride):
            return value
        if isinstance(value.expr, Local) and value.expr.name in self.fixed:
            return value
        name = self.temporary_name(value.dtype, value.weak)
        self.block.append(Assign(Local(name, value.dtype), value.expr))
        self.fixed.add(name)
        return self.local(name)

    def evaluated(self, x: Entity, needed: Callable[[Expr], bool] = lambda _: True) -> Entity:
        """Return an entity whose numbers are evaluated here, if a condition holds for their expressions."""
        return mapped(lambda value: self.keep(value) if needed(value.expr) else value, x)

    def temporary_name(self, dtype: DType, weak: bool) -> str:
        """Return the name of a new temporary, which is yet to be assigned."""
        name = self.name("temp")
        self.temporaries[name] = dtype, weak
        return name

    def temporary(self, expr: Expr) -> Expr:
        """Return an expression that can be evaluated again, and stays the same."""
        return self.keep(Value(expr)).expr

    @contextmanager
    def into(self, block: list[Stmt]) -> Iterator[list[Stmt]]:
        """Append statements to another list meanwhile."""
        before, self.block = self.block, block
        try:
            yield block
        finally:
            self.block = before

    @contextmanager
    def naming(self, name: str) -> Iterator[None]:
        """Name the arrays that are made meanwhile after what they are assigned to."""
        before, self.assigned = self.assigned, name
        try:
            yield
        finally:
            self.assigned = before

    def site(self, what: str, parameter: str, calls: tuple[tuple[str, str, int], ...]) -> int:
        """Return the number of a site."""
        return self.sites.setdefault(Site(what, parameter, calls), len(self.sites))


class Activation:
    """A function that is being lowered: the kernel, or a function that it calls, for one call.

    Attributes
    ----------
    unit : Unit
        The program.
    source : FunctionSource
        The function.
    names : dict
        What each name stands for: an entity, the name of a variable as a str, or a group of these.
    variables : dict
        The variable for each name that has one.
    assigned, once : dict, set
        How often each name is assigned in the source, and the names that are assigned in one place only.
    calls : tuple of (FunctionSource, int)
        The callers, and the line of each call.
    loops : int
        How many loops of this function are around the current statement.
    leaving : str
        The variable that a ``break`` sets, as it leaves several loops at once; empty if it leaves one.
    returned : object
        What the function returns, as in `names`; None before the first ``return``.
    flag : str
        The variable that tells whether the function has returned from within a loop; empty if there is none.
    parallel : bool
        Whether the statements are those of an iteration of a parallel loop.
    outer : set of str
        The names that such a loop must not assign.
    """

    def __init__(self, unit: Unit, source: FunctionSource, calls: tuple[tuple[FunctionSource, int], ...] = ()) -> None:
        self.unit = unit
        self.source = source
        self.names: dict[str, Any] = {}
        self.variables: dict[str, str] = {}
        self.assigned: dict[str, int] = _assigned(source.tree)
        parameters = {each.name for each in source.parameters}
        self.once: set[str] = {name for name, count in self.assigned.items() if count == 1} - parameters
        self.calls = calls
        self.loops = 0
        self.leaving = ""
        self.returned: Any = None
        self.flag = ""
        self.parallel = False
        self.outer: frozenset[str] = frozenset()

    def error(self, node: ast.AST, message: str) -> KernelSyntaxError:
        """Return the error for a node, with the calls that lead to it."""
        error = self.source.error(node, message)
        for source, line in reversed(self.calls):
            error.add_note(f"called from {source.name} ({source.file}:{line})")
        return error

    @contextmanager
    def at(self, node: ast.AST) -> Iterator[None]:
        """Turn errors about types into errors at a node."""
        try:
            yield
        except SyntaxError:
            raise
        except (AccelError, TypeError, ValueError, OverflowError, IndexError) as error:
            raise self.error(node, str(error)) from None

    def stack(self, node: ast.AST) -> tuple[tuple[str, str, int], ...]:
        """Return the function, file and line of each call down to a node."""
        above = [(source.name, source.file, line) for source, line in self.calls]
        return (*above, (self.source.name, self.source.file, node.lineno))  # type: ignore[attr-defined]

    def site(self, node: ast.AST, what: str, parameter: str = "") -> int:
        """Return the number of the site of a node."""
        return self.unit.site(what, parameter, self.stack(node))

    def mark(self, node: ast.stmt) -> None:
        """Let the line of a statement be counted, if lines are; a docstring is no statement."""
        if self.unit.marked and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            self.unit.block.append(Mark(self.source.file, node.lineno))

    def guard(
        self, node: ast.AST, what: str, parameter: str, indices: list[Expr], extents: list[Expr], offset: Expr
    ) -> Guard | None:
        """Return the guard of an access; None if there are none in this program."""
        if not self.unit.debug:
            return None
        return Guard(self.site(node, what, parameter), tuple(indices), tuple(extents), offset)

    def find(self, node: ast.Name) -> Entity:
        """Return what a name stands for, of which numbers may be the names of variables."""
        entity = self.names.get(node.id, None)
        if isinstance(entity, Unusable):
            raise self.error(node, f"{node.id} {entity.why}")
        if entity is not None:
            return entity
        if node.id in self.assigned:
            raise self.error(node, f"{node.id} is not assigned on every path that leads here; assign it before")
        try:
            value = self.source.resolve(node.id)
        except KeyError:
            raise self.error(node, f"the name {node.id} is not defined{of_name(node.id)}") from None
        self.unit.captured[self.source, node.id] = value
        with self.at(node):
            return entity_of_object(value)

    def variable(self, name: str) -> str:
        """Return the variable for a name of this function, or for a part of it, as in ``p.0``."""
        if name not in self.variables:
            self.variables[name] = self.unit.name(name.replace(".", "_"))
        return self.variables[name]


class Unusable:
    """The entity of a name that stands for different things on the paths that lead here."""

    def __init__(self, why: str) -> None:
        self.why = why


def assigns(body: Sequence[ast.stmt], name: str) -> bool:
    """Tell whether statements assign a name."""
    nodes = [each for statement in body for each in ast.walk(statement)]
    return any(isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store) for each in nodes)


def _assigned(tree: ast.FunctionDef) -> dict[str, int]:
    counts: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            counts[node.id] = counts.get(node.id, 0) + 1
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            counts[node.target.id] = counts.get(node.target.id, 0) + 1
    return counts
