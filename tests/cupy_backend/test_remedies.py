"""The code that error messages suggest on a machine with a GPU runs."""

import pytest

import accel
from accel import Device, DeviceStorage, HostStorage

NAMES = {
    "Device": Device,
    "DeviceStorage": DeviceStorage,
    "HostStorage": HostStorage,
    "accel": accel,
    "c": "accel.zeros(3)",
    "d": "accel.zeros(3, device='gpu')",
    "buffer": "d.storage.get_buffer()",
    "size": 3,
    "dtype": "'float64'",
}


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("c.device_ptr()", {}),
        ("c.device_buffer()", {}),
        ("d[0]", {"c": "d"}),
        ("HostStorage(d.pointer, 3, 'float64')", {"c": "d"}),
        ("DeviceStorage(buffer, 3, device=d.device[1])", {}),
        ("accel.AcceleratorDataContainer(4096, 3, 'float64', device='gpu')", {}),
    ],
)
def test_what_the_message_says_runs(gpu_machine, follow, line, names):
    assert follow(line, NAMES, names)
