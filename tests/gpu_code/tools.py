"""Compilers, which a machine may not have."""

import importlib.util
import os
import shutil
import sys

import pytest

__all__ = ["hip_compiler", "need"]

CLANGS = ("clang++-19", "clang++-20", "clang++-21", "clang++-18")


def hip_compiler():
    """Return the command of a clang that compiles HIP, Debian's or that of ziglang; an empty tuple if there is none."""
    path = next(filter(None, map(shutil.which, CLANGS)), None)
    if path:
        return (path,)
    # Not `zig c++`, which knows fewer languages than the clang behind it.
    zig = (sys.executable, "-m", "ziglang", "clang", "--driver-mode=g++")
    return zig if importlib.util.find_spec("ziglang") else ()


def need(tool, what, remedy="ci/device_code installs it"):
    """Skip a test without its compiler; fail it if ACCEL_REQUIRE_DEVICE_COMPILERS=1."""
    if tool:
        return
    if os.environ.get("ACCEL_REQUIRE_DEVICE_COMPILERS") == "1":
        pytest.fail(f"{what} is missing; {remedy}")
    pytest.skip(f"{what} is missing; {remedy}")
