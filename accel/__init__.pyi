# Written by ci/stubs. Do not edit.
from accel import abc as abc
from accel import config as config
from accel import copies as copies
from accel import device as device
from accel import dtypes as dtypes
from accel import engines as engines
from accel import errors as errors
from accel import interchange as interchange
from accel import kernels as kernels
from accel import layout as layout
from accel import memory as memory
from accel import store as store
from accel import testing as testing
from accel import views as views
from accel import xp as xp
from accel.config import configure as configure
from accel.config import debug as debug
from accel.config import using as using
from accel.containers import AcceleratorDataContainer as AcceleratorDataContainer
from accel.containers.creation import container as container
from accel.containers.creation import empty as empty
from accel.containers.creation import from_dlpack as from_dlpack
from accel.containers.creation import from_numpy as from_numpy
from accel.containers.creation import full as full
from accel.containers.creation import zeros as zeros
from accel.copies.explain import explain_copy as explain_copy
from accel.device import Device as Device
from accel.kernels import RawKernel as RawKernel
from accel.kernels import accumulator as accumulator
from accel.kernels import func as func
from accel.kernels import grid as grid
from accel.kernels import kernel as kernel
from accel.kernels import stack_allocation as stack_allocation
from accel.kernels import tune as tune
from accel.layout import ComposedLayout as ComposedLayout
from accel.layout import Layout as Layout
from accel.layout import Swizzle as Swizzle
from accel.memory import DeviceStorage as DeviceStorage
from accel.memory import HostStorage as HostStorage
from accel.memory import Ownership as Ownership
from accel.memory import capture as capture
from accel.memory import new_stream as new_stream
from accel.tracing import fuse as fuse
from accel.views import Buffer as Buffer
from accel.views import BufferView as BufferView
from accel.views import DynamicRankBuffer as DynamicRankBuffer
from accel.views import LayoutTensor as LayoutTensor
from accel.views import NDBuffer as NDBuffer

__version__: str
__all__ = [
    "AcceleratorDataContainer",
    "Buffer",
    "BufferView",
    "ComposedLayout",
    "Device",
    "DeviceStorage",
    "DynamicRankBuffer",
    "HostStorage",
    "Layout",
    "LayoutTensor",
    "NDBuffer",
    "Ownership",
    "RawKernel",
    "Swizzle",
    "__version__",
    "abc",
    "accumulator",
    "capture",
    "config",
    "configure",
    "container",
    "copies",
    "debug",
    "device",
    "dtypes",
    "empty",
    "engines",
    "errors",
    "explain_copy",
    "from_dlpack",
    "from_numpy",
    "full",
    "func",
    "fuse",
    "grid",
    "interchange",
    "kernel",
    "kernels",
    "layout",
    "memory",
    "new_stream",
    "stack_allocation",
    "store",
    "testing",
    "tune",
    "using",
    "views",
    "xp",
    "zeros",
]
