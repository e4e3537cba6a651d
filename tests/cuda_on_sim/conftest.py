import pytest

from ..profiles import QUICK, keep_one_value
from .checks import setups


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_generate_tests(metafunc):
    """In the profile quick, compile the source of a file in few ways, which takes most of the time of its tests."""
    yield
    if QUICK:
        keep_one_value(metafunc, "setup", metafunc.definition.nodeid)
        for fixture in ("warp", "checks"):
            keep_one_value(metafunc, fixture, metafunc.definition.path.name)


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
