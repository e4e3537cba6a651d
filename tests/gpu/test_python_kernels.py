"""Kernels that are written in Python compute on a GPU what they do on the processor: the same tests."""

from functools import partial

import pytest

from accel.memory import heap_of

from ..gpu_code import test_python_kernel_steps, test_python_kernels
from ..gpu_code.on_devices import run_on
from ..gpu_code.test_python_kernel_steps import *  # noqa: F403 - the tests of these modules
from ..gpu_code.test_python_kernels import *  # noqa: F403


@pytest.fixture(autouse=True)
def _on_the_device(monkeypatch, request, device):
    warp = request.node.callspec.params.get("warp") if hasattr(request.node, "callspec") else None
    width = heap_of(device).backend.limits(device).warp
    if warp not in {None, width}:
        pytest.skip(f"warps of {device} have {width} threads")
    for module in (test_python_kernels, test_python_kernel_steps):
        monkeypatch.setattr(module, "run_text", partial(run_on, device))
