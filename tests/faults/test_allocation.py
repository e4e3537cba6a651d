"""Rows 22 and 23: any one allocation or copy fails, or an operation in place does."""

import copy
import pickle
import sys
from functools import partial

import numpy as np
import pytest

import accel
from accel import Device, xp
from accel.errors import DeviceLostError, OutOfMemoryError
from accel.layout import col_major, row_major
from accel.store import ScopedAllocator, TaskLocalBuffer, create_buffer, task_scope
from accel.testing import fail_allocation, fail_copy, no_leaks

VALUES = np.arange(6.0)


def make(device):
    """Use every way to new memory."""
    yield accel.empty(6)
    yield accel.AcceleratorDataContainer(6, "float64", device)
    yield accel.full(6, 2.5)
    yield accel.container(VALUES)
    yield accel.from_numpy(VALUES, copy=True)
    yield accel.HostStorage(VALUES.ctypes.data, 6, "float64", copy=True)
    yield accel.DeviceStorage(6, "sim", "float64")


def derive(c, stream):
    """Use every way from memory to new memory."""
    yield c.deep_copy()
    yield c.to("cpu", copy=True)
    yield c.to("sim", copy=True)
    yield c.to("sim:1", copy=True, stream=stream)
    yield pickle.loads(pickle.dumps(c))
    yield accel.from_dlpack(c, copy=True)
    yield c.__dlpack__(copy=True)
    yield c.__dlpack__(dl_device=(1, 0))
    yield c.to_numpy()


def compute(x):
    """Use every way from arrays to new arrays."""
    yield x + 1
    yield -x
    yield x[x > 2]
    yield xp.linalg.svd(xp.reshape(x, (2, 3)))
    yield xp.sum(x)
    yield xp.asarray(x, copy=True)
    yield xp.astype(x, "float32")
    yield xp.asarray(xp.flip(x), copy=True).container()
    yield xp.flip(x).to_device("cpu" if x.device is not Device.CPU else "sim")
    yield pickle.loads(pickle.dumps(x[::2]))
    yield x[::-1].__dlpack__()
    yield repr(x)


def program(device, c, x):
    """Use all of these, and write into memory that there is."""
    with accel.new_stream(device) as stream, accel.zeros(6) as target:
        kept = [*make(device), *derive(c, stream), *compute(x)]
        target.copy_from(c)
        target.copy_from_async(c, stream=stream).wait()
        target.from_numpy(VALUES[::-1])
        written = target.to_numpy().tolist()
    stream.close()  # raises errors that were not waited for
    return len(kept), written


def look(c):
    """Use every way from views to new memory."""
    t = c.view(row_major(2, 3))
    yield t.copy()
    yield t.transpose().copy()
    yield t + t
    yield t.transpose() * 2
    yield t.tile((2, 2), (0, 1)).copy()
    yield t.to_numpy()
    yield t.transpose().to_numpy()
    yield copy.deepcopy(t.transpose())
    yield pickle.loads(pickle.dumps(t.transpose()))
    yield xp.asarray(t.transpose(), copy=True)
    yield t.transpose().__dlpack__(copy=True)


def borrow(device):
    """Use every way to scratch memory."""
    with ScopedAllocator(device) as allocator, task_scope():
        yield allocator.allocate(48)
        yield allocator.allocate_type("float64", 6)
        yield create_buffer("float64", (2, 3), device)
        yield TaskLocalBuffer("float64", 6, device)
        with accel.LayoutTensor.stack_allocation(row_major(2, 3), "float64") as t:
            yield t.to_numpy()


def program_of_views(device, c, x):
    """Use all of these, and write into the views of other memory."""
    with accel.zeros(6) as target, accel.zeros(6, device="sim:1") as far:
        kept = [*look(c), *borrow(device)]
        into = target.view(row_major(2, 3))
        into.copy_from(c.view(col_major(2, 3)))
        far.view(row_major(2, 3)).copy_from(into.transpose().transpose())
        into.copy_from(far.view(col_major(2, 3)))
        for place in ("cpu", "sim"):
            with accel.zeros(6, device=place) as one, accel.zeros(6, device=place) as other:
                one.view(row_major(2, 3)).copy_from(other.view(col_major(2, 3)))
                other.copy_from(one)
            with accel.zeros(1000, device=place) as one, accel.zeros(1000, device=place) as other:
                other.copy_from(one)  # more elements than the host copies without its backend
        return len(kept), target.to_numpy().tolist()


def is_whole(c, x, failed):
    """Tell whether both have what they had, whatever failed."""
    return np.array_equal(c.to_numpy(), VALUES) and bool(xp.all(x == xp.arange(6.0)))


def strikes(fault, run, kind, unharmed):
    """Tell whether a fault came when something ran; it must be raised then, and leave nothing."""
    with no_leaks():
        with fault as chance:
            try:
                run()
            except kind as error:
                failed = "fail" in str(error)
            else:
                failed = False
        assert failed == chance.happened
        assert unharmed(failed)
    return failed


