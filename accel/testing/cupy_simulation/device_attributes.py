"""The attributes of devices, by the names and numbers of CUDA's runtime, as `cupy.cuda.runtime` has them."""

import re
from collections.abc import Mapping

from accel.device import Device
from accel.testing.cuda_limits import attribute

__all__ = ["NUMBERS", "attributes_of", "value_of"]

NUMBERS: Mapping[str, int] = {
    "MaxThreadsPerBlock": 1,
    "MaxBlockDimX": 2,
    "MaxBlockDimY": 3,
    "MaxBlockDimZ": 4,
    "MaxGridDimX": 5,
    "MaxGridDimY": 6,
    "MaxGridDimZ": 7,
    "MaxSharedMemoryPerBlock": 8,
    "TotalConstantMemory": 9,
    "WarpSize": 10,
    "MaxPitch": 11,
    "MaxRegistersPerBlock": 12,
    "ClockRate": 13,
    "TextureAlignment": 14,
    "GpuOverlap": 15,
    "MultiProcessorCount": 16,
    "KernelExecTimeout": 17,
    "Integrated": 18,
    "CanMapHostMemory": 19,
    "ComputeMode": 20,
    "ConcurrentKernels": 31,
    "EccEnabled": 32,
    "PciBusId": 33,
    "PciDeviceId": 34,
    "TccDriver": 35,
    "MemoryClockRate": 36,
    "GlobalMemoryBusWidth": 37,
    "L2CacheSize": 38,
    "MaxThreadsPerMultiProcessor": 39,
    "AsyncEngineCount": 40,
    "UnifiedAddressing": 41,
    "PciDomainId": 50,
    "StreamPrioritiesSupported": 78,
    "MaxSharedMemoryPerMultiprocessor": 81,
    "MaxRegistersPerMultiprocessor": 82,
    "ManagedMemory": 83,
    "SingleToDoublePrecisionPerfRatio": 87,
    "PageableMemoryAccess": 88,
    "ConcurrentManagedAccess": 89,
    "CooperativeLaunch": 95,
    "MaxSharedMemoryPerBlockOptin": 97,
    "MaxBlocksPerMultiprocessor": 106,
    "ReservedSharedMemoryPerBlock": 111,
    "MemoryPoolsSupported": 115,
}
"""The attributes that a simulated device has."""


def attributes_of(device: Device) -> dict[str, int]:
    """Return the attributes of a device."""
    return {name: value for name in NUMBERS if (value := attribute(device, _in_driver(name))) is not None}


def value_of(device: Device, number: int) -> int:
    """Return an attribute by its number.

    Raises
    ------
    RuntimeError
        If a simulated device has none with this number.
    """
    name = next((name for name, each in NUMBERS.items() if each == number), "")
    if not name:
        raise RuntimeError(f"cudaErrorInvalidValue: a simulated device has no attribute {number}")
    return attributes_of(device)[name]


def _in_driver(name: str) -> str:
    """Return what CUDA's driver calls an attribute."""
    words = re.findall(r"L2|[A-Z][a-z]*", name.replace("MultiProcessor", "Multiprocessor"))
    return "_".join(words).upper()
