"""`Array` for Pillow, whose `fromarray` asks for NumPy's array interface."""

from types import ModuleType

from accel.xp.registrations.numpy_arguments import takes_ours

__all__ = ["register"]


def register(image: ModuleType) -> None:
    """Let images be made of our arrays."""
    takes_ours(image, "fromarray", "Pillow")
