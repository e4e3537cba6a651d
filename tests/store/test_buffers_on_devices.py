"""The elements of a `TaskLocalBuffer` on any device: arrays, views, kernels and DLPack use its memory."""

import numpy as np
import pytest

import accel
from accel import BufferView, LayoutTensor, xp
from accel.engines import InOut, Input, Output, engine, task
from accel.errors import DeviceMismatchError, ReleasedError
from accel.kernels import RawKernel, f32, kernel
from accel.memory import current_stream, heap_of
from accel.store import create_buffer, create_store, from_array, task_scope
from accel.store.physical_store import PhysicalStore
from accel.store.store_targets import place_of

pytestmark = pytest.mark.usefixtures("no_leaks")
DEVICES = pytest.mark.parametrize("device", ["cpu", "sim"])
MODEL = np.arange(6, dtype="float32").reshape(2, 3)


@kernel
def double(v: LayoutTensor[f32, 2], out: LayoutTensor[f32, 2]):
    for i in range(v.shape[0]):
        for j in range(v.shape[1]):
            out[i, j] = 2 * v[i, j]


@kernel
def double_any(v, out):
    for i in range(v.shape[0]):
        for j in range(v.shape[1]):
            out[i, j] = 2 * v[i, j]


def values(buffer):
    return LayoutTensor(buffer).to_numpy()


@DEVICES
class TestElements:
    def test_an_array_is_on_its_memory(self, device):
        buffer = create_buffer("float32", (2, 3), device)
        array = xp.asarray(buffer)
        array[...] = xp.asarray(MODEL, device=device)
        assert array.device is accel.Device(device)
        assert values(buffer).tolist() == MODEL.tolist()
        buffer[...] = 7  # a later write is seen
        assert xp.all(array == 7)

    def test_views_are_on_its_memory(self, device):
        buffer = create_buffer("float32", (2, 3), device)
        tensor, view = LayoutTensor(buffer), BufferView(create_buffer("float32", 6, device))
        tensor.copy_from(MODEL)
        view.fill(3)
        assert values(buffer).tolist() == MODEL.tolist()
        buffer[1, :] = 5
        assert tensor.to_numpy().tolist() == [[0, 1, 2], [5, 5, 5]]
        assert (view.size, view.to_numpy().tolist()) == (6, [3] * 6)

    @pytest.mark.parametrize(
        "key", [..., (...,), (), slice(None), (slice(None), ...), (0, ...), (..., 1), 1, (1, slice(1, 3))]
    )
    def test_a_key_selects_what_numpy_selects(self, device, key):
        buffer, model = create_buffer("float32", (2, 3), device), np.zeros((2, 3), "float32")
        buffer[...] = 0
        buffer[key] = 4
        model[key] = 4
        assert values(buffer).tolist() == model.tolist()
        selected = buffer[key]
        assert (selected if device == "cpu" else selected.to_numpy()).tolist() == model[key].tolist()

    @pytest.mark.parametrize("extents", [(), (4, 0), 1, (2, 1, 3)])
    def test_a_buffer_of_any_extents_is_filled(self, device, extents):
        buffer = create_buffer("int16", extents, device)
        buffer[...] = 9
        assert (values(buffer) == np.full(extents, 9)).all()

    def test_kernels_read_and_write_it(self, device):
        buffer, out = create_buffer("float32", (2, 3), device), create_buffer("float32", (2, 3), device)
        buffer[...] = MODEL
        double(LayoutTensor(buffer), LayoutTensor(out))
        assert values(out).tolist() == (2 * MODEL).tolist()
        double_any(out, buffer)
        assert values(buffer).tolist() == (4 * MODEL).tolist()

    def test_a_copy_leaves_it(self, device):
        buffer = create_buffer("float32", (2, 3), device)
        buffer[...] = MODEL
        copied = xp.asarray(buffer, copy=True)
        buffer[...] = 0
        assert np.asarray(copied.to_device("cpu")).tolist() == MODEL.tolist()

    def test_a_view_of_another_type_is_on_its_memory(self, device):
        buffer = create_buffer("float32", (2, 3), device)
        xp.asarray(buffer.view("int32"))[...] = 0x3F800000
        assert (values(buffer) == 1).all()

    def test_an_array_of_a_device_is_assigned(self, device):
        buffer = create_buffer("float32", (2, 3), device)
        buffer[...] = xp.asarray(MODEL, device=device)
        assert values(buffer).tolist() == MODEL.tolist()

    def test_after_its_task_it_is_refused_and_what_was_taken_before_stays(self, device):
        with task_scope():
            buffer = create_buffer("float32", (2, 3), device)
            buffer[...] = 1
            array = xp.asarray(buffer)
        assert xp.all(array == 1)
        for use in (lambda: xp.asarray(buffer), lambda: LayoutTensor(buffer), lambda: buffer[...]):
            with pytest.raises(ReleasedError, match="make another"):
                use()


