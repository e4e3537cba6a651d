"""Names that users of NumPy, CuPy, PyTorch and JAX try: the error says what to write, and that works."""

import types

import numpy as np
import pytest

import accel
from accel import xp

from ..remedies import follow
from ..tables import rows

NAMES = {
    "accel": accel,
    "numpy": np,
    "shape": (2, 3),
    "value": 1,
    "xp": xp,
    "x": "xp.asarray([1.0, 2.0, 3.0])",
    "c": "accel.container([1.0, 2.0, 3.0])",
    "arrays": "[xp.ones(2), xp.zeros(3)]",
    "values": [1.0, 2.0],
    "device": "'sim'",
    "low": 0.0,
    "high": 1.0,
    "axes": 0,
}
MEMBERS = (
    "get numpy asnumpy cpu cuda to detach clone contiguous type float double half int long numel dim permute unsqueeze "
    "element_size data data_ptr exp median unique base ctypes getfield resize setfield setflags"
)
FUNCTIONS = "tensor as_tensor asanyarray cat clamp device_put device_get asnumpy rand default_rng float64_ frombuffer"


@rows("name", MEMBERS.split())
def test_members_of_arrays(name):
    assert follow(f"x.{name}", NAMES), name
    assert follow(f"x.{name}", NAMES, {"x": "xp.asarray([1.0, 2.0, 3.0], device='sim')"})


@rows("name", ["get", "numpy", "asnumpy", "detach", "cpu", "sum", "reshape", "shape", "T", "astype"])
def test_members_of_containers(name):
    assert follow(f"c.{name}", NAMES)


@rows("name", FUNCTIONS.replace("float64_", "double").split())
def test_functions(name):
    assert follow(f"xp.{name}", NAMES)
    assert follow(f"accel.{name}", NAMES)


@rows("name", ["array", "asarray", "linspace", "sqrt", "arange", "ones", "linalg"])
def test_functions_of_xp_are_named_by_the_front_door(name):
    assert follow(f"accel.{name}", NAMES) == [f"accel.xp.{name}"]


@pytest.mark.parametrize(
    "line", ["x.tensor_of_nothing", "c.tensor_of_nothing", "xp.tensor_of_nothing", "accel.nothing"]
)
def test_unknown_names_get_no_advice(line):
    assert follow(line, NAMES) == []


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_arrays_have_all_public_members_of_numpys_or_say_what_to_write(device):
    x = xp.ones((2, 3), device=device)
    missing = {name for name in dir(np.ndarray) if not name.startswith("_") and not hasattr(x, name)}
    assert missing == {"base", "ctypes", "data", "getfield", "resize", "setfield", "setflags"}
    assert all(follow(f"x.{name}", NAMES, {"x": x}) for name in missing)


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_elements_are_not_deleted_from_an_array(device):
    x = xp.asarray([1.0, 2.0, 3.0], device=device)
    with pytest.raises(ValueError, match=r"write x = xp\.delete\(x, 1\)"):
        del x[1]
    assert xp.delete(x, 1).tolist() == [1, 3]


def test_the_memory_that_stands_for_a_member_of_numpys_is_that_of_the_array():
    x = xp.zeros(3)
    with pytest.raises(AttributeError, match=r"write numpy\.asarray\(x\)\.ctypes"):
        x.ctypes  # noqa: B018 - the access is the test
    assert np.asarray(x).ctypes.data == x.__array_interface__["data"][0]
    assert x.storage is x[1:].storage


def test_annotations_with_types_of_elements():
    def function(x: xp.ndarray[tuple[int], np.dtype[np.float64]]) -> xp.ndarray[int]:
        return x

    assert function(xp.ones(3)).shape == (3,)


def test_a_property_that_fails_says_why():
    for one in (xp.ones(2), accel.zeros(2)):
        with pytest.raises(AttributeError, match="for memory of CUDA, and this is on cpu"):
            one.__cuda_array_interface__  # noqa: B018 - the access is the test


def test_missing_members_are_missing_for_hasattr():
    for name in ("get", "numpy", "cuda", "_nothing"):
        assert not hasattr(xp.ones(2), name)
        assert not hasattr(accel.zeros(2), name)


PUBLIC = [name for name in accel.__all__ if isinstance(getattr(accel, name), types.ModuleType)] + [
    "xp.linalg",
    "xp.fft",
    "xp.special",
]


@rows("path", ["", *PUBLIC])
def test_completion_offers_public_names_only(path):
    module = accel
    for name in path.split(".") if path else ():
        module = getattr(module, name)
    assert {name for name in dir(module) if not name.startswith("__")} == set(module.__all__) - {"__version__"} - {
        name for name in module.__all__ if name.startswith("__")
    }


VALUES = [
    "'hello'",
    "''",
    "b'hello'",
    "{1, 2}",
    "['a', 'b']",
    "['1', '2.5']",
    "['a', None]",
    "[1, None]",
    "(None, 2.5)",
    "{1: 2}",
]


@rows("values", VALUES)
@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_values_that_are_no_numbers(values, device):
    assert follow(f"xp.asarray(values, device={device!r})", NAMES, {"values": values})


@rows("values", ["object()", "[object()]", "[[1], object()]", "['a', 1j]"])
def test_values_without_a_place_in_an_array_get_no_advice(values):
    assert follow("xp.asarray(values)", NAMES, {"values": values}) == []
