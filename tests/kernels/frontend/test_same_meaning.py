"""What is written in a kernel means what it means on the host: constructors, methods, their arguments and defaults."""

import inspect

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import accel
from accel import BufferView, Layout, LayoutTensor
from accel.errors import AccelError, KernelSyntaxError
from accel.kernels.frontend.calls import FUNCTIONS
from accel.kernels.frontend.methods import METHODS_OF_MEMORY
from accel.layout import Swizzle
from accel.views import NDBuffer
from tests.tables import rows

from .execution import module_of, run

HEADER = "from accel import BufferView\nfrom accel.kernels import *\n"
LAYOUTS = {
    "rows": Layout.row_major(4, 6),
    "columns": Layout.col_major(4, 6),
    "wide rows": Layout((4, 6), (8, 1)),
    "nested": Layout(((2, 2), (2, 3)), ((1, 12), (2, 4))),
    "rows of pairs": Layout((4, (2, 3)), (6, (1, 2))),
    "swizzled": Swizzle(1, 0, 2) @ Layout.row_major(4, 8),
}


def numbers():
    return accel.container(range(40), dtype="float32")


def kernel_of(text, folder):
    return module_of(f"{HEADER}\n{text}", folder).kernel


def part_in_kernel(expression, v, folder):
    text = f"""
def kernel(v, out):
    part = {expression}
    for i in range(part.size):
        out[i] = part[i]
    return part.size
"""
    out = np.zeros(40, np.float32)
    failure, (size,) = run(kernel_of(text, folder), v, out, debug=True)
    assert failure is None
    return out[:size].tolist()


ARGUMENTS = ["", "{a}", "{a}, {b}", "{a}, size={b}", "offset={a}", "size={b}", "size={b}, offset={a}"]


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["BufferView(v, ", "v.subview("]), st.sampled_from(ARGUMENTS), st.integers(0, 4), st.integers(0, 4)
)
@example("BufferView(v, ", "{a}", 4, 0)
@example("BufferView(v, ", "{a}, {b}", 4, 3)
def test_parts_of_flat_memory(tmp_path_factory, call, arguments, a, b):
    expression = call + arguments.format(a=a, b=b) + ")"
    v = numbers()[8:18]
    expected = eval(expression, {"BufferView": BufferView, "v": v})
    assert part_in_kernel(expression, v, tmp_path_factory.mktemp("kernels")) == expected.to_numpy().tolist()


@rows(
    "expression",
    ["BufferView(v, 1, 2, 3)", "BufferView(v, 1, offset=1)", "BufferView(v, start=1)", "v.subview(1, 2, 3)"],
)
def test_calls_that_fit_nothing(tmp_path, expression):
    v = numbers()[:]
    with pytest.raises(TypeError):
        eval(expression, {"BufferView": BufferView, "v": v})
    with pytest.raises(KernelSyntaxError, match=r"offset=.*, size="):
        part_in_kernel(expression, v, tmp_path)


MEMORY = {
    "v": lambda: numbers()[4:20],
    "b": lambda: NDBuffer(numbers(), (4, 6), offset=3),
    "gaps": lambda: NDBuffer(numbers(), (3, 4), (8, 2)),
    **{name: (lambda layout=layout: LayoutTensor(numbers(), layout)) for name, layout in LAYOUTS.items()},
    "tile": lambda: LayoutTensor(numbers(), LAYOUTS["rows"]).tile((3, 4), (1, 1)),
    "padded tile": lambda: LayoutTensor(numbers(), LAYOUTS["rows"]).tile((3, 4), (1, 1), "pad", 9),
    "vectors": lambda: LayoutTensor(numbers(), LAYOUTS["rows"]).vectorize(1, 2),
}
"""Memory with one axis, if it is `v`, else with two."""

LOADS = ["load({i})", "load({i}, 2)", "load({i}, width=2)", "load(({i},), 2)", "load(({i},), width=3)"]
STORES = ["store({i}, 7)", "store({i}, values=7)", "store({i}, 7, width=2)", "store(({i},), {xs})", "store({i}, {xs})"]
PLACES = [(0, 0), (1, 2), (0, 1)]


def on_host(memory, call):
    """Return what a call gives and leaves; None if it is refused."""
    try:
        given = eval(f"m.{call.format(xs=[5, 6])}", {"m": memory})
    except (AccelError, TypeError, ValueError):
        return None
    return np.atleast_1d(given).tolist() if given is not None else None, np.asarray(memory.storage).tolist()


def in_kernel(memory, call, folder):
    """Return the same of a kernel, and its first failed check; None if it is not compiled."""
    assigned = "x = " * call.startswith("load") + f"m.{call.format(xs='vector(5, 6)')}"
    returned = "\n    return x" * call.startswith("load")
    try:
        failure, results = run(kernel_of(f"def kernel(m):\n    {assigned}{returned}\n", folder), memory, debug=True)
    except KernelSyntaxError:
        return None, None
    return (list(map(float, results)) or None, np.asarray(memory.storage).tolist()), failure


@rows("name", MEMORY)
def test_loads_and_stores_of_several_numbers(tmp_path, name):
    agreed = 0
    for place in PLACES:
        index = ", ".join(map(str, place[: 1 if name == "v" else 2]))
        for call in [each.replace("{i}", index) for each in LOADS + STORES]:
            memory = MEMORY[name]()
            result, failure = in_kernel(memory, call, tmp_path)
            if result is not None and failure is None:
                assert result == on_host(MEMORY[name](), call), (name, call)
                agreed += 1
    assert agreed or name == "vectors"


HOST = (BufferView, NDBuffer, LayoutTensor)
FUNCTIONS_OF_BOTH = {
    "BufferView": (FUNCTIONS[BufferView], [BufferView.__init__], 2),
    **{
        name: (handler, [vars(cls).get(name) or getattr(cls, name) for cls in HOST if hasattr(cls, name)], 3)
        for name, handler in METHODS_OF_MEMORY.items()
    },
}


@rows("name", FUNCTIONS_OF_BOTH)
def test_parameters_have_the_names_order_and_defaults_of_the_host(name):
    handler, functions, skipped = FUNCTIONS_OF_BOTH[name]
    parameters = list(inspect.signature(handler).parameters.values())[skipped:]
    for function in functions:
        others = list(inspect.signature(function).parameters.values())[1:]
        for mine, other in zip(parameters, others, strict=False):
            assert (mine.name, mine.kind) == (other.name, other.kind), (name, function)
            default = mine.default if mine.default is mine.empty else mine.default.value
            assert default == other.default, (name, function)
