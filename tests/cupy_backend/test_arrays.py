"""What the backend adds to CuPy's arrays and namespace. The results of CuPy's functions are not tested."""

from types import ModuleType

import numpy as np
import pytest
from accel.backends.cupy.arrays import Namespace

from accel import Device
from accel.abc import Operand, Span, SupportsArrays
from accel.errors import DeviceLostError, DeviceMismatchError
from accel.memory import heap_of
from accel.testing.blocks import host_span, lent, random_bytes


@pytest.fixture
def backend(cuda_machine):
    return heap_of(Device.CUDA).backend


@pytest.fixture
def namespace(cuda_machine, backend):
    """A namespace for the second device, of a module whose functions return the current device."""
    module, nested = ModuleType("library"), ModuleType("library.linalg")
    module.current = lambda: cuda_machine.device
    module.launch = backend._driver.runtime.deviceSynchronize
    module.float32, module.pi, module.linalg = np.float32, 3.14, nested
    nested.current = module.current
    return Namespace(module, backend.computing(Device.CUDA[1]))


def test_the_backend_lends_arrays(backend):
    assert isinstance(backend, SupportsArrays)


def test_functions_run_with_their_device_current_and_leave_it_as_it_was(cuda_machine, namespace):
    assert namespace.current() == namespace.linalg.current() == 1
    assert cuda_machine.device == 0


def test_types_and_constants_are_the_librarys_own(namespace):
    assert namespace.float32 is np.float32
    assert namespace.pi == 3.14
    with pytest.raises(AttributeError, match="nothing"):
        namespace.nothing  # noqa: B018 - the access is the test


def test_a_name_is_looked_up_once(namespace):
    assert namespace.current is namespace.current
    assert namespace.linalg is namespace.linalg


def test_what_the_driver_reports_meanwhile_is_translated(cuda_machine, namespace):
    cuda_machine.lose(1)
    with pytest.raises(DeviceLostError, match="the driver of cuda:1 reported"):
        namespace.launch()


def test_an_array_may_begin_in_the_middle_and_go_backwards(backend):
    with lent(heap_of(Device.CUDA), 4096) as block:
        operand = Operand(Span(block, 0, 4096), 400, np.dtype(np.int32), (3, 4), (-64, 4))
        array = backend.array(operand, None)
        assert (array.shape, array.strides) == ((3, 4), (-64, 4))
        assert backend.address(array) == block.pointer + 400
        assert backend.address(array[1:]) == block.pointer + 336


def test_memory_of_the_host_is_no_array_of_cupys(backend):
    operand = Operand(host_span(random_bytes(100)), 0, np.dtype(np.uint8), (100,), (1,))
    with pytest.raises(DeviceMismatchError, match="copy it to a device first"):
        backend.array(operand, None)
