"""The scripts of ci/ work in `.venv` and nowhere else, with the versions in `ci/constraints.txt`."""

import os
import re
import shutil
import subprocess
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

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
    for file in ("venv", "test", "constraints.txt"):
        shutil.copy(root / "ci" / file, tmp_path / "ci" / file)
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


PIP = "python -m pip install --disable-pip-version-check"
MADE = [
    "ROOT/system/python3 -m venv --clear ROOT/.venv",
    f"ROOT/.venv/bin/{PIP} --constraint ROOT/ci/constraints.txt --upgrade pip>=25.1",
    f"ROOT/.venv/bin/{PIP} --constraint ROOT/ci/constraints.txt --group ROOT/pyproject.toml:test --editable ROOT",
]


def test_it_is_made_and_filled_once(checkout):
    assert calls(checkout) == calls(checkout) == MADE


def test_one_for_developers_is_one_for_tests_too(checkout):
    made = calls(checkout, "source ci/venv dev; source ci/venv test")
    assert made == [line.replace(":test", ":dev") for line in MADE]


def test_the_site_has_one_of_its_own(checkout):
    made = calls(checkout, "source ci/venv docs")
    assert made == [line.replace(":test", ":docs").replace("/.venv", "/.venv-docs") for line in MADE]


def test_an_extra_needs_no_new_pip(checkout):
    install = f"ROOT/.venv/bin/{PIP} --constraint ROOT/ci/constraints.txt --editable ROOT[demo-stores]"
    assert calls(checkout, "source ci/venv demo-stores") == [MADE[0], install]


def test_the_demo_installs_what_its_extra_names_and_not_what_its_pictures_come_with(checkout, root):
    _, most, pictures = calls(checkout, "source ci/venv demo")
    extra = tomllib.loads((root / "pyproject.toml").read_text())["project"]["optional-dependencies"]["demo"]
    assert pictures.endswith("--no-compile --no-deps scikit-image")
    named = [*re.sub(r".*--editable ROOT\[(\w+)\]", r"accel-container[\1]", most).split(), "scikit-image"]
    assert named == [requirement.partition(">=")[0] for requirement in extra]


def test_no_scrap_of_the_build_makes_pytest_take_the_library_for_a_plugin(checkout):
    (checkout / "accel_container.egg-info").mkdir()
    calls(checkout)
    assert not list(checkout.glob("*.egg-info"))


def test_one_that_does_not_run_is_made_anew_and_the_system_is_left_alone(checkout):
    (checkout / ".venv/bin").mkdir(parents=True)
    (checkout / ".venv/bin/python").symlink_to("/a/python/that/is/gone")
    assert calls(checkout) == MADE


def test_tests_run_on_all_cores_unless_an_argument_says_otherwise(checkout):
    [run] = calls(checkout, "ci/test -n 0 --pdb")[len(MADE) :]
    assert run.startswith("ROOT/.venv/bin/python -m pytest --numprocesses auto --dist worksteal ")
    assert run.endswith(" -n 0 --pdb")


@pytest.mark.parametrize("file", ["pyproject.toml", "ci/constraints.txt"])
def test_it_is_filled_again_when_what_it_depends_on_changes(checkout, file):
    calls(checkout)
    with (checkout / file).open("a") as changed:
        changed.write("# another line\n")
    assert calls(checkout)[len(MADE) :] == MADE[1:]


def test_the_newest_versions_have_an_environment_of_their_own_and_no_constraints(checkout):
    made, _, filled, run = calls(checkout, "ci/test --newest -n 0")
    assert made == MADE[0] + "-newest"
    newest = "--upgrade --upgrade-strategy eager --group ROOT/pyproject.toml:test --editable ROOT"
    assert filled == f"ROOT/.venv-newest/bin/{PIP} {newest}"
    assert run.startswith("ROOT/.venv-newest/bin/python -m pytest ")
    assert "--newest" not in run


def test_an_installation_that_fails_ends_the_script_and_shows_what_pip_said(checkout):
    calls(checkout)
    (checkout / "pyproject.toml").write_text("# changed")
    (checkout / ".venv/bin/python").write_text(
        '#!/usr/bin/env bash\n[ "$1" = -c ] || { echo no such package; exit 1; }\n'
    )
    script = ["bash", "-euo", "pipefail", "-c", "source ci/venv test; echo went on"]
    done = subprocess.run(script, cwd=checkout, capture_output=True, text=True, check=False)
    assert done.returncode
    assert "no such package" in done.stderr
    assert "went on" not in done.stdout


def pinned(root, version):
    """Return the version of each package that is pinned for a version of Python."""
    lines = (root / "ci/constraints.txt").read_text().splitlines()
    pins = [Requirement(line) for line in lines if not line.startswith("#")]
    here = [pin for pin in pins if pin.marker is None or pin.marker.evaluate({"python_full_version": version})]
    assert len({pin.name for pin in here}) == len(here)
    return {canonicalize_name(pin.name): str(pin.specifier).removeprefix("==") for pin in here}


@pytest.mark.parametrize("version", ["3.11.0", "3.12.1", "3.13.5", "3.14.0"])
def test_a_version_that_is_allowed_is_pinned_for_each_package_that_a_script_installs(root, version):
    settings = tomllib.loads((root / "pyproject.toml").read_text())
    project = settings["project"]
    tools = [line.partition(" #")[0] for line in (root / "ci/tools.txt").read_text().splitlines()]
    lines = [*project["dependencies"], *(line for line in tools if not line.startswith("#"))]
    for extra, requirements in project["optional-dependencies"].items():
        lines += requirements if extra not in {"cuda12", "cuda13", "rocm"} else []
    for group in settings["dependency-groups"].values():
        lines += [line for line in group if isinstance(line, str)]
    pins = pinned(root, version)
    for wanted in map(Requirement, lines):
        name = canonicalize_name(wanted.name)
        assert name == "accel-container" or wanted.specifier.contains(pins[name]), wanted


def test_the_constraints_are_names_and_versions_and_no_addresses(root):
    text = (root / "ci/constraints.txt").read_text()
    assert "://" not in text
    assert not [line for line in text.splitlines() if line.startswith("-")]
