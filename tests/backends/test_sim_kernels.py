"""Kernels on the simulated device run late, in order with other work, and are checked for races and poison."""

import numpy as np
import pytest

import accel
from accel import BufferView, Device, LayoutTensor
from accel.dtypes import f32, i64
from accel.errors import (
    CapabilityError,
    DeviceLostError,
    KernelBoundsError,
    KernelLaunchError,
    RaceError,
    ReleasedError,
)
from accel.ir import Const, Extent, Once
from accel.kernels import accumulator, atomic_add, barrier, block_index, kernel, stack_allocation, thread_index
from accel.testing import lose_device
from accel.testing.blocks import lent
from accel.views import AddressSpace

from . import short_ir as ir

SIM = Device.SIM
pytestmark = pytest.mark.usefixtures("sim", "seed")
SIZES = [10, 5_000]
"""An interpreted loop, and one that runs as code of the host."""


def on_sim(values):
    """Return a container on the simulated device."""
    return accel.from_numpy(np.asarray(values)).to("sim")


@kernel
def scale(v: BufferView[f32], factor: f32):
    for i in range(v.size):
        v[i] = v[i] * factor


@kernel(debug=True)
def scale_checked(v: BufferView[f32], factor: f32):
    for i in range(v.size):
        v[i] = v[i] * factor


@kernel
def total(v: BufferView[f32]):
    s = accumulator(f32, 0)
    for i in range(v.size):
        s += v[i]
    return s


@kernel(debug=True)
def past_the_end(v: BufferView[f32]):
    for i in range(v.size):
        v[i + 1 if i == 7 else i] = 1


@kernel(debug=True)
def shift(v: BufferView[f32]):
    for i in range(v.size - 1):
        v[i + 1] = v[i]


@kernel(debug=True)
def count_badly(v: BufferView[i64]):
    for i in range(10):
        v[0] += i


@kernel(debug=True)
def count(v: BufferView[i64]):
    for i in range(10):
        atomic_add(v, 0, i)


@kernel(debug=True)
def copy(v: BufferView[f32], w: BufferView[f32]):
    for i in range(v.size):
        w[i] = v[i]


@kernel(debug=True)
def reverse(v: BufferView[f32]):
    tile = stack_allocation(f32, 64, AddressSpace.SHARED)
    i = thread_index.x
    tile[i] = v[block_index.x * 64 + i]
    barrier()
    v[block_index.x * 64 + i] = tile[63 - i]


@kernel
def transpose(target: LayoutTensor[f32], source: LayoutTensor[f32]):
    for i in range(4):
        for j in range(3):
            target[j, i] = source[i, j]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("function", [scale, scale_checked], ids=["release", "debug"])
def test_a_kernel_runs_late(sim, size, function):
    c = on_sim(np.ones(size, "f4"))
    c.to_numpy()
    launched = function(BufferView(c), 2)
    assert not launched.over
    launched.wait()
    assert c.to_numpy().tolist() == [2] * size


@pytest.mark.parametrize("size", SIZES)
def test_results_are_waited_for(size):
    values = np.random.default_rng(0).random(size, "f4")
    assert abs(total(BufferView(on_sim(values))) - values.sum(dtype="f8")) <= 1e-7 * size


@pytest.mark.parametrize("size", SIZES)
def test_views_of_any_stride_are_read_and_written(size):
    v = on_sim(np.arange(2 * size, dtype="f4"))
    scale(BufferView(v)[3:size], 2)
    expected = np.arange(2 * size, dtype="f4")
    expected[3:size] *= 2
    assert np.array_equal(v.to_numpy(), expected)


def test_tensors_with_a_layout_of_constants_are_read_and_written():
    source, target = on_sim(np.arange(12, dtype="f4")), accel.zeros(12, "float32", device="sim")
    transpose(target.view(accel.Layout.row_major(3, 4)), source.view(accel.Layout.row_major(4, 3)))
    assert np.array_equal(target.to_numpy().reshape(3, 4), np.arange(12).reshape(4, 3).T)


