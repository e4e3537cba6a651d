from importlib.util import find_spec

import pytest

import accel

collect_ignore_glob = [] if find_spec("numba_cuda") else ["test_*.py"]
"""These tests need the extra ``numba-cuda``, as those of NumPy's oracle need NumPy."""


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
