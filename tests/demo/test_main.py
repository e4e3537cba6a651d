"""`accel.demo.main`: its files, its output and its exit code."""

import io
import os
import signal
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from PIL import Image
from rich.console import Console

from accel import Device, config, demo
from accel.demo import files, pipeline, run
from accel.demo.pictures import load_sky


@pytest.fixture
def small(stars, vessel, monkeypatch):
    """The demo on two small pictures."""
    quick = partial(run.run_demo, sources=[lambda: stars, lambda: vessel])
    monkeypatch.setattr(run, "run_demo", quick)


@pytest.mark.slow
def test_the_real_job(tmp_path, capsys):
    assert demo.main("cpu", tmp_path / "made" / "here") == 0
    printed = capsys.readouterr().out
    folder = tmp_path / "made" / "here"
    assert sorted(path.name for path in folder.iterdir()) == ["report.html", "retina.png", "sky.png"]
    assert all(str(path) in printed for path in folder.iterdir())
    assert printed.count("agree") == 2
    assert (folder / "report.html").stat().st_size < 6e6
    with Image.open(folder / "sky.png") as sky:
        assert sky.size == (1000, 872)
        assert (np.asarray(sky) != load_sky().pixels).any()


def test_a_missing_device_is_told_with_options_of_the_command(tmp_path, capsys):
    assert demo.main("sim:9", tmp_path) == 2
    message = capsys.readouterr().err
    assert "Write one of these, as in --device sim" in message
    assert "write --device cpu, or set ACCEL_FALLBACK=warn" in message
    assert "='" not in message


@pytest.mark.usefixtures("small")
def test_the_best_device_is_the_default(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert demo.main() == 0
    assert (tmp_path / "accel-demo" / "report.html").exists()


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("step", ["mark", "respond"])
def test_a_planted_difference_is_told_and_ends_with_1(tmp_path, monkeypatch, capsys, step):
    right = getattr(pipeline, step)

    def wrong(*arguments):
        result = right(*arguments)
        result[5, 6] = True if step == "mark" else 99.0
        return result

    monkeypatch.setattr(pipeline, step, wrong)
    assert demo.main("cpu", tmp_path) == 1
    assert "DIFFER" in (printed := capsys.readouterr().out)
    assert "row 5, column 6" in printed
    assert "row 5, column 6" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_device_that_is_not_here_is_refused_with_the_librarys_words(tmp_path, capsys):
    assert demo.main("cuda:9999", tmp_path) == 2
    error = capsys.readouterr().err
    assert "device cuda:9999 was asked for; the devices here are:" in error
    assert "pip install" in error
    assert not any(tmp_path.iterdir())


@pytest.mark.usefixtures("small")
def test_a_device_that_is_not_here_is_replaced_if_the_policy_says_so(tmp_path):
    with config.using(fallback="silent"):
        assert demo.main("cuda:9999", tmp_path) == 0
    assert "<td>cuda:9999</td><td>cpu</td>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_device_that_does_not_exist_is_refused(tmp_path, capsys):
    assert demo.main("mycpu", tmp_path) == 2
    assert "mycpu" in capsys.readouterr().err


def test_missing_packages_are_named_with_the_line_that_adds_them(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(demo, "find_spec", lambda name: None if name in ("skimage", "rich") else True)
    assert demo.main("cpu", tmp_path) == 2
    expected = "accel demo: skimage, rich not installed: pip install 'accel-container[demo]'\n"
    assert capsys.readouterr().err == expected


@pytest.mark.parametrize("below", ["", "deeper/still"])
def test_a_folder_that_cannot_be_made_is_refused_in_one_line(tmp_path, capsys, below):
    (tmp_path / "file").touch()
    assert demo.main("cpu", tmp_path / "file" / below) == 2
    error = capsys.readouterr().err
    assert error.startswith("accel demo: cannot use ")
    assert error.count("\n") == 1


@pytest.mark.usefixtures("small")
def test_a_full_disk_is_told_in_one_line(tmp_path, monkeypatch, capsys):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "replace", full)
    assert demo.main("cpu", tmp_path) == 2
    assert capsys.readouterr().err == f"accel demo: cannot use {tmp_path}: No space left on device\n"


def test_an_interrupt_ends_quietly_with_130_and_leaves_nothing(tmp_path, monkeypatch, capsys):
    interrupted = partial(run.run_demo, sources=[lambda: signal.raise_signal(signal.SIGINT)])
    monkeypatch.setattr(run, "run_demo", interrupted)
    assert demo.main("cpu", tmp_path) == 130
    assert "Traceback" not in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    files.replace(tmp_path / "a", b"old")
    files.replace(tmp_path / "a", b"new")
    (tmp_path / "b").mkdir()
    with pytest.raises(OSError, match="b"):
        files.replace(tmp_path / "b", b"no file can take a folder's place")
    assert (tmp_path / "a").read_bytes() == b"new"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_names_with_brackets_are_printed_as_they_are(stars, tmp_path):
    text = io.StringIO()
    folder = tmp_path / "[red]x[/red]"
    run.run_demo(Device.CPU, folder, [lambda: stars], Console(file=text, width=60))
    assert str(folder / "stars.png") in text.getvalue()


@pytest.mark.parametrize("terminal", [False, True])
def test_output_that_is_no_terminal_names_each_step_before_the_results(stars, tmp_path, terminal):
    console = Console(file=io.StringIO(), width=60, force_terminal=terminal)
    run.run_demo(Device.CPU, tmp_path, [lambda: stars], console)
    before, _ = console.file.getvalue().split("┏")
    assert (f"Computing: {stars.title}, " in before) is not terminal


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="pipes break otherwise elsewhere")
def test_a_reader_that_leaves_early_does_not_look_like_a_difference(tmp_path):
    code = f"import sys; from accel import demo; sys.stderr.write(str(demo.main('cpu', {str(tmp_path)!r})))"
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, "-c", code], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert done.stderr.startswith("0")
    assert (tmp_path / "report.html").exists()


def test_importing_the_demo_imports_none_of_its_packages():
    code = "import accel.demo, sys; print(sorted({'scipy', 'skimage', 'PIL', 'rich'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
