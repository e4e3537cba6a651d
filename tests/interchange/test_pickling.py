"""Pickles and copies carry the elements, and nothing else of the process."""

import copy
import pickle
import warnings

import numpy as np
import pytest

import accel
from accel import Device, HostStorage, xp
from accel.device import FallbackWarning, fallbacks
from accel.errors import DeviceUnavailableError, FormatError, ReleasedError
from accel.layout import Layout
from accel.memory import Ownership, Storage
from accel.memory.device_storage import unpickled_device_storage
from accel.memory.heap import Heap
from accel.memory.host_storage import unpickled_host_storage
from accel.memory.pickling import VERSION

from ..tables import rows

DTYPES = ["float32", "bool", "complex128", "bfloat16", "float8_e5m2"]
PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


def read_only(values):
    values = values.copy()
    values.flags.writeable = False
    return values


def filled(dtype, size=5):
    return np.arange(size).astype(accel.dtypes.as_dtype(dtype))


KINDS = {
    "container": lambda dtype: accel.container(filled(dtype)),
    "nothing": lambda dtype: accel.empty(0, dtype),
    "external": lambda dtype: accel.from_numpy(filled(dtype)),
    "read-only": lambda dtype: accel.from_numpy(read_only(filled(dtype))),
    "part of an array": lambda dtype: xp.asarray(filled(dtype, 9))[2:5].container(),
    "storage": lambda dtype: accel.container(filled(dtype)).storage,
    "external storage": lambda dtype: HostStorage(filled(dtype)),
    "array": lambda dtype: xp.asarray(filled(dtype, 6).reshape(2, 3)),
    "columns": lambda dtype: xp.asarray(filled(dtype, 12).reshape(3, 4))[:, ::2],
    "reversed": lambda dtype: xp.asarray(filled(dtype))[::-1],
    "broadcast": lambda dtype: xp.broadcast_to(xp.asarray(filled(dtype)), (2, 5)),
    "no axes": lambda dtype: xp.asarray(filled(dtype)[3]),
    "no elements": lambda dtype: xp.zeros((2, 0, 3), dtype=dtype),
    "window": lambda dtype: accel.container(filled(dtype, 9))[2:5],
    "tensor": lambda dtype: accel.container(filled(dtype, 6)).view(Layout((2, 3), (3, 1))),
    "array on a container": lambda dtype: xp.asarray(accel.container(filled(dtype))),
}
AGAIN = {
    **{f"pickle {protocol}": lambda x, p=protocol: pickle.loads(pickle.dumps(x, p)) for protocol in PROTOCOLS},
    "deepcopy": copy.deepcopy,
}


def apart(x):
    """Pickle with the elements apart from the pickle."""
    buffers = []
    pickled = pickle.dumps(x, 5, buffer_callback=buffers.append)
    return pickled, buffers


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("again", AGAIN.values(), ids=AGAIN.keys())
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_elements_come_back_in_memory_of_their_own(kind, again, dtype):
    x = kind(dtype)
    y = again(x)
    assert type(y) is type(x)
    assert (y.dtype, y.device, y.size) == (x.dtype, x.device, x.size)
    values = np.asarray(x).copy()
    assert np.asarray(y).shape == values.shape
    np.testing.assert_array_equal(np.asarray(y), values)
    storage = y if isinstance(y, Storage) else y.storage
    assert storage.ownership is Ownership.MANAGED
    assert not storage.readonly
    np.asarray(y)[...] = 0
    np.testing.assert_array_equal(np.asarray(x), values)


def test_a_copy_of_a_handle_is_a_handle():
    for x in (accel.zeros(3), HostStorage(3), accel.from_numpy(np.zeros(3))):
        y = copy.copy(x)
        y[0] = 7
        assert x[0] == 7


class TestPickles:
    def test_hold_only_what_a_view_shows(self):
        x = xp.zeros(1_000_000)
        assert len(pickle.dumps(x[:5])) < 1000
        assert len(pickle.dumps(x[::200_000])) < 1000
        assert len(pickle.dumps(x[:5].container())) < 1000

    def test_of_an_empty_container(self):
        assert (
            str(pickle.loads(pickle.dumps(accel.AcceleratorDataContainer()))) == "AcceleratorDataContainer(cpu, empty)"
        )

    def test_of_a_class_of_the_users(self):
        assert type(pickle.loads(pickle.dumps(Mine.on(HostStorage(3))))) is Mine

    def test_of_released_memory(self):
        with accel.zeros(3) as c:
            x = xp.asarray(c)
        for gone in (c, c.storage, x):
            with pytest.raises(ReleasedError):
                pickle.dumps(gone)

    @pytest.mark.parametrize("kind", ["container", "array", "read-only"])
    def test_may_leave_the_elements_apart(self, kind):
        x = KINDS[kind]("float64")
        pickled, (buffer,) = apart(x)
        assert len(pickled) < 300
        assert np.shares_memory(np.asarray(x), np.asarray(buffer))
        np.testing.assert_array_equal(np.asarray(pickle.loads(pickled, buffers=[buffer])), np.asarray(x))
        misaligned = memoryview(bytearray(b"x" + bytes(buffer)))[1:]
        np.testing.assert_array_equal(np.asarray(pickle.loads(pickled, buffers=[misaligned])), np.asarray(x))

    def test_keep_memory_that_they_left_apart(self):
        c = accel.full(1000, 3.0)
        pickled, buffers = apart(c)
        c.release()
        accel.zeros(1000).release()  # would get the same block if it were free
        assert (pickle.loads(pickled, buffers=buffers).to_numpy() == 3).all()

    @pytest.mark.usefixtures("no_leaks")
    def test_leave_nothing_behind(self):
        for kind in KINDS.values():
            pickle.loads(pickle.dumps(kind("float32")))
            apart(kind("float32"))

    def test_are_read_by_another_process(self, python):
        pickled = pickle.dumps((accel.container([1.5, 2]), xp.asarray([[1, 2]], dtype="bfloat16")))
        code = f"import pickle; c, x = pickle.loads({pickled!r}); print(c.to_numpy().tolist(), x)"
        assert python(code) == "[1.5, 2.0] Array([[1, 2]], dtype=bfloat16, device=cpu)"