class TestAnyOne:
    """Each in turn fails: the error is raised, nothing is left, and what was there before is as it was."""

    @pytest.mark.parametrize("where", ["cpu", "sim", "sim:1"])
    @pytest.mark.parametrize(("fault", "kind"), [(fail_allocation, OutOfMemoryError), (fail_copy, DeviceLostError)])
    def test_may_fail(self, device, where, fault, kind):
        assert self.repeated(program, device, where, fault, kind) == (28, VALUES[::-1].tolist())

    @pytest.mark.parametrize("where", ["cpu", "sim", "sim:1"])
    @pytest.mark.parametrize(("fault", "kind"), [(fail_allocation, OutOfMemoryError), (fail_copy, DeviceLostError)])
    def test_of_views_and_scratch_memory_may_fail(self, device, where, fault, kind):
        assert self.repeated(program_of_views, device, where, fault, kind) == (16, [0, 4, 3, 2, 1, 5])

    def repeated(self, program, device, where, fault, kind):
        """Run a program until none of its chances is left; return what it does then."""
        c, x = accel.container(VALUES), xp.asarray(VALUES, device=device, copy=True)
        run = partial(program, device, c, x)
        expected, k = run(), 1
        while strikes(fault(k, where), run, kind, partial(is_whole, c, x)):
            k += 1
        assert k > 1
        assert run() == expected
        return expected


IN_PLACE = {
    "number": lambda x, y: x.__iadd__(1),
    "array": lambda x, y: x.__imul__(y),
    "itself": lambda x, y: x.__isub__(x),
    "itself reversed": lambda x, y: x.__iadd__(x[::-1]),
    "matrix": lambda x, y: x.__imatmul__(xp.eye(6) * 2),
    "elements": lambda x, y: x.__setitem__(..., y),
    "elements of its own": lambda x, y: x.__setitem__(slice(1, None), x[:-1]),
    "masked": lambda x, y: x.__setitem__(y > 2, 9.0),
}
CONTAINER_IN_PLACE = {
    "fill": lambda c: c.fill(7),
    "copy": lambda c: c.copy_from(accel.zeros(6)),
    "copy from elsewhere": lambda c: c.copy_from(accel.zeros(6, device="sim:1")),
    "from NumPy": lambda c: c.from_numpy(np.zeros(6)),
}


def whole_or_nothing(fault, operation, target, kind):
    """Let an operation fail at each of its chances; after each its target is as it was, at last it is done."""
    before, k = target.to_numpy(), 1
    while strikes(fault(k), lambda: operation(target), kind, lambda failed: failed == unchanged(target, before)):
        k += 1


def unchanged(c, before):
    return np.array_equal(c.to_numpy(), before)


@pytest.mark.parametrize("operation", IN_PLACE.values(), ids=IN_PLACE)
def test_an_array_is_changed_as_a_whole_or_not_at_all(device, operation):
    c, y = accel.container(VALUES * VALUES + 5), xp.arange(6.0) + 2
    whole_or_nothing(fail_allocation, lambda target: operation(xp.asarray(target), y), c, OutOfMemoryError)


@pytest.mark.parametrize(
    ("fault", "kind"), [(fail_allocation, OutOfMemoryError), (fail_copy, DeviceLostError)], ids=["allocation", "copy"]
)
@pytest.mark.parametrize("operation", CONTAINER_IN_PLACE.values(), ids=CONTAINER_IN_PLACE)
def test_a_container_is_changed_as_a_whole_or_not_at_all(device, operation, fault, kind):
    whole_or_nothing(fault, operation, accel.full(6, 3.0), kind)


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space as Linux does")
def test_an_array_is_as_it_was_when_the_host_has_no_room_for_the_operation(device, process):
    code = """
        import pathlib, resource
        import accel
        from accel import xp

        x = xp.ones(1 << 23)
        x[0] = 5
        x + x[::-1]
        accel.memory.trim()
        ways = [lambda: x.__iadd__(x[::-1]), lambda: x.__setitem__(slice(1 << 22), x[::2]), lambda: x + x]
        size = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (size + (1 << 24), before[1]))
        failed = 0
        for way in ways:
            try:
                way()
            except MemoryError:
                failed += 1
        resource.setrlimit(resource.RLIMIT_AS, before)
        print(failed, float(x[0]), float(xp.sum(x)) - (1 << 23))
        x += x[::-1]
        print(float(x[0]), float(x[-1]), float(x[1]))
    """
    assert process(code, device) == (0, "3 5.0 4.0\n6.0 6.0 2.0", "")


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space as Linux does")
def test_the_host_has_no_room_for_what_the_error_would_load(device, process):
    """The limits of a device are asked for then, and their dtypes come from a library that is not loaded yet."""
    code = """
        import pathlib, resource, sys
        import accel

        c = accel.zeros(1 << 20)
        size = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + (1 << 20), resource.RLIM_INFINITY))
        try:
            c.deep_copy()
        except accel.errors.OutOfMemoryError as error:
            print(type(error).__name__, "ml_dtypes" in sys.modules)
    """
    assert process(code, device) == (0, "OutOfMemoryError False", "")
