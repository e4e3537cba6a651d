"""`accel.xp` on simulated devices: the same results as on the CPU, in memory that the host cannot read."""

import gc
import inspect

import numpy as np
import pytest

import accel
from accel import Device, xp
from accel.errors import DeviceMismatchError
from accel.xp import numpy_signatures

from ..profiles import repeats

pytestmark = pytest.mark.usefixtures("sim")


def values(seed=0):
    return np.random.default_rng(seed).normal(size=(4, 4))


def on_host(result):
    """Return a result with each array replaced by a NumPy array."""
    if isinstance(result, xp.Array):
        return np.asarray(result.to_device("cpu"))
    return tuple(map(on_host, result)) if isinstance(result, tuple | list) else result


def same(result, expected):
    result, expected = on_host(result), on_host(expected)
    assert type(result) is type(expected)
    for one, other in zip(
        *((each if isinstance(each, tuple) else (each,)) for each in (result, expected)), strict=True
    ):
        np.testing.assert_array_equal(one, other)
        assert np.asarray(one).dtype == np.asarray(other).dtype


OF_NUMPY = {*" ".join(numpy_signatures.NAMES).split(), *numpy_signatures.LINALG_NAMES}
"""Functions with tests of their own, because their arguments differ."""


def functions(module):
    """Yield the functions whose only arguments are one or two arrays."""
    for name in module.__all__:
        function = getattr(module, name)
        if not inspect.isfunction(function) or name == "empty_like" or name in OF_NUMPY:
            continue
        needed = [each for each in inspect.signature(function).parameters.values() if each.default is each.empty]
        if 0 < len(needed) < 3 and all(each.name in ("x", "x1", "x2") for each in needed):
            yield pytest.param(function, len(needed), id=f"{module.__name__}.{name}")


def of_kind(function, count):
    """Return ``count`` operands that the function accepts."""
    for kind in ("float64", "int64", "bool", "complex128"):
        operands = [xp.astype(xp.asarray(values(number)), kind) for number in range(count)]
        try:
            function(*operands)
        except TypeError:
            continue
        return operands
    raise AssertionError(function)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning", "ignore:divide by zero:RuntimeWarning")
@pytest.mark.parametrize(("function", "count"), [*functions(xp), *functions(xp.linalg), *functions(xp.fft)])
def test_functions_are_those_of_the_cpu(function, count):
    try:
        operands = of_kind(function, count)
    except np.linalg.LinAlgError:  # a function of positive definite matrices
        operands = [xp.eye(4) * 2]
    except ValueError:  # a function of vectors
        operands = [xp.asarray(values(number)[0, :3]) for number in range(count)]
    expected = function(*operands)
    result = function(*(x.to_device("sim") for x in operands))
    same(result, expected)
    assert all(part.device is Device.SIM for part in (result if isinstance(result, tuple) else (result,)))


def pipeline(device):
    """A program of many small steps, on two streams if the device has streams."""
    picture = np.random.default_rng(1).integers(0, 255, (40, 40), dtype=np.uint8)
    streams = [accel.new_stream(device) for _ in range(2)]
    response = xp.asarray(accel.zeros(1600, device=device))
    response = xp.reshape(response, (40, 40))
    for number, row in enumerate(range(0, 40, 10)):
        tile = accel.from_numpy(np.ascontiguousarray(picture[row : row + 10]).reshape(-1))
        there = accel.empty(400, "uint8", device)
        there.copy_from_async(tile, stream=streams[number % 2])
        light = xp.astype(xp.reshape(xp.asarray(there), (10, 40)), xp.float64) / 256
        total = xp.cumulative_sum(light, axis=1)
        smooth = xp.concat([total[:, :1], total[:, 1:] - total[:, :-1]], axis=1)
        response[row : row + 10, :] = xp.where(smooth > 0.5, xp.sqrt(smooth), -smooth)
    spread = xp.std(response)
    marks = response > xp.mean(response) + spread
    return on_host((response, marks, spread, xp.nonzero(marks), xp.sum(xp.abs(xp.fft.fft(response)))))


@pytest.mark.parametrize("seed", range(repeats(20)))
def test_a_program_gives_the_same_whatever_the_seed(seed):
    expected = pipeline("cpu")
    with accel.using(sim_seed=seed):
        same(pipeline("sim:1"), expected)


