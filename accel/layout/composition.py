"""Composition: the layout, if there is one, of the function c -> A(B(c)).

A fast rule composes the leaves of B one by one. Where it does not apply, the table of values decides. This is exact: in
a layout with the modes of B, the value at a coordinate is the sum of the values of its leaves.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, product
from operator import lt, mul
from typing import Any, NamedTuple, Protocol

from accel.errors import LayoutError
from accel.layout.coordinates import Leaf, evaluated
from accel.layout.int_tuple import IntTuple, rebuilt, refuse_vast
from accel.layout.notation import written

__all__ = ["CAP", "Step", "coalesced", "compose", "factored", "split", "unbounded"]

CAP = 1 << 16
"""The most elements of B for which the table of values is examined."""

_NOTHING = ((0, 0),)


class Nested(Protocol):
    """What composition needs of a layout: a shape and leaves."""

    @property
    def shape(self) -> Any:
        """The extents."""
        ...

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """Extent and stride of each leaf."""
        ...


class Step(NamedTuple):
    """What the fast rule did with a leaf of B at one mode of A.

    Attributes
    ----------
    mode : int
        The mode of the coalesced A.
    leaf : Leaf
        What remained of B's leaf before this step.
    emitted : Leaf or None
        The leaf of the result; None if the mode is skipped.
    digit : int
        The largest coordinate of the mode that the leaf reaches.
    """

    mode: int
    leaf: Leaf
    emitted: Leaf | None
    digit: int


def coalesced(leaves: Sequence[Leaf]) -> tuple[Leaf, ...]:
    """Return the fewest leaves with the same values: no extent of 1, and no s0:d0, s1:d1 with s0 d0 = d1.

    The result has no leaves for one element, and the leaf 0:0 for none.
    """
    merged: list[Leaf] = []
    for extent, stride in leaves:
        if extent == 1:
            continue
        if extent == 0:
            return _NOTHING
        if merged and merged[-1][0] * merged[-1][1] == stride:
            merged[-1] = merged[-1][0] * extent, merged[-1][1]
        else:
            merged.append((extent, stride))
    return tuple(merged)


def unbounded(leaves: Sequence[Leaf]) -> tuple[Leaf, ...]:
    """Return the fewest leaves with the same value at every integer, also beyond the size.

    Beyond the size the last leaf continues, even if its extent is 1, so its stride is kept here.
    """
    merged = coalesced(leaves)
    if not leaves or leaves[-1][0] != 1 or merged == _NOTHING:
        return merged
    continues = merged and merged[-1][0] * merged[-1][1] == leaves[-1][1]
    return merged if continues else (*merged, leaves[-1])


def compose(a: Nested, b: Nested) -> tuple[IntTuple, IntTuple, tuple[Leaf, ...]]:
    """Return shape, stride and leaves of R with R(c) = A(B(c)) for all c; the modes of R have the sizes of those of B.

    Raises
    ------
    LayoutError
        If there is no such layout.
    """
    outer = unbounded(a.leaves)
    if outer == _NOTHING and 0 not in [extent for extent, _ in b.leaves]:
        raise LayoutError(f"composition {a} o {b}: the first has no elements")
    parts = by_rule(outer, b.leaves)
    if parts is None:
        parts = _by_table(a, outer, b)
    shape, stride = _assembled(b.shape, iter(parts))
    if isinstance(shape, tuple):
        refuse_vast(shape)
    return shape, stride, tuple(chain.from_iterable(parts))


def by_rule(outer: Sequence[Leaf], inner: Sequence[Leaf]) -> list[list[Leaf]] | None:
    """Return the leaves that each leaf of B becomes by the fast rule, or None if the rule does not apply."""
    parts = []
    reached = [0] * len(outer)
    for leaf in inner:
        emitted = split(outer, leaf, reached)
        if emitted is None:
            return None
        parts.append(emitted)
    # The leaves are independent if their largest coordinates add up without a carry in every mode of A.
    independent = len(inner) < 2 or all(map(lt, reached, [extent for extent, _ in outer[:-1]]))
    return parts if independent else None


def split(outer: Sequence[Leaf], leaf: Leaf, reached: list[int], steps: list[Step] | None = None) -> list[Leaf] | None:
    """Return the leaves that one leaf of B becomes, or None if the fast rule does not apply.

    Parameters
    ----------
    outer : sequence of Leaf
        A, coalesced.
    leaf : Leaf
        The leaf of B.
    reached : list of int
        For each mode of A, the sum of the largest coordinates that the leaves of B reach; updated.
    steps : list of Step, optional
        The steps are appended here.
    """
    extent, stride = leaf
    if extent < 2 or not stride or not outer:
        return [(extent, 0)]
    emitted: list[Leaf] = []
    last = len(outer) - 1
    for mode, (size, step) in enumerate(outer):
        digit = (extent - 1) * stride if mode == last else _digit(extent, stride, size)
        if digit is None:
            return None
        if digit:
            count = digit // stride + 1
            emitted.append((count, stride * step))
            reached[mode] += digit
        if steps is not None:
            steps.append(Step(mode, (extent, stride), emitted[-1] if digit else None, digit))
        if not digit:
            stride //= size
        elif count == extent:
            break
        else:
            extent, stride = extent // count, 1
    return emitted


def _digit(extent: int, stride: int, size: int) -> int | None:
    """Return the largest coordinate of a mode that a leaf reaches: 0 if it skips the mode, None if the rule fails."""
    if stride < 0:
        return None
    if stride >= size:
        return None if stride % size else 0
    if (extent - 1) * stride < size:
        return (extent - 1) * stride
    return None if size % stride or extent % (size // stride) else size - stride


def factored(table: Sequence[int]) -> list[Leaf] | int:
    """Return the coalesced leaves with these values, or the first index at which no layout has them.

    A leaf ends where the values no longer continue with its stride; the number of values up to there must divide the
    size.
    """
    leaves: list[Leaf] = []
    place, size = 1, len(table)
    while place < size:
        step, count = table[place], 1
        wrong = size
        while count * place < size and wrong == size:
            start = count * place
            wrong = next((start + i for i in range(place) if table[start + i] != count * step + table[i]), size)
            count += wrong == size
        if count == 1 or size // place % count:
            return wrong
        leaves.append((count, step))
        place *= count
    return leaves


def _by_table(a: Nested, outer: Sequence[Leaf], b: Nested) -> list[list[Leaf]]:
    size = math.prod([extent for extent, _ in b.leaves])
    if size > CAP:
        raise LayoutError(
            f"composition {a} o {b}: the fast rule does not apply, and the table has {size} values, of which at most "
            f"{CAP} are examined; compose mode by mode"
        )
    for extent, stride in b.leaves:
        if stride < 0 and extent > 1:
            raise LayoutError(
                f"composition {a} o {b}: {b} goes to negative coordinates, where {a} has no values, because it is "
                f"not a single stride; reverse the strides of the first layout instead"
            )
    tables = [[evaluated(outer, i * stride) for i in range(extent)] for extent, stride in b.leaves]
    factors = [factored(table) for table in tables]
    _raise_at_first_wrong(a, outer, b, tables, _first_wrong(factors, b.leaves))
    return [leaves or [(extent, 0)] for leaves, (extent, _) in zip(factors, b.leaves, strict=True)]  # type: ignore[misc]


def _first_wrong(factors: Sequence[list[Leaf] | int], leaves: Sequence[Leaf]) -> int | None:
    """Return the integer coordinate of the first value that is impossible because of a single leaf."""
    places = accumulate([extent for extent, _ in leaves], mul, initial=1)
    wrong = [place * index for index, place in zip(factors, places, strict=False) if isinstance(index, int)]
    return min(wrong, default=None)


def _raise_at_first_wrong(
    a: Nested, outer: Sequence[Leaf], b: Nested, tables: Sequence[Sequence[int]], wrong: int | None
) -> None:
    """Raise `LayoutError` at the first coordinate whose value no layout can have; return if there is none."""
    inner = [[i * stride for i in range(extent)] for extent, stride in b.leaves]
    values = zip(_sums(inner), _sums(tables), strict=True)
    for i, (where, expected) in enumerate(values):
        value = evaluated(outer, where)
        if i == wrong:
            raise LayoutError(_wrong_leaf(a, b, tables, i))
        if value != expected:
            raise LayoutError(
                f"composition {a} o {b} is no layout: at coordinate {_as_text(_natural(i, b.leaves), b)} it is "
                f"{value}, and the sum over its leaves is {expected}, because together they carry from one "
                f"mode of {a} into the next; compose mode by mode, or with extents that stay below those of the modes"
            )


def _wrong_leaf(a: Nested, b: Nested, tables: Sequence[Sequence[int]], i: int) -> str:
    coordinate = _natural(i, b.leaves)
    leaf = max(k for k, digit in enumerate(coordinate) if digit)
    (extent, stride), table = b.leaves[leaf], tables[leaf]
    works = next(n for n in range(coordinate[leaf], 0, -1) if not isinstance(factored(table[:n]), int))
    return (
        f"composition {a} o {b} is no layout: at coordinate {_as_text(coordinate, b)} it is {table[coordinate[leaf]]}, "
        f"which no layout of extent {extent} has there; {works}:{stride} in the place of leaf {leaf}, "
        f"{extent}:{stride}, works"
    )


def _sums(tables: Sequence[Sequence[int]]) -> Iterator[int]:
    """Yield the sums of one value from each table; the first table varies fastest."""
    return (sum(values) for values in product(*reversed(tables)))


def _natural(i: int, leaves: Sequence[Leaf]) -> tuple[int, ...]:
    digits = []
    for extent, _ in leaves:
        i, digit = divmod(i, extent)
        digits.append(digit)
    return tuple(digits)


def _as_text(coordinate: tuple[int, ...], b: Nested) -> str:
    """Return a coordinate as text, nested as the shape of its layout."""
    return written(rebuilt(iter(coordinate), b.shape))


def _assembled(shape: IntTuple, parts: Iterator[list[Leaf]]) -> tuple[IntTuple, IntTuple]:
    if isinstance(shape, int):
        leaves = next(parts)
        if len(leaves) == 1:
            return leaves[0]
        return tuple([extent for extent, _ in leaves]), tuple([stride for _, stride in leaves])
    pairs = [_assembled(part, parts) for part in shape]
    return tuple([extents for extents, _ in pairs]), tuple([strides for _, strides in pairs])
