"""`read_through`: where the elements of a view come from. So arrays that are filled part by part need no memory."""

from accel.fusion.boxes import Box, are_apart, box_of, covers, ends_of_box, is_apart, within
from accel.fusion.index_maps import IndexMap, composed, composes
from accel.fusion.nodes import Node, Shape, Update, View

__all__ = ["read_through"]

_MOST_WRITES = 32
"""Writes to an array that are compared with a view of it."""


def read_through(source: Node, index_map: IndexMap, shape: Shape) -> tuple[Node, IndexMap]:
    """Return the node that has the elements of a view, and the map to it: below views, and before or within writes."""
    while True:
        if isinstance(source, View) and composes(source.map, index_map):
            index_map = composed(source.map, index_map)
            source = source.source
            continue
        if not isinstance(source, Update):
            return source, index_map
        view = box_of(index_map, shape)
        below, form = _below_writes(source, view)
        if not isinstance(below, Update):
            source = below
            continue
        found = None if view is None or below.box is None else within(view, below.box, len(below.value.shape))
        if found is None:
            return form, index_map
        source, index_map = below.value, found


def _below_writes(newest: Update, view: Box | None) -> tuple[Node, Node]:
    """Return the array before all writes that a view is apart from, and a later form with the same elements to read.

    That is as new as can be, but not one of which the newest write replaces the elements, as then it needs no memory.
    """
    node: Node = newest
    form: Node | None = None
    ends = None if view is None else ends_of_box(view)
    for _ in range(_MOST_WRITES):
        if not isinstance(node, Update) or view is None or ends is None or node.box is None:
            break
        if not are_apart(ends, node.ends) and not is_apart(view, node.box):
            break
        if form is None and newest.box is not None and not covers(newest.box, node.box):
            form = node
        node = node.target
    return node, form or node
