"""`Device`: names, numbers, and one object per device."""

import copy
import pickle
import threading
import time

import numpy as np
import pytest

from accel.device import Device

from .threads import run_at_once

SPELLINGS = [
    ("cpu", Device.CPU),
    ("cpu:0", Device.CPU),
    ("cuda", Device.CUDA),
    ("cuda:0", Device.CUDA),
    ("cuda:1", Device.CUDA[1]),
    ("rocm", Device.ROCM),
    ("rocm:3", Device.ROCM[3]),
    ("mps", Device.MPS),
    ("mps:0", Device.MPS),
    ("sim", Device.SIM),
    ("sim:0", Device.SIM),
    ("sim:9999", Device.SIM[9999]),
]
WRONG = [
    "",
    "cuda:",
    "cuda:-1",
    "cuda:abc",
    "mycpu",
    "CPU",
    "cpu:1",
    "cuda:01",
    "cuda:10000",
    "cuda:1 ",
    "cuda:٣",
    "cuda\n",
]


@pytest.mark.parametrize(("text", "device"), SPELLINGS)
def test_a_spelling_is_one_object(text, device):
    assert Device(text) is device
    assert Device(text) is Device(str(device))


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_spelling_is_refused_with_the_right_ones(text):
    with pytest.raises(ValueError, match="names no device: write cpu, cuda"):
        Device(text)


@pytest.mark.parametrize("value", [None, 0, b"cpu", True])
def test_what_is_not_text_is_refused(value):
    with pytest.raises(TypeError, match="a device is written as text"):
        Device(value)


def test_the_names_and_numbers_of_a_device():
    rows = [
        (str(device), device.name, device.type, device.index, device.dlpack) for device in (*Device, Device.CUDA[1])
    ]
    assert rows == [
        ("cpu", "CPU", "cpu", 0, (1, 0)),
        ("cuda:0", "CUDA", "cuda", 0, (2, 0)),
        ("rocm:0", "ROCM", "rocm", 0, (10, 0)),
        ("mps:0", "MPS", "mps", 0, (8, 0)),
        ("sim", "SIM", "sim", 0, (9, 0)),
        ("cuda:1", "CUDA_1", "cuda", 1, (2, 1)),
    ]


def test_text_is_formatted_as_text():
    assert f"{Device.SIM[1]:>6}" == " sim:1"


def test_ordinals_count_from_any_device_of_the_type():
    assert Device.CUDA[0] is Device.CUDA
    assert Device.CUDA[1][0] is Device.CUDA
    assert Device.CUDA[np.int64(1)] is Device.CUDA[1]


@pytest.mark.parametrize("ordinal", [True, 1.0, "1", None])
def test_an_ordinal_is_a_whole_number(ordinal):
    with pytest.raises(TypeError, match="an ordinal is a whole number"):
        Device.CUDA[ordinal]


@pytest.mark.parametrize(("device", "ordinal"), [(Device.CUDA, -1), (Device.CUDA, 10_000), (Device.CPU, 1)])
def test_an_impossible_ordinal_is_refused(device, ordinal):
    with pytest.raises(ValueError, match="names no device"):
        device[ordinal]


@pytest.mark.parametrize("device", [Device.CPU, Device.SIM, Device.CUDA[5]])
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickled_device_is_the_same_object(device, protocol):
    assert pickle.loads(pickle.dumps(device, protocol)) is device


def test_a_device_is_pickled_for_a_process_that_never_named_it(python):
    pickled = pickle.dumps(Device.CUDA[6])
    code = f"import pickle; from accel.device import Device; print(pickle.loads({pickled!r}) is Device.CUDA[6])"
    assert python(code) == "True"


@pytest.mark.parametrize("device", [Device.CPU, Device.CUDA[5]])
def test_a_copied_device_is_the_same_object(device):
    assert copy.copy(device) is copy.deepcopy(device) is device


def test_devices_are_in_the_class_whenever_they_were_made():
    assert Device.CUDA in Device
    assert Device.CUDA[8] in Device
    assert "cpu" not in Device


def test_a_name_leads_back_to_its_device():
    assert Device["CUDA"] is Device.CUDA
    assert Device["CUDA_9"] is Device.CUDA[9]


@pytest.mark.parametrize("name", ["cuda", "CUDA_", "CUDA_0", "CUDA_01", "CUDA_x", "GPU", "CPU_1", "CUDA_99999", 3])
def test_other_names_are_none_of_a_device(name):
    with pytest.raises(KeyError):
        Device[name]


@pytest.mark.parametrize("attribute", ["type", "index", "name", "value"])
def test_a_device_does_not_change(attribute):
    with pytest.raises(AttributeError):
        setattr(Device.CPU, attribute, "cuda")


def test_devices_are_equal_and_hashed_as_objects():
    assert len({Device.CUDA, Device.CUDA[1], Device("cuda:1"), Device("cuda")}) == 2
    assert Device.CUDA[1] != Device.CUDA
    assert Device.CPU != "cpu"


def test_threads_that_race_for_a_new_device_get_one(monkeypatch):
    make = Device._make
    # A pause at the point where two threads could both find no member.
    monkeypatch.setattr(Device, "_make", lambda *arguments: time.sleep(0.01) or make(*arguments))
    start, found = threading.Barrier(8), []

    def ask():
        start.wait()
        found.append(Device.CUDA[7000])

    run_at_once([ask] * 8)
    assert len(found) == 8
    assert set(found) == {Device("cuda:7000")}
