"""Kernels from end to end: the same calls on the CPU and on the simulated device."""

import importlib
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import accel
from accel import BufferView, LayoutTensor, NDBuffer, xp
from accel.abc import Event
from accel.dtypes import f32
from accel.errors import CapabilityError, KernelBoundsError, KernelLaunchError, KernelSyntaxError, ReadOnlyError
from accel.kernels import (
    Static,
    accumulator,
    block_index,
    block_size,
    func,
    grid,
    kernel,
    stack_allocation,
    thread_index,
)
from accel.layout import Layout

ADDED = 1


class Line(NamedTuple):
    """A slope and an offset."""

    slope: f32
    offset: f32


@func
def write(v, i, x):
    v[i] = x


@kernel
def scale(v: BufferView[f32], factor: f32 = 2.0):
    for i in range(v.size):
        v[i] = v[i] * factor


@kernel
def count(v, n):
    for i in range(n):
        write(v, i, i)


@kernel
def total(v):
    s = accumulator(f32, 0)
    for i in range(v.size):
        s += v[i]
    return s


@kernel
def add(out, a, b):
    for i in range(out.size):
        out[i] = a[i] + b[i]


@kernel
def along(v: BufferView[f32], line: Line):
    for i in range(v.size):
        v[i] = line.slope * v[i] + line.offset


@kernel
def transpose(target: LayoutTensor, source: LayoutTensor):
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[j, i] = source[i, j]


@kernel
def repeated(v, times: Static):
    for i in range(v.size):
        for _ in range(times):
            v[i] += ADDED


@kernel
def numbered(v):
    i = block_index.x * block_size.x + thread_index.x
    if i < v.size:
        v[i] = i


@kernel
def ranges(out, start, stop, step):
    out[0] = 0
    for i in range(start, stop, step):
        out[i] = i + 1
    for _ in range(1):
        steps = 0
        for _number in range(start, stop, step):
            steps += 1
            if steps == 3:
                break
        out[23] = steps


@kernel
def cut_short(out):
    for _ in range(1):
        steps = 0
        for _number in range(-(2**63), 2**63 - 1):
            steps += 1
            if steps == 5:
                break
        for _number in range(2**63 - 1, -(2**63), -(2**62)):
            steps += 1
        out[0] = steps


@kernel
def empty_grid(out, rows, columns):
    for i, j in grid(rows, columns):
        out[0] = i + j


@kernel
def through_array(v, size: Static):
    for i in range(v.size):
        kept = stack_allocation(v.dtype, size)
        for j in range(size):
            kept[j] = i
        v[i] = kept[size - 1]


@kernel
def defining(v):
    def inner(x):
        return x

    v[0] = inner(1)


FILE = Path(__file__).name


def _line(source, further=0):
    """Return a line of a function: that of its first statement, or further down."""
    return source.tree.body[0].lineno + further


@pytest.fixture(params=["cpu", "sim"])
def device(request):
    return request.param


@pytest.fixture
def c(device):
    return accel.container(np.arange(24, dtype="float32"), device=device)


def test_a_kernel_runs_where_its_memory_is(c):
    event = scale(c[8:16])
    assert isinstance(event, Event)
    event.wait()
    expected = np.arange(24, dtype="float32")
    expected[8:16] *= 2
    np.testing.assert_array_equal(c.to_numpy(), expected)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 24), st.integers(0, 24), st.floats(-1e3, 1e3, width=32))
@pytest.mark.parametrize("name", ["cpu", "sim"])
def test_a_kernel_does_to_a_view_what_numpy_does_to_a_slice(name, start, stop, factor):
    c = accel.container(np.arange(24, dtype="float32"), device=name)
    expected = np.arange(24, dtype="float32")
    expected[start:stop] *= np.float32(factor)
    scale(c[start:stop], factor=factor)
    np.testing.assert_array_equal(c.to_numpy(), expected)


def test_kernels_copies_and_arrays_are_in_order(c, device):
    x = xp.asarray(c)
    for _ in range(5):
        scale(c[:])
        x += 1
    expected = np.arange(24.0)
    for _ in range(5):
        expected = expected * 2 + 1
    np.testing.assert_array_equal(c.to_numpy(), expected)
    assert total(x) == expected.sum()


def test_any_memory_is_taken(c, device):
    target = accel.zeros(24, "float32", device=device)
    add(target, c[:], NDBuffer(c))
    add(target[:], xp.asarray(target), target.storage)
    np.testing.assert_array_equal(target.to_numpy(), 4 * np.arange(24.0))


