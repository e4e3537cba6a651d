"""All copies go through here: from any layout and device to any other, planned as integers, run where the memory is."""

from accel.copies.elements import Elements, HasElements, all_of
from accel.copies.few_elements import copied_at_once
from accel.copies.fills import filled, filled_within_device
from accel.copies.items import Item, item_of
from accel.copies.planner import Mask, plan
from accel.copies.run import (
    copy,
    copy_async,
    copy_by_plan,
    copy_whole,
    fill,
    fill_with,
    in_c_order,
    read,
    write,
    write_new,
)
from accel.copies.transfer import Progress, Transfer, submit_copy
from accel.copies.within_device import copied_within_device
from accel.memory.byte_copies import copied_at_once as copied_bytes
from accel.memory.byte_copies import copy_elements, downloaded, uploaded
from accel.support.lazy import listing

__all__ = [
    "Elements",
    "HasElements",
    "Item",
    "Mask",
    "Progress",
    "Transfer",
    "all_of",
    "copied_at_once",
    "copied_bytes",
    "copied_within_device",
    "copy",
    "copy_async",
    "copy_by_plan",
    "copy_elements",
    "copy_whole",
    "downloaded",
    "fill",
    "fill_with",
    "filled",
    "filled_within_device",
    "in_c_order",
    "item_of",
    "plan",
    "read",
    "submit_copy",
    "uploaded",
    "write",
    "write_new",
]

__dir__ = listing(__name__, __all__)
