"""What the tests of `accel.xp` share: array_api_strict, told which version of the standard it answers for."""

import os

import pytest

os.environ["ARRAY_API_STRICT_API_VERSION"] = "2025.12"


@pytest.fixture(scope="session")
def strict():
    import array_api_strict

    assert array_api_strict.__array_api_version__ == "2025.12"
    return array_api_strict
