"""The demo on a simulated accelerator: the same findings in any order of the streams; every wait is necessary."""

import re
from functools import partial

import numpy as np
import pytest

from accel import Device, demo, new_stream, using
from accel.demo import pipeline, run
from accel.demo.timeline import Timeline
from accel.errors import RaceError
from accel.memory import heap_of

from ..profiles import repeats

SEEDS = range(repeats(20))
SITE = re.compile(r"submitted at \S*/(\w+\.py):(\d+) in (\w+)")


def detect(picture, device=Device.SIM):
    return pipeline.detect(picture, device, Timeline(), side=64)


@pytest.fixture(params=SEEDS, ids="seed{}".format)
def seed(request):
    with using(sim_seed=request.param):
        yield request.param


@pytest.fixture
def join_but_once(monkeypatch):
    """Return a function that makes the pipeline skip one of its joins."""
    join = pipeline.join

    def leave_out(which):
        calls = []

        def joins_but_once(streams):
            calls.append(streams)
            if len(calls) != which:
                join(streams)

        monkeypatch.setattr(pipeline, "join", joins_but_once)

    return leave_out


@pytest.fixture
def small(stars, vessel, monkeypatch):
    monkeypatch.setattr(run, "run_demo", partial(run.run_demo, sources=[lambda: stars, lambda: vessel]))
    monkeypatch.setattr(pipeline, "detect", partial(pipeline.detect, side=64))


def expect_race(races, picture, *functions):
    """Run the pipeline and expect one race, between work that these of its functions submitted."""
    with pytest.raises(RaceError):
        detect(picture)
    [report] = races
    sites = SITE.findall(report)
    assert [(file, function) for file, _, function in sites] == [("pipeline.py", function) for function in functions]
    assert len({line for _, line, _ in sites}) == 2


@pytest.mark.usefixtures("no_leaks", "seed")
@pytest.mark.parametrize("name", ["stars", "vessel"])
def test_the_findings_are_those_of_the_cpu_whatever_the_order(name, request, races):
    picture = request.getfixturevalue(name)
    there, here = detect(picture), detect(picture, Device.CPU)
    np.testing.assert_array_equal(there.response, here.response)
    np.testing.assert_array_equal(there.marked, here.marked)
    assert (there.centre, there.spread, there.threshold) == (here.centre, here.spread, here.threshold)
    assert not races


@pytest.mark.usefixtures("seed", "races")
def test_the_next_tile_is_under_way_while_one_is_computed(stars, monkeypatch):
    respond, pending_work = pipeline.respond, []

    def watched(*arguments):
        pending_work.append(sum(flight.event.ended is None for flight in heap_of(Device.SIM).pending_work))
        return respond(*arguments)

    monkeypatch.setattr(pipeline, "respond", watched)
    detect(stars)
    assert pending_work == [1] * 8 + [0]


@pytest.mark.usefixtures("seed")
class TestPlanted:
    def test_no_join_at_all(self, stars, races, monkeypatch):
        monkeypatch.setattr(pipeline, "join", lambda streams: None)
        expect_race(races, stars, "detect", "_sweep")

    def test_the_threshold_does_not_wait_for_the_responses(self, stars, races, join_but_once):
        join_but_once(1)
        expect_race(races, stars, "detect", "_sweep")

    def test_the_marks_do_not_wait_for_the_threshold(self, vessel, races, join_but_once):
        # Of stars, the host waits for a kernel of the first tile, and so for the threshold.
        join_but_once(2)
        expect_race(races, vessel, "mark", "detect")

    def test_the_copy_out_does_not_wait_for_the_streams(self, stars, races, monkeypatch):
        monkeypatch.setattr(type(new_stream("sim")), "close", lambda stream: None)
        expect_race(races, stars, "detect", "_sweep")


@pytest.mark.usefixtures("small", "races")
class TestReport:
    def test_names_the_seed_and_says_that_no_race_was_seen(self, tmp_path, capsys):
        with using(sim_seed=7):
            assert demo.main("sim", tmp_path) == 0
        assert "sim is simulated, with sim_seed=7: no race was seen" in capsys.readouterr().out
        page = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert "No race was seen" in page
        assert "sim_seed=7" in page
        assert "simulated on the same clock" in page

    def test_shows_a_race_and_the_pictures_before_it(self, tmp_path, capsys, join_but_once):
        join_but_once(8)  # the last of the second picture, which has two for its kernels first, as the first has
        assert demo.main("sim", tmp_path) == 1
        printed, page = capsys.readouterr().out, (tmp_path / "report.html").read_text(encoding="utf-8")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "stars.png"]
        assert "No race was seen" not in page
        for text in (printed, page):
            assert [result[0] for result in SITE.findall(text)] == ["pipeline.py"] * 2

    def test_a_race_in_the_first_picture_leaves_nothing_but_its_report(self, tmp_path, join_but_once):
        join_but_once(1)
        assert demo.main("sim", tmp_path) == 1
        [page] = tmp_path.iterdir()
        assert "No picture was finished" in page.read_text(encoding="utf-8")

    def test_an_earlier_race_is_not_blamed_on_this_run(self, tmp_path, races):
        races.append("somebody else's")
        assert demo.main("sim", tmp_path) == 0
