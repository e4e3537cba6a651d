"""``accel doctor``: each thing that can be wrong is found, with the line to type."""

import json
import os
import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from accel.commands import doctor, doctor_packages, doctor_places
from accel.commands.cli import main
from accel.commands.findings import Finding


class Installed:
    """The metadata of an installed package."""

    def __init__(self, version="0.1.0", requires=(), points=doctor_packages._POINTS):
        self.version, self.requires = version, list(requires)
        self.entry_points = [EntryPoint(name=name, value="m:n", group=group) for group, name in points]


@pytest.fixture
def machine(monkeypatch):
    """Return a table of installed packages that takes the place of those of this Python."""
    table = {"accel-container": Installed(), "numpy": Installed("2.4")}
    monkeypatch.setattr(doctor_packages, "_installed", table.get)
    monkeypatch.setattr(doctor_packages, "packages_distributions", lambda: {"accel": ["accel-container"]})
    return table


def texts(check):
    return [(finding.is_wrong, finding.what, finding.remedy) for finding in check()]


def test_where_nothing_is_wrong_it_says_so(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "_CHECKS", ())
    assert main(["doctor"]) == 0
    assert capsys.readouterr().out.startswith("Nothing is wrong with this installation of accel in ")


def test_what_is_wrong_and_what_could_be_better_are_told_apart(monkeypatch, capsys):
    def found():
        yield Finding(False, "a small thing", "type this")
        yield Finding(True, "a large thing", "type that")

    monkeypatch.setattr(doctor, "_CHECKS", (found,))
    assert main(["doctor"]) == 1
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines == ["Wrong", "a large thing", "type that", "Could be better", "a small thing", "type this"]
    assert main(["doctor", "--json"]) == 1
    assert [each["what"] for each in json.loads(capsys.readouterr().out)] == ["a small thing", "a large thing"]


def test_a_check_that_fails_is_a_finding_and_the_others_go_on(monkeypatch):
    def broken():
        raise OSError("no such thing")
        yield

    def after():
        yield Finding(False, "after", "it")

    monkeypatch.setattr(doctor, "_CHECKS", (broken, after))
    assert [finding.what for finding in doctor.examined()] == [
        "the check of broken failed: OSError: no such thing",
        "after",
    ]


