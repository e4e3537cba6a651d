"""The plug-in works in an environment with only the wheel, its dependencies, and pytest."""

import re
import subprocess
import venv
from importlib.metadata import Distribution, distribution

import pytest
from packaging.requirements import Requirement

PROJECT = """
[project]
name = "heat"
version = "1.0"
dependencies = ["accel-container"]

[tool.pytest.ini_options]
addopts = "--accel-seeds=2"
"""
TESTS = """
import accel
import numpy as np

kept = []


def test_installed():
    assert accel.__file__.startswith(SITE)


def test_right(xp, device):
    one, other = accel.new_stream(device), accel.new_stream(device)
    with one:
        x = xp.ones(1000)
    other.wait_for(one.record())
    with other:
        assert float(xp.sum(x)) == 1000


def test_race(xp, device):
    one, other = accel.new_stream(device), accel.new_stream(device)
    with one:
        x = xp.ones(1000)
    with other:
        assert float(xp.sum(x)) == 1000


def test_leak(xp, no_leaks):
    kept.append(accel.zeros(1024))


def test_stale(device):
    found = accel.zeros(4, device="cpu")
    seen = np.asarray(found)
    kept.append(found.copy_from_async(accel.full(4, 1.0), stream=accel.new_stream(device)))
    assert seen[0] == 1.0


def test_uninitialised(xp, device):
    x = xp.asarray(accel.empty(4, device="sim"))
    assert float(x[0]) == 0


def test_host(xp):
    np.asarray(xp.ones(3))
"""


def needed(requirements):
    """Return the installed distributions that requirements name, and their dependencies."""
    result = {}
    left = [Requirement(text) for text in requirements]
    while left:
        wanted = left.pop()
        if wanted.name not in result and (wanted.marker is None or wanted.marker.evaluate({"extra": ""})):
            result[wanted.name] = distribution(wanted.name)
            left += map(Requirement, result[wanted.name].requires or ())
    return result.values()


@pytest.fixture(scope="module")
def site(installed, tmp_path_factory):
    """Return the site-packages of a new environment, made of links to packages of this one."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, symlinks=True)
    [site] = folder.glob("lib/python*/site-packages")
    [record] = installed.glob("*.dist-info")
    for place in (installed / "accel", record):
        (site / place.name).symlink_to(place)
    for each in needed(["pytest", *Distribution.at(record).requires]):
        for top in {file.parts[0] for file in each.files} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(each.locate_file(top))
    return site


@pytest.fixture(scope="module")
def printed(site, tmp_path_factory):
    """Return the output of the project's tests."""
    folder = tmp_path_factory.mktemp("heat")
    (folder / "pyproject.toml").write_text(PROJECT)
    (folder / "test_heat.py").write_text(f"SITE = {str(site)!r}\n{TESTS}")
    command = [site.parents[2] / "bin/python", "-I", "-m", "pytest", "-v", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    assert " in " in done.stdout, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_what_is_right_passes_on_the_cpu_and_with_each_seed(printed):
    assert "test_installed PASSED" in printed
    assert set(re.findall(r"test_right\[(.*)\] PASSED", printed)) == {"cpu", "sim-seed0", "sim-seed1"}


@pytest.mark.slow
def test_what_is_wrong_on_an_accelerator_passes_on_the_cpu(printed):
    assert "test_race[cpu] PASSED" in printed
    assert "test_host[cpu] PASSED" in printed


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", ["race", "stale", "uninitialised", "host"])
def test_what_is_wrong_fails_with_each_seed(printed, name, seed):
    assert f"test_{name}[sim-seed{seed}] FAILED" in printed


def test_a_leak_is_an_error_on_each_device(printed):
    assert set(re.findall(r"test_leak\[(.*)\] ERROR", printed)) == {"cpu", "sim-seed0", "sim-seed1"}


@pytest.mark.parametrize(
    "message",
    [
        r"RaceError: a race: sum on stream .*test_heat.py:\d+ in test_race .* by ones on stream .*test_heat.py:\d+ in ",
        r"AssertionError: cpu: 1 block more in use than before, 8192 bytes",
        r"AssertionError: sim: 1 block more in use than before, 8192 bytes",
        r"assert np.float64\(0.0\) == 1.0",
        r"assert nan == 0",
        r"DeviceMismatchError: this array is on sim, and NumPy cannot read it there; write x.to_device\('cpu'\)",
    ],
)
def test_the_message_says_what_is_wrong(printed, message):
    assert re.search(rf"^E +\S*{message}", printed, re.MULTILINE)
