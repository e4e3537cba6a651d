"""`Device`: availability, defaults, fallbacks to the CPU, and ``with device:`` blocks."""

import threading
import warnings
from contextvars import copy_context

import pytest

from accel import config, registry
from accel.device import Device, FallbackWarning, fallbacks, required, resolve
from accel.errors import DeviceUnavailableError
from accel.registry import providers


class Backend:
    """A fake backend with devices that this machine does not have."""

    def __init__(self, *devices, reasons=()):
        self.name = "fake"
        self.devices = lambda: devices
        self.why_unavailable = lambda: dict(reasons)


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Start on a machine with only a CPU and with default settings."""
    monkeypatch.setattr(providers, "_loaded", {"cpu": Backend(Device.CPU)})
    monkeypatch.setattr(
        providers, "_failed", {type: f"no {type} in this test" for type in ("cuda", "rocm", "mps", "sim")}
    )
    monkeypatch.setattr(config, "_process", config.Settings())
    registry.forget_answers()
    yield
    registry.forget_answers()


@pytest.fixture
def machine(monkeypatch):
    """Return a function that adds devices to the machine."""

    def add(type, *devices, reasons=()):
        monkeypatch.setitem(providers._loaded, type, Backend(*devices, reasons=reasons))
        registry.forget_answers()

    return add


def test_a_device_is_available_when_its_backend_lists_it(machine):
    machine("cuda", Device.CUDA, Device.CUDA[1])
    assert Device.CUDA[1].is_available()
    assert not Device.CUDA[2].is_available()
    assert Device.CUDA[2].why_unavailable() == "the cuda devices here are: cuda:0, cuda:1"


@pytest.mark.parametrize("about", ["rocm:0", "rocm"])
def test_a_backend_says_why_a_device_is_missing(machine, about):
    machine("rocm", reasons={about: "the driver is too old"})
    assert Device.ROCM.why_unavailable() == "the driver is too old"


def test_the_devices_here_are_listed_by_type(machine):
    machine("sim", Device.SIM)
    machine("cuda", Device.CUDA, Device.CUDA[1])
    assert Device.available() == (Device.CPU, Device.CUDA, Device.CUDA[1], Device.SIM)
    assert Device.available("sim", "cuda") == (Device.SIM, Device.CUDA, Device.CUDA[1])


def test_an_unknown_type_has_no_list():
    with pytest.raises(ValueError, match="'tpu' is not a device type: write cpu, cuda"):
        Device.available("tpu")


def fail():
    yield Device.CUDA
    raise OSError("the driver is on fire")


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({"devices": lambda: None}, "failed to list its devices: TypeError"),
        ({"devices": fail}, "failed to list its devices: OSError: the driver is on fire"),
        ({"why_unavailable": lambda: None}, "failed to list its devices: AttributeError"),
        ({"why_unavailable": lambda: {"cuda": 5}}, "5"),
    ],
)
def test_a_backend_that_breaks_its_promises_is_a_reason(machine, answers, reason):
    machine("cuda")
    vars(providers.get("cuda")).update(answers)
    assert Device.available() == (Device.CPU,)
    assert Device.best() is Device.CPU
    assert reason in Device.CUDA.why_unavailable()


def test_one_backend_may_serve_several_types(machine):
    for type in ("cuda", "rocm"):
        machine(type, Device.CUDA, Device.ROCM)
    assert Device.available() == (Device.CPU, Device.CUDA, Device.ROCM)


def test_best_is_the_first_accelerator_and_never_simulated(machine):
    machine("sim", Device.SIM)
    assert Device.best() is Device.CPU
    machine("mps", Device.MPS)
    assert Device.best() is Device.MPS
    machine("cuda", Device.CUDA)
    assert Device.best() is Device.CUDA


def test_gpu_means_the_first_accelerator_at_the_time_of_the_call(machine):
    machine("mps", Device.MPS)
    assert Device("gpu") is Device.MPS
    machine("rocm", Device.ROCM)
    assert Device("gpu") is Device.ROCM


def test_gpu_without_any_says_why_for_each_type():
    reasons = "cuda: no cuda in this test; rocm: no rocm in this test; mps: no mps in this test"
    with pytest.raises(DeviceUnavailableError, match=reasons):
        Device("gpu")


@pytest.mark.parametrize("asked", [Device.CUDA[3], "cuda:3"])
def test_a_missing_device_is_reported_with_what_is_here_and_what_would_add_it(asked):
    with pytest.raises(DeviceUnavailableError) as error:
        resolve(asked)
    assert str(error.value) == (
        "device cuda:3 was asked for; the devices here are: cpu.\n"
        "  Why: no cuda in this test\n"
        "  To add it: pip install --upgrade 'accel-container[cuda13]'   (or [cuda12], as the driver needs)\n"
        "  Or use the CPU: write device='cpu', or accel.using(fallback='warn')"
    )


@pytest.mark.parametrize("ask", [lambda: resolve("rocm"), lambda: required("cuda:3"), lambda: Device("gpu")])
def test_in_place_of_a_missing_gpu_the_simulated_device_is_named(machine, ask):
    machine("sim", Device.SIM)
    with pytest.raises(DeviceUnavailableError, match="Or simulate one: write device='sim'"):
        ask()


def test_of_a_type_that_is_here_a_device_that_is_here_is_named(machine):
    machine("cuda", Device.CUDA, Device.CUDA[1])
    with pytest.raises(DeviceUnavailableError) as error:
        resolve("cuda:3")
    assert str(error.value) == (
        "device cuda:3 was asked for; the devices here are: cpu, cuda:0, cuda:1.\n"
        "  Why: the cuda devices here are: cuda:0, cuda:1\n"
        "  Write one of these, as in device='cuda:1'\n"
        "  Or use the CPU: write device='cpu', or accel.using(fallback='warn')"
    )


@pytest.mark.parametrize("ask", [lambda: required("cuda:3"), lambda: Device("gpu")])
def test_where_no_other_device_will_do_the_cpu_is_not_offered(ask):
    with pytest.raises(DeviceUnavailableError, match="To add it") as error:
        ask()
    assert "CPU" not in str(error.value)


@pytest.mark.parametrize("type", ["cuda", "rocm", "mps", "sim"])
def test_every_missing_type_has_a_remedy(type):
    with pytest.raises(DeviceUnavailableError, match=r"To add it: .+\n"):
        resolve(type)


def test_a_device_that_is_here_is_resolved(machine):
    machine("cuda", Device.CUDA)
    assert resolve("cuda") is resolve(Device.CUDA) is Device.CUDA
    assert resolve("cpu") is resolve(Device.CPU) is Device.CPU


@pytest.mark.parametrize("policy", ["raise", "warn", "silent"])
def test_a_wrong_spelling_is_refused_under_every_policy(policy):
    with config.using(fallback=policy), pytest.raises(ValueError, match="names no device"):
        resolve("tpu")


@pytest.mark.parametrize("asked", ["cuda:3", "gpu", Device.ROCM])
def test_a_silent_fallback_is_recorded(asked):
    with config.using(fallback="silent"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert resolve(asked) is Device.CPU
    last = fallbacks()[-1]
    assert (last.request, last.used) == (str(asked), Device.CPU)
    assert "in this test" in last.reason


def test_a_fallback_with_a_warning_is_recorded_and_points_at_the_caller():
    before = len(fallbacks())
    with config.using(fallback="warn", device="cuda"), pytest.warns(FallbackWarning, match="using the CPU: ") as warned:
        assert Device.default() is Device.CPU
    assert warned[0].filename == __file__
    assert len(fallbacks()) == before + 1


def test_a_device_that_is_here_is_no_fallback(machine):
    machine("cuda", Device.CUDA)
    before = fallbacks()
    with config.using(fallback="silent"):
        assert resolve("cuda") is Device.CUDA
    assert fallbacks() == before


def test_the_default_is_the_cpu_unless_configured(machine):
    machine("cuda", Device.CUDA, Device.CUDA[1])
    assert Device.default() is Device.CPU
    config.configure(device="gpu")
    assert Device.default() is Device.CUDA
    with Device.CUDA[1]:
        assert Device.default() is Device.CUDA[1]
        with Device.CPU:
            assert Device.default() is Device.CPU
        assert Device.default() is Device.CUDA[1]
    assert Device.default() is Device.CUDA


def test_a_configured_device_that_is_missing_is_an_error():
    with config.using(device="cuda"), pytest.raises(DeviceUnavailableError, match="device cuda:0 was asked for"):
        Device.default()


def test_a_block_on_a_device_ends_with_an_error_and_can_be_entered_again(machine):
    machine("cuda", Device.CUDA)
    with pytest.raises(KeyError), Device.CUDA, Device.CUDA:
        raise KeyError
    assert Device.default() is Device.CPU


def on(device):
    with device:
        yield


def test_blocks_of_generators_end_in_any_order_and_leave_nothing():
    first, second = on(Device.CUDA), on(Device.ROCM)
    next(first)
    next(second)
    first.close()
    assert config.current().device == "rocm:0"
    second.close()
    assert config.current().device == "cpu"


def test_a_block_that_ends_in_another_context_changes_nothing_there():
    elsewhere = on(Device.CUDA)
    copy_context().run(next, elsewhere)
    with Device.ROCM:
        elsewhere.close()
        assert config.current().device == "rocm:0"


def test_a_block_on_a_device_is_for_its_thread(machine):
    machine("cuda", Device.CUDA)
    seen = []
    with Device.CUDA as device:
        assert device is Device.CUDA
        thread = threading.Thread(target=lambda: seen.append(Device.default()))
        thread.start()
        thread.join()
    assert seen == [Device.CPU]


def test_a_device_of_the_environment_that_is_missing_lists_those_that_are_here(python):
    code = """
        from accel.device import Device
        from accel.errors import DeviceUnavailableError
        try:
            Device.default()
        except DeviceUnavailableError as error:
            print(error)
    """
    first, *_ = python(code, ACCEL_DEVICE="cuda:99").splitlines()
    assert first.startswith("device cuda:99 was asked for; the devices here are: cpu")


def test_a_device_of_the_environment_that_is_misspelt_names_the_variable(python):
    code = """
        from accel.device import Device
        try:
            Device.default()
        except ValueError as error:
            print(error)
    """
    assert python(code, ACCEL_DEVICE="cuda:").startswith("ACCEL_DEVICE: 'cuda:' is not a value of 'device'")
