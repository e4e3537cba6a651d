"""Every error name of the drivers is translated to an error of `accel.errors`."""

import pytest
from accel.backends.cupy.errors import _KINDS, kind_of, translated

from accel import errors


@pytest.fixture(scope="module")
def names(root):
    """All error names of CUDA 12.9's runtime and driver from its headers, and of HIP from a public list."""
    return (root / "tests/golden/driver_errors.txt").read_text().split()


def test_every_name_of_every_driver_is_in_the_table(names):
    assert [name for name in names if kind_of(name) is None] == []
    assert len(names) > 300


def test_the_table_has_no_word_that_no_driver_says(names):
    said = {name.removeprefix("CUDA_ERROR_").removeprefix("cudaError").removeprefix("hipError") for name in names}
    assert {word.replace("_", "").lower() for word in said} == set(_KINDS)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("cudaErrorMemoryAllocation", errors.OutOfMemoryError),
        ("hipErrorOutOfMemory", errors.OutOfMemoryError),
        ("cudaErrorNoDevice", errors.DeviceUnavailableError),
        ("cudaErrorInsufficientDriver", errors.DeviceUnavailableError),
        ("CUDA_ERROR_ILLEGAL_ADDRESS", errors.DeviceLostError),
        ("hipErrorLaunchTimeOut", errors.DeviceLostError),
        ("cudaErrorInvalidResourceHandle", errors.DeviceMismatchError),
        ("cudaErrorNotSupported", errors.CapabilityError),
        ("cudaErrorInvalidConfiguration", errors.KernelLaunchError),
    ],
)
def test_the_three_platforms_say_the_same(name, kind):
    error = translated(RuntimeError(f"{name}: some words"), "cuda:1")
    assert type(error) is kind
    assert f"cuda:1 reported {name}: some words; " in str(error)


def test_a_name_of_a_later_driver_is_a_refusal():
    assert kind_of("cudaErrorOfTheFuture") is None
    assert type(translated(RuntimeError("cudaErrorOfTheFuture: new"), "cuda:0")) is errors.KernelLaunchError