class TestTheHost:
    @pytest.mark.parametrize(
        "look", [np.asarray, np.array, lambda x: np.ones(3) + x, lambda x: np.add(x, 1), lambda x: [*x]]
    )
    def test_cannot_look_into_the_library_s_arrays(self, sim, look):
        x = sim.namespace(Device.SIM).ones(3)
        with pytest.raises((DeviceMismatchError, TypeError)):
            look(x)

    @pytest.mark.parametrize("look", [memoryview, bytes, np.frombuffer, np.from_dlpack, iter, hash])
    def test_nor_by_a_protocol(self, sim, look):
        x = sim.namespace(Device.SIM).ones(3)
        with pytest.raises((TypeError, AttributeError, DeviceMismatchError)):
            look(x)

    @pytest.mark.parametrize("other", [np.ones(3), np.float64(2)], ids=str)
    def test_cannot_lend_to_them(self, sim, other):
        library = sim.namespace(Device.SIM)
        x = library.ones(3)
        for use in (lambda: x + other, lambda: other + x, lambda: library.add(x, other), lambda: x.__iadd__(other)):
            with pytest.raises((DeviceMismatchError, TypeError)):
                use()

    def test_reads_an_element_by_asking_for_it(self):
        x = xp.asarray([1.5, 2.5], device="sim")
        assert (float(x[1]), int(x[0]), bool(x[0] > 1), complex(x[0])) == (2.5, 1, True, 1.5 + 0j)
        assert [10, 20, 30][xp.asarray(1, device="sim")] == 20

    def test_reads_what_is_printed(self):
        assert repr(xp.arange(3, device="sim")) == "Array([0, 1, 2], dtype=int64, device=sim)"


def test_devices_do_not_mix(sim):
    one, other = (sim.namespace(device).ones(3) for device in (Device.SIM, Device.SIM[1]))
    with pytest.raises(DeviceMismatchError, match="an array of sim:1 is no operand on sim"):
        one + other


@pytest.mark.gil
def test_results_go_with_their_last_reference(sim):
    x = xp.ones((100, 100), device="sim")
    before = sim.used(Device.SIM)
    y = xp.linalg.inv(x + xp.eye(100, device="sim"))
    row = y[0, :]
    del y
    assert sim.used(Device.SIM) == before + -(-80_000 // 64) * 64
    del row
    assert sim.used(Device.SIM) == before


def test_a_storage_on_a_result_keeps_it(sim):
    x = xp.arange(10, device="sim") + 1
    storage = x.storage
    assert storage.pointer == sim.address(x._native)
    del x
    gc.collect()
    assert accel.AcceleratorDataContainer.on(storage).to_numpy().tolist() == list(range(1, 11))


def test_errors_are_those_of_the_cpu():
    for device in ("cpu", "sim"):
        x = xp.zeros((2, 3), device=device)
        for use, error in (
            (lambda x: x[5, 0], accel.errors.BoundsError),
            (lambda x: x.__setitem__((0, 5), 1), accel.errors.BoundsError),
            (lambda x: x + xp.zeros(2, device=x.device), ValueError),
            (lambda x: x.__iadd__(xp.zeros((2, 2, 3), device=x.device)), ValueError),
            (lambda x: x.__setitem__(0, 1j), accel.errors.DTypeError),
            (lambda x: xp.broadcast_to(x, (4, 2, 3)).__setitem__((0, 0, 0), 1), accel.errors.OverlapError),
            (float, TypeError),
        ):
            with pytest.raises(error):
                use(x)
        assert float(xp.sum(x)) == 0


@pytest.mark.gil
def test_no_array_is_left_by_two_thousand(sim):
    x = xp.zeros(10, device="sim")
    before = sim.used(Device.SIM)
    for _ in range(2000):
        x = x + 1
    assert sim.used(Device.SIM) == before
    assert float(x[0]) == 2000


class TestIntegers:
    """NumPy's integers, and arrays of one integer, are integers in keys, shapes and axes, as on the CPU."""

    @pytest.mark.parametrize("two", [np.int64(2), np.uint8(2)], ids=repr)
    def test_of_numpy(self, sim, two):
        x = xp.reshape(xp.arange(12, device="sim"), (4, 3))
        assert int(x[two, 1]) == 7
        assert xp.reshape(x, (two, -1)).shape == xp.zeros((2, 6)).shape
        assert xp.sum(x, axis=two - 1).shape == (4,)
        assert xp.zeros((two, 2), device="sim").shape == (2, 2)

    def test_in_arrays_of_the_device(self, sim):
        two, x = xp.asarray(2, device="sim"), xp.arange(12, device="sim")
        assert x[two:].shape == (10,)
        assert xp.reshape(x, (two, -1)).shape == (2, 6)
        assert xp.zeros((two, two), device="sim").shape == (2, 2)
        assert xp.tile(x, (two,)).shape == (24,)

    def test_booleans_of_numpy_too(self, sim):
        assert xp.sum(xp.ones((2, 3), device="sim"), axis=0, keepdims=np.True_).shape == (1, 3)
