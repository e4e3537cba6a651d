"""Arrays on several devices: creation, transfers, and errors for operands on two devices."""

import asyncio
import contextvars
import copy
import operator
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import CapabilityError, DeviceMismatchError, DeviceUnavailableError, LayoutError

from .test_creation import FUNCTIONS

CPU = xp.Device.CPU
CREATING = {name: make for name, make in FUNCTIONS.items() if "like" not in name and name != "astype"}


@pytest.mark.parametrize("make", CREATING.values(), ids=CREATING)
def test_arrays_are_made_where_they_are_wanted(sim, make):
    assert make(device="sim:1").device is sim[1]
    with xp.default_device("sim"):
        assert make().device is sim
        assert make(device="cpu").device is CPU
    assert make().device is CPU


@pytest.mark.parametrize(
    "make", [xp.empty_like, xp.ones_like, xp.zeros_like, lambda x, **how: xp.full_like(x, 1, **how)]
)
def test_likenesses_are_made_where_the_array_is(sim, make):
    x = xp.ones(3, dtype="float32", device=sim)
    assert make(x).device is sim
    assert (make(x, device="cpu").device, make(x).dtype) == (CPU, np.float32)


def test_results_stay_on_the_device(sim):
    x = xp.asarray([[4.0, 1.0], [1.0, 3.0]], device=sim)
    for y in (
        x + 1,
        1 - x,
        x == x.T,
        x[0, 0],
        x[0, :],
        xp.sin(x),
        xp.sum(x),
        xp.linalg.svd(x).S,
        xp.where(x > 1, x, 0),
    ):
        assert y.device is sim
    x += 1
    x[0, :] = xp.zeros(2, device=sim)
    assert x.device is sim


class TestMoving:
    @pytest.mark.parametrize(
        "view", [lambda x: x, lambda x: x.T, xp.flip, lambda x: x[:, 1:], lambda x: x[0, 0], lambda x: x[:0, :]]
    )
    def test_there_and_back(self, sim, view):
        values = np.arange(6.0).reshape(2, 3)
        x = view(xp.asarray(values))
        y = x.to_device(sim)
        assert (y.device, y.shape, y.dtype) == (sim, x.shape, x.dtype)
        z = y.to_device(sim[1]).to_device("cpu")
        np.testing.assert_array_equal(np.asarray(z), np.asarray(x))

    def test_is_a_copy(self, sim):
        x = xp.zeros(3)
        y = x.to_device(sim)
        y[0] = 5
        assert xp.all(x == 0)
        assert x.to_device("cpu") is x

    def test_read_only_arrays(self, sim):
        x = xp.broadcast_to(xp.ones(2), (3, 2)).to_device(sim)
        x[0, 0] = 2
        assert xp.sum(x) == 7

    @pytest.mark.parametrize("stream", [3, -1, "1", True, object], ids=repr)
    @pytest.mark.parametrize("device", ["cpu", "sim"])
    def test_needs_a_stream_of_ours(self, sim, device, stream):
        with pytest.raises(TypeError, match=rf"is not a stream; write stream=accel\.new_stream\('{device}'\)"):
            xp.ones(3).to_device(device, stream=stream)

    def test_needs_a_stream_of_a_device_that_takes_part(self, sim):
        with accel.new_stream(sim[1]) as stream:
            pass
        with pytest.raises(DeviceMismatchError, match="a stream of sim:1 cannot copy from cpu to sim"):
            xp.ones(3).to_device(sim, stream=stream)
        stream.close()
        with pytest.raises(RuntimeError, match="is closed and takes no more work"):
            xp.ones(3).to_device(sim[1], stream=stream)

    @pytest.mark.parametrize("device", [None, 3, xp.ones(1)], ids=["None", "number", "array"])
    def test_needs_a_device(self, device):
        with pytest.raises(TypeError, match=r"to_device takes a device|a device is written as text"):
            xp.ones(3).to_device(device)

    def test_by_asarray(self, sim):
        x = xp.ones(3)
        y = xp.asarray(x, device=sim, dtype="int8")
        assert (y.device, y.dtype) == (sim, np.int8)
        assert xp.asarray(y).device is sim
        assert xp.astype(x, "int8", device=sim).device is sim
        assert xp.from_dlpack(y, device="cpu").device is CPU
        assert xp.from_dlpack(np.ones(3), device=sim).device is sim
        for values in (x, np.ones(3)):
            with pytest.raises(ValueError, match="on cpu becomes float64 on sim only by a copy"):
                xp.asarray(values, device=sim, copy=False)

    def test_containers_give_arrays_where_they_are(self, sim):
        container = accel.zeros(4, device=sim)
        x = xp.asarray(container)
        x[...] = 3
        assert x.device is sim
        assert container.to_numpy().tolist() == [3.0] * 4
        assert x.container().device is sim
        assert (x + 1).container().to_numpy().tolist() == [4.0] * 4

    def test_copies_stay_on_the_device(self, sim):
        x = xp.ones(3, device=sim)
        for y in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
            assert y.device is sim
            assert xp.all(y == x)


