"""Python's search for cycles of garbage is paused in a block, and goes on after it."""

import gc
import os
from collections.abc import Iterator

import pytest

from accel.support.garbage import uncollected


@pytest.fixture(autouse=True)
def enabled() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_the_search_goes_on_after_the_block() -> None:
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_the_search_goes_on_after_an_error() -> None:
    with pytest.raises(KeyboardInterrupt), uncollected():
        raise KeyboardInterrupt
    assert gc.isenabled()


def test_a_search_that_the_user_has_ended_stays_so() -> None:
    gc.disable()
    with uncollected():
        pass
    assert not gc.isenabled()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_the_search_goes_on_in_the_child_of_a_fork() -> None:
    with uncollected():
        child = os.fork()
        if not child:
            os._exit(int(not gc.isenabled()))
        assert os.waitpid(child, 0)[1] == 0
        assert not gc.isenabled()
