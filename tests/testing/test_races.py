"""`no_races` fails if there was a race, caught or not, and passes if there was none."""

import re
from contextlib import suppress

import pytest

import accel
from accel import Device, xp
from accel.errors import DeviceLostError, RaceError
from accel.memory import heap_of
from accel.testing import fail_copy, no_races
from accel.testing.blocks import host_span, lent, random_bytes


def race(device="sim"):
    """Let one stream read, without an order, what another wrote; the simulated device raises at the second line."""
    x = xp.zeros(4, device=device)
    with accel.new_stream(device):
        x += 1


def swallowed_race():
    """Cause a race and catch its error."""
    with suppress(RaceError):
        race()


def swallowed_race_and_an_error():
    swallowed_race()
    raise KeyError


def swallowed_race_and_a_late_failure():
    swallowed_race()
    source, target = (accel.zeros(4, device="sim") for _ in range(2))
    target.copy_from_async(source, stream=accel.new_stream("sim"))


def late_race_and_an_error(block):
    late_race(block)
    raise KeyError


def late_race(block):
    """Let two streams write the same bytes, and wait for neither."""
    sim = heap_of(Device.SIM).backend
    for stream in (sim.new_stream(Device.SIM), sim.new_stream(Device.SIM)):
        sim.copy(accel.abc.Span(block, 0, 100), host_span(random_bytes(100)), stream=stream)


@pytest.fixture
def races():
    """The reports that the simulated device keeps."""
    return heap_of(Device.SIM).backend.races


@pytest.fixture
def block():
    with lent(heap_of(Device.SIM), 100) as block:
        yield block


def test_a_race_is_raised_where_it_is_seen_and_once(races):
    with pytest.raises(RaceError) as caught, no_races():
        race()
    assert all("more" not in note and "a race" not in note for note in caught.value.__notes__)
    assert not races


def test_a_race_whose_error_was_caught_fails_the_block_with_both_lines():
    line = race.__code__.co_firstlineno
    with pytest.raises(RaceError) as caught, no_races():
        swallowed_race()
    sites = re.findall(r"submitted at \S*test_races\.py:(\d+) in race", str(caught.value))
    assert list(map(int, sites)) == [line + 4, line + 2]


def test_a_race_of_work_without_a_wait_fails_the_block(block, races):
    with pytest.raises(RaceError, match=r"a race: .* late_race .* late_race"), no_races():
        late_race(block)
    assert not races


def test_each_race_is_reported():
    with pytest.raises(RaceError) as caught, no_races():
        swallowed_race(), swallowed_race(), swallowed_race()
    assert len(str(caught.value).splitlines()) == 3


def test_another_error_is_told_of_the_races():
    with pytest.raises(KeyError) as caught, no_races():
        swallowed_race_and_an_error()
    assert caught.value.__notes__[0].startswith("a race: iadd on stream")


def test_another_error_is_told_of_the_races_of_work_that_is_left(block, races):
    with pytest.raises(KeyError) as caught, no_races():
        late_race_and_an_error(block)
    assert caught.value.__notes__[0].startswith("a race: a copy on stream")
    assert not races


def test_another_failure_of_work_without_a_wait_is_raised_with_the_races(races):
    with pytest.raises(DeviceLostError) as caught, no_races(), fail_copy(1, "sim"):
        swallowed_race_and_a_late_failure()
    assert any(note.startswith("a race: iadd on stream") for note in caught.value.__notes__)
    assert not races


def test_races_before_the_block_are_left_to_those_around_it(races):
    swallowed_race()
    [report] = races
    with no_races():
        xp.zeros(4, device="sim")
    assert list(races) == [report]
    with pytest.raises(RaceError), no_races():
        race()
    assert list(races) == [report]


def test_streams_in_order_are_no_race(block):
    with no_races():
        x = xp.zeros(4, device="sim")
        before = accel.new_stream("sim")
        with before:
            y = xp.ones(4, device="sim")
        after = accel.new_stream("sim")
        after.wait_for(before.record())
        with after:
            y += 1
        assert [float(each) for each in x] == [0, 0, 0, 0]


def test_on_the_host_there_is_nothing_to_see():
    with no_races():
        race("cpu")
