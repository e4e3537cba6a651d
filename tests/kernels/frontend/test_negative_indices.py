"""An index that is known to be negative is refused by the compiler; a computed one is found in debug mode."""

import re

import numpy as np
import pytest

import accel
from accel.errors import KernelBoundsError, KernelSyntaxError
from tests.tables import rows

from .execution import lowered, module_of, run

HEADER = """
import numpy as np
from accel import BufferView, Layout
from accel.kernels import *

LAST, LAST_OF_64 = -1, np.int64(-1)
SIZE = np.int64(3)

@func
def of(v, i):
    return v[i]
"""
REFUSED = {
    "x = v[-1]": "v.shape[0] - 1",
    "v[-2] = 1": "v.shape[0] - 2",
    "v[-1] += 1": "v.shape[0] - 1",
    "x = v[0 - 1]": "v.shape[0] - 1",
    "x = v[LAST]": "v.shape[0] - 1",
    "x = v[LAST_OF_64]": "v.shape[0] - 1",
    "x = v[LAST_OF_64 * 2]": "v.shape[0] - 2",
    "x = v[SIZE - 4]": "v.shape[0] - 1",
    "x = v[-i32(1)]": "v.shape[0] - 1",
    "x = v[i32(-1)]": "v.shape[0] - 1",
    "k = -3\n    x = v[k]": "v.shape[0] - 3",
    "k = LAST_OF_64\n    x = v[k]": "v.shape[0] - 1",
    "x = v[static]": "v.shape[0] - 2",
    "x = of(v, -1)": "v.shape[0] - 1",
    "x = v[2:][-1]": "v[2:].shape[0] - 1",
    "w = v[2:]\n    x = w[-1]": "w.shape[0] - 1",
    "x = v[-1] if v.size else v[0]": "v.shape[0] - 1",
    "for k in unroll(range(-1, 1)):\n        x = v[k]": "v.shape[0] - 1",
    "for i in range(4):\n        v[i] = v[-1]": "v.shape[0] - 1",
    "x = v.load(-1)": "v.shape[0] - 1",
    "x = v.load(-4, width=2)": "v.shape[0] - 4",
    "v.store(-1, 1)": "v.shape[0] - 1",
    "x = atomic_add(v, -1, 1)": "v.shape[0] - 1",
    "x = atomic_add(t, (0, -1), 1)": "t.shape[1] - 1",
    "x = t[-1, 0]": "t.shape[0] - 1",
    "t[0, -2] = 1": "t.shape[1] - 2",
    "x = b[0, -1]": "b.shape[1] - 1",
    "x = b.load(-1, 0)": "b.shape[0] - 1",
    "x = t.transpose()[-1, 0]": "t.transpose().shape[0] - 1",
    "x = t.tile((2, 2), (-1, 0))[0, 0]": "2 - 1",
    "x = v.subview(-3)[0]": "v.size - 3",
    "x = BufferView(v, -3)[0]": "v.size - 3",
    "a = stack_allocation(f32, 4)\n    x = a[-1]": "a.shape[0] - 1",
}
WITHOUT_A_REMEDY = ["x = v.subview(0, -1)[0]", "x = t.distribute(Layout.row_major(2, 2), -1)[0, 0]"]
ALLOWED = ["w = v[-3:]", "w = v[:-1]", "x = (1, 2)[-1]", "x = v.shape[-1]", "x = t.dim(-1)", "x = v[u8(255)]"]


def kernel_of(body, folder):
    return module_of(f"{HEADER}\ndef kernel(v, t, b, static: Static):\n    {body}\n", folder).kernel


def arguments():
    tensor = accel.container(range(16), dtype="float32").view(accel.Layout.row_major(4, 4))
    return np.arange(8, dtype=np.float32), tensor, np.ones((3, 5), np.float32), -2


@rows("body", REFUSED)
def test_are_refused_with_what_to_write(body, tmp_path):
    with pytest.raises(KernelSyntaxError, match="is at least 0; found -") as caught:
        lowered(kernel_of(body, tmp_path), *arguments())
    remedy = re.search("end: write (.*)$", caught.value.msg).group(1)
    assert remedy == REFUSED[body]


@rows(
    "expression, value",
    [
        ("v[-1]", 7),
        ("v[2:][-2]", 6),
        ("t[-1, -2]", 14),
        ("t.tile((2, 2), (-1, 0))[0, 0]", 8),
        ("BufferView(v, -3)[1]", 6),
    ],
)
def test_what_to_write_is_right(expression, value, tmp_path):
    for _ in range(expression.count("-")):
        with pytest.raises(KernelSyntaxError) as caught:
            lowered(kernel_of(f"return {expression}", tmp_path), *arguments())
        found, remedy = re.search("found (-[0-9]+).* write (.*)$", caught.value.msg).groups()
        expression = expression.replace(found, remedy, 1)
    failure, (result,) = run(kernel_of(f"return {expression}", tmp_path), *arguments(), debug=True)
    assert (failure, result) == (None, value)


@rows("body", WITHOUT_A_REMEDY)
def test_sizes_and_threads_are_refused(body, tmp_path):
    with pytest.raises(KernelSyntaxError, match=r"is at least 0; found -1 \("):
        lowered(kernel_of(body, tmp_path), *arguments())


@rows("body", ALLOWED)
def test_what_counts_from_the_end_as_in_python_is_not_refused(body, tmp_path):
    lowered(kernel_of(body, tmp_path), *arguments())


@accel.kernel(debug=True)
def element(v, i):
    for k in range(1):
        v[k] = v[i]


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_computed_ones_are_failures_in_debug_mode(device):
    v = accel.zeros(16, device=device)[8:]
    with pytest.raises(KernelBoundsError, match="got index -1"):
        (element(v, -1) or accel).wait()
