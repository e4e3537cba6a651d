"""Compilers, which a machine may lack."""

import os

import pytest

__all__ = ["need"]


def need(found, what, remedy="ci/device_code installs it"):
    """Skip a test for want of a compiler; fail it where ACCEL_REQUIRE_DEVICE_COMPILERS says that all are there."""
    if found:
        return
    if os.environ.get("ACCEL_REQUIRE_DEVICE_COMPILERS") == "1":
        pytest.fail(f"{what} is missing; {remedy}")
    pytest.skip(f"{what} is missing; {remedy}")
