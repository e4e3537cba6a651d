from random import Random

import pytest

from ..profiles import QUICK
from .checks import setups


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_generate_tests(metafunc):
    """In the profile quick, let each test use one of the compilers, drawn by its name: they take most of its time."""
    yield
    if QUICK and "setup" in metafunc.fixturenames:
        drawn = Random(metafunc.definition.nodeid).choice(setups())
        calls = metafunc._calls
        calls[:] = [call for call in calls if call.params["setup"] == drawn] or calls


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
