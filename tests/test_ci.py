"""The scripts of ci/ work in `.venv` and nowhere else."""

import os
import shutil
import subprocess

import pytest

# Each call is noted in the checkout; `-m venv` puts a copy of the script where a Python would be.
FAKE = """#!/usr/bin/env bash
echo "$0 $*" >> "{log}"
if [ "$1 $2" = "-m venv" ]; then
    rm -rf "$4" && mkdir -p "$4/bin"
    cp "$0" "$4/bin/python"
fi
"""


@pytest.fixture
def checkout(tmp_path, root):
    """An empty checkout, and a fake system Python that records its calls."""
    (tmp_path / "ci").mkdir()
    (tmp_path / "pyproject.toml").touch()
    for script in ("venv", "test"):
        shutil.copy(root / "ci" / script, tmp_path / "ci" / script)
    (tmp_path / "system").mkdir()
    # Under both names, or a script that is wrong would install into the Python that runs these tests.
    for system in (tmp_path / "system/python3", tmp_path / "system/python"):
        system.write_text(FAKE.format(log=tmp_path / "log"))
        system.chmod(0o755)
    return tmp_path


def calls(checkout, script="source ci/venv test"):
    """Return the recorded calls that made, changed or tested something."""
    path = os.pathsep.join([str(checkout / "system"), os.environ["PATH"]])
    command = ["bash", "-euo", "pipefail", "-c", script]
    subprocess.run(command, cwd=checkout, env={**os.environ, "PATH": path}, check=True, capture_output=True)
    lines = (checkout / "log").read_text().replace(str(checkout), "ROOT").splitlines()
    return [line for line in lines if " -m " in line]


MADE = [
    "ROOT/system/python3 -m venv --clear ROOT/.venv",
    "ROOT/.venv/bin/python -m pip install --quiet --disable-pip-version-check --editable ROOT[test]",
]


def test_it_is_made_and_filled_once(checkout):
    assert calls(checkout) == calls(checkout) == MADE


def test_one_that_does_not_run_is_made_anew_and_the_system_is_left_alone(checkout):
    (checkout / ".venv/bin").mkdir(parents=True)
    (checkout / ".venv/bin/python").symlink_to("/a/python/that/is/gone")
    assert calls(checkout) == MADE


def test_tests_run_on_all_cores_unless_an_argument_says_otherwise(checkout):
    [run] = calls(checkout, "ci/test -n 0 --pdb")[len(MADE) :]
    assert run.startswith("ROOT/.venv/bin/python -m pytest --numprocesses auto --dist worksteal ")
    assert run.endswith(" -n 0 --pdb")
