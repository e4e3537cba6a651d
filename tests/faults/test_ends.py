"""Processes that end in the middle of work do end, with the output of their programs only; see `ends`."""

import os

import pytest

from ..profiles import repeats
from .ends import found_in

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX")


@pytest.mark.parametrize("seed", range(repeats(10)))
def test_a_random_program_ends(seed):
    assert found_in(seed) == []