def test_arrays_of_numpy_are_taken_without_a_copy():
    array = np.zeros(12, "float32")
    add(array[::2], np.arange(6.0, dtype="float32"), np.ones(6, "float32"))
    assert array.tolist() == [1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0]
    array.flags.writeable = False
    with pytest.raises(ReadOnlyError, match="the parameter out of add"):
        add(array, array, array)
    assert total(array) == 21


def test_arrays_of_torch_are_taken_without_a_copy():
    torch = pytest.importorskip("torch")
    tensor = torch.zeros(4)
    add(tensor, np.ones(4, "float32"), np.ones(4, "float32"))
    assert tensor.tolist() == [2] * 4


def test_named_tuples_and_tensors_are_taken(c, device):
    along(c[:], Line(2, 1))
    assert total(c) == (2 * np.arange(24) + 1).sum()
    target = LayoutTensor(accel.zeros(24, "float32", device=device), Layout((6, 4), (4, 1)))
    transpose(target, LayoutTensor(c, Layout((4, 6), (6, 1))))
    np.testing.assert_array_equal(target.to_numpy(), (2 * np.arange(24.0) + 1).reshape(4, 6).T)


def test_a_constant_and_a_global_are_compiled_in(c, monkeypatch):
    repeated(c, 2)
    repeated(c, 3)
    monkeypatch.setitem(globals(), "ADDED", 10)
    repeated(c, 3)
    np.testing.assert_array_equal(c.to_numpy(), np.arange(24.0) + 2 + 3 + 30)


@pytest.mark.parametrize("bounds", [(5, 0), (0, 5), (3, 3)])
def test_a_range_whose_step_is_0_has_no_numbers(c, bounds):
    ranges(c, *bounds, 0)
    assert c.to_numpy()[[0, 1, 2, 23]].tolist() == [0, 1, 2, 0]


def test_a_range_may_have_more_than_2_to_the_63_numbers(c):
    cut_short(c)
    assert c.to_numpy()[0] == 5 + len(range(2**63 - 1, -(2**63), -(2**62)))


@pytest.mark.parametrize("extents", [(2**62, 0), (0, 2**62), (2**62, -1)])
def test_an_empty_grid_may_be_long_along_another_axis(c, extents):
    empty_grid(c, *extents)
    assert c.to_numpy()[0] == 0


@pytest.mark.parametrize("size", [1 << 17, 1 << 18, 1 << 30])
def test_an_array_of_a_kernel_fits_the_stack_or_is_refused(size):
    c = accel.zeros(8, "float32")

    def launch():
        with suppress(CapabilityError):
            through_array(c, size)

    thread = threading.Thread(target=launch)
    thread.start()
    thread.join()
    assert c[7] == (7 if size <= 1 << 17 else 0)


@kernel(debug=True)
def beyond(v):
    for i in range(v.size + 1):
        v[i] = 1


@pytest.mark.parametrize("on_stream", [False, True])
def test_results_from_what_a_failed_kernel_wrote_are_its_error(c, device, on_stream):
    stream = accel.new_stream(device)
    beyond.on(stream)(c)
    for _ in range(2):
        with pytest.raises(KernelBoundsError, match=r"beyond"):
            (total.on(stream) if on_stream else total)(c)
    c.copy_from(accel.zeros(24, "float32"))
    assert total(c) == 0


def _written(tmp_path, monkeypatch, *lines):
    """Return a kernel of v and i with some lines."""
    path = tmp_path / "written_kernel.py"
    body = "".join(f"        {line}\n" for line in lines)
    path.write_text(f"import accel\n@accel.kernel\ndef written(v):\n    for i in range(v.size):\n{body}")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, path.stem, raising=False)
    return importlib.import_module(path.stem).written


def test_an_expression_that_is_nested_too_deeply_is_refused(c, tmp_path, monkeypatch):
    result = _written(tmp_path, monkeypatch, "v[i] = " + " + ".join(["i"] * 900))
    with pytest.raises(KernelSyntaxError, match="nested too deep"):
        result(c)


def test_the_type_of_a_variable_may_depend_on_a_long_chain_of_others(c, tmp_path, monkeypatch):
    names = [f"x{number}" for number in range(30)]
    moves = [f"    {after} = {before}" for before, after in reversed([*pairwise(names)])]
    lines = [*[f"{name} = 0" for name in names], "for j in range(30):", *moves, "    x0 = 1.5", "v[i] = x29"]
    _written(tmp_path, monkeypatch, *lines)(c)
    assert c.to_numpy().tolist() == [1.5] * 24


