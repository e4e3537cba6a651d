import pytest

from .checks import setups


@pytest.fixture(params=setups(), ids=str)
def setup(request):
    """A compiler, and the threads of a warp."""
    return request.param


@pytest.fixture(params=["none", "all"])
def checks(request):
    """The checks of kernels: none of them, or all."""
    return request.param


@pytest.fixture(params=[32, 64])
def warp(request):
    """The threads of a warp."""
    return request.param
