"""`AcceleratorDataContainer`: storage with all that a user does with it, whole or by the element."""

from accel.containers.container import ARRAY_ADVICE, AcceleratorDataContainer

__all__ = ["ARRAY_ADVICE", "AcceleratorDataContainer"]