def test_a_function_inside_of_a_kernel_is_refused_by_what_it_is(c):
    with pytest.raises(KernelSyntaxError, match=r"a function defined inside of a kernel.*line \d+"):
        defining(c)


def test_empty_memory_is_taken(c):
    scale(c[:0])
    assert total(c[:0]) == 0


def test_an_access_out_of_range_is_the_same_error_everywhere_and_nothing_is_written(c, device):
    untouched = c.to_numpy()[20:]
    for _ in range(2):
        with accel.debug(), pytest.raises(KernelBoundsError) as caught:
            count(c[8:20], 15).wait()
        place = f"count ({FILE}:{_line(count._source, 1)})\n  write ({FILE}:{_line(write.source)})"
        first = next(i for i in (12, 13, 14) if f"tid={i}" in str(caught.value))
        assert str(caught.value) == (
            f"BufferView Out Of Range: kernel[count] tid={first}, got index {first} (offset=8, size=12).\n"
            f"Callstack:\n"
            f"{place}\n"
            f"The access: write of the parameter 'v', axis 0, of dtype float32, in memory of 24 elements.\n"
            f"In all, there were 3 accesses out of range; this is the first that was recorded."
        )
        launched = [note for note in getattr(caught.value, "__notes__", []) if note.startswith("launched at")]
        assert len(launched) == (device == "sim")
        assert all(__file__ in note for note in launched)
    if device == "cpu":
        np.testing.assert_array_equal(c.to_numpy()[20:], untouched)
        assert c.to_numpy()[8:20].tolist() == [*range(12)]
    else:  # as after each late failure, readers of what it should have written see the error, and others do not
        with pytest.raises(KernelBoundsError):
            c.to_numpy()
        assert total(accel.full(3, 1, "float32", device)) == 3


def test_the_last_element_is_in_range_and_release_mode_does_not_check(c):
    with accel.debug():
        count(c[8:20], 12).wait()
    if c.is_cpu:  # the simulated device checks always
        count(c[8:20], 15)
        assert c.to_numpy()[8:23].tolist() == [*range(15)]


def test_an_explicit_grid_covers_what_is_asked():
    c = accel.zeros(24, device="sim")
    numbered.on(over=24, block=8)(c)
    assert c.to_numpy().tolist() == [*range(24)]
    with pytest.raises(KernelLaunchError, match="it needs a grid"):
        numbered(c)


def test_a_stream_orders_what_it_is_given(c, device):
    stream, other = accel.new_stream(device), accel.new_stream(device)
    for each in (stream, other, stream):
        last = scale.on(each)(c[:])
    last.wait()
    np.testing.assert_array_equal(c.to_numpy(), 8 * np.arange(24.0))
    assert total.on(other)(c) == 8 * 276


def test_threads_share_a_kernel(device):
    containers = [accel.container(np.full(1000, i, "float32"), device=device) for i in range(4)]
    result = kernel(scale.__wrapped__)
    together = threading.Barrier(8)

    def work(i):
        together.wait()
        for _ in range(5):
            result(containers[i % 4][:])

    with ThreadPoolExecutor(8) as pool:
        assert len([*pool.map(work, range(8))]) == 8
    for i, each in enumerate(containers):
        np.testing.assert_array_equal(each.to_numpy(), np.full(1000, i * 2.0**10))


def test_inspect_shows_each_form(c):
    assert scale.inspect("ir", c[:]).startswith("kernel scale(v: float32[:], factor: float32)\n  parallel i in range(")
    assert "define" in scale.inspect("host", c[:])
    guarded = kernel(debug=True)(count.__wrapped__).inspect("ir", c, 3)
    assert "(site 0)" in guarded
    assert "site 0: write v at count (" in guarded


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_kernel_works_in_the_child_of_a_fork(python, tmp_path):
    (tmp_path / "doubling.py").write_text(
        "import accel\n\n@accel.kernel\ndef double(v):\n    for i in range(v.size):\n        v[i] *= 2\n"
    )
    code = """
        import os
        import numpy as np
        import accel
        from doubling import double
        c = accel.container(np.ones(1 << 20, "float32"))
        double(c)
        child = os.fork()
        if not child:
            double(c)
            os._exit(int(c.to_numpy().sum() != 4 << 20))
        assert os.waitpid(child, 0)[1] == 0
        """
    python(code, tmp_path)
