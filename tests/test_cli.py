"""The command line."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import pytest

from accel import Device
from accel.commands.cli import main
from accel.commands.info import machine_report, machine_text
from accel.memory import heap_of


def accel(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "accel", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_info_tells_what_is_here_and_what_would_add_the_rest():
    done = accel("info")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("accel 0.")
    assert any(line.split()[0] == "cpu" and "best, default" in line for line in lines if line.strip())
    for type in ("cuda", "rocm"):
        assert any(line.strip().startswith(type) for line in lines)
        assert any("pip install" in line and type in line for line in lines)


def test_info_is_json_for_programs():
    report = json.loads(accel("info", "--json").stdout)
    assert report["devices"][0]["device"] == "cpu"
    assert report["devices"][0]["memory"] > 0
    assert "float32" in report["devices"][0]["dtypes"]
    assert {missing["device"] for missing in report["missing"]} >= {"cuda", "rocm", "mps"}
    assert all(missing["reason"] and missing["remedy"] for missing in report["missing"])
    assert report["packages"]["numpy"]
    assert report["settings"]["fallback"] == "raise"


@pytest.mark.parametrize(
    ("variable", "value"), [("ACCEL_DEVICE", "cuda:99"), ("ACCEL_DEVICE", "toaster"), ("ACCEL_THREADS", "many")]
)
def test_info_survives_any_setting_and_shows_it(variable, value):
    done = accel("info", **{variable: value})
    assert (done.returncode, done.stderr) == (0, "")
    assert value in done.stdout
    assert json.loads(accel("info", "--json", **{variable: value}).stdout)["devices"]


def test_info_survives_a_backend_that_fails(monkeypatch):
    from accel.registry import providers

    class Broken:
        name = "broken"

        def devices(self):
            raise OSError("the driver is on fire")

        def why_unavailable(self):
            raise OSError("the driver is on fire")

    monkeypatch.setitem(providers._loaded, "cuda", Broken())
    text = machine_text(machine_report())
    assert "the driver is on fire" in text


def test_info_into_a_closed_pipe_is_quiet():
    command = f"{sys.executable} -m accel info --json | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("{\n", "")


@pytest.mark.parametrize("option", ["", "--json"])
def test_info_without_an_output_is_quiet(option):
    done = subprocess.run(
        f"{sys.executable} -m accel info {option} >&-", shell=True, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("option", ["", "--json"])
def test_info_to_a_full_disk_says_so(option):
    done = subprocess.run(
        f"{sys.executable} -m accel info {option} > /dev/full", shell=True, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == f"accel: [Errno 28] {os.strerror(28)}\n"


def test_an_interrupt_ends_the_command_without_a_traceback(monkeypatch, capsys):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr("accel.commands.info.machine_report", interrupted)
    assert main(["info"]) == 130
    assert capsys.readouterr() == ("", "")


def test_info_survives_a_package_with_broken_metadata(tmp_path):
    record = tmp_path / "llvmlite-0.0.dist-info"
    record.mkdir()
    (record / "METADATA").write_bytes(b"\xff\xfe")
    done = accel("info", PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert "llvmlite           UnicodeDecodeError" in done.stdout


def test_info_survives_odd_limits(monkeypatch):
    backend = heap_of(Device.CPU).backend
    for odd in (None, SimpleNamespace(memory=None, dtypes=[1]), SimpleNamespace()):
        monkeypatch.setattr(backend, "limits", lambda device, odd=odd: odd)
        report = machine_report()
        assert (report["devices"][0]["memory"], report["devices"][0]["dtypes"]) == (0, [])
        assert "unknown" in machine_text(report)


def test_a_device_that_is_not_here_is_said_at_first_use():
    code = "import accel\naccel.zeros(3)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "ACCEL_DEVICE": "cuda:99"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "DeviceUnavailableError: device cuda:99 was asked for; the devices here are: cpu" in done.stderr


@pytest.mark.parametrize("arguments", [[], ["fly"], ["info", "--yaml"]])
def test_a_wrong_command_shows_the_usage(arguments, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert "usage: accel" in capsys.readouterr().err


def test_the_version_is_told(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out.startswith("accel 0.")


def test_a_layout_is_drawn(capsys):
    assert main(["layout", "((2,2),3):((1,6),2)"]) == 0
    out, err = capsys.readouterr()
    assert (out.splitlines()[0], err) == ("((2,2),3):((1,6),2)", "")
    assert all(len(line) <= 80 for line in out.splitlines())
    assert [line.split("┃")[1].split() for line in out.splitlines() if line.startswith("(") and "┃" in line] == [
        ["0", "2", "4"],
        ["1", "3", "5"],
        ["6", "8", "10"],
        ["7", "9", "11"],
    ]


def test_a_layout_is_drawn_under_a_swizzle_by_bank_and_by_thread(capsys):
    for swizzle in ("2,0,3", "S<2,0,3>"):
        assert main(["layout", "(4,8):(8,1)", "--swizzle", swizzle, "--color", "bank", "--itemsize", "8"]) == 0
        out = capsys.readouterr().out
        assert "before" in out
        assert "after S<2,0,3>" in out
        assert "b30" in out
    assert main(["layout", "(2,2):(1,2)", "--color", "thread", "--tile", "(2,2)"]) == 0
    assert "T1V0" in capsys.readouterr().out
    assert main(["layout", "(2,2):(1,2)", "--color", "vector", "--vector", "2"]) == 0
    assert "v1" in capsys.readouterr().out


def test_a_layout_is_drawn_into_a_file_that_is_replaced_whole(tmp_path, capsys):
    file = tmp_path / "layout.svg"
    file.write_text("before")
    assert main(["layout", "(4,8)", "--svg", str(file)]) == 0
    assert ET.parse(file).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert list(tmp_path.iterdir()) == [file]


def test_a_layout_is_not_drawn_into_a_folder(tmp_path):
    done = accel("layout", "(4,8)", "--svg", str(tmp_path))
    assert done.returncode == 1
    assert done.stderr == f"accel: [Errno 21] {os.strerror(21)}: '{tmp_path}'\n"
    assert list(tmp_path.iterdir()) == []


def test_a_layout_is_not_drawn_into_a_folder_that_is_missing(tmp_path):
    file = tmp_path / "missing" / "layout.svg"
    done = accel("layout", "(4,8)", "--svg", str(file))
    assert done.returncode == 1
    assert done.stderr == f"accel: [Errno 2] there is no folder {file.parent}; make it first: '{file}'\n"
    assert done.stdout == ""


def test_a_file_that_cannot_be_written_is_told_by_its_own_name(tmp_path):
    """The name of a file may have 255 bytes; that of a temporary file beside it has more."""
    file = tmp_path / ("x" * 255)
    done = accel("layout", "(4,8)", "--svg", str(file))
    assert (done.returncode, done.stderr) == (0, "")
    done = accel("layout", "(4,8)", "--svg", f"{file}x")
    assert done.stderr == f"accel: [Errno 36] {os.strerror(36)}: '{file}x'\n"


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="not every system has its output as a file")
def test_a_layout_is_drawn_into_the_output():
    done = accel("layout", "4", "--svg", "/dev/stdout")
    assert (done.returncode, done.stderr) == (0, "")
    assert "<svg " in done.stdout


def test_an_operation_is_explained(capsys):
    for request in ("divide (2,4)", "logical_divide (2, 4):(1, 2)"):
        assert main(["layout", "(4,8)", "--explain", request]) == 0
        assert "result: ((2,4),4):((1,2),8)" in capsys.readouterr().out
    assert main(["layout", "4:2", "--explain", "complement 24"]) == 0
    assert "result: (2,3):(1,8)" in capsys.readouterr().out
    assert main(["layout", "(4,8)", "--explain", "divide <2:1,_>"]) == 0
    assert "result: ((2,2),8):((1,2),4)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["(4,8:1"], "position 4 of '(4,8:1'"),
        (["(4,8):1"], "equally nested"),
        ([""], "position 0"),
        (["(" * 9999], "brackets nested at most 100 deep"),
        (["4", "--swizzle", "3,3"], "S<3,3>"),
        (["4", "--swizzle", "3,3,1"], "shift"),
        (["4", "--itemsize", "0"], "itemsize is at least 1"),
        (["4", "--color", "thread"], "2 modes"),
        (["(2,2)", "--color", "thread", "--tile", "(2,"], "position 3"),
        (["4", "--explain", "fly"], "fly cannot be explained"),
        (["4", "--explain", "divide"], "'tiler'; operands follow the name, as in --explain 'divide (2,4)'"),
        (["4,8"], "several extents have brackets, as in '(4,8)', at position 1 of '4,8'"),
        (["4", "--explain", "divide (2"], "position 2"),
    ],
)
def test_a_layout_that_cannot_be_drawn_says_why(arguments, problem, capsys):
    assert main(["layout", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("accel layout: ")
    assert problem in err


def test_nothing_is_written_where_a_request_cannot_be_met(tmp_path, capsys):
    assert main(["layout", "4", "--svg", str(tmp_path / "layout.svg"), "--explain", "fly"]) == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("environment", "mark"),
    [
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, "\x1b[48;2;"),
        ({"TERM": "xterm"}, "\x1b[48;5;"),
        ({"TERM": "xterm", "NO_COLOR": ""}, "\x1b[48;5;"),
        ({"TERM": "xterm", "NO_COLOR": "1"}, ""),
        ({"TERM": "dumb", "COLORTERM": "truecolor"}, ""),
        ({}, ""),
    ],
)
@pytest.mark.parametrize("terminal", [True, False])
def test_a_terminal_is_given_the_colours_it_has(environment, mark, terminal, monkeypatch, capsys):
    for name in ("TERM", "COLORTERM", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    assert main(["layout", "4"]) == 0
    out = capsys.readouterr().out
    assert ("\x1b" in out) == bool(mark and terminal)
    assert mark in out or not terminal


def test_a_layout_fits_the_terminal():
    done = accel("layout", "(4,(8,8))", COLUMNS="40")
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 40
    assert [line for line in lines if line.startswith("columns")] == [
        f"columns {start} to {start + 3}" for start in range(0, 64, 4)
    ]


def test_a_layout_is_drawn_in_ascii_where_nothing_else_can_be_written():
    done = accel("layout", "((2,2),3)", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "(0,1) |" in done.stdout
    assert done.stdout.isascii()
