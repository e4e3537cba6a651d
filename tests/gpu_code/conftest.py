import pytest

from ..profiles import QUICK, drawn


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_generate_tests(metafunc):
    """In the profile quick, compile kernels for some dtypes, which takes most of the time of their tests."""
    yield
    if QUICK:
        metafunc._calls[:] = drawn(metafunc._calls, metafunc.definition.nodeid)
