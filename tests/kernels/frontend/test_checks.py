"""What debug mode checks, and what it says of the place."""

from itertools import pairwise

import numpy as np
import pytest

import accel
from accel import BufferView
from accel.dtypes import f32
from accel.errors import KernelSyntaxError
from accel.kernels import accumulator, atomic_add, stack_allocation, unroll
from accel.kernels.functions import func

from .execution import lowered, module_of, run

TILES = accel.Layout.row_major(2, 2)


@func
def inner(v, i):
    return v[i]


@func
def outer(v, i):
    return inner(v, i + 1)


def test_a_failure_has_the_whole_call_stack():
    def kernel(v, w):
        for i in range(v.size):
            w[i] = outer(v, i)

    v, w = np.arange(4.0), np.zeros(4)
    failure, _ = run(kernel, v, w, debug=True)
    site = lowered(kernel, v, w, debug=True)[0].program.sites[failure.site]
    assert (failure.at, failure.extent, failure.axis, failure.failures) == (4, 4, 0, 1)
    assert (site.what, site.parameter) == ("read", "v")
    first = outer.source.tree.lineno
    assert [(name, line) for name, _, line in site.calls[1:]] == [("outer", first + 1), ("inner", first - 4)]
    assert site.calls[0][0] == "kernel"
    np.testing.assert_array_equal(w, [1, 2, 3, 0])


def checked(kernel, *arguments):
    failure, _ = run(kernel, *arguments, debug=True)
    return failure and (failure.at, failure.extent, failure.offset)


def test_negative_indices_are_failures():
    def kernel(v, i):
        v[i] = 1

    v = np.zeros(4)
    assert checked(kernel, v, -1) == (-1, 4, 0)
    assert not v.any()


def test_slices_are_clipped_and_parts_are_checked():
    def slices(v, a, b):
        w = v[a:b]
        w[w.size - 1] = 1

    def parts(v, a, b):
        w = v[1:].subview(a, b)
        for i in range(w.size):
            w[i] = 1

    def constructed(v, a, b):
        w = BufferView(v, offset=a, size=b)
        for i in range(len(w)):
            w[i] = 1

    v = np.zeros(8)
    assert checked(slices, v, -3, 100) is None
    assert v[7] == 1
    assert checked(slices, v, 5, 2) == (-1, 0, 5)
    assert checked(parts, v, 2, 5) is None
    assert checked(parts, v, 2, 6) == (8 + 6, 8, 2)
    assert checked(parts, v, -1, 2) == (8 + 2, 8, -1)
    assert checked(parts, v, 2, -1) == (-1, 8, 2)
    assert checked(constructed, v, 9, 0) == (9, 9, 9)
    assert checked(constructed, v, 1, (1 << 63) - 1) is not None
    assert checked(constructed, v, 0, 8) is None


def test_tiles_and_threads_that_are_not_there_are_failures_and_nothing_outside_is_written():
    def tiles(t, i, j):
        u = t.tile((2, 2), (i, j))
        u[0, 0] = 1

    def threads(t, i, j):
        u = t.distribute(TILES, i + j)
        u[0, 0] = 1

    for kernel, bad in ((tiles, [(3, 0), (-1, 0), (0, 3)]), (threads, [(4, 0), (-1, 0)])):
        for i, j in bad:
            memory = accel.zeros(40, "float32")
            tensor = accel.LayoutTensor(memory, accel.Layout.row_major(5, 5), 10)
            assert checked(kernel, tensor, i, j) is not None
            assert not np.asarray(memory)[:10].any()
            assert not np.asarray(memory)[35:].any()
        assert checked(kernel, tensor, 1, 1) is None


def test_masked_tiles_end_where_the_memory_ends():
    def kernel(t, i):
        u = t.tile((2, 2), (2, 0))
        u[i, 0] = 1

    tensor = accel.zeros(25, "float32").view(accel.Layout.row_major(5, 5))
    assert checked(kernel, tensor, 0) is None
    assert checked(kernel, tensor, 1) == (1, 1, 0)


