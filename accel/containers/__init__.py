"""`AcceleratorDataContainer`: storage with access to elements, copies and views."""

from accel.containers.container import AcceleratorDataContainer

__all__ = ["AcceleratorDataContainer"]
