from accel import config as config
from accel import device as device
from accel import dtypes as dtypes
from accel import errors as errors
from accel import layout as layout
from accel import memory as memory
from accel import testing as testing
from accel import xp as xp
from accel.config import configure as configure
from accel.config import debug as debug
from accel.config import using as using
from accel.containers import AcceleratorDataContainer as AcceleratorDataContainer
from accel.creation import container as container
from accel.creation import empty as empty
from accel.creation import from_dlpack as from_dlpack
from accel.creation import from_numpy as from_numpy
from accel.creation import full as full
from accel.creation import zeros as zeros
from accel.device import Device as Device
from accel.memory import DeviceStorage as DeviceStorage
from accel.memory import HostStorage as HostStorage
from accel.memory import Ownership as Ownership
from accel.memory import new_stream as new_stream

__version__: str
