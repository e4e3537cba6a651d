from tests.kernels.test_quadrants_rules import *
import pytest
@pytest.fixture
def device(gpu_machine):
    return "gpu"
