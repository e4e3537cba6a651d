"""`Graph`: the nodes that a traced function needs, what each write is to, and which of them have memory in any case."""

import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from accel.fusion.boxes import are_apart, covers, is_apart, union
from accel.fusion.index_maps import IndexMap, composed
from accel.fusion.nodes import Input, Node, Reduction, Reshape, Result, Update, in_order
from accel.fusion.packed_slices import Slices, packed_slices, slice_of, within_slice

__all__ = ["Graph", "WriteBack", "Writes"]

_COMPARED = 16
"""Writes of which each is compared with all others; of more, each is compared with the box around those before.

More of them go to a copy of the input, if they depend on each other.
"""


class WriteBack(NamedTuple):
    """An input that the function has written to, and its elements after that."""

    target: Input
    value: Node


class Writes(NamedTuple):
    """Writes to an input, of which nothing is read between.

    Attributes
    ----------
    chain : list of Update
        In order.
    are_apart : bool
        Whether no two of them have an element in common.
    """

    chain: list[Update]
    are_apart: bool


class Graph:
    """The nodes that are needed.

    Attributes
    ----------
    nodes : list of Node
        Operands come first.
    results : set of Node
        What the caller wants.
    written : sequence of WriteBack
        The inputs that are written.
    targets : dict of Update to Node
        The array that each write is to. Writes that are overwritten before they are read are left out.
    arrays : dict of Update to Node
        For each write what is the same for all to the array.
    stored : set of Node
        Those with memory.
    homes : dict of Node to Update
        Those that are stored as the value of a write alone.
    slices : dict
        The slices of inputs that are copied first.
    direct : dict of WriteBack to Writes
        Inputs whose elements need no memory of their own while they are written.
    parameters : int
        Bytes of the parameters of a kernel, at most.
    """

    def __init__(self, results: Sequence[Node], written: Sequence[WriteBack], parameters: int = sys.maxsize) -> None:
        self.parameters = parameters
        roots = [*results, *(each.value for each in written)]
        self.written = written
        self.results: set[Node] = {*results}
        self.targets: dict[Update, Node] = {}
        self.nodes: list[Node] = self._needed(roots)
        self.arrays: dict[Node, Node] = {}
        for node in self.nodes:
            if isinstance(node, Update):
                self.arrays[node] = self.arrays.get(self.targets[node], node)
        self.consumers: Counter[Node] = Counter(operand for node in self.nodes for operand in {*self.operands(node)})
        self.has_calls: bool = any(isinstance(node, Result) for node in self.nodes)
        self.stored: set[Node] = {*results}
        for node in self.nodes:
            if isinstance(node, Update | Input | Reduction | Result | Reshape):
                self.stored.add(node)
            if isinstance(node, Result | Reshape):
                self.stored |= {*node.operands}
        self.homes: dict[Node, Update] = {}
        self.slices: Slices = packed_slices(self.nodes)
        self.direct: dict[WriteBack, Writes] = {}
        for each in written:
            chain = self._chain(each)
            writes = None if chain is None else Writes(chain, _are_apart(chain))
            if writes is None or (len(writes.chain) > _COMPARED and not self._is_only_written(each.target, writes)):
                self.stored.add(each.value)
            else:
                self.direct[each] = writes
                self.stored -= {*writes.chain}

    def operands(self, node: Node) -> tuple[Node, ...]:
        """Return the nodes that one is computed from."""
        return (self.targets[node], node.value) if isinstance(node, Update) else node.operands

    def home(self, node: Node, index_map: IndexMap) -> tuple[Node, IndexMap]:
        """Return the node in whose memory the elements of a stored node are, and the map to it."""
        home = self.homes.get(node)
        if home is not None:
            return home, composed(home.map, index_map)
        if self.slices and isinstance(node, Input):
            place = slice_of(node, index_map)
            packed = None if place is None else self.slices.get((node, place))
            if packed is not None:
                return packed.copy, within_slice(node, index_map)
        return node, index_map

    def may_change(self, write: Update, before: Update) -> bool:
        """Tell whether a write changes elements of an array that an earlier write to it stored, and at other places."""
        if write.map == before.map and write.value.shape == before.value.shape:
            return False
        one, other = write.ends, before.ends
        return self.arrays[write] is self.arrays[before] and not are_apart(one, other)

    def covers(self, write: Update, before: Update) -> bool:
        """Tell whether a write replaces all that another one wrote."""
        return write.box is not None and before.box is not None and covers(write.box, before.box)

    def _needed(self, roots: Sequence[Node]) -> list[Node]:
        """Return the nodes that are needed, after a walk from users to operands which finds what each write is to."""
        needed = {*roots}
        covering: defaultdict[Node, list[Update]] = defaultdict(list)

        def reach(write: Update, target: Node) -> None:
            if isinstance(target, Update) and self.covers(write, target):
                covering[target].append(write)  # what other nodes read of the target is not known yet
            else:
                self.targets[write] = target
                needed.add(target)

        nodes = []
        for node in reversed(in_order(roots)):
            for write in covering.pop(node, ()):
                if node in needed:
                    self.targets[write] = node
                else:
                    assert isinstance(node, Update), "writes cover writes"
                    reach(write, node.target)
            if node not in needed:
                continue
            nodes.append(node)
            if isinstance(node, Update):
                needed.add(node.value)
                reach(node, node.target)
            else:
                needed |= {*node.operands}
        return nodes[::-1]

    def _chain(self, written: WriteBack) -> list[Update] | None:
        """Return the writes to an input if nothing reads it between them or after them; None if something does."""
        chain: list[Update] = []
        node, readers = written.value, 0
        while isinstance(node, Update):
            if self.consumers[node] != readers or node in self.results:
                return None
            chain.append(node)
            node, readers = self.targets[node], 1
        return chain[::-1] if node is written.target and chain else None

    def in_place(self) -> dict[Node, Input]:
        """Return the writes to inputs that may be done where they are, each with the input.

        These are the writes that lead to the last elements, if no call can fail after them.
        """
        found: dict[Node, Input] = {}
        for each in self.written if not self.has_calls else ():
            node, chain = each.value, list[Node]()
            while isinstance(node, Update) and node not in self.results:
                chain.append(node)
                node = self.targets[node]
            if node is each.target and each not in self.direct:
                found |= dict.fromkeys(chain, each.target)
        return found

    def is_only_written(self, written: WriteBack) -> bool:
        """Tell whether an input can be written at any time: nothing reads it, or can fail, and its writes are apart."""
        writes = self.direct.get(written)
        return writes is not None and self._is_only_written(written.target, writes)

    def _is_only_written(self, target: Input, writes: Writes) -> bool:
        return writes.are_apart and self.consumers[target] == 1 and not self.has_calls


def _are_apart(writes: Sequence[Update]) -> bool:
    if len(writes) <= _COMPARED:
        boxes = [each.box for each in writes]
        return len(boxes) < 2 or all(
            one is not None and other is not None and is_apart(one, other) for one, other in combinations(boxes, 2)
        )
    around = writes[0].ends
    for each in writes[1:]:
        if not are_apart(each.ends, around):
            return False
        around = union(each.ends, around)
    return True
