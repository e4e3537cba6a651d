import pytest

from .checking import setups


@pytest.fixture(params=setups(), ids=str)
def setup(request):
    """A compiler, and the threads of a warp."""
    return request.param
