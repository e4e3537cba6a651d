"""The tasks find what the reference finds, on every engine, also if a worker is killed."""

import os
import signal

import numpy as np
import pytest

from accel import demo
from accel.demo.stores import program, run, runs
from accel.demo.stores.atlas import load_atlas
from accel.demo.stores.findings import differences
from accel.demo.stores.page import report_page
from accel.demo.stores.program import Program, outlines
from accel.demo.stores.reference import compute_reference
from accel.engines import engine

from ..test_report import HOSTILE, Elements


@pytest.fixture
def tiny_tiles(monkeypatch):
    monkeypatch.setattr(program, "RINGS", 2)
    monkeypatch.setattr(program, "CITIES", 3)


@pytest.fixture
def printed(country, tmp_path, capsys, monkeypatch):
    """Return what the demo prints about the small country on threads, and its exit code."""
    monkeypatch.setattr(run, "run_on_dask", runs.run_on_threads)
    code = run.run_stores(tmp_path, lambda: country)
    return capsys.readouterr().out, code


@pytest.mark.usefixtures("tiny_tiles")
@pytest.mark.parametrize("name", ["eager", "threads"])
def test_the_tasks_find_what_the_reference_finds(country, name):
    result, chosen = Program(country), engine(name)
    assert [len(launch) for launch in result.launches] == [3, 3, 3, 3]
    for launch in result.launches:
        chosen.submit(launch)
    assert differences(result.findings(chosen), compute_reference(country)) == []


def test_rings_are_lists_of_the_vertices(country):
    lists = outlines(country).get_physical_array().lists()
    for ring, (outline) in zip(country.rings, lists, strict=True):
        np.testing.assert_array_equal(ring.T, [outline["lon"], outline["lat"]])


@pytest.mark.slow
def test_a_worker_that_is_killed_changes_nothing_of_the_real_results():
    atlas = load_atlas()
    steps = []
    result = runs.run_on_dask(atlas, compute_reference(atlas), steps.append)
    assert result.complaints == []
    assert result.tasks == sum(steps) == 146
    assert "was killed while it ran" in result.event
    victim = int(result.event.split()[2])
    with pytest.raises(ProcessLookupError):
        os.kill(victim, signal.SIGTERM)


def test_results_and_report_are_told(printed, tmp_path):
    text, code = printed
    assert code == 0
    assert text.count("as NumPy's") == 2
    assert str(tmp_path / "stores.html") in text
    assert "2 of them in Ring <&>, AA" in text
    page = (tmp_path / "stores.html").read_text(encoding="utf-8")
    tags = {tag for tag, _ in Elements(page).found}
    assert not {"script", "link", "iframe", "a"} & tags
    assert "locate on engine threads: 1 task, one for each color of (1,)" in page
    assert page.count('class="accel-tiles"') == 4


def test_a_difference_is_told_and_ends_with_1(country, tmp_path, capsys, monkeypatch):
    wrong = compute_reference(country)
    wrong.state_areas[1] += 1
    monkeypatch.setattr(run, "compute_reference", lambda _: wrong)
    assert run.run_stores(tmp_path, lambda: country, runners=[runs.run_on_threads]) == 1
    assert "DIFFER" in (told := capsys.readouterr().out)
    assert "state areas: 1 of 2 differ; at (1,)" in told
    assert "Results differ from NumPy" in (tmp_path / "stores.html").read_text(encoding="utf-8")


def test_names_are_escaped(country):
    object.__setattr__(country.counties[0], "name", HOSTILE)
    object.__setattr__(country, "cities", [HOSTILE * 2, *country.cities[1:]])
    done = runs.run_on_threads(country, compute_reference(country), lambda _: None)
    page = report_page(country, [done], missing=[HOSTILE])
    assert "script" not in {tag for tag, _ in Elements(page).found}
    assert page.count("&lt;script&gt;") >= 4


def test_without_dask_the_rest_runs_and_says_so(country, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(run, "find_spec", lambda _: None)
    assert run.run_stores(tmp_path, lambda: country) == 0
    assert "dask was left out" in capsys.readouterr().out
    assert "dask was left out" in (tmp_path / "stores.html").read_text(encoding="utf-8")


def test_options_of_the_other_demo_are_refused(tmp_path, capsys):
    assert demo.main("sim", tmp_path, subject="stores") == 2
    assert demo.main("cpu", tmp_path, debug=True, subject="stores") == 2
    assert capsys.readouterr().err.count("its tasks run on the CPU") == 2


def test_missing_data_are_named_with_the_line_that_adds_them(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(demo, "find_spec", lambda name: None if name == "bokeh_sampledata" else True)
    assert demo.main("cpu", tmp_path, subject="stores") == 2
    expected = "accel demo: bokeh_sampledata not installed: pip install 'accel-container[demo-stores]'\n"
    assert capsys.readouterr().err == expected
