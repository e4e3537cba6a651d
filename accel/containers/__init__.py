"""`AcceleratorDataContainer`: storage with access to elements, copies and views."""

from accel.containers.container import ARRAY_ADVICE, AcceleratorDataContainer

__all__ = ["ARRAY_ADVICE", "AcceleratorDataContainer"]
