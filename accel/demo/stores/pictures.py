"""Pictures of launches for the report."""

from accel.demo.stores.program import Program

__all__ = ["partition_pictures"]


def partition_pictures(program: Program) -> list[str]:
    """Return a section for each launch: its tasks, the bytes they use, and its partition, as HTML."""
    return []