def test_this_environment_has_nothing_wrong_in_a_process_of_its_own():
    done = subprocess.run([sys.executable, "-m", "accel", "doctor"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_accel_without_its_package_has_no_backends(machine):
    del machine["accel-container"]
    [(is_wrong, what, remedy)] = texts(doctor_packages.packages)
    assert is_wrong
    assert "not installed" in what
    assert remedy == "pip install accel-container"


def test_a_package_that_is_missing_or_too_old(machine):
    lines = ["numpy>=2.10", "ml_dtypes>=0.5", "scipy>=1.15; extra == 'special'"]
    machine["accel-container"] = Installed(requires=lines)
    machine["scipy"] = Installed("1.9.3")
    assert texts(doctor_packages.packages) == [
        (True, "numpy 2.4 is installed, and accel needs 2.10 or newer", "pip install --upgrade 'numpy>=2.10'"),
        (True, "accel needs ml_dtypes, not installed here", "pip install accel-container"),
        (
            False,
            "scipy 1.9.3 is installed, and the extra special needs 1.15 or newer",
            "pip install --upgrade 'scipy>=1.15'",
        ),
    ]


def test_an_extra_of_which_a_part_is_missing(machine):
    lines = ["pyelftools>=0.32; extra == 'cuda-sim'", 'ziglang>=0.15; extra == "cuda-sim"', "dask>=1; extra == 'dask'"]
    machine["accel-container"] = Installed(requires=lines)
    machine["ziglang"] = Installed("0.16")
    what = "of the extra cuda-sim, pyelftools is missing, and the rest is here"
    assert texts(doctor_packages.packages) == [(False, what, "pip install 'accel-container[cuda-sim]'")]


def test_entry_points_that_are_missing(machine):
    machine["accel-container"] = Installed(points=doctor_packages._POINTS[1:])
    [(is_wrong, what, remedy)] = texts(doctor_packages.packages)
    assert is_wrong
    assert what.endswith("no entry points for accel.backends: cpu")
    assert remedy == "pip install --force-reinstall accel-container"


def test_packages_in_each_others_way(machine, monkeypatch):
    monkeypatch.setattr(doctor_packages, "packages_distributions", lambda: {"accel": ["accel-container", "accel"]})
    machine |= {"cupy-cuda12x": Installed("14"), "cupy-cuda13x": Installed("14")}
    first, second = texts(doctor_packages.packages)
    assert first[2] == "pip uninstall accel && pip install --force-reinstall accel-container"
    assert second[2].startswith("pip uninstall cupy-cuda12x cupy-cuda13x")


def test_a_command_of_another_environment(monkeypatch, tmp_path):
    other = tmp_path / "accel"
    other.write_text("#!/another/python\n")
    monkeypatch.setattr(doctor_packages.shutil, "which", lambda name: str(other))
    [(is_wrong, what, remedy)] = texts(doctor_packages.scripts)
    assert not is_wrong
    assert str(other) in what
    assert remedy.startswith("export PATH=")
    other.write_text(f"#!{sys.executable}\n")
    assert texts(doctor_packages.scripts) == []


def test_compilers_that_are_missing(monkeypatch):
    monkeypatch.setattr(doctor_packages, "find_spec", lambda name: None)
    monkeypatch.setattr(doctor_packages.shutil, "which", lambda name: None)
    host, kernels = doctor_packages.compilers({})
    assert (host.is_wrong, host.remedy) == (False, "pip install 'accel-container[compiler]'")
    assert (kernels.is_wrong, kernels.remedy) == (False, "pip install 'accel-container[cuda-sim]'")
    _, named = doctor_packages.compilers({"ACCEL_KERNEL_COMPILER": "my-c++ -O1"})
    assert named == (True, "ACCEL_KERNEL_COMPILER names my-c++, and there is no such command", named.remedy)
    assert named.remedy == "unset ACCEL_KERNEL_COMPILER"


def doctor_with(**environment):
    command = [sys.executable, "-m", "accel", "doctor"]
    return subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)


def test_a_setting_without_a_valid_value():
    done = doctor_with(ACCEL_THREADS="many")
    assert done.returncode == 1
    assert "'many' is not a value of 'threads'" in done.stdout
    assert "unset ACCEL_THREADS" in done.stdout
    assert "fail" not in done.stdout, "what follows from it is not said"


def test_a_variable_that_is_no_setting():
    done = doctor_with(ACCEL_THREDS="2")
    assert done.returncode == 0
    assert "write ACCEL_THREADS" in done.stdout


def test_a_device_that_is_not_here():
    done = doctor_with(ACCEL_DEVICE="cuda:99")
    assert done.returncode == 1
    assert "unset ACCEL_DEVICE" in done.stdout


def test_a_cache_that_cannot_be_written(tmp_path):
    file = tmp_path / "file"
    file.touch()
    done = doctor_with(ACCEL_CACHE_DIR=str(file / "cache"))
    assert done.returncode == 1
    assert "each process compiles anew" in done.stdout
    assert "export ACCEL_CACHE_DIR=" in done.stdout


def test_compiled_code_that_nobody_uses(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor_places, "_LEAST_FREE", 1000)
    monkeypatch.setattr(doctor_places, "current", lambda: type("Settings", (), {"cache_dir": str(tmp_path)}))
    file = tmp_path / "old.o"
    file.write_bytes(bytes(5000))
    assert texts(doctor_places.cache) == []
    os.utime(file, (0, 0))
    [(is_wrong, what, remedy)] = texts(doctor_places.cache)
    assert not is_wrong
    assert "1 compiled files" in what
    assert remedy.startswith(f"find {tmp_path} -type f")


def test_a_driver_whose_devices_are_not_found(monkeypatch):
    monkeypatch.setattr(doctor_places, "find_library", {"cuda": "libcuda.so.1"}.get)
    monkeypatch.setattr(doctor_places.shutil, "which", lambda name: None)
    reasons = {"cuda": "CuPy is missing"}
    monkeypatch.setattr(doctor_places.Device, "why_unavailable", lambda self: reasons.get(self.type))
    [(is_wrong, what, remedy)] = texts(doctor_places.devices)
    assert is_wrong
    assert what == "a driver for cuda is here, and no device of it is found: CuPy is missing"
    assert "accel-container[cuda13]" in remedy


def test_a_device_that_is_there_and_fails(monkeypatch):
    def broken(*arguments, **keywords):
        raise OSError("no memory at all")

    monkeypatch.setattr(doctor_places, "zeros", broken)
    found = [what for is_wrong, what, _ in texts(doctor_places.trial) if is_wrong]
    assert found[0] == "three elements on cpu fail: OSError: no memory at all"


def test_an_llvmlite_that_does_not_compile(monkeypatch):
    def broken():
        raise OSError("libLLVM is missing")

    monkeypatch.setattr(doctor_places, "_compile_something", broken)
    assert [remedy for _, _, remedy in texts(doctor_places.trial)] == [
        f"{sys.executable} -m pip install --force-reinstall llvmlite"
    ]