MIXING = {
    "operator": lambda x, y: x + y,
    "in place": lambda x, y: x.__iadd__(y),
    "comparison": lambda x, y: x == y,
    "function": xp.add,
    "sequence": lambda x, y: xp.concat([x, y]),
    "several": xp.broadcast_arrays,
    "optional": xp.clip,
    "keyword": lambda x, y: xp.diff(x, append=y),
    "choice": lambda x, y: xp.where(x > 0, 1, y),
    "index": lambda x, y: x[xp.astype(y, xp.int64)],
    "index in a tuple": lambda x, y: x[(..., xp.astype(y, xp.int64))],
    "value": lambda x, y: x.__setitem__(..., y),
    "linalg": xp.linalg.outer,
}


@pytest.mark.parametrize("mix", MIXING.values(), ids=MIXING)
def test_devices_are_not_mixed(sim, mix):
    x, y = xp.ones(2), xp.ones(2, device=sim)
    with pytest.raises(DeviceMismatchError, match=r"are on cpu and sim; move one, as in x\.to_device\('cpu'\)"):
        mix(x, y)
    with pytest.raises(DeviceMismatchError, match=r"are on sim and cpu; move one, as in x\.to_device\('sim'\)"):
        mix(y, x)


GROWING = {
    "in place": lambda x, y: x.__iadd__(y),
    "value": lambda x, y: x.__setitem__(..., y),
    "part": lambda x, y: x[:2].__setitem__(..., y),
}


@pytest.mark.parametrize("write", GROWING.values(), ids=GROWING)
@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize("shape", [(2, 3), (4,), (0,)])
def test_a_target_does_not_grow(write, device, shape):
    x = xp.zeros(3, device=device)
    with pytest.raises(
        LayoutError, match=r"broadcast.*; an array keeps its shape \([23],\) in place: write x = x \+ y"
    ):
        write(x, xp.ones(shape, device=device))
    assert not xp.any(x)


