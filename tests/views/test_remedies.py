"""The code that error messages of views suggest is run: each suggestion works."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import accel
from accel import views, xp
from accel.layout import Layout, Swizzle, row_major

from ..tables import rows

SETUP = """
c = accel.container(np.arange(24.0))
t, b, v, x = c.view(row_major(4, 6)), NDBuffer(c, (4, 6)), c[4:12], np.arange(24.0).reshape(4, 6)
u = accel.zeros(24).view(row_major(4, 6))
a, layout, dtype, index, axes = t, row_major(4, 6), "float64", 0, (1, 0)
"""

REMEDIES = {
    # error: (setup code, failing code, check of `_`, the result of the suggested code)
    "a list for an operand": ("x = x.tolist()", "t + x", "t + _"),
    "a list for an operand of a buffer": ("x = x.tolist()", "b + x", "b + _"),
    "another dtype": ("x = x.astype('int32')", "t + x", "t + _"),
    "another dtype for a buffer": ("x = accel.LayoutTensor(x.astype('int32'))", "b * x", "b * _"),
    "a number for each column": ("b = np.arange(6.0)", "a + b", ""),
    "a number for each column of a buffer": ("a, b = b, np.arange(6.0)", "a + b", ""),
    "booleans": ("x = accel.zeros(4, 'bool')[:]", "NDBuffer(x) + True", "NDBuffer(_)"),
    "operands on two devices": ("x = accel.zeros(24, device='sim').view(layout)", "t + x", "t + _"),
    "operands on two devices, as buffers": ("x = np.ones(4); b = Buffer(c.to('sim'), 4)", "b + x", "b + _"),
    "operands on the host": ("x = np.ones((4, 6)); t = c.to('sim').view(layout)", "t -= x", "t -= _"),
    "an array on the left": ("x, y = t, xp.asarray(x)", "y + x", "y += _"),
    "strides without a shape": ("shape, strides, offset = (2, 3), (6, 1), 1", "NDBuffer(x, strides=strides)", ""),
    "a stack of two axes": ("", "Buffer.stack_allocation((2, 3), 'int8').__enter__()", "_.__enter__().fill(0)"),
    "a shape for memory with gaps": ("x = x[:, ::2]", "NDBuffer(x, (12,))", "_.zero()"),
    "a wide load over gaps": ("b = NDBuffer(c, (2, 3), (6, 1))", "b.load(0, 0, width=4)", "_.load(0, 0, width=4)"),
    "zero over gaps": ("b = NDBuffer(c, (2, 3), (6, 1))", "b.zero()", "_.zero()"),
    "a step of a flat view": ("", "v[::-2]", ""),
    "a step of a container": ("v = c", "c[::3]", ""),
    "a tile that is not whole": ("", "t.tile((3, 4), (1, 1), tail='raise')", "_.fill(0)"),
    "a tile of a buffer that is not whole": ("", "b.tile((3, 4), (1, 1), tail='raise')", "_.fill(0)"),
    "writing allowed to what must not change": (
        "x.flags.writeable = False; t = LayoutTensor(x)",
        "t.origin_cast(mutable=True)",
        "_.fill(0)",
    ),
    "a read-only view": ("t = t.get_immutable()", "t.fill(0)", "_.fill(0)"),
    "an element of a device": ("c = c.to('sim'); t = c.view(layout)", "t[0, 0]", "_[0]"),
    "an element of a device's buffer": ("c = c.to('sim'); x = NDBuffer(c)", "x[0]", "_[0]"),
    "an element of a device's slice": ("c = c.to('sim'); x = c[2:4]", "x[0] = 1", "_[0] = 1"),
    "an element layout alone": ("element_layout = Layout(1)", "LayoutTensor(x, element_layout=element_layout)", ""),
    "a layout over gaps": ("x = np.repeat(x, 2, axis=1)[:, ::2]", "LayoutTensor(x, layout)", "_.fill(0)"),
    "a layout over gaps of an array": ("x = xp.asarray(x.T.copy()).T", "LayoutTensor(x, layout)", "_.fill(0)"),
    "another rank": ("x = DynamicRankBuffer(x, 2, (4, 6), dtype)", "x.to_ndbuffer(dtype, 3)", "_.fill(0)"),
    "a buffer of another dtype": ("", "DynamicRankBuffer(x, 2, (4, 6), dtype='float32')", ""),
    "an array on a swizzled tensor": ("t = c.view(Swizzle(1, 0, 2) @ layout)", "np.asarray(t)", ""),
    "an array on a padded tensor": ("t = t.tile((3, 4), (1, 1), 'pad')", "xp.asarray(t)", ""),
    "an array on a nested tensor": ("t = c.view(Layout((4, (2, 3)), (6, (3, 1))))", "np.asarray(t)", ""),
    "bits at an odd address": (
        "raw = np.zeros(9, 'f4'); odd = 1 - raw.ctypes.data // 4 % 2; t = LayoutTensor(raw[odd : odd + 8].view('c8'))",
        "t.bitcast('float64')",
        "_.fill(0)",
    ),
    "bits of a swizzled tensor": ("t = c.view(Swizzle(1, 0, 2) @ layout)", "t.bitcast('int32')", ""),
    "bits of another size": ("", "t.bitcast('int32')", "_.fill(0)"),
    "several numbers to fill a tensor": ("array = x", "t.fill(array)", ""),
    "several numbers to fill a mode": ("t = t[0, :]; array = x[0]", "t.fill(array)", ""),
    "several numbers to fill a buffer": ("array = np.zeros(8)", "v.fill(array)", ""),
    "elements in another shape": ("x = x.reshape(6, 4)", "t.copy_from(x)", "t.copy_from(_)"),
    "flat elements": ("x = accel.container(x)", "t.copy_from(x)", "t.copy_from(_)"),
    "elements in another shape for a buffer": ("x = accel.container(x)", "b.copy_from(x)", "b.copy_from(_)"),
    "an array in another shape": ("array = x.reshape(-1)", "b.from_numpy(array)", "b.from_numpy(_)"),
    "elements of another dtype": ("x = u.bitcast('int64')", "t.copy_from(x)", ""),
    "an array of another dtype for a tensor": ("x = x.astype('int64')", "t.copy_from(x)", ""),
    "elements of another dtype for a buffer": ("x = u.bitcast('int64')", "b.copy_from(x)", "b.copy_from(_)"),
    "an array of another dtype": ("array = x.astype('int64')", "b.from_numpy(array)", "b.from_numpy(_)"),
    "a dtype without a copy": ("", "np.asarray(t, dtype='float32', copy=False)", ""),
    "a transpose of one mode": ("t, axes = c.view(row_major(24)), (0,)", "t.transpose()", ""),
    "a transpose of three": ("t, axes = c.view(row_major(2, 3, 4)), (2, 0, 1)", "t.transpose()", ""),
    "other cells": ("t, layout = c.view(Layout(24)), Layout(12)", "t.reshape(layout)", ""),
    "a masked reshape": ("t = t.tile((3, 4), (1, 1))", "t.reshape(Layout(2))", ""),
    "a step of a mode": ("", "t[::2, 0:1]", ""),
    "a step of the last mode": ("", "t.slice(slice(0, 2), slice(4, 0, -1))", ""),
    "no memory": ("x = [1.0, 2.0]", "NDBuffer(x)", "NDBuffer(_)"),
    "no memory for a tensor": ("x = [1.0, 2.0]", "LayoutTensor(x)", "LayoutTensor(_)"),
    "nothing to copy from": ("x = x.tolist()", "t.copy_from(x)", "c.view(Layout(24)).copy_from(_)"),
    "a mask": ("x = np.ma.masked_array(x.T, x.T > 3); value = 0", "NDBuffer(x)", "NDBuffer(_)"),
    "elements between elements": (
        "x = np.zeros(3, [('a', 'c16'), ('b', 'f8')])['a']",
        "LayoutTensor(x)",
        "LayoutTensor(_)",
    ),
    "an odd address": ("x = np.zeros(17, 'u1')[1:].view('f8')", "NDBuffer(x)", "NDBuffer(_)"),
    "an array at an odd address": ("x = xp.asarray(np.zeros(17, 'u1')[1:].view('f8'))", "NDBuffer(x)", "NDBuffer(_)"),
    "gradients": ("x = Gradient()", "NDBuffer(x)", "NDBuffer(_)"),
    "two axes for a flat view": ("", "BufferView(x)", "BufferView(_)"),
    "two axes for a Buffer": ("x = xp.asarray(x)", "Buffer(x)", "Buffer(_)"),
    "no axes for a Buffer": ("x = np.array(1.0)", "Buffer(x)", "Buffer(_)"),
    "gaps for a flat view": ("x = x[0, ::2]", "BufferView(x)", "BufferView(_)"),
    "a nested mode to shrink": ("t = c.view(Layout(((2, 3),), ((1, 4),)))", "t.tile((4,), (1,), tail='shrink')", ""),
    "a part of no mode": (
        "t, threads_layout, thread_id, k = c.view(row_major(4, 6)), Layout(((2, 3), 2)), 1, 0",
        "t.distribute(threads_layout, thread_id, submode_axis=k)",
        "_.fill(0)",
    ),
    "unequal parts": ("", "t.split(4, axis=1)", "_.fill(0)"),
    "a list on a stream": (
        "x, s = np.zeros((4, 6)), accel.new_stream('cpu')",
        "t.copy_from_async(x, stream=s)",
        "t.copy_from_async(_, stream=s).wait()",
    ),
    "padding on a stream": (
        "src, t = t.tile((3, 4), (1, 1), 'pad'), u.tile((3, 4), (0, 0))",
        "t.copy_from_async(src, stream=accel.new_stream('cpu'))",
        "",
    ),
    "a mask without a bound": (
        "n = 3",
        "t.copy_from_async(u, stream=accel.new_stream('cpu'), is_masked=True)",
        "_.wait()",
    ),
    "a bound without a mask": ("", "t.copy_from_async(u, 3, stream=accel.new_stream('cpu'))", "_.wait()"),
    "an address that is not aligned": ("size = 8", "b.load(0, 1, alignment=16)", "_.__enter__().fill(0)"),
}


class Gradient:
    """An array of a library with automatic differentiation."""

    requires_grad = True

    def __dlpack__(self, **options):
        raise AssertionError

    def detach(self):
        return np.zeros(3)


NAMES = {
    **{name: getattr(views, name) for name in views.__all__},
    "np": np,
    "numpy": np,
    "accel": accel,
    "xp": xp,
    "Layout": Layout,
    "row_major": row_major,
    "Swizzle": Swizzle,
    "Gradient": Gradient,
}
CLOSING = {"(": ")", "[": "]"}


def suggested(message):
    """Return the code after the word "write": calls and subscripts, and keywords with a value."""
    told = message.partition("write ")[2]
    found, place = [], 0
    while start := re.compile(r"[A-Za-z_][\w.]*(?=[(\[])|\b[a-z_]+=(?:'\w+'|\"\w+\"|\w+)").search(told, place):
        place = start.end()
        while told[place : place + 1] in {"(", "["} or re.match(r"\.\w+[(\[]", told[place:]):
            place = closed(told, told.index("(", place) if told[place] == "." else place)
        if assigned := re.match(r" = \w+", told[place:]):
            place += assigned.end()
        found.append(told[start.start() : place])
    return found


def closed(text, place):
    """Return the index of the bracket that closes the one at a place."""
    depth = 0
    for end in range(place, len(text)):
        depth += (text[end] in CLOSING) - (text[end] in CLOSING.values())
        if not depth:
            return end + 1
    raise AssertionError(f"{text[place:]} is never closed")


def again(done, keyword):
    """Return a call with a keyword added or replaced."""
    name = keyword.partition("=")[0]
    return re.sub(rf", {name}=[^,)]+", "", done)[:-1] + f", {keyword})"


def refused(there, done):
    """Return the namespace and the error message."""
    names = dict(NAMES)
    exec(SETUP + there, names)
    with pytest.raises((TypeError, ValueError, IndexError), match="write ") as error:
        exec(done, names)
    return names, str(error.value)


@rows("case", REMEDIES)
def test_what_an_error_says_to_write_runs_and_helps(case):
    there, done, then = REMEDIES[case]
    remedies = suggested(refused(there, done)[1])
    assert remedies, "an error that says to write something has code in it"
    for remedy in remedies:
        names, _ = refused(there, done)
        code = again(done, remedy) if re.match(r"\w+=", remedy) else remedy
        if re.search(r"\] = \w+$", code):
            exec(code, names)
        else:
            names["_"] = eval(code, names)
            exec(then, names)


def texts(module):
    """Yield the strings of a module that suggest code ("write ..."), without docstrings."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    described = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docs = {
        id(node.body[0].value) for node in ast.walk(tree) if isinstance(node, described) and ast.get_docstring(node)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docs
            and "write " in node.value
        ):
            yield node.value


def test_every_error_that_says_to_write_something_is_tried():
    messages = [refused(there, done)[1] for there, done, _ in REMEDIES.values()]
    for module in sorted(Path(views.__file__).parent.glob("*.py")):
        for text in texts(module):
            assert any(text in message for message in messages), f"{module.name}: {text}"
