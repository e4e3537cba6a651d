"""`seeded`: a seed determines the interleaving, and an error names the seed."""

from itertools import count

import numpy as np
import pytest

import accel
from accel import Device
from accel.abc import Span
from accel.config import current
from accel.errors import RaceError
from accel.memory import heap_of
from accel.testing import seeded
from accel.testing.blocks import host_span, lent
from accel.testing.simulation import finish

STREAMS, STEPS = 3, 4


def history(block):
    """Return the progress of each stream at each time that the host polls the first."""
    sim, done = heap_of(Device.SIM).backend, np.zeros((STREAMS, STEPS), np.uint8)
    streams = [sim.new_stream(Device.SIM) for _ in range(STREAMS)]
    for row, stream in zip(done, streams, strict=True):
        for step in range(STEPS):
            sim.copy(host_span(row[step : step + 1]), Span(block, 0, 1), stream=stream)
    last, seen = streams[0].record(), []
    while not last.done():
        seen.append(tuple(int(row.astype(bool).sum()) for row in done))
    return tuple(seen)


def race(block):
    """Let two streams write the same bytes, and wait for neither."""
    sim = heap_of(Device.SIM).backend
    for _ in range(2):
        sim.copy(Span(block, 0, 10), Span(block, 50, 10), stream=sim.new_stream(Device.SIM))


@pytest.fixture
def block():
    with lent(heap_of(Device.SIM), 100) as block:
        yield block
        finish()


@pytest.fixture
def histories(block):
    """A function that returns what happens with a seed."""

    def run(seed):
        with seeded(seed):
            return history(block)

    return run


def test_the_same_seed_gives_the_same_interleaving_whatever_was_drawn_before(histories, block):
    first = histories(3)
    assert histories(3) == first
    with accel.using(sim_seed=3):
        history(block)
    assert histories(3) == first


def test_work_from_before_does_not_take_part(histories, block):
    first, sim = histories(3), heap_of(Device.SIM).backend
    sim.copy(Span(block, 50, 10), Span(block, 60, 10), stream=sim.new_stream(Device.SIM))
    assert histories(3) == first


def test_another_seed_gives_another(histories):
    assert len({histories(seed) for seed in range(10)}) > 8


def test_a_failure_names_the_seed_that_repeats_it(histories):
    expected = histories(0)

    def find(seeds):
        for seed in seeds:
            with seeded(seed):
                assert histories(seed) == expected

    with pytest.raises(AssertionError) as caught:
        find(count())
    assert caught.value.__notes__ == ["with seed 1 of the simulated devices; run it alone by `with seeded(1):`"]


def test_work_that_is_left_runs_with_the_seed_and_a_failure_of_it_names_it(block):
    with pytest.raises(RaceError) as caught, seeded(7):
        race(block)
    assert caught.value.__notes__[-1].startswith("with seed 7 ")


def test_the_seed_is_the_setting_inside_the_block_only():
    with seeded(7):
        assert current().sim_seed == 7
    assert current().sim_seed == 0


def test_a_seed_is_not_negative():
    with pytest.raises(ValueError, match="0 or more"), seeded(-1):
        pass
