"""The conformance suite passes for a right backend, and finds the bug in each broken one."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

PROJECT = """
import pytest
from accel import Device
from accel.backends.cpu import CpuBackend
from accel.abc import ExternalAllocation, Limits, Operand
from accel.memory import Heap
from accel.testing import BackendConformance

class Suite(BackendConformance):
    device = Device.CPU

    @pytest.fixture
    def heap(self):
        return Heap(Device.CPU, self.Broken())

class TestSound(Suite):
    Broken = CpuBackend

class TestAddressIsNotAdopted(Suite):
    class Broken(CpuBackend):
        def adopt(self, external):
            return super().adopt(ExternalAllocation(external.nbytes, native=external.native.copy()))

class TestMemoryIsNotGivenBack(Suite):
    class Broken(CpuBackend):
        room = 1 << 24
        def limits(self, device):
            limits = super().limits(device)
            return Limits(1 << 24, limits.alignment, 1, limits.dtypes)
        def allocate(self, device, nbytes, **how):
            if nbytes > self.room:
                raise MemoryError(nbytes)
            self.room -= nbytes
            return super().allocate(device, nbytes, **how)

class TestFillDisregardsDirections(Suite):
    class Broken(CpuBackend):
        def fill(self, target, value, *, stream):
            strides = tuple(map(abs, target.strides))
            super().fill(Operand(target.span, target.start, target.dtype, target.extents, strides), value, stream=None)

class TestFillDisregardsValues(Suite):
    class Broken(CpuBackend):
        def fill(self, target, value, *, stream):
            super().fill(target, type(value)(1), stream=None)

class TestArraysKeepNothing(Suite):
    class Broken(CpuBackend):
        def array(self, operand, keep):
            return super().array(operand, None)

class TestArraysAreCopies(Suite):
    class Broken(CpuBackend):
        def array(self, operand, keep):
            return super().array(operand, keep).copy()

class TestEveryViewIsARoot(Suite):
    class Broken(CpuBackend):
        def root(self, array):
            return array

class TestEveryArrayIsWritable(Suite):
    class Broken(CpuBackend):
        def is_readonly(self, array):
            return False

class TestReasonsAreNoText(Suite):
    class Broken(CpuBackend):
        def why_unavailable(self):
            return {"cuda:1": None}
"""
FOUND_BY = {
    "AddressIsNotAdopted": "test_memory_of_the_host_is_adopted_by_its_address",
    "MemoryIsNotGivenBack": "test_freed_memory_is_had_again",
    "FillDisregardsDirections": "test_fill_sets_the_elements_and_no_others[int8--1-strides1]",
    "FillDisregardsValues": "test_fill_sets_the_elements_and_no_others[bool-False-strides0]",
    "ArraysKeepNothing": "test_an_array_and_each_view_keep_an_object_alive",
    "ArraysAreCopies": "test_an_array_is_on_the_memory_itself",
    "EveryViewIsARoot": "test_a_view_has_the_root_of_its_array_and_an_address_of_its_own",
    "EveryArrayIsWritable": "test_an_array_is_read_only_if_its_operand_is[False]",
    "ReasonsAreNoText": "test_lists_its_device_once_and_gives_no_reason_against_it",
}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    file = tmp_path_factory.mktemp("backends") / "test_backends.py"
    file.write_text(PROJECT)
    tests = [f"{file}::TestSound", *(f"{file}::Test{broken}::{test}" for broken, test in FOUND_BY.items())]
    command = [sys.executable, "-m", "pytest", "-q", "-rf", "--tb=no", "-p", "no:cacheprovider", *tests]
    return subprocess.run(command, cwd=file.parent, capture_output=True, text=True, check=False).stdout


@pytest.mark.slow
def test_a_sound_backend_passes(report):
    assert "passed" in report
    assert "TestSound" not in report


@pytest.mark.parametrize(("broken", "test"), FOUND_BY.items())
def test_a_broken_backend_fails(report, broken, test):
    assert f"FAILED test_backends.py::Test{broken}::{test}" in report
