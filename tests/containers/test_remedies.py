"""The code that errors of containers, storages, devices and settings recommend runs."""

import copy

import numpy as np
import pytest

import accel
from accel import AcceleratorDataContainer, Device, DeviceStorage, HostStorage, config, xp
from accel.dtypes import as_dtype

# Text is evaluated for each line anew.
NAMES = {
    "accel": accel,
    "np": np,
    "numpy": np,
    "copy": copy,
    "xp": xp,
    "AcceleratorDataContainer": AcceleratorDataContainer,
    "Device": Device,
    "DeviceStorage": DeviceStorage,
    "HostStorage": HostStorage,
    "array": "np.arange(3.0)",
    "matrix": "np.arange(6.0).reshape(2, 3)",
    "masked": "np.ma.array([1.0, 2.0], mask=[True, False])",
    "ptr": "array.ctypes.data",
    "c": "accel.container([1.0, 2.0, 3.0])",
    "d": "accel.container([1.0, 2.0, 3.0], device='sim')",
    "floats": "accel.zeros(3, 'float32')",
    "integers": "accel.zeros(3, 'int64')",
    "brain": "accel.zeros(3, 'bfloat16')",
    "external": "accel.from_numpy(array)",
    "fixed": "HostStorage(ptr, 3, 'float64', readonly=True)",
    "buffer": "d.storage.get_buffer()",
    "size": 3,
    "offset": 0,
    "shape": (2, 3),
    "values": [1, 2, 3],
    "value": 0,
    "dtype": "'float64'",
}
LINES = [
    # containers and storages
    ("AcceleratorDataContainer().share()", {}),
    ("AcceleratorDataContainer(dtype='int8')", {}),
    ("AcceleratorDataContainer(ptr, 3)", {}),
    ("AcceleratorDataContainer(ptr, 3, True)", {}),
    ("AcceleratorDataContainer(ptr, 3, 'float64', True)", {}),
    ("AcceleratorDataContainer(ptr, 3, 'float64', device='sim')", {}),
    ("AcceleratorDataContainer(d.pointer, 3, 'float64')", {"c": "d"}),
    ("AcceleratorDataContainer((2, 3))", {}),
    ("HostStorage(ptr, 3)", {}),
    ("HostStorage(ptr, 3, False)", {}),
    ("HostStorage(ptr + 1, 1, dtype='float64')", {}),
    ("HostStorage('here', 3, 'float64')", {}),
    ("HostStorage(2, 3, 'float64')", {}),
    ("HostStorage((2, 3))", {}),
    ("HostStorage(matrix.T)", {"array": "matrix.T"}),
    ("HostStorage(masked)", {"array": "masked"}),
    ("DeviceStorage(3, 'cpu')", {}),
    ("DeviceStorage(buffer, 3, device='sim:1')", {}),
    ("external.share()", {"x": "external"}),
    ("external.storage.share()", {"x": "external.storage"}),
    ("fixed.store(0, 1)", {"x": "fixed"}),
    ("AcceleratorDataContainer.on(fixed).fill(3)", {"x": "AcceleratorDataContainer.on(fixed)"}),
    # making
    ("accel.zeros((2, 3))", {}),
    ("accel.empty(2.5)", {}),
    ("accel.container(5)", {}),
    ("accel.container([[1, 2], [3]])", {}),
    ("accel.container('hello')", {"values": "'hello'"}),
    ("accel.container(b'hello')", {"values": "b'hello'"}),
    ("accel.container(None)", {}),
    ("accel.container({1, 2})", {}),
    ("accel.container(float(value) for value in values)", {"values": "(float(value) for value in [1, 2, 3])"}),
    ("accel.container({'a': 1})", {"values": {"a": 1}}),
    ("accel.container({'a': 1}.values())", {"values": "{'a': 1}.values()"}),
    ("accel.zeros(3, 3)", {}),
    ("accel.from_numpy([1, 2])", {"x": "[1, 2]"}),
    ("accel.from_numpy(matrix.T)", {"array": "matrix.T"}),
    ("accel.from_dlpack([1, 2])", {"x": "[1, 2]"}),
    ("accel.from_dlpack(xp.asarray(matrix).T)", {"x": "xp.asarray(matrix).T"}),
    ("accel.from_dlpack(c, device='sim', copy=False)", {}),
    # elements
    ("c[0] = [1, 2]", {"x": "c", "values": [1, 2]}),
    ("integers[0] = 1.5", {"values": [1.5]}),
    ("c.fill([1, 2, 3])", {}),
    ("d[0]", {"c": "d"}),
    ("d.host_ptr()", {"c": "d"}),
    ("np.asarray(d)", {"c": "d"}),
    ("np.array(c, dtype='float32', copy=False)", {}),
    ("brain.memoryview()", {"x": "brain"}),
    # moving
    ("c.to(None)", {}),
    ("c.to('sim', copy=False)", {}),
    ("c.to('cpu', copy=True, stream=5)", {}),
    ("c.copy_from([1, 2, 3])", {"x": "[1, 2, 3]"}),
    ("c.copy_from(floats)", {"x": "floats"}),
    ("c.copy_from(x)", {"x": "accel.zeros(2)"}),
    ("c.copy_from(x)", {"x": "accel.zeros(5)"}),
    ("c[[0, 2]]", {"x": "c", "i": "[0, 2]"}),
    ("c[array > 1]", {"x": "c", "i": "array > 1"}),
    ("c[0, 1]", {"x": "c", "rows": 3, "columns": 1, "i": 2, "j": 0}),
    ("c.device_ptr()", {}),
    ("x.write_to(file_name)", {"x": "c", "file_name": "'/dev/null'", "file": "__import__('io').StringIO()"}),
    ("stream.wait_for(stream)", {"stream": "accel.new_stream()", "other": "accel.new_stream('sim')"}),
    ("stream.wait_for(other)", {"stream": "accel.new_stream('sim')", "other": "accel.new_stream()"}),
    ("stream.wait_for(None)", {"stream": "accel.new_stream('sim')", "other": "accel.new_stream()"}),
    ("c.copy_from_async(external, stream=5)", {}),
    ("c.from_numpy(values)", {"array": "np.array([1, 2, 3])"}),
    ("c.from_numpy(array.astype('>f8'))", {"array": "np.arange(3).astype('>f8')"}),
    ("c.__dlpack__(stream=7)", {}),
    # devices
    ("Device(3)", {}),
    ("accel.zeros(3, device='cuda:9')", {}),
]


