"""Cases recorded from LayoutTensor of Mojo 25.3, and functions that read them."""

import json
from pathlib import Path

import numpy as np

import accel
from accel.layout import Layout, equivalent

from ..tables import rows

GOLDEN = Path(__file__).parents[1] / "golden" / "mojo_layout_tensor.json"
BY_MEMORY = (423, 449)
"""Cases in which Mojo reads the right operand at the offsets of the left one; accel pairs elements by index."""

NEEDS_AXIS = 209
"""Cases in which Mojo ignores a ``submode_axis`` without an axis; here this is an error."""

CASES = [
    case
    for case in json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"]
    if case["input_layout"] is not None and not case.get("differs_here", "").startswith("compile-time")
]
NAMES = ("add", "sub", "mul", "truediv")
NEW = [f"arith_{name}" for name in NAMES] + [f"arith_{name}_scalar" for name in NAMES]
IN_PLACE = [f"arith_i{name}" for name in NAMES]
ROOM = 512
DEVICES = ("cpu", "sim")


def cases(*operations, decided=False):
    found = [case for case in CASES if case["op"] in operations and decided == ("differs_here" in case)]
    found = [case for case in found if case["id"] not in (*BY_MEMORY, NEEDS_AXIS)]
    assert found, operations
    return rows("case", found, ids=lambda case: f"{case['id']}-{case['op']}")


def case_of(number):
    return next(case for case in CASES if case["id"] == number)


def layout_of(text):
    """Parse a layout in Mojo's notation, which has one more pair of brackets."""
    return Layout.parse(text[1:-1].replace(" ", ""))


def flat(layout):
    """Return shape and stride without tuples around single integers; Mojo is inconsistent about these."""
    return [tree[0] if isinstance(tree, tuple) and len(tree) == 1 else tree for tree in (layout.shape, layout.stride)]


def made(values, layout, device="cpu"):
    return accel.LayoutTensor(accel.container(np.asarray(values), device=device), layout)


def iota(layout, device="cpu", dtype=np.float32):
    return made(np.arange(ROOM, dtype=dtype), layout, device)


def colexicographic(tensor):
    """Return the numbers in colexicographic order; the numbers of one element are adjacent, in the same order."""
    values = tensor.to_numpy()
    order = (*reversed(range(tensor.rank)), *reversed(range(tensor.rank, values.ndim)))
    return values.transpose(order).reshape(-1).tolist()


def coalesced_by_mojo(layout, expected):
    """Tell whether Mojo merged modes, as it does if threads divide an axis; accel keeps the rank."""
    return expected.rank == 1 < layout.rank and equivalent(layout, expected)


def assert_is(tensor, expected):
    """Compare a view with its record; the recorded values are the offsets they were read from."""
    assert colexicographic(tensor) == expected["values"]
    assert tensor.offset == expected["offset"]
    assert tensor.masked == expected["masked"]
    assert tensor.size == layout_of(expected.get("runtime_layout") or expected["output_runtime_layout"]).size
    static = expected.get("layout") or expected["output_layout"]
    if "-1" not in static:  # known at run time only
        assert flat(tensor.layout) == flat(layout_of(static)) or coalesced_by_mojo(tensor.layout, layout_of(static))
    assert flat(tensor.element_layout) == flat(layout_of(f"({expected['element_layout'][1:-1]})"))


def blank(layout, device="cpu"):
    return made(np.full(ROOM, -1, np.float32), layout, device)


def memory(tensor, count):
    return accel.LayoutTensor(tensor.storage, Layout(count)).to_numpy().tolist()
