"""Prints the GPUs and their driver as JSON; run where the library is installed. Fails if there is no GPU."""

import json
import sys
from typing import Any

from accel.device import Device
from accel.machine import machine_report

__all__: list[str] = []


def main() -> int:
    devices = [device for device in Device.available() if device.type in {"cuda", "rocm"}]
    if not devices:
        print(f"no GPU: {Device.CUDA.why_unavailable()}", file=sys.stderr)
        return 1
    found = _described(devices)
    print(json.dumps(found))
    print(", ".join(f"{device}: {what['name']}" for device, what in found["devices"].items()), file=sys.stderr)
    return 0


def _described(devices: list[Device]) -> dict[str, Any]:
    import cupy

    runtime = cupy.cuda.runtime
    return {
        "platform": "ROCm" if runtime.is_hip else "CUDA",
        "driver": runtime.driverGetVersion(),
        "runtime": runtime.runtimeGetVersion(),
        "cupy": cupy.__version__,
        "devices": {str(device): _device(runtime.getDeviceProperties(device.index)) for device in devices},
        "accel": machine_report(),
    }


def _device(properties: dict[str, Any]) -> dict[str, Any]:
    name = properties["name"].decode()
    return {
        "name": name,
        "capability": [properties["major"], properties["minor"]],
        "bytes": properties["totalGlobalMem"],
    }


if __name__ == "__main__":
    sys.exit(main())
