"""The nodes, variables and memories of a piece of a program."""

from collections.abc import Iterable, Iterator
from typing import Any

from accel.ir import Assign, Atomic, CopyAsync, For, Load, Local, Shuffle, Stmt, Store, Vote

__all__ = ["assigned", "memories", "mentioned", "nodes"]


def nodes(piece: Any) -> Iterator[Any]:
    """Yield all statements, expressions and other parts of a piece, from the outside to the inside."""
    if isinstance(piece, tuple):
        if hasattr(piece, "_fields"):
            yield piece
        for part in piece:
            yield from nodes(part)


def mentioned(piece: Any) -> set[str]:
    """Return the names of the variables that a piece uses or assigns."""
    return {node.name for node in nodes(piece) if isinstance(node, Local)}


def assigned(body: Iterable[Stmt]) -> dict[str, Local]:
    """Return the variables that statements assign, in order, by their names."""
    result: dict[str, Local] = {}
    for node in nodes(tuple(body)):
        if isinstance(node, Assign | For | Shuffle | Vote | Atomic) and node.target is not None:
            result.setdefault(node.target.name, node.target)
    return result


def memories(piece: Any) -> set[str]:
    """Return the names of the views and arrays that a piece accesses."""
    result = {node.memory for node in nodes(piece) if isinstance(node, Load | Store | Atomic)}
    copies = [node for node in nodes(piece) if isinstance(node, CopyAsync)]
    return result.union(*[{copy.source, copy.target} for copy in copies])
