"""Runs CuPy's own tests of `cupy.fuse` with `accel.xp` in the place of CuPy; exits with 1 if one surprises.

A surprise is a failure that ci/xfails/cupy_fusion.txt does not list, or a test listed there that passes. The tests and
`cupy.testing` are those of the checkout; all other modules of CuPy are made here.
"""

import argparse
import math
import os
import sys
from collections.abc import Callable
from functools import partial, update_wrapper
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import accel
from accel import xp

__all__: list[str] = []

_KNOWN = Path(__file__).parent / "xfails" / "cupy_fusion.txt"
_TESTS = "tests/cupy_tests/core_tests/fusion_tests"


def main() -> int:
    """Run the tests of a checkout on each device, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path, help="of cupy/cupy")
    parser.add_argument("--device", nargs="+", default=["cpu", "sim"])
    parser.add_argument("--known", type=Path, default=_KNOWN, help="the file of the known failures")
    given, options = parser.parse_known_args()
    checkout = given.checkout.resolve()
    if not (checkout / _TESTS).is_dir():
        sys.exit(f"{checkout} is needed as a checkout of cupy/cupy, with {_TESTS}")
    os.environ["CUPY_TEST_GPU_LIMIT"] = "1"  # tests of several GPUs are skipped
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # plug-ins of others ask whether there is a CuPy
    provide_cupy(checkout)
    known, options = Known(given.known.read_text()), [*_options(checkout), *options]
    os.chdir(checkout / "tests")
    statuses = []
    for device in given.device:
        print(f"on {device}:", flush=True)
        with accel.using(device=device, host_copies="allow"):
            statuses.append(pytest.main(options, plugins=[known]))
    return int(any(statuses))


def _options(checkout: Path) -> list[str]:
    """Return the options of pytest: no conftest, which would start CUDA, and nothing written to the checkout."""
    quiet = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--tb=short", "-W", "ignore"]
    alone = ["-c", os.devnull, "--rootdir", str(checkout), "--noconftest", "--import-mode=importlib"]
    return [*quiet, *alone, str(checkout / _TESTS)]


class Known:
    """Marks the tests that a text lists as expected to fail: names, each with the reason in the lines before it.

    A name is that of a test without the values of its parameters, or with them.
    """

    def __init__(self, text: str) -> None:
        self._reasons: dict[str, str] = {}
        reason: list[str] = []
        for line, before in zip(text.splitlines(), ["", *text.splitlines()], strict=False):
            if line.startswith("#"):
                reason = [*(reason if before.startswith("#") else []), line.removeprefix("# ")]
            elif line:
                self._reasons[line] = " ".join(reason)

    @pytest.hookimpl
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            name = item.nodeid.removeprefix(f"{_TESTS}/")
            reason = self._reasons.get(name) or self._reasons.get(name.partition("[")[0])
            if reason is not None:
                item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


def provide_cupy(checkout: Path) -> None:
    """Let ``cupy`` be `accel.xp`, with the names that the tests use besides, and `cupy.testing` of the checkout."""
    cupy = _module("cupy", fuse=fuse, asnumpy=_asnumpy, sum=_sum)
    cupy.__path__ = [str(checkout / "cupy")]
    cupy.__getattr__ = partial(getattr, xp)  # type: ignore[method-assign]
    cupy.get_array_module = partial(_array_module, cupy)  # type: ignore[attr-defined]
    _module("cupy._core")
    _module("cupy._core.internal", prod=math.prod)
    for name, member in (("_fusion_trace", "TraceImpl"), ("_fusion_kernel", "FusedKernel")):
        _module(f"cupy._core.{name}", **{member: type(member, (), {"__module__": f"cupy._core.{name}"})})
    capability = SimpleNamespace(get_compute_capability=lambda: "70")
    runtime = SimpleNamespace(is_hip=False, deviceGetAttribute=lambda *_: 1, cudaDevAttrCooperativeLaunch=0)
    _module("cupy.cuda", Device=xp.cuda.Device, device=capability, runtime=runtime)
    for name in ("cupyx", "cupyx.scipy", "cupyx.scipy.sparse"):
        _module(name, issparse=lambda _: False)
    sys.path.insert(0, str(checkout / "tests"))


def _module(name: str, **members: Any) -> ModuleType:
    module = sys.modules[name] = ModuleType(name)
    vars(module).update(members)
    parent, _, last = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], last, module)
    return module


def fuse(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Fuse a function; as with CuPy's decorator, calls with NumPy's arrays are the function's own."""
    if function is None:
        return partial(fuse, **options)
    fused = accel.fuse(function, **options)

    def call(*arguments: Any, **keywords: Any) -> Any:
        is_numpy = any(isinstance(each, np.ndarray) for each in (*arguments, *keywords.values()))
        return (function if is_numpy else fused)(*arguments, **keywords)

    return update_wrapper(call, fused)


def _asnumpy(value: Any) -> Any:
    return value.to_device("cpu").to_numpy() if isinstance(value, xp.Array) else np.asarray(value)


def _sum(a: Any, *arguments: Any, **keywords: Any) -> Any:
    """Return a sum; CuPy's function, which tests call for NumPy too, is the method of the operand."""
    return a.sum(*arguments, **keywords)


def _array_module(cupy: ModuleType, *arguments: Any) -> ModuleType:
    return cupy if any(isinstance(each, xp.Array) for each in arguments) else np


if __name__ == "__main__":
    sys.exit(main())