class TestTheDefault:
    """What is made without ``device=`` inside ``with xp.default_device(d)``."""

    @pytest.mark.parametrize(
        "make",
        [
            lambda: xp.asarray([[1, 2], [3, 4]]),
            lambda: xp.asarray(2.5),
            lambda: xp.asarray(np.ones(3)),
            lambda: xp.asarray(np.float32(2)),
            lambda: xp.asarray(memoryview(b"abc")),
            lambda: xp.full((2, 3), 7),
        ],
    )
    def test_is_where_values_of_python_and_numpy_go(self, sim, make):
        with xp.default_device(sim[1]):
            assert make().device is sim[1]
        assert make().device is CPU

    def test_does_not_move_what_is_on_a_device(self, sim):
        x, c = xp.ones(3), accel.zeros(3, device="cpu")
        with xp.default_device(sim):
            for y in (xp.asarray(x), xp.asarray(c), xp.asarray(c.storage), xp.from_dlpack(np.ones(3)), xp.ones_like(x)):
                assert y.device is CPU
            for y in (x + 1, xp.sum(x), xp.astype(x, "int8"), xp.reshape(x, (3, 1)), x[0]):
                assert y.device is CPU

    def test_is_that_of_the_innermost_block(self, sim):
        with xp.default_device(sim):
            with xp.default_device(sim[1]):
                assert xp.ones(1).device is sim[1]
            with pytest.raises(ValueError, match="broadcast"), xp.default_device("cpu"):
                xp.broadcast_to(xp.ones(2), (3,))
            assert xp.ones(1).device is sim
        assert xp.ones(1).device is CPU

    def test_is_of_one_thread(self, sim):
        with xp.default_device(sim), ThreadPoolExecutor(1) as pool:
            assert pool.submit(lambda: xp.ones(1).device).result() is CPU
            assert pool.submit(contextvars.copy_context().run, lambda: xp.ones(1).device).result() is sim

    def test_is_of_one_task(self, sim):
        async def make(device, entered, other):
            with xp.default_device(device):
                entered.set()
                await other.wait()
                return xp.ones(1).device

        async def both():
            first, second = asyncio.Event(), asyncio.Event()
            return await asyncio.gather(make(sim, first, second), make("cpu", second, first))

        assert asyncio.run(both()) == [sim, CPU]

    def test_may_be_absent_until_it_is_used(self):
        with xp.default_device("cuda:77"):
            with pytest.raises(DeviceUnavailableError, match="device cuda:77 was asked for"):
                xp.ones(1)
            assert xp.ones(1, device="cpu").device is CPU

    def test_is_a_device(self):
        with pytest.raises(ValueError, match="'tpu' is not a value of 'device'"), xp.default_device("tpu"):
            pass


class TestDevices:
    def test_are_keys_and_compare_with_devices_only(self, sim):
        assert {sim: 1, sim[1]: 2}[xp.Device("sim:1")] == 2
        assert xp.ones(1, device="sim").device == sim
        assert sim != sim[1]
        assert sim != "sim"
        assert CPU != "cpu"
        with pytest.raises(TypeError, match="not supported between"):
            sorted([sim, CPU])


class TestTheHost:
    def test_does_not_lend_its_arrays(self, sim):
        x, other = xp.ones(3, device=sim), np.ones(3)
        for compute in (lambda: x + other, lambda: other + x, lambda: np.add(x, other), lambda: np.add(other, x)):
            with pytest.raises(
                DeviceMismatchError, match=r"NumPy's add cannot read .* xp\.asarray\(values, device='sim'\)"
            ):
                compute()
        for compute in (lambda: xp.add(x, other), lambda: x.__setitem__(..., other)):
            with pytest.raises(
                TypeError, match=r"on sim or a number is needed; .*: write xp\.asarray\(values, device='sim'\)"
            ):
                compute()

    @pytest.mark.parametrize("number", [np.float64(2), np.float32(2), np.int8(2), np.bool_(True)], ids=repr)
    def test_scalars_of_numpy_are_numbers(self, sim, number):
        x = xp.ones(3, dtype="float32", device=sim)
        for compute in (operator.add, operator.mul, operator.sub, operator.lt):
            for result in (compute(x, number), compute(number, x)):
                assert (result.device, result.shape) == (sim, (3,))
        assert (number - x).dtype == (number - np.ones(3, "float32")).dtype
        assert list(map(float, number - x)) == [number.item() - 1.0] * 3

    def test_dlpack_says_where(self, sim):
        assert xp.ones(1, device=sim[1]).__dlpack_device__() == sim[1].dlpack


def test_what_the_device_has_is_asked_of_it(sim):
    info = xp.__array_namespace_info__()
    assert {CPU, sim, sim[1]} <= set(info.devices())
    assert "float64" in info.dtypes(device=sim)
    with xp.default_device(sim):
        assert info.default_device() is sim
    with pytest.raises(DeviceUnavailableError):
        info.dtypes(device="cuda:77")


def test_a_device_that_does_not_compute(toy):
    with pytest.raises(CapabilityError, match=r"no library computes with arrays on sim; move them"):
        xp.ones(3, device="sim")
    with pytest.raises(CapabilityError, match=r"no library computes with arrays on sim; move them"):
        xp.asarray(accel.zeros(3, device="sim"))
