from importlib.util import find_spec

import pytest

import accel

from ..profiles import QUICK, keep_one_value

collect_ignore_glob = [] if find_spec("numba_cuda") else ["test_*.py"]
"""These tests need the extra ``numba-cuda``, as those of NumPy's oracle need NumPy."""


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_generate_tests(metafunc):
    """In the profile quick, compile the kernels of each test once."""
    yield
    if QUICK:
        keep_one_value(metafunc, "checks", metafunc.definition.nodeid)


@pytest.fixture(params=["none", "all"])
def checks(request):
    """Kernels run without checks, and with all of them."""
    with accel.using(kernel_checks=request.param, sim_seed=3):
        yield request.param


@pytest.fixture
def checked():
    """Kernels run with all checks."""
    with accel.using(kernel_checks="all", sim_seed=3):
        yield


@pytest.fixture
def cuda():
    """`numba.cuda` on simulated devices, without its warnings about small grids and implicit copies."""
    from numba.cuda.core import config

    from accel.testing import numba_cuda_on_sim

    with pytest.MonkeyPatch.context() as patch, numba_cuda_on_sim() as module:
        patch.setattr(config, "CUDA_LOW_OCCUPANCY_WARNINGS", 0)
        patch.setattr(config, "CUDA_WARN_ON_IMPLICIT_COPY", 0)
        yield module
