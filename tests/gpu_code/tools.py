"""Compilers, which a machine may lack."""

import importlib.util
import os
import shutil
import sys

import pytest

__all__ = ["hip_compiler", "need"]

CLANGS = ("clang++-19", "clang++-20", "clang++-21", "clang++-18")


def hip_compiler():
    """Return the command of a clang that compiles HIP: Debian's, or that in the package ziglang; nothing if none is."""
    found = next(filter(None, map(shutil.which, CLANGS)), None)
    if found:
        return (found,)
    # Not `zig c++`, which knows fewer languages than the clang behind it.
    zig = (sys.executable, "-m", "ziglang", "clang", "--driver-mode=g++")
    return zig if importlib.util.find_spec("ziglang") else ()


def need(found, what, remedy="ci/device_code installs it"):
    """Skip a test for want of a compiler; fail it where ACCEL_REQUIRE_DEVICE_COMPILERS says that all are there."""
    if found:
        return
    if os.environ.get("ACCEL_REQUIRE_DEVICE_COMPILERS") == "1":
        pytest.fail(f"{what} is missing; {remedy}")
    pytest.skip(f"{what} is missing; {remedy}")
