"""The command line as people meet it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from accel import Device
from accel.cli import main
from accel.machine import machine_report, machine_text
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

    monkeypatch.setattr("accel.machine.machine_report", interrupted)
    assert main(["info"]) == 130
    assert capsys.readouterr() == ("", "")


def test_info_survives_a_package_with_broken_metadata(tmp_path):
    record = tmp_path / "numba-0.0.dist-info"
    record.mkdir()
    (record / "METADATA").write_bytes(b"\xff\xfe")
    done = accel("info", PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert "numba              UnicodeDecodeError" in done.stdout


def test_info_survives_odd_limits(monkeypatch):
    backend = heap_of(Device.CPU).backend
    for odd in (None, SimpleNamespace(memory=None, dtypes=[1]), SimpleNamespace()):
        monkeypatch.setattr(backend, "limits", lambda device, odd=odd: odd)
        report = machine_report()
        assert (report["devices"][0]["memory"], report["devices"][0]["dtypes"]) == (0, [])
        assert "0.0 GiB" in machine_text(report)


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
