"""`with_own_memory`: nodes of arrays that are wanted in memory, each in its own."""

from accel.fusion.index_maps import identity
from accel.fusion.nodes import Input, Node, Reshape, View

__all__ = ["with_own_memory"]


def with_own_memory(node: Node, taken: set[Node]) -> Node:
    """Return a node with the same elements whose memory is no input's, nor that of one of the nodes in ``taken``.

    The node whose memory it has is added to these.
    """
    memory = node.source if isinstance(node, Reshape) else node
    if isinstance(memory, Input) or memory in taken:
        node = View(node, identity(node.shape), node.shape)
    taken.add(memory)
    return node