@pytest.mark.parametrize(("line", "names"), LINES, ids=[line for line, _ in LINES])
def test_what_the_message_says_runs(follow, line, names):
    assert follow(line, NAMES, names)


def refused(change, error=ValueError):
    with pytest.raises(error) as failed:
        change()
    return str(failed.value)


@pytest.mark.parametrize("setting", ["device", "debug", "fallback", "strict"])
def test_the_values_that_a_setting_is_said_to_take_are_taken(setting):
    message = refused(lambda: config.configure(**{setting: "never so"}))
    values = message.rpartition("write ")[2].removeprefix("one of ").partition(" (")[0]
    for value in values.replace(" or ", ", ").split(", "):
        with accel.using(**{setting: value.replace("[:n]", ":1") if setting == "device" else value}):
            pass


@pytest.mark.parametrize("setting", ["threads", "sim_seed", "sim_memory"])
def test_the_least_number_that_a_setting_is_said_to_take_is_taken(setting):
    least = refused(lambda: config.configure(**{setting: -1})).rpartition("write a whole number, ")[2].split()[0]
    with accel.using(**{setting: int(least)}) as settings:
        assert getattr(settings, setting) == int(least)


def test_a_name_of_a_setting_that_is_said_to_be_one_is_one():
    message = refused(lambda: config.configure(devise="cpu"), TypeError)
    for name in message.rpartition("the settings are ")[2].split(", "):
        assert hasattr(config.current(), name)


def test_the_dtypes_that_are_said_to_be_there_are():
    for name in refused(lambda: accel.zeros(3, "float33"), TypeError).rpartition("Supported dtypes: ")[2].split(", "):
        assert as_dtype(name).name == name


def test_the_types_of_devices_that_are_said_to_be_there_are():
    for type in refused(lambda: Device.available("tpu")).rpartition("write ")[2].split(", "):
        Device.available(type)


def test_what_does_not_run_is_seen(follow):
    def fails(message, **_keywords):
        raise ValueError(message)

    with pytest.raises(NameError, match="missing"):
        follow("fails('a list is no container; write missing(x), or nothing')", {"fails": fails})
    with pytest.raises(ValueError, match="write size=0"):
        follow("fails('write size=0')", {"fails": fails})
    assert follow("fails('a size is 0 or more')", {"fails": fails}) == []
