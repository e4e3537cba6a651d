"""`Array` for matplotlib, which drops the error of an array on another device where it plots values by their index."""

from types import ModuleType

from accel.xp.registrations.numpy_arguments import takes_ours

__all__ = ["register"]


def register(cbook: ModuleType) -> None:
    """Let the error say what to write."""
    takes_ours(cbook, "index_of", "matplotlib")
