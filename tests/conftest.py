"""What several tests share."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """Return a folder with a non-editable install, its import contracts checked."""
    folder = tmp_path_factory.mktemp("installed") / "site"
    report = subprocess.run([ROOT / "ci/contracts", folder], check=False, capture_output=True, text=True)
    assert report.returncode == 0, report.stdout + report.stderr
    return folder


@pytest.fixture(scope="session")
def python():
    """Return a function that runs code in a process of its own and returns what it printed."""

    def run(code, *folders, **environment):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
            check=False,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders)), **environment},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run
