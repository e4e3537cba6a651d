"""The memory under an array: storages, containers, release, and leaks."""

import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import LayoutError, ReadOnlyError, ReleasedError
from accel.memory import snapshot


def live():
    gc.collect()
    return snapshot().live_blocks


class TestStorage:
    def test_is_made_once(self):
        x = xp.ones((2, 3))
        storage = x.storage
        assert x.storage is storage
        assert (storage.size, storage.dtype, storage.device) == (6, np.float64, xp.Device.CPU)
        assert storage.ownership is accel.Ownership.MANAGED
        assert storage.ref_count == 1

    def test_is_the_memory_of_the_array(self):
        x = xp.zeros(3)
        x.storage[1] = 5
        assert x[1] == 5

    @pytest.mark.parametrize(
        "derive",
        [
            lambda x: x[1:, :],
            lambda x: x.T,
            lambda x: xp.reshape(x, (6,)),
            xp.flip,
            lambda x: xp.broadcast_to(x, (4, 2, 3)),
            lambda x: xp.unstack(x)[1],
            lambda x: xp.astype(x, x.dtype, copy=False),
            lambda x: x.reshape(-1),
            lambda x: x.ravel(),
            lambda x: x[:],
            lambda x: x.swapaxes(0, 1),
            lambda x: xp.swapaxes(x, 0, 1),
            np.transpose,
            lambda x: np.split(x, 2)[0],
        ],
    )
    def test_is_shared_with_views(self, derive):
        x = xp.ones((2, 3))
        early = derive(x)
        assert early.storage.pointer == x.storage.pointer
        assert derive(x).storage is x.storage

    @pytest.mark.parametrize("derive", [lambda x: x + 1, lambda x: x[0, 0], lambda x: x[x > 0], xp.sum])
    def test_is_not_shared_with_results(self, derive):
        x = xp.ones((2, 3))
        assert derive(x).storage.pointer != x.storage.pointer
        x.storage.release()
        assert derive(xp.ones((2, 3))).storage.ref_count == 1

    @pytest.mark.parametrize("device", ["cpu", "sim"])
    @pytest.mark.parametrize(
        "reshape",
        [lambda x: xp.reshape(x, (-1,)), lambda x: x.reshape(4), lambda x: x.reshape(-1, order="C"), xp.Array.ravel],
    )
    def test_is_not_shared_with_the_copy_that_another_shape_needs(self, reshape, device):
        x = xp.asarray([[1, 2, 0], [3, 4, 0]], device=device)[:, :2]
        storage = x.storage
        flat = reshape(x)
        assert flat.storage is not storage
        storage.release()
        assert flat.tolist() == [1, 2, 3, 4]

    @pytest.mark.parametrize("device", ["cpu", "sim"])
    def test_of_the_copy_that_another_shape_needs_lives_as_long_as_a_view_of_it(self, device):
        x = xp.reshape(xp.arange(200_000, device=device), (400, 500))
        storage = x.storage
        buffer = accel.BufferView(xp.reshape(x[:, :400], (-1,)))
        del x, storage
        others = [xp.full(160_000, -1, device=device) for _ in range(4)]
        assert buffer.to_numpy()[::40_000].tolist() == [0, 50_000, 100_000, 150_000]
        del others

    @pytest.mark.parametrize("x", [xp.flip(xp.arange(5)), xp.arange(5)[::-2], xp.arange(5)[3:0:-1]], ids=str)
    def test_of_views_that_run_backwards_has_the_whole(self, x):
        assert (x.storage.size, x.storage.array.tolist()) == (5, [0, 1, 2, 3, 4])

    def test_of_an_array_without_elements(self):
        assert xp.zeros((0, 3)).storage.size == 0
        assert len(xp.zeros((0, 3)).container()) == 0

    def test_of_read_only_memory_is_read_only(self):
        values = np.ones(3)
        values.flags.writeable = False
        x = xp.asarray(values)
        assert x.storage.readonly
        with pytest.raises(ReadOnlyError):
            x.container().fill(0)

    def test_sizes(self):
        x = xp.ones((2, 3), dtype="float32")[:, :2]
        assert (x.nbytes, x.storage.nbytes) == (16, 24)


