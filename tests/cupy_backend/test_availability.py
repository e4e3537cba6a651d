"""If no GPU can be used, the reason and the remedy are reported, and nothing fails."""

import tomllib
from types import SimpleNamespace

import pytest
from accel.backends.cupy import CupyBackend, discovery

from accel import Device
from accel.errors import DeviceUnavailableError
from accel.memory import heap_of

from .conftest import install
from .standin.machine import Machine


@pytest.fixture
def wheels(monkeypatch):
    """A function that sets which packages are installed."""

    def say(*names):
        monkeypatch.setattr(discovery, "distributions", lambda: [_Package(name) for name in ("numpy", *names)])

    return say


class _Package:
    def __init__(self, name):
        self.metadata = {"Name": name}


def on(monkeypatch, machine):
    install(monkeypatch, machine)
    return machine


def failing(monkeypatch, status, flavour="cuda", **versions):
    machine = on(monkeypatch, Machine(flavour))
    machine.fails = status
    for name, value in versions.items():
        setattr(machine, name, value)
    return machine


def test_without_cupy_both_platforms_say_so(monkeypatch, wheels):
    wheels()
    monkeypatch.setattr(discovery, "find_spec", lambda name: None)
    backend = CupyBackend()
    assert backend.devices() == ()
    assert set(backend.why_unavailable()) == {"cuda", "rocm"}
    assert "accel needs CuPy for CUDA and ROCm, and it is not installed" in backend.why_unavailable()["cuda"]


def test_two_packages_with_one_module_name_are_refused_before_it_is_imported(monkeypatch, wheels):
    wheels("cupy-cuda12x", "cupy_rocm_7_0")
    monkeypatch.setattr(discovery, "import_module", lambda name: pytest.fail("it was imported"))
    reason = CupyBackend().why_unavailable()["rocm"]
    assert "cupy-cuda12x and cupy-rocm-7-0 are both installed" in reason
    assert "pip uninstall cupy-cuda12x cupy-rocm-7-0" in reason


def test_a_package_for_another_platform_that_cannot_be_loaded_is_named(monkeypatch, wheels):
    def fail(name):
        raise ImportError("libamdhip64.so.7: cannot open shared object file")

    wheels("cupy-rocm-7-0")
    monkeypatch.setattr(discovery, "import_module", fail)
    reason = CupyBackend().why_unavailable()["cuda"]
    assert reason.startswith("cupy-rocm-7-0 is installed and cannot be loaded")
    assert "libamdhip64.so.7" in reason


@pytest.mark.parametrize("status", [35, 100])
@pytest.mark.parametrize(("flavour", "device"), [("cuda", Device.CUDA), ("hip", Device.ROCM)])
def test_either_error_of_a_driver_means_that_there_is_no_device(monkeypatch, status, flavour, device):
    failing(monkeypatch, status, flavour, driver_version=0)
    assert not device.is_available()
    assert Device.available(device.type) == ()
    assert Device.best() is Device.CPU
    expected = "there is no driver for" if status == 35 else "finds no device"
    assert expected in device.why_unavailable()


def test_a_driver_older_than_the_runtime_is_told_from_none(monkeypatch, wheels):
    failing(monkeypatch, 35, driver_version=12040, runtime_version=13010)
    wheels("cupy-cuda13x")
    assert "the driver serves CUDA 12.4, and cupy-cuda13x needs 13.1" in Device.CUDA.why_unavailable()


def test_a_driver_that_fails_otherwise_is_a_reason_too(monkeypatch):
    failing(monkeypatch, 719)
    assert "the driver of CUDA failed: cudaErrorLaunchFailure" in Device.CUDA.why_unavailable()


def test_no_device_at_all_is_a_reason(monkeypatch):
    on(monkeypatch, Machine(devices=0))
    assert "finds no device" in Device.CUDA.why_unavailable()


@pytest.mark.parametrize(
    ("flavour", "here", "missing"), [("cuda", Device.CUDA, Device.ROCM), ("hip", Device.ROCM, Device.CUDA)]
)
def test_the_wheel_of_the_other_platform_is_named(monkeypatch, wheels, flavour, here, missing):
    on(monkeypatch, Machine(flavour))
    wheels("cupy-cuda12x" if flavour == "cuda" else "cupy-rocm-7-0")
    assert here.is_available()
    assert here[1].is_available()
    assert "the cuda devices here are: cuda:0, cuda:1" in Device.CUDA[2].why_unavailable() or flavour == "hip"
    assert "pip uninstall cupy-" in missing.why_unavailable()


def test_asking_for_memory_where_there_is_no_device_names_the_reason(monkeypatch):
    failing(monkeypatch, 100)
    with pytest.raises(DeviceUnavailableError, match="NoDevice"):
        heap_of(Device.CUDA).allocate(10)


def test_the_extras_for_cuda_bring_the_compiler_that_the_kernels_need(root):
    extras = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert [extras[f"cuda{major}"] for major in (12, 13)] == [["cupy-cuda12x[ctk]>=14"], ["cupy-cuda13x[ctk]>=14"]]


def test_nothing_is_imported_before_a_device_is_asked_for(python):
    code = """
        import sys
        import accel.backends.cupy
        print("cupy" in sys.modules)
    """
    assert python(code) == "False"


@pytest.mark.parametrize(
    ("flavour", "driver", "compiler", "major", "most"),
    [
        ("cuda", 12010, (12, 1), 7, 32_764),
        ("cuda", 13000, (13, 2), 12, 32_764),
        ("cuda", 12000, (12, 9), 9, 4096),
        ("cuda", 13000, (12, 0), 9, 4096),
        ("cuda", 12080, (12, 8), 6, 4096),
        ("cuda", 13000, None, 9, 4096),
        ("hip", 70_000_000, (9, 0), 9, 4096),
    ],
)
def test_kernels_have_many_parameters_if_device_driver_and_compiler_are_new(
    monkeypatch, flavour, driver, compiler, major, most
):
    machine = Machine(flavour)
    machine.driver_version = driver
    backend, device = install(monkeypatch, machine), Device.ROCM if flavour == "hip" else Device.CUDA
    found, compilers = backend._driver, SimpleNamespace(getVersion=lambda: compiler)
    monkeypatch.setattr(found.cuda, "nvrtc", compilers if compiler else None, raising=False)
    properties = {**found.runtime.getDeviceProperties(0), "major": major}
    assert found.parameter_bytes(properties) == most
    assert backend.limits(device).concurrency > 1
