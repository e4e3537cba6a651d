"""Courses: tests and submissions in folders, and their grades."""

import json
from contextlib import suppress
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace

import pytest

from accel.commands.cli import main

TESTS = """
import numpy as np

def test_double(submission, rng):
    x = rng.random(100)
    np.testing.assert_allclose(submission.call("double", x, device=None), 2 * x)

def test_again(submission, rng):
    x = rng.random(1000)
    np.testing.assert_allclose(submission.call("double", x, device=None), 2 * x)
"""


@pytest.fixture(scope="session")
def graded(tmp_path_factory):
    """Return a function that grades submissions, given as a dict of texts, and returns what came of it."""

    def run(submissions, *options, tests=TESTS):
        folder = tmp_path_factory.mktemp("course")
        (folder / "tests.py").write_text(dedent(tests))
        (folder / "sentinel").write_text("here")
        for name, text in submissions.items():
            path = folder / "kernels" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text).replace("COURSE", str(folder)))
        files = ["--json", str(folder / "grades.json"), "--html", str(folder / "grades.html")]
        command = ["grade", str(folder / "kernels"), "--tests", str(folder / "tests.py"), *files, *options]
        code = main(command)
        values = json.loads((folder / "grades.json").read_text())
        grades = {each["name"]: each for each in values["submissions"]}
        return SimpleNamespace(folder=folder, code=code, grades=grades, page=(folder / "grades.html").read_text())

    return run


def messages(grade):
    return [each["message"] for each in grade["tests"]]


def commands():
    """Return the words of all commands that run."""
    words = ""
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words += file.read_text(errors="replace")
    return words
