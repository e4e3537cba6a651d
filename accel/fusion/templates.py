"""Templates: what the programs of regions depend on. Regions with equal templates have one program.

A template is made without the expressions of the program, and stands for it where compiled code is looked for.
"""

from collections.abc import Sequence
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from accel.dtypes import DType
from accel.fusion.blocks import Block, in_blocks
from accel.fusion.loops import Nest, Steps, Total, combined_quickly, in_rows, of_all, of_elements
from accel.fusion.scans import Carry, of_scans
from accel.ir import (
    INDEX,
    Assign,
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Expr,
    Extent,
    Guard,
    Load,
    Local,
    Logic,
    Number,
    Parameter,
    Program,
    Select,
    Site,
    Stmt,
    Store,
    Stride,
    Unary,
    of_type,
)
from accel.ir import View as Memories

__all__ = ["MANY", "NONE", "Accessed", "Stored", "Template", "Value", "pace_of", "program_of"]

NONE, ONE, MANY = range(3)
"""How far a place steps along an axis: not at all, by one, or as a parameter says."""


class Accessed(NamedTuple):
    """An access to memory.

    Attributes
    ----------
    dtype : numpy.dtype
        Of the elements.
    paces : tuple of int
        How far it steps along each axis.
    writes : bool
        Whether it writes.
    """

    dtype: DType
    paces: tuple[int, ...]
    writes: bool


class Value(NamedTuple):
    """What is computed for each index.

    Attributes
    ----------
    kind : str
        ``constant``, ``empty``, ``scalar``, ``position``, ``scan``, or that of an `Operation`.
    name : str
        Of a constant its text; of an operation its name, also of that of a scan.
    dtype : numpy.dtype
        Of the value.
    operands : tuple of int
        The numbers of the values that an operation needs; those that are read come first. The number of a scalar. Of a
        position whether it has a first index, and how far it steps along each axis.
    """

    kind: str
    name: str
    dtype: DType
    operands: tuple[int, ...] = ()


class Stored(NamedTuple):
    """A value that is stored, or reduced by an operation."""

    value: int
    op: Any
    dtype: DType


class Template(NamedTuple):
    """What a program depends on.

    Attributes
    ----------
    name : str
        Of the program.
    reduced : tuple of bool
        For each axis of the loop whether values are reduced along it.
    accesses : tuple of Accessed
        Reads first; then writes, in the order of what is stored.
    values : tuple of Value
        What is computed, operands first.
    stores : tuple of Stored
        What is stored.
    sites : tuple of Site
        In debug mode, what the guard of each access refers to.
    in_blocks : bool
        Whether one thread computes totals of neighbours together.
    scanned : int
        The axis of the loop along which elements are combined in order, or -1.
    """

    name: str
    reduced: tuple[bool, ...]
    accesses: tuple[Accessed, ...]
    values: tuple[Value, ...]
    stores: tuple[Stored, ...]
    sites: tuple[Site, ...]
    in_blocks: bool
    scanned: int = -1

    @property
    def key(self) -> str:
        """What stands for the program in later processes, as long as the code here is the same."""
        name, reduced, accesses, values, stores, _, in_blocks, scanned = self
        texts = [f"{_version()} {name} {reduced} {in_blocks} {scanned}"]
        texts += [f"access {_name(each.dtype)} {each.paces} {each.writes}" for each in accesses]
        texts += [f"{each.kind} {each.name} {_name(each.dtype)} {each.operands}" for each in values]
        texts += [f"store {each.value} {each.op} {_name(each.dtype)}" for each in stores]
        return "\n".join(texts)


def pace_of(step: int) -> int:
    """Return how far an index steps that is multiplied by a number."""
    return step if step in (NONE, ONE) else MANY


def program_of(template: Template, constants: Sequence[Any]) -> Program:
    """Return the program of a template, with the values of its constants."""
    return _Writer(template, constants).program()


