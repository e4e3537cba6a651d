"""Which nodes are stored so that no element is computed from more arrays and numbers than a kernel has parameters."""

from collections.abc import Hashable

from accel.fusion.graph import Graph
from accel.fusion.limits import accesses_within
from accel.fusion.nodes import Node, Operation, Position, Scalar, View

__all__ = ["narrow"]


def narrow(graph: Graph) -> None:
    """Add to the nodes of a graph that are stored those operands of which others would need too many parameters.

    A view of what is read counts as often as there are views. Loops also read nodes that are stored for other reasons,
    and write; so they are given half of what is allowed.
    """
    rank = max([len(node.shape) for node in graph.nodes], default=0)
    most = accesses_within(graph.parameters, rank) // 2
    if sum(isinstance(node, View | Scalar | Position) or node in graph.stored for node in graph.nodes) > most:
        _Narrowing(graph, most).narrow()


class _Narrowing:
    def __init__(self, graph: Graph, most: int) -> None:
        self._graph = graph
        self._most = most
        self._read: dict[Node, frozenset[Hashable]] = {}
        """What is read for each node: stored nodes and numbers, and views of these."""

    def narrow(self) -> None:
        for node in self._graph.nodes:
            operands = self._graph.operands(node)
            read = self._read_for(node, operands)
            while len(read) > self._most and (widest := self._widest(operands)) is not None:
                self._graph.stored.add(widest)
                self._read[widest] = frozenset([widest])
                read = self._read_for(node, operands)
            self._read[node] = frozenset([node]) if node in self._graph.stored else read

    def _read_for(self, node: Node, operands: tuple[Node, ...]) -> frozenset[Hashable]:
        if isinstance(node, Scalar | Position):
            return frozenset([node])
        of_operands = [self._found(each) for each in operands]
        return (
            frozenset([(node, x) for x in of_operands[0]])
            if isinstance(node, View)
            else frozenset().union(*of_operands)
        )

    def _found(self, node: Node) -> frozenset[Hashable]:
        """Return what is read for a node; for a view anew, as its source may be stored meanwhile."""
        if isinstance(node, View) and node not in self._graph.stored:
            return frozenset([(node, each) for each in self._found(node.source)])
        return self._read[node]

    def _widest(self, operands: tuple[Node, ...]) -> Node | None:
        """Return the operand, or what it is a view of, for which most is read; None if all that can be is stored."""
        found: list[Node] = []
        for each in operands:
            node = each
            while isinstance(node, View) and node not in self._graph.stored:
                node = node.source
            if isinstance(node, Operation) and node not in self._graph.stored:
                found.append(node)
        return max(found, key=lambda node: len(self._read[node]), default=None)