class TestContainer:
    def test_an_array_on_a_container_shares_its_memory(self):
        container = accel.zeros(6)
        x = xp.reshape(xp.asarray(container), (2, 3))
        x[1, 0] = 7
        assert container[3] == 7
        container[0] = 8
        assert x[0, 0] == 8
        assert x.storage is container.storage

    def test_a_storage_gives_an_array_too(self):
        storage = accel.HostStorage(3, "int16")
        x = xp.asarray(storage)
        x[...] = 4
        assert (x.dtype, storage[2]) == (np.int16, 4)

    def test_a_container_on_an_array_shares_its_memory(self):
        x = xp.zeros((2, 3))
        container = x[1, :].container()
        container.fill(3)
        assert xp.sum(x) == 9
        assert (len(container), container.ref_count) == (3, 2)  # x and its views have one handle together

    def test_it_outlives_the_array(self):
        container = (xp.ones(1000) * 2).container()
        gc.collect()
        assert container.to_numpy().tolist() == [2.0] * 1000

    def test_there_and_back(self):
        x = xp.ones(3)
        xp.asarray(x.container())[0] = 5
        assert x[0] == 5

    @pytest.mark.parametrize(
        "make", [lambda x: x[::2], xp.flip, lambda x: xp.broadcast_to(x, (2, 4)), lambda x: xp.reshape(x, (2, 2)).T]
    )
    def test_elements_must_lie_in_order(self, make):
        x = make(xp.arange(4))
        with pytest.raises(LayoutError, match=r"write xp\.reshape\(x, \(-1,\), copy=True\)\.container\(\)"):
            x.container()
        assert len(xp.reshape(x, (-1,), copy=True).container()) == x.size

    def test_elements_must_lie_where_their_dtype_may(self):
        x = xp.asarray(np.arange(9, dtype="uint8")[1:].view("int16"))
        with pytest.raises(LayoutError, match=r"aligned.*copy=True\)\.container\(\)"):
            x.container()
        assert xp.all(xp.asarray(xp.reshape(x, (-1,), copy=True).container()) == x)

    def test_elements_go_to_another_device_from_any_address(self):
        x = xp.asarray(np.arange(9, dtype="uint8")[1:].view("int16"))
        assert xp.all(x.to_device("sim").to_device("cpu") == x)

    @pytest.mark.parametrize("shape", [(1, 3, 1), (3, 1), (), (1,)])
    def test_axes_of_one_element_do_not_matter(self, shape):
        x = xp.zeros(shape)
        assert len(x[..., None].container()) == x.size

    def test_an_empty_container_has_no_array(self):
        with pytest.raises(RuntimeError, match="the container is empty"):
            xp.asarray(accel.AcceleratorDataContainer())


def released():
    """Return arrays whose memory was released: by a container, by their own storage, and by that of a larger array."""
    container = accel.zeros(6)
    x = xp.reshape(xp.asarray(container), (2, 3))
    container.release()
    own = xp.ones((2, 3))
    own.storage.release()
    whole = xp.ones((3, 3))
    storage, part = whole.storage, whole[:2, :]
    storage.release()
    return [x, own, part]


USES = {
    "operator": lambda x: x + 1,
    "reflected": lambda x: 1 + x,
    "second operand": lambda x: xp.ones(3) + x,
    "comparison": lambda x: x == 1,
    "unary": lambda x: -x,
    "in place": lambda x: x.__iadd__(1),
    "in place, second operand": lambda x: xp.ones((2, 3)).__iadd__(x),
    "function": xp.sin,
    "function of two": lambda x: xp.add(1, x),
    "reduction": xp.sum,
    "optional argument": lambda x: xp.clip(xp.ones(3), x),
    "optional keyword": lambda x: xp.diff(xp.ones((2, 3)), prepend=x),
    "sequence": lambda x: xp.concat([xp.ones((1, 3)), x]),
    "several": lambda x: xp.broadcast_arrays(xp.ones(3), x),
    "linalg": xp.linalg.svd,
    "fft": xp.fft.fft,
    "astype": lambda x: xp.astype(x, "float32"),
    "reading": lambda x: x[0, 0],
    "reading a column": lambda x: x[:, 0],
    "reading at an index of NumPy": lambda x: x[np.int64(1)],
    "writing": lambda x: x.__setitem__(0, 1),
    "writing an element": lambda x: x.__setitem__((0, 1), 1.0),
    "writing a column": lambda x: x.__setitem__((slice(None), 0), 1.0),
    "an element as a value": lambda x: xp.ones((2, 3)).__setitem__(0, x[0]),
    "a method": lambda x: x.sum(),
    "a method of two": lambda x: x.dot(xp.ones(3)),
    "a function of NumPy's name": lambda x: xp.power(x, 2),
    "a sequence for NumPy's name": lambda x: xp.concatenate((x, x)),
    "as a value": lambda x: xp.ones((2, 3)).__setitem__(..., x),
    "as an index": lambda x: xp.ones((2, 3))[x],
    "iterating": list,
    "transposing": lambda x: x.T,
    "NumPy": np.asarray,
    "NumPy's function": np.sin,
    "NumPy's sequence": lambda x: np.concatenate([x, x]),
    "choice": lambda x: xp.where(x > 0, x, 0),
    "reshaping": lambda x: x.reshape(-1),
    "a view": lambda x: x[:],
    "NumPy's operand": lambda x: np.ones(3) + x,
    "DLPack": lambda x: x.__dlpack__(),
    "container": lambda x: x.container(),
    "operand": lambda x: x.__accel_operand__(),
    "copy": lambda x: xp.asarray(x, copy=True),
}


