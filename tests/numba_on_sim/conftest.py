import pytest

import accel

pytest.importorskip("numba_cuda", reason="numba-cuda is not installed")


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
