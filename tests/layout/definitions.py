"""Layouts as tables of integers, computed from the mathematical definitions without the library.

A layout is any object with a ``shape`` and a ``stride``. Undefined values are None.
"""

import ast
from itertools import product
from math import prod
from typing import Any, NamedTuple


class Plain(NamedTuple):
    """A layout without operations."""

    shape: Any
    stride: Any

    def __str__(self):
        return f"{self.shape}:{self.stride}"


def nested(text):
    """Read a nested tuple: ``(4)`` is a tuple of one, ``_`` is None."""
    return ast.literal_eval(text.replace(")", ",)").replace("(,)", "()").replace("_", "None"))


def plain(text):
    return Plain(*map(nested, text.split(":")))


def leaves(tree):
    return [leaf for branch in tree for leaf in leaves(branch)] if isinstance(tree, tuple) else [tree]


def pairs(layout):
    """Return (extent, stride) of each leaf."""
    return list(zip(leaves(layout.shape), leaves(layout.stride), strict=True))


def from_pairs(found):
    return Plain(tuple(extent for extent, _ in found), tuple(stride for _, stride in found))


def size(layout):
    return prod(leaves(layout.shape))


def cosize(layout):
    return 1 + sum(abs((extent - 1) * stride) for extent, stride in pairs(layout)) if size(layout) else 0


def modes(layout):
    if not isinstance(layout.shape, tuple):
        return [layout]
    return [Plain(shape, stride) for shape, stride in zip(layout.shape, layout.stride, strict=True)]


def depth(tree):
    return 1 + max(map(depth, tree), default=0) if isinstance(tree, tuple) else 0


def at(layout, index):
    """Return L(index); the last leaf has no modulo, so it continues beyond the size."""
    result = 0
    *firsts, (_, last) = pairs(layout) or [(1, 0)]
    for extent, stride in firsts:
        index, digit = divmod(index, extent)
        result += digit * stride
    return result + index * last


def at_coordinate(layout, coordinate):
    """Return L at an integer, natural or mixed coordinate."""
    if isinstance(coordinate, tuple):
        return sum(at_coordinate(mode, part) for mode, part in zip(modes(layout), coordinate, strict=True))
    return at(layout, coordinate)


def table(layout):
    return [at(layout, index) for index in range(size(layout))]


def image(layout):
    return set(table(layout))


def natural(index, shape):
    """Return the nested coordinate of an index."""
    if not isinstance(shape, tuple):
        return index
    result = []
    for branch in shape:
        index, digit = divmod(index, prod(leaves(branch)))
        result.append(natural(digit, branch))
    return tuple(result)


def colex(*axes):
    """Return all combinations, the leftmost axis fastest."""
    return [result[::-1] for result in product(*reversed(axes))]


def column_major(shape):
    """Return the strides of a shape whose leftmost leaf is fastest."""
    return Plain(shape, natural_products(shape, [1]))


def natural_products(shape, running):
    if isinstance(shape, tuple):
        return tuple(natural_products(branch, running) for branch in shape)
    running.append(running[-1] * shape)
    return running[-2]


def compatible(coarse, fine):
    """Whether ``fine`` is ``coarse`` with some leaves split."""
    if isinstance(coarse, tuple):
        return isinstance(fine, tuple) and len(coarse) == len(fine) and all(map(compatible, coarse, fine))
    return prod(leaves(fine)) == coarse


def congruent(one, other):
    """Whether two trees are nested alike."""
    if isinstance(one, tuple):
        return isinstance(other, tuple) and len(one) == len(other) and all(map(congruent, one, other))
    return not isinstance(other, tuple)


def coalesced(layout):
    """Return the unique flat layout of this table without leaves of extent 1 or mergeable neighbours."""
    result = []
    for extent, stride in pairs(layout):
        if result and result[-1][0] * result[-1][1] == stride and extent != 1:
            result[-1] = (result[-1][0] * extent, result[-1][1])
        elif extent != 1:
            result.append((extent, stride))
    return from_pairs(result or [(1, 0)]) if size(layout) else Plain((0,), (0,))


def filtered(layout):
    return coalesced(from_pairs([(extent, stride) for extent, stride in pairs(layout) if stride] or [(1, 0)]))


def is_a_table(values):
    """Tell whether any layout has these values, in this order."""
    return begins_a_table(values, len(values))


def begins_a_table(values, count):
    """Whether any layout of so many elements begins with these values: every first leaf is tried."""
    if len(values) < 2:
        return not any(values)
    for extent in (extent for extent in range(2, count + 1) if count % extent == 0):
        heads = values[::extent]
        repeats = all(value == heads[i // extent] + i % extent * values[1] for i, value in enumerate(values))
        if repeats and begins_a_table(heads, count // extent):
            return True
    return False


def composed(a, b):
    """Return A(B(c)) for every c; beyond the size of A its last leaf continues, whatever its extent."""
    return [at(a, index) for index in table(b)]


def in_domain(a, b):
    """Return A(B(c)) for every c, None where B(c) is outside A."""
    return [at(a, index) if 0 <= index < size(a) else None for index in table(b)]


def representable(a, b):
    """Whether any layout compatible with B is A(B(c)): leaf by leaf, and the leaves must not carry into each other."""
    values, step, by_leaf = composed(a, b), 1, []
    for extent, _ in pairs(b):
        by_leaf.append(values[: step * extent : step])
        step *= extent
    sums = [sum(result) for result in colex(*by_leaf)]
    return all(map(is_a_table, by_leaf)) and sums == values


def complement_table(layout, target):
    """Return the r0 < r1 < ... with A + r covering [0, n) exactly once, for the least n >= target; None if none do.

    The result is unique: the next r is always the first number that is not covered.
    """
    values, covered, result, first = table(filtered(layout)), set(), [], 0
    while first != len(covered) or first < target or not result:
        more = {value + first for value in values}
        if min(values) < 0 or len(more) < len(values) or more & covered or first > 4 * (target + max(values) + 1):
            return None
        covered |= more
        result.append(first)
        while first in covered:
            first += 1
    return result


def swizzled(offset, bits, base, shift):
    """Exclusive-or ``bits`` bits with those ``shift`` further left, bit by bit; further right if it is negative."""
    source, target = base + max(shift, 0), base - min(shift, 0)
    for bit in range(bits):
        offset ^= (offset >> (source + bit) & 1) << (target + bit)
    return offset
