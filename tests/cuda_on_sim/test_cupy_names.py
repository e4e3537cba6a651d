"""Names of CuPy that other projects use in their tests."""

import sys
from importlib.util import find_spec

import pytest

from accel import Device, xp
from accel.testing import cupy_on_sim
from accel.testing.simulation import drop
from accel.xp import Array


@pytest.fixture
def cp():
    """The module that stands for CuPy."""
    drop()
    with cupy_on_sim() as cupy:
        yield cupy
    drop()


def test_the_error_of_the_runtime_is_found_where_projects_look_for_it(cp):
    from cupy_backends.cuda.api.runtime import CUDARuntimeError

    assert CUDARuntimeError is cp.cuda.runtime.CUDARuntimeError
    assert sys.modules["cupy_backends"].cuda.api.runtime.CUDARuntimeError is CUDARuntimeError


def test_cupy_backends_is_gone_after_the_block():
    with cupy_on_sim():
        pass
    assert "cupy_backends" not in sys.modules


def test_names_of_arrays_are_those_of_cupy_inside_the_block_only(cp):
    assert cp.ones(1).__array_namespace__() is cp
    assert cp.ones(1).__array_namespace__(api_version="2023.12").__name__.startswith("accel.xp")
    assert repr(type(cp.ones(1))) == "<class 'cupy.ndarray'>"


def test_names_of_arrays_are_ours_again_after_the_block():
    with cupy_on_sim():
        pass
    assert (Array.__module__, Array.__name__, Array.__qualname__) == ("accel.xp.arrays", "Array", "Array")
    assert xp.ones(1).__array_namespace__() is xp
    assert not hasattr(Device("sim"), "id")


def test_devices_of_arrays_are_those_of_cupy(cp):
    with cp.cuda.Device(2) as device:
        x = cp.ones(3)
    assert isinstance(x.device, cp.cuda.Device)
    assert (x.device.id, int(x.device)) == (2, 2)
    assert x.device == device
    assert device == x.device != cp.cuda.Device(0)
    x.device.synchronize()
    assert cp.cuda.Device(x.device).mem_info == device.mem_info


def test_array_api_compat_takes_arrays_for_those_of_cupy():
    compat = pytest.importorskip("array_api_compat")
    assert not compat.is_cupy_array(xp.ones(3))
    for _ in range(2):
        with cupy_on_sim() as cp:
            x = cp.arange(6.0).reshape(2, 3)
            namespace = compat.array_namespace(x)
            assert namespace.__name__ == "array_api_compat.cupy"
            assert compat.is_cupy_array(x)
            assert compat.is_cupy_namespace(cp)
            assert compat.is_cupy_array(x.view(type("Mesh", (cp.ndarray,), {})))
            assert compat.to_device(x, compat.device(x)) is x
            assert namespace.asarray([1], device=cp.cuda.Device(1)).device.id == 1
            assert float(namespace.std(x)) == float(cp.std(x))
            assert namespace.unique_all(x).counts.shape == (6,)
        assert "array_api_compat.cupy" not in sys.modules
        assert not compat.is_cupy_array(xp.ones(3))


def test_ufuncs_have_the_methods_of_those_of_cupy(cp):
    x = cp.zeros(3)
    cp.add.at(x, cp.asarray([0, 2, 2]), 1)
    assert x.get().tolist() == [1, 0, 2]
    assert float(cp.add.reduce(x)) == 3
    assert cp.maximum.accumulate(x).get().tolist() == [1, 1, 2]
    assert cp.multiply.outer(x, x).shape == (3, 3)
    assert (cp.add.nin, cp.add.nout) == (2, 1)


@pytest.mark.parametrize(
    ("owner", "name", "instead"),
    [
        ("cp", "poly1d", "there are RawKernel"),
        ("cp.cuda", "ExternalStream", "there are Device, Stream"),
        ("cp.cuda.runtime", "malloc", "use arrays"),
        ("cp.cuda.Stream()", "begin_capture", "launch the work on the stream each time"),
        ("cp.cuda.Device()", "cublas_handle", "call the functions of cupy"),
        ("cp.ones(1).data", "mem", "use the array"),
        ("cp.fft", "config", "call that of numpy.fft"),
    ],
)
def test_other_names_are_refused_with_what_to_write(cp, owner, name, instead):
    value = eval(owner, {"cp": cp})
    with pytest.raises(AttributeError, match=f"{name} is not simulated; {instead}"):
        getattr(value, name)
    assert not hasattr(value, "__nothing_like_it__")


def test_limits_of_pools_end_with_the_block(cp):
    pool = cp.get_default_memory_pool()
    pool.set_limit(size=1024)
    with cupy_on_sim() as inner:
        assert inner.zeros(1000).size == 1000
        with inner.cuda.using_allocator(pool.malloc), pytest.raises(MemoryError):
            inner.zeros(1000)
    with pytest.raises(MemoryError):
        cp.zeros(1000)
    cp.cuda.set_allocator(None)
    assert cp.zeros(1000).size == 1000


def test_all_names_are_found(cp):
    for module in (cp, cp.linalg, cp.fft):
        assert {"abs", "norm", "fft"} & {*module.__all__}
        for name in module.__all__:
            assert getattr(module, name) is not None or name == "newaxis"
        assert {*module.__all__} <= {*dir(module)}


def test_functions_take_a_device_of_cupy(cp):
    xp = cp.empty(0).__array_namespace__()
    for number in (0, 2):
        device = cp.cuda.Device(number)
        for x in (xp.asarray([1, 2], device=device), xp.zeros(2, device=device), cp.empty(0).to_device(device)):
            assert x.device.index == number


def test_a_program_finds_out_whether_cupy_and_its_parts_are_there_without_their_import(cp):
    assert find_spec("cupy").name == "cupy"
    assert find_spec("cupyx.scipy.sparse").name == "cupyx.scipy.sparse"
    assert find_spec("cupy.cuda.cudnn") is None
