"""Tensors in kernels are those of the host: the same views, made while the kernel runs."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import accel
from accel import Layout, LayoutTensor
from accel.errors import AccelError, KernelSyntaxError
from accel.layout import Swizzle

from .execution import as_python, module_of, run

LAYOUTS = {
    "rows": Layout.row_major(6, 8),
    "columns": Layout.col_major(6, 8),
    "padded rows": Layout((6, 8), (10, 1)),
    "nested": Layout(((2, 3), (4, 2)), ((1, 8), (2, 24))),
    "blocked": Layout(((4, 2), (4, 2)), ((4, 32), (1, 16))),
    "backwards": Layout((6, 8), (8, 1)),
    "broadcast": Layout((6, 8), (0, 1)),
    "swizzled": Swizzle(2, 1, 2) @ Layout.row_major(8, 8),
}
THREADS = (Layout.row_major(2, 2), Layout.col_major(3, 2), Layout((2, 4), (4, 1)))


def tensor_of(layout):
    return LayoutTensor(accel.container(range(80), dtype="float32"), layout)


SIZES, PLACES = st.integers(1, 5), st.integers(0, 2)
METHODS = st.one_of(
    st.builds(
        ".tile(({}, {}), ({} + zero, {}), {!r})".format, SIZES, SIZES, PLACES, PLACES, st.sampled_from(["mask", "pad"])
    ),
    st.builds(".tile(({}, {}), ({}, {}), 'pad', pad_value={})".format, SIZES, SIZES, PLACES, PLACES, SIZES),
    st.just(".transpose()"),
    st.builds(".distribute(THREADS[{}], {} + zero)".format, st.integers(0, 2), st.integers(0, 3)),
    st.sampled_from([".vectorize(1, 2)", ".vectorize(2, 2)", ".vectorize(2, 1)"]),
    st.sampled_from([".reshape(Layout.row_major(8, 6))", ".composition(Layout((2, 3), (1, 4)))"]),
)


TEXT = """
def kernel(t, out, zero):
    for n in range(1 + zero):
        p = t{chain}
        for i in range(p.shape[0]):
            for j in range(p.shape[1]):
                x = p[i, j]
                out[i, j] = {element} + 1
                p[i, j] = x * 2
"""


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(LAYOUTS)), st.lists(METHODS, max_size=3).map("".join))
def test_views_of_tensors_have_the_elements_that_they_have_on_the_host(tmp_path_factory, name, chain):
    element = "x[0]" if "vectorize" in chain else "x"
    text = TEXT.format(chain=chain, element=element)
    function = module_of(text, tmp_path_factory.getbasetemp(), THREADS=THREADS, Layout=Layout).kernel
    wanted, expected = tensor_of(LAYOUTS[name]), np.zeros((8, 8), np.float32)
    try:
        as_python(function)(wanted, expected, 0)
    except (AccelError, TypeError, IndexError):
        return
    for debug in (False, True):
        actual, result = tensor_of(LAYOUTS[name]), np.zeros((8, 8), np.float32)
        try:
            failure, _ = run(function, actual, result, 0, debug=debug)
        except KernelSyntaxError as error:
            assert "masked" in str(error)  # noqa: PT017 - how many elements are valid is known when it runs
            return
        assert failure is None
        np.testing.assert_array_equal(result, expected)
        np.testing.assert_array_equal(_cells(actual), _cells(wanted))


def _cells(tensor):
    return np.asarray(tensor.storage)
