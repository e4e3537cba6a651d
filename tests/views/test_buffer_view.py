"""`BufferView` behaves like a NumPy slice of the same elements, on any device."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib import NumpyVersion

import accel
from accel import xp
from accel.dtypes import f32, supported
from accel.errors import (
    BoundsError,
    DeviceMismatchError,
    DTypeError,
    InFlightError,
    InterchangeError,
    LayoutError,
    ReadOnlyError,
    ReleasedError,
)
from accel.views import BufferView, LayoutTensor, NDBuffer

DEVICES = ["cpu", "sim"]
QUICK = settings(max_examples=60, deadline=None, database=None)
bounds = st.none() | st.integers(-40, 40)
slices = st.builds(slice, bounds, bounds)


def numbers(size=16, dtype="float64"):
    return np.arange(size).astype(dtype)


class TestSlices:
    @QUICK
    @given(st.sampled_from(DEVICES), st.integers(0, 20), st.lists(slices, max_size=3))
    def test_are_those_of_python_however_many_follow_each_other(self, device, size, chain):
        model = numbers(size)
        view = BufferView(accel.container(model, device=device))
        for places in chain:
            model, view = model[places], view[places]
        assert view.to_numpy().tolist() == model.tolist()
        assert (view.size, len(view), view.shape) == (model.size, model.size, model.shape)

    @pytest.mark.parametrize("places", [slice(16), slice(8, 24), slice(None), slice(8, None), slice(-8, None)])
    def test_of_a_container_are_views(self, device, places):
        c = accel.container(numbers(32), device=device)
        view = c[places]
        assert type(view) is BufferView
        assert view.storage is c.storage
        assert (view.offset, view.offset + view.size) == places.indices(32)[:2]

    def test_of_an_empty_container_are_empty(self):
        assert accel.AcceleratorDataContainer()[:3].size == 0

    def test_accumulate_their_offsets(self):
        assert BufferView(accel.zeros(64), offset=4)[8:24][2:6].offset == 14

    @pytest.mark.parametrize("step", [2, -1, -3])
    def test_have_no_step(self, step):
        c = accel.zeros(8)
        for sliced in (c, BufferView(c)):
            with pytest.raises(ValueError, match=f"has step 1; found {step}: write xp.asarray"):
                sliced[::step]

    def test_are_assigned_to(self, device):
        view = BufferView(accel.container(numbers(8), device=device), offset=1)
        view[2:4] = 50
        view[4:] = view[:3]
        assert view.to_numpy().tolist() == [1, 2, 50, 50, 1, 2, 50]


class TestSubviews:
    @QUICK
    @given(st.integers(-3, 12), st.integers(-3, 12))
    def test_never_clip(self, offset, size):
        view = BufferView(numbers(10))[1:9]
        if offset >= 0 and size >= 0 and offset + size <= 8:
            assert view.subview(offset, size).to_numpy().tolist() == numbers(10)[1:9][offset : offset + size].tolist()
        else:
            with pytest.raises(BoundsError, match=f"offset {offset} are required, and the parent view has 8 available"):
                view.subview(offset, size)

    @QUICK
    @given(st.integers(-3, 12), st.none() | st.integers(-3, 12))
    def test_nor_do_constructors(self, offset, size):
        c = accel.container(numbers(10))
        if 0 <= offset <= 10 and (size is None or 0 <= size <= 10 - offset):
            end = None if size is None else offset + size
            assert BufferView(c, offset=offset, size=size).to_numpy().tolist() == numbers(10)[offset:end].tolist()
        else:
            with pytest.raises(BoundsError, match="required, and this AcceleratorDataContainer has 10 available"):
                BufferView(c, offset=offset, size=size)

    def test_take_whole_numbers(self):
        view = BufferView(accel.zeros(4))
        assert view.subview(np.int8(1), np.uint64(2)).offset == 1
        with pytest.raises(TypeError, match=r"an offset is a whole number; found 1\.5"):
            view.subview(1.5, 2)


class TestElements:
    @QUICK
    @given(st.sampled_from(supported()), st.integers(0, 6), st.data())
    def test_are_numpys(self, dtype, size, data):
        model = numbers(10, dtype)
        view = BufferView(accel.container(model))[2 : 2 + size]
        window = model[2 : 2 + size]
        assert list(view) == window.tolist()
        index = data.draw(st.integers(-8, 8))
        if -size <= index < size:
            assert view[index] == window[index]
            assert type(view[index]) is type(window[index])
            view[index] = window[index] = dtype.type(1)
            assert view.to_numpy().tolist() == window.tolist()
        else:
            for touch in (lambda: view[index], lambda: view.__setitem__(index, 1)):
                with pytest.raises(BoundsError, match=rf"index {index} .* axis 0: .* {size} elements \(offset=2\)"):
                    touch()

    def test_leave_their_neighbours_alone(self, device):
        c = accel.zeros(8, device=device)
        c[2:5].fill(7)
        c[5:6].from_numpy(np.array([8.0]))
        assert c.to_numpy().tolist() == [0, 0, 7, 7, 7, 8, 0, 0]

    def test_are_shared_by_two_views(self):
        c = accel.zeros(8)
        c[2:6][1] = 5
        assert c[:4][3] == 5

    def test_are_converted_or_refused(self):
        view = BufferView(accel.zeros(3, "int8"))
        with pytest.raises(DTypeError):
            view[0] = 1.5
        with pytest.raises(OverflowError):
            view[0] = 300
        with pytest.raises(TypeError, match="whole number"):
            view[0.0]
        assert view.to_numpy().tolist() == [0, 0, 0]

    @pytest.mark.parametrize(
        "access",
        [lambda v: v[0], lambda v: v.__setitem__(0, 1), iter, np.asarray],
        ids=["read", "write", "iter", "numpy"],
    )
    def test_of_a_device_are_out_of_the_hosts_reach(self, access):
        with pytest.raises(DeviceMismatchError, match=r"on sim: write x.to_numpy\(\) for a copy, or c.to\('cpu'\)"):
            access(accel.zeros(3, device="sim")[:2])


class TestContents:
    @QUICK
    @given(st.sampled_from(DEVICES), st.sampled_from(DEVICES), st.integers(0, 8), st.integers(0, 8), st.integers(0, 8))
    def test_are_copied_between_devices_and_over_each_other(self, here, there, size, to, from_):
        model = numbers()
        target = source = accel.container(model, device=here)
        if here != there:
            source = accel.container(model, device=there)
        target[to : to + size].copy_from(source[from_ : from_ + size])
        model[to : to + size] = numbers()[from_ : from_ + size]
        assert target.to_numpy().tolist() == model.tolist()

    @pytest.mark.parametrize(
        "source",
        [np.ones(3), accel.container(np.ones(3)), xp.ones(3), NDBuffer(np.ones(3))],
        ids=lambda s: type(s).__name__,
    )
    def test_are_copied_from_whatever_has_memory(self, device, source):
        c = accel.zeros(4, device=device)
        c[1:].copy_from(source)
        assert c.to_numpy().tolist() == [0, 1, 1, 1]

    def test_must_be_of_equal_shape_and_dtype(self, device):
        view = accel.zeros(4, device=device)[1:]
        for copied in (view.copy_from, view.from_numpy):
            with pytest.raises(LayoutError, match=r"shape \(2,\) cannot be copied into shape \(3,\)"):
                copied(np.ones(2))
            with pytest.raises(DTypeError, match=r"write .*astype\(.*'float64'\)"):
                copied(np.ones(3, "float32"))

    def test_fill_takes_one_value(self, device):
        with pytest.raises(ValueError, match="fill takes one value; found 2"):
            accel.zeros(4, device=device)[1:].fill([1, 2])

    def test_survive_copies_and_pickles(self, device):
        view = accel.container(numbers(), device=device)[3:6]
        assert copy.copy(view).storage is view.storage
        for apart in (copy.deepcopy(view), pickle.loads(pickle.dumps(view))):
            assert apart.to_numpy().tolist() == [3, 4, 5]
            assert apart.storage is not view.storage
            assert apart.device == view.device

    def test_are_refused_once_released(self, device):
        c = accel.zeros(4, device=device)
        view = c[1:]
        c.release()
        for use in (view.to_numpy, lambda: view.fill(0), lambda: view.copy_from(np.zeros(3)), view.__dlpack__):
            with pytest.raises(ReleasedError):
                use()
        assert repr(view) == "BufferView(released, offset=1, size=3, dtype=float64)"

    def test_in_flight_are_not_touched_in_strict_mode(self, stream, held):
        c = accel.zeros(4)
        view = c[1:]
        c.copy_from_async(accel.zeros(4), stream=stream)
        touches = (
            lambda: view[0],
            lambda: view.__setitem__(0, 1),
            view.to_numpy,
            lambda: view.fill(1),
            lambda: np.asarray(view),
            lambda: np.from_dlpack(view),
        )
        with accel.using(strict=True):
            for touch in touches:
                with pytest.raises(InFlightError):
                    touch()

    def test_are_read_only_where_their_source_is(self):
        array = numbers()
        array.flags.writeable = False
        view = BufferView(array)[2:]
        assert view.readonly
        for write in (
            lambda: view.__setitem__(0, 1),
            lambda: view.fill(0),
            lambda: view.from_numpy(np.zeros(14)),
            lambda: view.copy_from(np.zeros(14)),
        ):
            with pytest.raises(ReadOnlyError):
                write()
        assert not np.asarray(view).flags.writeable

    def test_of_a_broadcast_array_are_read_only(self):
        x = xp.zeros(1)
        assert not x.storage.readonly
        assert BufferView(xp.broadcast_to(x, (1,))).readonly
        assert not BufferView(x).readonly


class TestSources:
    def test_share_their_memory(self):
        c = accel.container(numbers())
        array = numbers()
        foreign = numbers()
        x = xp.asarray(numbers())[4:]
        for source in (c, c.storage, array, x, Foreign(foreign)):
            BufferView(source)[0] = 9
        assert [float(a[0]) for a in (c, array, x, foreign)] == [9, 9, 9, 9]

    def test_may_start_within_a_memory(self, device):
        x = xp.asarray(accel.container(numbers(), device=device)[4:12])[2:5]
        assert BufferView(x, offset=1).to_numpy().tolist() == [7, 8]

    def test_may_have_another_dtype_than_their_memory(self):
        z = xp.asarray([1 + 2j])
        assert z.storage.dtype == np.complex128
        view = BufferView(xp.imag(z))
        assert (view.offset, view.to_numpy().tolist()) == (1, [2])

    def test_may_be_views_themselves(self):
        view = BufferView(accel.container(numbers(9))[2:8], 1, 3)
        assert (view.offset, view.to_numpy().tolist()) == (3, [3, 4, 5])

    @pytest.mark.parametrize("source", [np.zeros((2, 3)), xp.zeros((2, 3)), np.array(1.0), NDBuffer(np.zeros((2, 3)))])
    def test_have_one_axis(self, source):
        with pytest.raises(TypeError, match=r"one axis.*write NDBuffer\(x\)\.flatten\(\)"):
            BufferView(source)

    @pytest.mark.parametrize("source", [np.zeros(6)[::2], xp.zeros(6)[::2], NDBuffer(np.zeros(6), (3,), (2,))])
    def test_are_contiguous(self, source):
        with pytest.raises(LayoutError, match="copy"):
            BufferView(source)

    @pytest.mark.parametrize("source", [[1, 2], None, 3, "ab"])
    def test_have_memory(self, source):
        with pytest.raises(TypeError, match=r"a view needs .* found .*: write accel.container\(x\)"):
            BufferView(source)

    def test_lie_at_multiples_of_their_size(self):
        x = xp.asarray(np.zeros(17, "uint8")[1:].view("float64"))
        with pytest.raises(LayoutError, match=r"found offset 1 .*: write xp\.asarray\(x, copy=True\)"):
            BufferView(x)

    @pytest.mark.parametrize("name", ["requires_grad", "needs_grad"])
    @pytest.mark.parametrize("view", [BufferView, LayoutTensor])
    def test_need_no_gradients(self, name, view):
        source = Foreign(numbers())
        setattr(source, name, True)
        with pytest.raises(TypeError, match=r"requires gradients.* write x.detach\(\)"):
            view(source)
        setattr(source, name, False)
        assert view(source).to_numpy().tolist() == numbers().tolist()

    def test_stay_as_long_as_they_are_looked_at(self):
        view = BufferView(numbers())
        assert view.to_numpy().tolist() == numbers().tolist()


class Foreign:
    """An array of another library."""

    requires_grad = False

    def __init__(self, array):
        self.__dlpack__ = array.__dlpack__
        self.__dlpack_device__ = array.__dlpack_device__


class TestManners:
    @pytest.mark.parametrize("name", ["size", "offset", "shape", "dtype", "storage", "color"])
    def test_nothing_can_be_changed_but_the_elements(self, name):
        with pytest.raises(AttributeError):
            setattr(BufferView(accel.zeros(3)), name, 5)

    def test_it_says_what_it_is(self, device):
        view = accel.container([1, 2, 3, 4], "float32", device=device)[1:3]
        assert repr(view) == f"BufferView([2., 3.], offset=1, size=2, dtype=float32, device={device})"

    @QUICK
    @given(st.integers(0, 3000))
    def test_it_looks_as_numpys_array_does(self, size):
        text = np.array2string(numbers(size), separator=", ", prefix="BufferView(")
        # NumPy pads to the widest element, also one not shown. With the widest last, both pad alike.
        assert repr(BufferView(numbers(size))).startswith(f"BufferView({text}, offset=0, ")

    def test_it_is_an_annotation(self):
        assert BufferView[f32].__args__ == (np.float32,)

    def test_other_libraries_look_at_the_same_elements(self):
        view = accel.container(numbers())[4:8]
        seen = np.from_dlpack(view)
        writable = [np.asarray(view), xp.asarray(view), xp.from_dlpack(view)]
        if NumpyVersion(np.__version__) >= "2.2.5":  # before it, what np.from_dlpack returns is read-only
            writable.append(seen)
        for looked in writable:
            looked[0] += 1
        assert view[0] == seen[0] == 4 + len(writable)

    def test_they_keep_the_memory(self):
        c = accel.container(numbers())
        exported = np.asarray(c[4:8])
        c.release()
        assert exported.tolist() == [4, 5, 6, 7]

    def test_they_may_have_a_copy(self):
        view = accel.container(numbers())[4:8]
        for apart in (np.array(view), np.asarray(view, "float32"), np.from_dlpack(view, copy=True)):
            assert not np.shares_memory(apart, np.asarray(view))
        with pytest.raises(ValueError, match="copy"):
            np.asarray(view, "float32", copy=False)

    def test_of_a_device_they_get_a_copy_on_the_host(self):
        view = accel.container(numbers(), device="sim")[4:8]
        assert np.from_dlpack(view, device="cpu").tolist() == [4, 5, 6, 7]
        with pytest.raises(InterchangeError):
            view.__dlpack__(dl_device=(1, 0), copy=False)
