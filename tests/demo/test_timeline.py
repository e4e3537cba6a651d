"""A timeline measures how much copying overlaps with computing, and when work on a stream ran."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accel import Device, new_stream, xp
from accel.demo.timeline import LANES, Span, Timeline

TILES = st.sampled_from("abc")
TIMES = st.tuples(st.integers(0, 30), st.integers(1, 30)).map(lambda pair: (pair[0], sum(pair)))


@given(st.lists(st.tuples(TILES, TIMES), min_size=1), st.lists(st.tuples(TILES, TIMES)))
def test_overlap_is_the_share_of_the_copies_seconds_in_which_another_tile_is_computed(copies, computed):
    def beside(tile, second):
        return any(other != tile and start <= second < stop for other, (start, stop) in computed)

    seconds = [(tile, second) for tile, (start, stop) in copies for second in range(start, stop)]
    timeline = Timeline(
        [Span("copy in", tile, *times) for tile, times in copies]
        + [Span("compute", tile, *times) for tile, times in computed]
    )
    shared = sum(beside(tile, second) for tile, second in seconds)
    assert timeline.overlap() == pytest.approx(shared / len(seconds))


def test_without_copies_nothing_overlaps():
    assert Timeline([Span("compute", "a", 0, 1)]).overlap() == 0


@given(st.lists(st.tuples(st.sampled_from(LANES), TIMES), min_size=1))
def test_elapsed_is_the_total_and_the_pauses_less_what_runs_twice(steps):
    spans = [Span(lane, "a", *times) for lane, times in steps]
    elapsed = Timeline(spans).elapsed(*LANES)
    busy = {second for span in spans for second in range(span.start, span.stop)}
    assert elapsed == max(busy) - min(busy) + 1


def test_a_step_has_the_times_of_its_stream(device):
    timeline, stream = Timeline(), new_stream(device, timed=True)
    first, second = "first", "second"
    for label in (first, second):
        with timeline.step(stream, "compute", label):
            xp.zeros(1000, device=device) + 1
    last = stream.record()
    timeline.collect()
    spans = timeline.spans
    assert [span.label for span in spans] == [first, second]
    assert spans[0].start < spans[0].stop <= spans[1].start < spans[1].stop
    if device is not Device.CPU:  # where the host computes, and the stream does nothing
        assert spans[1].stop == last.ended
    stream.close()


def test_a_step_does_not_begin_before_what_was_on_its_stream():
    timeline, stream = Timeline(), new_stream("sim", timed=True)
    with stream:
        xp.zeros(1_000_000, device="sim")  # takes the device longer than the host needs to go on
    before = stream.record()
    with timeline.step(stream, "compute", "a"):
        xp.zeros(1, device="sim")
    timeline.collect()
    [span] = timeline.spans
    assert span.start >= before.ended
    stream.close()
