"""Other libraries for the tests of interchange: correct, old, lying and broken ones."""

import ctypes

import numpy as np
import pytest

import accel
from accel import xp
from accel.interchange import abi as dlpack

_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)
DLMANAGED = [dlpack.DLManagedTensor, dlpack.DLManagedTensorVersioned]
_NAMES = {dlpack.DLManagedTensor: b"dltensor", dlpack.DLManagedTensorVersioned: b"dltensor_versioned"}


class Foreign:
    """An array of another library: it has nothing of ours but the protocol."""

    def __init__(self, array):
        self.array = array
        self.asked = {}

    def __dlpack__(self, **keywords):
        self.asked = keywords
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


_lent = set()


class Forged:
    """A library whose capsules say what they are told, about three rows of four floats by default."""

    def __init__(self, holds=dlpack.DLManagedTensorVersioned, said=(1, 0), **fields):
        self.values = np.arange(12, dtype=np.float32)
        self.said = said
        self.ended = 0
        self.fields = {
            "data": self.values.ctypes.data,
            "device": (1, 0),
            "dtype": (2, 32, 1),
            "shape": (3, 4),
            "strides": (4, 1),
            "byte_offset": 0,
            "flags": 0,
            "major": 1,
            **fields,
        }
        self.holds = holds
        self.deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.end)
        self.managed = self.described()
        self.capsule = _new_capsule(ctypes.addressof(self.managed), _NAMES[holds], None)

    def described(self):
        said, managed = self.fields, self.holds()
        tensor = managed.tensor
        tensor.data, tensor.byte_offset = said["data"], said["byte_offset"]
        tensor.device = dlpack.DLDevice(*said["device"])
        tensor.dtype = dlpack.DLDataType(*said["dtype"])
        tensor.ndim = said.get("ndim", len(said["shape"] or ()))
        self.arrays = [
            None if said[name] is None else (ctypes.c_int64 * 70)(*said[name]) for name in ("shape", "strides")
        ]
        for name, array in zip(("shape", "strides"), self.arrays, strict=True):
            if array is not None:
                setattr(tensor, name, ctypes.cast(array, ctypes.POINTER(ctypes.c_int64)))
        managed.deleter = said.get("deleter", ctypes.cast(self.deleter, ctypes.c_void_p))
        if self.holds is dlpack.DLManagedTensorVersioned:
            managed.major, managed.flags = said["major"], said["flags"]
        return managed

    def end(self, address):
        assert address == ctypes.addressof(self.managed)
        self.ended += 1
        _lent.discard(self)

    def __dlpack__(self, **keywords):
        if self.managed.deleter:  # stays until it is called
            _lent.add(self)
        return self.capsule

    def __dlpack_device__(self):
        return self.said


@pytest.fixture
def foreign():
    return Foreign


@pytest.fixture
def forged():
    return Forged


@pytest.fixture(params=DLMANAGED, ids=["legacy", "versioned"])
def form(request):
    return request.param


@pytest.fixture(params=[accel.from_dlpack, xp.from_dlpack], ids=["container", "array"])
def taken(request):
    return request.param