def test_raw_kernels_take_it():
    text = 'extern "C" __global__ void fill(float* out) { out[threadIdx.x] = 2.5f * threadIdx.x; }'
    buffer = create_buffer("float32", 4, "sim")
    RawKernel.from_source(text, "fill")(buffer, grid=1, block=4)
    assert values(buffer).tolist() == [0, 2.5, 5, 7.5]


def test_dlpack_lends_its_memory():
    buffer = create_buffer("int32", (2, 3), "cpu")
    array = np.from_dlpack(buffer)
    buffer[...] = 3
    assert array.tolist() == [[3] * 3] * 2


def test_numpy_is_refused_on_a_device_with_what_works():
    buffer = create_buffer("float32", (2, 3), "sim")
    buffer[...] = 2
    with pytest.raises(DeviceMismatchError, match=r"xp\.asarray") as caught:
        np.asarray(buffer)
    assert "buffer[...].to_numpy()" in str(caught.value)
    assert buffer[...].to_numpy().tolist() == [[2] * 3] * 2


@pytest.mark.parametrize("name", ["eager", "threads"])
@DEVICES
def test_a_task_fills_an_unbound_output_on_its_device(name, device):
    def body(x: Input, found: Output):
        values = xp.asarray(x)
        data = found.create_output_buffer(values.shape, bind_buffer=True)
        xp.asarray(data)[...] = values + 1
        data[0:1] = -1.0  # after it was bound

    with engine(name).using(device=device):
        choose = task(body)
        choose.variant("sim")(body)
        found = create_store("float64")
        choose(from_array(np.arange(4.0)), found)
        assert np.asarray(found.get_physical_store()).tolist() == [-1, 2, 3, 4]


@DEVICES
def test_what_is_written_to_a_part_of_a_buffer_after_it_was_bound_is_seen(device):
    with task_scope():
        store = PhysicalStore.unbound(np.dtype("int32"), 2, place_of(device))
        buffer = store.create_output_buffer((3, 4))
        store.bind_data(buffer, (2, 3))
        buffer[...] = np.arange(12, dtype="int32").reshape(3, 4)
        storage, extents = store.bound
    assert LayoutTensor(storage, accel.layout.Layout.row_major(*extents)).to_numpy().tolist() == [[0, 1, 2], [4, 5, 6]]


@pytest.mark.parametrize("name", ["eager", "threads"])
@DEVICES
def test_a_task_has_the_stream_of_its_device(name, device):
    def body(x: InOut):
        streams.append((current_stream(accel.Device(device)), current_stream(accel.Device.CPU)))

    streams, note = [], task(body)
    note.variant("sim")(body)
    store = create_store("float32", (3,))
    store.offload_to(device)
    outside = None if device == "cpu" else accel.new_stream(device)
    with engine(name).using():
        note(store).wait()
        if outside is not None:
            with outside:
                note(store).wait()
    expected = None if device == "cpu" else heap_of(accel.Device(device)).stream
    assert streams == [(expected, None)] + ([(outside, None)] if outside is not None else [])
    assert current_stream(accel.Device.SIM) is None
