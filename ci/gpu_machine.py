"""Prints the GPUs and their driver as JSON; run where the library is installed. Fails if there is no GPU."""

import json
import subprocess
import sys
from collections.abc import Mapping
from shutil import which
from typing import Any

from accel.commands.info import machine_report
from accel.device import Device

__all__: list[str] = []


def main() -> int:
    devices = [device for device in Device.available() if device.type in {"cuda", "rocm"}]
    if not devices:
        print(f"no GPU: {Device.CUDA.why_unavailable()}", file=sys.stderr)
        return 1
    result = _described(devices)
    print(json.dumps(result))
    print(", ".join(f"{device}: {what['name']}" for device, what in result["devices"].items()), file=sys.stderr)
    return 0


def _described(devices: list[Device]) -> dict[str, Any]:
    import cupy

    runtime = cupy.cuda.runtime
    return {
        "platform": "ROCm" if runtime.is_hip else "CUDA",
        "driver": runtime.driverGetVersion(),
        "runtime": runtime.runtimeGetVersion(),
        "cupy": cupy.__version__,
        "devices": {str(device): _device(cupy, device, devices) for device in devices},
        "nvidia-smi": _asked_of_nvidia_smi(),
        "accel": machine_report(),
    }


def _device(cupy: Any, device: Device, devices: list[Device]) -> dict[str, Any]:
    runtime = cupy.cuda.runtime
    properties = runtime.getDeviceProperties(device.index)
    with cupy.cuda.Device(device.index) as current:
        attributes = getattr(current, "attributes", {})
    others = [other for other in devices if other is not device]
    return {
        "name": properties["name"].decode(),
        "capability": [properties["major"], properties["minor"]],
        "bytes": properties["totalGlobalMem"],
        "reaches": [str(other) for other in others if runtime.deviceCanAccessPeer(device.index, other.index)],
        "attributes": _numbers(attributes),
        "properties": _numbers(properties),
    }


def _numbers(result: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in sorted(result.items()) if isinstance(value, int | tuple | list)}


def _asked_of_nvidia_smi() -> list[str]:
    """Return what nvidia-smi says of each device: the driver, the link, the power limit and the highest clocks."""
    if not which("nvidia-smi"):
        return []
    asked = "name,driver_version,pcie.link.gen.max,pcie.link.width.max,power.limit,clocks.max.sm,clocks.max.mem"
    command = ("nvidia-smi", f"--query-gpu={asked}", "--format=csv")
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout.splitlines()


if __name__ == "__main__":
    sys.exit(main())