@pytest.mark.parametrize("size", [10, 200_000])
def test_an_index_out_of_range_is_an_error_of_the_wait(size):
    c = on_sim(np.zeros(size, "f4"))
    c.to_numpy()
    launched = past_the_end(BufferView(c)[:8])
    with pytest.raises(KernelBoundsError, match=r"tid=7, got index 8 \(offset=0, size=8\)"):
        launched.wait()
    c.fill(1)
    scale(BufferView(c), 2)
    assert c.to_numpy().tolist() == [2] * size


def test_an_index_out_of_range_is_found_in_code_of_the_host_too():
    v = accel.zeros(200_001, "float32", device="sim")

    @kernel(debug=True)
    def too_far(v: BufferView[f32]):
        for i in range(v.size + 1):
            v[i] = 1

    launched = too_far(BufferView(v)[:200_000])
    with pytest.raises(KernelBoundsError, match="tid=200000, got index 200000"):
        launched.wait()


def test_iterations_that_race_are_reported_with_both_lines(sim):
    line = r"shift \(test_sim_kernels.py:\d+\)"
    message = rf"iteration (\d+) (reads|writes) v\[\d+\] at {line}, and iteration \d+ (reads|writes) it at {line}"
    with pytest.raises(RaceError, match=message):
        shift(BufferView(on_sim(np.zeros(20, "f4")))).wait()
    with pytest.raises(RaceError, match=r"v\[0\] at count_badly .*write atomic_add"):
        count_badly(BufferView(on_sim(np.zeros(1, "i8")))).wait()
    assert [report.split(":")[0] for report in sim.races] == ["a race in kernel shift", "a race in kernel count_badly"]
    sim.races.clear()


def test_atomic_operations_of_iterations_do_not_race():
    c = on_sim(np.zeros(1, "i8"))
    count(BufferView(c))
    assert c.to_numpy()[0] == 45


def test_memory_that_was_never_written_is_reported():
    v, w = accel.empty(8, "float32", device="sim"), accel.zeros(8, "float32", device="sim")
    BufferView(v)[:5].fill(1)
    with pytest.raises(
        KernelLaunchError, match=r"iteration [567] reads v\[[567]\], memory that was never written, at copy"
    ):
        copy(BufferView(v), BufferView(w)).wait()
    copy(BufferView(v)[:5], BufferView(w)[:5]).wait()
    v.copy_from(accel.from_numpy(np.full(8, np.nan, "f4")))
    copy(BufferView(v), BufferView(w)).wait()


def test_a_kernel_that_runs_too_long_to_interpret_begins_anew():
    c = on_sim(np.zeros(2, "i8"))

    @kernel
    def twice(v: BufferView[i64]):
        v[0] += 1
        for _ in range(900):
            atomic_add(v, 1, 1)
        for _ in range(900):
            atomic_add(v, 1, 1)

    twice(BufferView(c))
    assert c.to_numpy().tolist() == [1, 1800]


def test_threads_of_a_grid_run_on_the_device(seed):
    v = on_sim(np.arange(192, dtype="f4"))
    reverse.on(grid=3, block=64)(BufferView(v)).wait()
    assert np.array_equal(v.to_numpy(), np.arange(192).reshape(3, 64)[:, ::-1].reshape(-1))


def doubling():
    """Return a loop that doubles the elements of a view."""
    i = ir.local("i")
    value = ir.op("mul", ir.get("v", i), Const(2, ir.F32), ir.F32)
    return ir.loop([ir.put("v", i, value)], Extent("v", 0))


@pytest.fixture
def block(heap):
    with lent(heap, 400) as block:
        yield block


def launch(sim, block, stream=None, start=0, view=None, device=SIM):
    """Double 50 floats of a block; by a view without axes, the element at its address and the one after it."""
    if view is None:
        program, extents = ir.program(doubling(), parameters=[ir.view()]), [50, 1]
    else:
        places = [ir.index(each) for each in (0, 1)]
        doubled = [ir.put("v", each, ir.op("add", *[ir.get("v", each)] * 2, ir.F32)) for each in places]
        program, extents = ir.program(Once(tuple(doubled)), parameters=[view]), []
    compiled = sim.compile_kernel(device, program)
    arguments = [block.pointer + 4 * start, *extents]
    compiled.launch(arguments, grid=(1, 1, 1), block=(1, 1, 1), stream=stream, explain=str)