class TestRelease:
    @pytest.mark.parametrize("use", USES.values(), ids=USES)
    def test_every_later_use_is_refused(self, use):
        for x in released():
            with pytest.raises(ReleasedError, match="was released"):
                use(x)

    def test_a_reduction_of_numpy_is_refused(self):
        """In a process of its own: NumPy 2.4 never frees the arguments of a reduction that is refused."""
        code = "import accel.xp as xp, numpy as np; x = xp.ones(3); x.storage.release(); np.add.reduce(x)"
        found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert "ReleasedError" in found.stderr.splitlines()[-1]

    def test_it_ends_a_loop_over_the_elements(self):
        for x in (xp.ones(3), xp.ones((3, 2))):
            storage, elements = x.storage, iter(x)
            next(elements)
            storage.release()
            with pytest.raises(ReleasedError, match="was released"):
                next(elements)

    def test_what_needs_no_memory_is_still_there(self):
        for x in released():
            assert (x.shape, x.dtype, x.ndim, x.size, x.device) == ((2, 3), np.float64, 2, 6, xp.Device.CPU)
            assert repr(x) == "Array(released, shape=(2, 3), dtype=float64, device=cpu)"
            assert str(x) == repr(x)
            assert x.storage.released

    def test_exports_keep_the_bytes(self):
        container = accel.zeros(3)
        values = np.asarray(xp.asarray(container))
        container.release()
        values[...] = 5
        assert values.tolist() == [5.0, 5.0, 5.0]

    def test_copies_are_not_touched(self):
        container = accel.zeros(3)
        x = xp.asarray(container, copy=True)
        container.release()
        assert xp.sum(x) == 0


class TestLifetime:
    def test_an_array_keeps_the_memory_of_its_container(self):
        before = live()
        x = xp.asarray(accel.zeros(1000))
        y = x[10:20] + 1
        view = xp.reshape(x, (10, 100))
        assert live() == before + 1
        del x
        assert live() == before + 1
        del view
        assert live() == before
        assert xp.sum(y) == 10

    @pytest.mark.parametrize(
        "use", [lambda x: x, lambda x: x.storage, lambda x: x.container(), lambda x: x[1:].storage]
    )
    def test_an_array_that_is_dropped_frees_what_the_library_allocated(self, use):
        values = np.ones(1000)
        freed = weakref.ref(values)
        x = xp.asarray(values)
        reference = use(x)
        del values, x
        gc.collect()
        assert freed() is not None
        del reference
        gc.collect()
        assert freed() is None

    def test_no_reference_is_left_behind(self):
        container = accel.zeros(100)
        x, y = xp.reshape(xp.asarray(container), (10, 10)), xp.ones((10, 10))
        y.storage  # noqa: B018 - makes the storage

        def compute(x):
            (x + y)[1:] @ y
            x[0], x[3:5], x.T.storage, xp.sum(x), xp.where(x > 1, x, y), y.container()
            x += 1

        compute(x)  # compiles and imports what it needs
        gc.collect()
        blocks = sys.getallocatedblocks()
        for _ in range(1000):
            compute(x)
        gc.collect()
        assert sys.getallocatedblocks() - blocks < 100

    def test_arrays_can_be_referred_to_weakly(self):
        x = xp.ones(3)
        result = weakref.ref(x)
        assert result() is x
        del x
        assert result() is None


class TestOperand:
    @pytest.mark.parametrize(
        "view", [(...,), (slice(None), 0), (slice(None, None, -1), slice(1, 3)), (..., slice(None, None, -2))], ids=str
    )
    def test_says_where_the_elements_are(self, view):
        x = xp.reshape(xp.arange(12), (3, 4))[view]
        operand = x.__accel_operand__()
        values = np.asarray(x)
        assert operand.span.block.pointer + operand.span.start + operand.start == values.ctypes.data
        assert (operand.extents, operand.strides, operand.dtype) == (values.shape, values.strides, values.dtype)
        assert operand.writable

    def test_says_what_must_not_be_written(self):
        assert not xp.broadcast_to(xp.ones(3), (2, 3)).__accel_operand__().writable