class _Writer:
    def __init__(self, template: Template, constants: Sequence[Any]) -> None:
        self._template = template
        self._constants = iter(constants)
        self._indices = tuple([Local(f"i{axis}", INDEX) for axis in range(len(template.reduced))])
        self._sites = {site: number for number, site in enumerate(dict.fromkeys(template.sites))}
        self._integers = 2 * len(template.sites)
        self._scalars: dict[int, DType] = {}
        self._body: list[Stmt] = []
        self._carries: list[Carry] = []

    def program(self) -> Program:
        name, reduced, accesses, values, stores, sites, *_ = self._template
        reads = len(accesses) - len(stores)
        found = [self._assigned(self._load(number)) for number in range(reads)]
        for each in values:
            found.append(self._computed(each, found))
        totals: list[Total] = []
        for number, (value, op, dtype) in enumerate(stores, reads):
            at = self._at(number)
            store = partial(Store, f"m{number}", at, guard=self._guard(number, at))
            if op:
                totals.append(Total(op, found[value], dtype, store))
            else:
                self._body.append(store(found[value]))
        steps = self._steps(self._nest(totals))
        memories: list[Parameter] = [
            Memories(f"m{number}", each.dtype, len(reduced), each.writes) for number, each in enumerate(accesses)
        ]
        numbers = [Number(f"s{number}", dtype) for number, dtype in sorted(self._scalars.items())]
        integers = [Number(f"n{number}", INDEX) for number in range(self._integers)]
        parameters = *memories, *numbers, *integers
        key = "" if sites else self._template.key
        return Program(
            *(name, parameters, (), steps.steps, steps.frame, (), steps.arrays, tuple(self._sites)),
            debug=bool(sites),
            vector_math=True,
            key=key,
        )

    def _nest(self, totals: Sequence[Total]) -> Nest:
        reduced = self._template.reduced
        extents = tuple([Extent("m0", axis) for axis in range(len(reduced))])
        return Nest(self._indices, extents, reduced, tuple(self._body), tuple(totals))

    def _steps(self, nest: Nest) -> Steps:
        if self._carries:
            return of_scans(nest, self._template.scanned, self._carries)
        if not nest.totals:
            return of_elements(nest)
        if all(nest.reduced):
            return of_all(nest)
        return in_blocks(nest) if self._template.in_blocks else in_rows(nest)

    def _load(self, number: int) -> Load:
        at = self._at(number)
        return Load(f"m{number}", at, self._template.accesses[number].dtype, self._guard(number, at))

    def _at(self, number: int) -> Expr:
        terms: list[Expr] = []
        for axis, (index, pace) in enumerate(zip(self._indices, self._template.accesses[number].paces, strict=True)):
            if pace != NONE:
                terms.append(index if pace == ONE else Binary("mul", index, Stride(f"m{number}", axis), INDEX))
        return _sum(terms)

    def _guard(self, number: int, at: Expr) -> Guard | None:
        """Return the guard of an access: its element is one of those from the lowest to the highest of the memory."""
        if not self._sites:
            return None
        first, size = (Local(f"n{2 * number + place}", INDEX) for place in range(2))
        site = self._sites[self._template.sites[number]]
        return Guard(site, (Binary("add", at, first, INDEX),), (size,), Const(0, INDEX))

    def _assigned(self, expression: Expr) -> Expr:
        if isinstance(expression, Const | Local):
            return expression
        local = Local(f"v{len(self._body)}", of_type(expression))
        self._body.append(Assign(local, expression))
        return local

    def _computed(self, value: Value, found: Sequence[Expr]) -> Expr:
        kind, name, dtype, operands = value
        if kind == "constant":
            return Const(next(self._constants), dtype)
        if kind == "empty":
            return Const(dtype.type(0).item(), dtype)
        if kind == "scalar":
            self._scalars[operands[0]] = dtype
            return Local(f"s{operands[0]}", dtype)
        if kind == "position":
            return self._assigned(self._position(*operands))
        if kind == "scan":
            return self._combined(name, found[operands[0]], dtype)
        return self._assigned(_operation(kind, name, dtype, [found[each] for each in operands]))

    def _combined(self, op: Any, value: Expr, dtype: DType) -> Expr:
        """Return the elements up to one, of which the value is given, after the statements that combine them."""
        block = Block.of(self._nest(())) if self._template.in_blocks else None
        carry = Carry(Local(f"c{len(self._carries)}", dtype), op, block)
        self._carries.append(carry)
        combined = self._assigned(combined_quickly(op, self._assigned(carry.element), value, dtype))
        self._body.append(carry.set(combined))
        return combined

    def _position(self, first: int, *paces: int) -> Expr:
        terms: list[Expr] = [self._integer()] if first else []
        for index, pace in zip(self._indices, paces, strict=True):
            if pace != NONE:
                terms.append(index if pace == ONE else Binary("mul", index, self._integer(), INDEX))
        return _sum(terms)

    def _integer(self) -> Local:
        self._integers += 1
        return Local(f"n{self._integers - 1}", INDEX)


def _sum(terms: Sequence[Expr]) -> Expr:
    if not terms:
        return Const(0, INDEX)
    total = terms[0]
    for term in terms[1:]:
        total = Binary("add", total, term, INDEX)
    return total


def _operation(kind: str, name: Any, dtype: DType, operands: list[Expr]) -> Expr:  # noqa: PLR0911 - one for each kind
    if kind == "unary":
        return Unary(name, operands[0], dtype)
    if kind == "binary":
        return Binary(name, operands[0], operands[1], dtype)
    if kind == "compare":
        return Compare(name, operands[0], operands[1])
    if kind == "logic":
        return Logic(name, operands[0], operands[1])
    if kind == "select":
        return Select(operands[0], operands[1], operands[2], dtype)
    if kind == "cast":
        return Cast(operands[0], dtype)
    return Call(name, tuple(operands), dtype)


@cache
def _name(dtype: DType) -> str:
    return dtype.name


@cache
def _version() -> str:
    """Return a checksum of the files that say which program a template has."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return sha256(b"".join([file.read_bytes() for file in files])).hexdigest()