@pytest.fixture
def streams(sim):
    return [sim.new_stream(SIM) for _ in range(2)]


def test_kernels_on_two_streams_race_where_they_meet(sim, block, streams):
    launch(sim, block, streams[0], 0)
    launch(sim, block, streams[1], 50)
    sim.synchronize(SIM)
    launch(sim, block, streams[0], 0)
    launch(sim, block, streams[1], 20)
    with pytest.raises(RaceError, match="a race: kernel kernel on stream"):
        sim.synchronize(SIM)
    sim.races.clear()


def test_a_view_without_axes_uses_its_span_or_else_all_of_its_memory(sim, block, streams):
    known, unknown = ir.view(rank=0, span=(0, 2)), ir.view(rank=0)
    launch(sim, block, streams[0], 0, known)
    launch(sim, block, streams[1], 2, known)
    sim.synchronize(SIM)
    launch(sim, block, streams[0], 0, unknown)
    launch(sim, block, streams[1], 90, unknown)
    with pytest.raises(RaceError, match=r"bytes \[0, 400\)"):
        sim.synchronize(SIM)
    sim.races.clear()


def test_a_kernel_on_freed_memory_is_an_error(sim, heap):
    block = heap.backend.allocate(SIM, 400, alignment=4, stream=None)
    launch(sim, block)
    sim.free(block, stream=None)
    with pytest.raises(ReleasedError, match="work on sim uses"):
        sim.synchronize(SIM)
    with pytest.raises(KernelLaunchError, match=r"parameter v was given 200 bytes at .*, which no sim"):
        launch(sim, block)


def test_a_kernel_on_a_lost_device_is_an_error(sim, block):
    launch(sim, block)
    with lose_device("sim"), pytest.raises(DeviceLostError):
        sim.synchronize(SIM)


def test_a_kernel_uses_memory_of_another_device(sim, block):
    launch(sim, block, device=Device.SIM[1])
    sim.synchronize(Device.SIM[1])


@pytest.mark.parametrize("extents", [[0, 1], [50, -1]])
def test_views_may_be_empty_or_reversed(sim, block, extents):
    program = sim.compile_kernel(SIM, ir.program(ir.loop([], Extent("v", 0)), parameters=[ir.view()]))
    pointer = block.pointer + 4 * 49 if extents[0] else 0
    program.launch([pointer, *extents], grid=(1, 1, 1), block=(1, 1, 1), stream=None, explain=str)
    sim.synchronize(SIM)


def test_a_tensor_may_be_empty():
    @kernel
    def fill(x: LayoutTensor[f32]):
        for i in range(0):
            x[i] = 1

    fill(accel.empty(0, "float32", device="sim").view(accel.Layout(0))).wait()


def test_blocks_and_shared_memory_have_limits(sim):
    wide = sim.compile_kernel(SIM, ir.program(ir.Threads(())))
    with pytest.raises(KernelLaunchError, match="1056 threads; up to 1024"):
        wide.launch([], grid=(1, 1, 1), block=(33, 32, 1), stream=None, explain=str)
    full = sim.compile_kernel(SIM, ir.program(ir.Threads(()), arrays=(ir.shared("tile", 20_000),)))
    with pytest.raises(KernelLaunchError, match="needs 80000 bytes of shared memory"):
        full.launch([], grid=(1, 1, 1), block=(1, 1, 1), stream=None, explain=str)


def test_the_source_of_a_kernel_is_the_python_that_is_interpreted(sim):
    source = sim.kernel_source(ir.program(doubling(), parameters=[ir.view()]), "python")
    assert "value_0 = ((m_v.read(t, v_i, None)) *" in source
    with pytest.raises(CapabilityError, match="no 'cuda' source"):
        sim.kernel_source(ir.program(), "cuda")