def test_division_of_integers_by_zero_is_a_failure():
    def kernel(v, n):
        v[0] = v[1] // n + v[2] % n

    v = np.arange(4)
    result, _ = lowered(kernel, v, 0, debug=True)
    failure, _ = run(kernel, v, 0, debug=True)
    assert result.program.sites[failure.site].what == "division"
    assert failure.failures == 2
    assert checked(kernel, v, 2) is None


def test_an_access_that_is_not_evaluated_is_not_checked():
    def kernel(v, i):
        if i < v.size and v[v[i]] >= 0:
            v[0] = v[v[i]] if v[i] > 0 else v[i]
        v[1] = v[i + 100] if i < 0 else 5

    assert checked(kernel, np.arange(4), 3) is None


def test_release_mode_has_no_checks():
    def kernel(v, i):
        w = v[i:].subview(0, 1)
        w[0] = v[i] // v[i + 1] + atomic_add(v, i, 1)

    program = lowered(kernel, np.arange(4), 1)[0].program
    assert not program.sites
    assert "Guard" not in repr(program)


def test_local_arrays_are_checked():
    def kernel(v, n):
        for i in range(v.size):
            a = stack_allocation(f32, (2, 3))
            for j in range(2):
                for k in range(3):
                    a[j, k] = v[i] + j * k
            v[i] = a[1, n]

    v = np.ones(2, np.float32)
    assert checked(kernel, v, 2) is None
    assert v.tolist() == [3, 3]
    assert checked(kernel, v, 3) == (3, 3, 0)


def test_what_a_program_depends_on_is_recorded():
    def kernel(v):
        for i in range(v.size):
            v[i] = inner(v, i) * len(TILES.shape)

    captured = {(source.name, name) for source, name, _ in lowered(kernel, np.ones(3))[0].captured}
    assert {("kernel", "inner"), ("kernel", "TILES"), ("kernel", "range")} <= captured


def test_errors_in_functions_name_the_calls_that_lead_to_them():
    def kernel(v):
        v[0] = outer(v, 0.5)

    with pytest.raises(KernelSyntaxError, match=r"write i64\(x\)") as caught:
        lowered(kernel, np.ones(3))
    assert caught.value.lineno == inner.source.tree.lineno + 1
    assert [note.split(" (")[0] for note in caught.value.__notes__] == ["called from outer", "called from kernel"]


def test_accumulators_are_read_in_later_loops():
    def kernel(v):
        s = accumulator(f32, 0)
        for i in range(v.size):
            s += v[i]
        for i in range(v.size):
            v[i] /= s
        return s

    v = np.arange(1, 5, dtype=np.float32)
    _, (total,) = run(kernel, v)
    assert total == 10
    np.testing.assert_allclose(v, [0.1, 0.2, 0.3, 0.4])


def test_loops_over_tuples_and_decided_branches_contain_parallel_loops():
    def kernel(v, mode):
        for k in unroll(range(2)):
            for i in range(v.size):
                v[i] += k
        if mode == "more":
            for i in range(v.size):
                v[i] *= 2

    assert len(lowered(kernel, np.ones(3), "more")[0].program.steps) == 3
    assert len(lowered(kernel, np.ones(3), "")[0].program.steps) == 2


def test_types_of_many_variables_that_depend_on_each_other_are_found(tmp_path):
    names = [f"x{k}" for k in range(60)]
    lines = [f"        {one} = {other}" for one, other in pairwise(names)]
    zeros = "\n".join(f"    {name} = 0" for name in names)
    text = f"def kernel(v):\n{zeros}\n    while x0 < 1:\n" + "\n".join(lines) + "\n        x59 = v[0]\n    return x0\n"
    _, (result,) = run(module_of(text, tmp_path).kernel, np.array([1.5], np.float32))
    assert (result, result.dtype) == (1.5, np.float32)


def test_expressions_that_are_too_deep_are_refused(tmp_path):
    function = module_of("def kernel(n):\n    return " + " + ".join(["n"] * 600) + "\n", tmp_path).kernel
    with pytest.raises(KernelSyntaxError, match="several statements"):
        lowered(function, 1)
