"""All copies go through here: from any layout and device to any other, planned as integers, run where the memory is."""

from accel.copies.elements import Elements, HasElements, all_of
from accel.copies.few_elements import copied_at_once
from accel.copies.planner import Mask, plan
from accel.copies.run import copy, copy_async, copy_by_plan, fill, in_c_order, read, write, write_new
from accel.copies.transfer import Progress, Transfer, submit_copy
from accel.copies.within_device import copied_within_device
from accel.memory.byte_copies import copy_elements
from accel.support.lazy import listing

__all__ = [
    "Elements",
    "HasElements",
    "Mask",
    "Progress",
    "Transfer",
    "all_of",
    "copied_at_once",
    "copied_within_device",
    "copy",
    "copy_async",
    "copy_by_plan",
    "copy_elements",
    "fill",
    "in_c_order",
    "plan",
    "read",
    "submit_copy",
    "write",
    "write_new",
]

__dir__ = listing(__name__, __all__)