class Mine(accel.AcceleratorDataContainer):
    __slots__ = ()


class TestDevices:
    @pytest.fixture
    def pickled(self, toy):
        with accel.container([1, 2, 3], "float32", device="sim:1") as c:
            yield {"container": pickle.dumps(c), "storage": pickle.dumps(c.storage), "apart": apart(c)}

    def test_are_where_the_elements_come_back(self, pickled):
        c = pickle.loads(pickled["container"])
        assert (c.device, c.to_numpy().tolist()) == (Device.SIM[1], [1, 2, 3])
        assert pickle.loads(pickled["storage"]).device is Device.SIM[1]
        assert pickle.loads(pickled["apart"][0], buffers=pickled["apart"][1]).to_numpy().tolist() == [1, 2, 3]

    @pytest.fixture
    def gone(self, pickled, toy, monkeypatch):
        monkeypatch.setattr(toy, "devices", lambda: (Device.SIM,))
        return pickled["container"]

    def test_that_are_gone_are_an_error(self, gone):
        with pytest.raises(DeviceUnavailableError, match="sim:1"):
            pickle.loads(gone)

    def test_that_are_gone_are_stood_in_for_by_policy(self, gone):
        with accel.using(fallback="silent"), warnings.catch_warnings(action="error"):
            assert pickle.loads(gone).to_numpy().tolist() == [1, 2, 3]
        with accel.using(fallback="warn"), pytest.warns(FallbackWarning):
            assert pickle.loads(gone).device is Device.CPU
        assert fallbacks()[-1].request == "sim:1"


class TestTamperedStates:
    GOOD = (VERSION, "cpu", "float32", 3, bytes(12))

    @pytest.fixture(params=[unpickled_host_storage, unpickled_device_storage])
    def unpickled(self, request):
        return request.param

    def test_the_good_one_is_read(self, unpickled):
        assert unpickled(*self.GOOD).load(0, 3).tolist() == [0, 0, 0]

    def test_a_newer_one_is_refused(self, unpickled):
        for parts in ((), self.GOOD[1:], (1, 2, 3, 4, 5, 6)):
            with pytest.raises(FormatError, match=f"newer release, in form {VERSION + 1}"):
                unpickled(VERSION + 1, *parts)

    @rows(
        ("place", "wrong"),
        [
            *((0, wrong) for wrong in (0, -1, "1", None, 1.5)),
            *((1, wrong) for wrong in ("", "cpu:1", "nowhere", b"cpu", None, 3, "cuda:99999")),
            *((2, wrong) for wrong in ("object", "float31", ">f4", "datetime64[s]", "O", "", None, np.float32)),
            *((3, wrong) for wrong in (2, 4, -3, 2**62, 2**80, "3", None, 3.0)),
            *((4, wrong) for wrong in (b"", bytes(11), bytes(13), "text", None, 12, [0] * 12)),
        ],
    )
    def test_a_wrong_part_is_refused(self, place, wrong, unpickled, monkeypatch):
        monkeypatch.setattr(Heap, "allocate", None)  # must not be reached
        state = [*self.GOOD]
        state[place] = wrong
        with pytest.raises(FormatError, match="no pickled storage"):
            unpickled(*state)

    def test_elements_of_a_device_do_not_become_a_storage_of_the_host(self):
        with pytest.raises(FormatError, match="no pickled storage of the host: its elements were on sim"):
            unpickled_host_storage(VERSION, "sim", *self.GOOD[2:])

    @pytest.mark.parametrize("state", [(), (1,), GOOD[:-1], (*GOOD, None)])
    def test_a_wrong_number_of_parts_is_refused(self, state, unpickled):
        with pytest.raises(FormatError, match="no pickled storage"):
            unpickled(*state)

    def test_a_pickle_with_other_bytes_is_refused(self):
        good = pickle.dumps(accel.container([1, 2, 3], "float32"), 5)
        for one, other in ((b"float32", b"float64"), (b"\x8c\x03cpu", b"\x8c\x03gnu")):
            assert one in good
            with pytest.raises(FormatError):
                pickle.loads(good.replace(one, other))

    @pytest.mark.parametrize(
        "arguments",
        [(int, HostStorage(3)), (None, None), ("text", HostStorage(3)), (accel.AcceleratorDataContainer, 3)],
    )
    def test_containers_of_something_else_are_refused(self, arguments):
        load, _ = accel.zeros(3).__reduce__()
        with pytest.raises(FormatError, match="no pickled container"):
            load(*arguments)

    @pytest.mark.parametrize(
        "arguments",
        [
            (HostStorage(6), (2, 2)),
            (HostStorage(6), (2**62, 8)),
            (HostStorage(6), 6),
            (3, (3,)),
            (HostStorage(6), ("a",)),
        ],
    )
    def test_arrays_of_something_else_are_refused(self, arguments):
        load, _ = xp.zeros(3).__reduce__()
        with pytest.raises(FormatError, match="no pickled array"):
            load(*arguments)
