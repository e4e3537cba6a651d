"""``accel demo --debug`` shows the error of a planted off-by-one, and then runs with every access checked."""

import io
import re
from functools import partial
from inspect import getsourcelines

import pytest
from rich.console import Console

from accel import Device, config, demo
from accel.commands import cli
from accel.demo import debugging, pipeline, planted_error, run
from accel.demo.debugging import show_planted_error


def shown(device):
    text = io.StringIO()
    show_planted_error(Device(device), Console(file=text, width=100))
    return text.getvalue()


def line_of(function, part):
    lines, first = getsourcelines(function.__wrapped__)
    [place] = [first + number for number, line in enumerate(lines) if part in line]
    return place


@pytest.fixture
def small(stars, monkeypatch):
    monkeypatch.setattr(run, "run_demo", partial(run.run_demo, sources=[lambda: stars]))


@pytest.mark.usefixtures("no_leaks")
def test_the_error_is_shown_as_it_is_raised_with_its_call_stack(device):
    text = shown(device)
    assert (
        "accel.errors.KernelBoundsError: BufferView Out Of Range: kernel[smooth_row_too_far] tid=30, got index 32 "
        "(offset=0, size=32).\n"
        "Callstack:\n"
        f"smooth_row_too_far (planted_error.py:{line_of(planted_error.smooth_row_too_far, 'out[i] =')})\n"
        f"  smoothed (planted_error.py:{line_of(planted_error.smoothed, 'total:')})\n"
        "The access: read of the parameter 'x', axis 0, of dtype float64, in memory of 32 elements.\n"
        "In all, there were 2 accesses out of range; this is the first that was recorded.\n"
    ) in text


def test_the_lines_of_the_call_stack_are_shown():
    text = shown("cpu")
    for number in re.findall(r"planted_error\.py:(\d+)", text):
        assert re.search(rf"^ +{number} .*x", text, re.MULTILINE)


def test_no_line_is_cut_off_in_a_terminal_of_80_columns():
    for function in (planted_error.smoothed, planted_error.smooth_row_too_far):
        assert max(map(len, getsourcelines(function.__wrapped__)[0])) <= 74


def test_the_text_says_what_happened_and_that_the_device_stays_usable(device):
    text = " ".join(shown(device).split())
    assert "reads x[32] and writes out[30]" in text
    assert "the element behind out was not written" in text
    assert f"{device} stays usable" in text


def test_an_error_that_debug_mode_misses_is_not_explained_away(monkeypatch):
    monkeypatch.setattr(debugging, "smooth_row_too_far", planted_error.smooth_row)
    with pytest.raises(RuntimeError, match="did not report"):
        shown("cpu")


def test_a_wrong_result_of_the_right_kernel_is_not_called_right(monkeypatch):
    raw = planted_error.smooth_row

    class Halved:
        def __call__(self, x, out):
            raw(x, out).wait()
            return raw(out, out[:-2])

    monkeypatch.setattr(debugging, "smooth_row", Halved())
    with pytest.raises(RuntimeError, match="another result"):
        shown("cpu")


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("given", [[], ["--debug"]])
def test_debug_mode_is_on_where_it_was_asked_for_and_nowhere_else(given, tmp_path, monkeypatch, capsys):
    respond, debugged = pipeline.respond, set()

    def watched(*arguments):
        debugged.add(config.current().debug)
        return respond(*arguments)

    monkeypatch.setattr(pipeline, "respond", watched)
    assert cli.main(["demo", "--device", "cpu", "--out", str(tmp_path), *given]) == 0
    assert debugged == {bool(given)}
    assert ("KernelBoundsError" in capsys.readouterr().out) == bool(given)
    assert ("each access of kernels was checked" in (tmp_path / "report.html").read_text(encoding="utf-8")) == bool(
        given
    )
    assert not config.current().debug


@pytest.mark.slow
@pytest.mark.usefixtures("small", "races")
def test_the_simulated_device_goes_on_after_the_error_and_sees_no_race(tmp_path, capsys):
    assert demo.main("sim", tmp_path, debug=True) == 0
    printed = capsys.readouterr().out
    assert printed.index("KernelBoundsError") < printed.index("agree") < printed.index("no race was seen")


def test_a_folder_that_cannot_be_used_is_refused_before_the_error_is_shown(tmp_path, capsys):
    (tmp_path / "file").touch()
    assert demo.main("cpu", tmp_path / "file", debug=True) == 2
    assert capsys.readouterr().out == ""
