"""The wheel has all files of the package folders, and nothing else; the source distribution has all that is tracked."""

import gzip
import io
import os
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
from importlib.metadata import Distribution

import pytest

from accel import xp


def folders(root, name):
    """Return the import names of the packages under a folder of the checkout."""
    found = (file.parent.relative_to(root) for file in (root / name).rglob("__init__.py"))
    return {".".join(folder.parts) for folder in found}


@pytest.fixture(scope="module")
def packages(root):
    return tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]


@pytest.fixture(scope="module")
def files(installed):
    """Return the paths in the wheel that was installed, as its record lists them."""
    [record] = installed.glob("*.dist-info")
    return {str(file) for file in Distribution.at(record).files}


def test_the_package_list_is_sorted_and_equals_the_folders(root, packages):
    mapped = {f"accel.{name}" for name in folders(root, "backends")}
    assert packages == sorted(folders(root, "accel") | mapped)


def test_the_wheel_has_every_package_and_every_module(root, packages, files):
    assert {f"{name.replace('.', '/')}/__init__.py" for name in packages} <= files
    assert {str(file.relative_to(root)) for file in (root / "accel").rglob("*.py")} <= files


def test_the_wheel_says_that_it_is_typed(files):
    assert {"accel/py.typed", "accel/__init__.pyi"} <= files


def test_the_wheel_has_neither_tests_nor_scripts_of_the_checkout(files):
    tops = {file.split("/")[0] for file in files if not file.startswith("..")}
    assert {top for top in tops if not top.endswith(".dist-info")} - {"bin"} == {"accel"}


def test_the_plugin_of_pytest_has_the_name_by_which_a_command_line_gives_it(root):
    """Pytest refuses `-p accel.testing.plugin` if it found the plug-in under another name."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    [(name, module)] = project["entry-points"]["pytest11"].items()
    assert name == module == "accel.testing.plugin"


def test_the_wheel_has_the_license(files):
    assert any(file.endswith("licenses/LICENSE") for file in files)


def test_the_cpu_backend_enters_by_an_entry_point_as_a_third_party_would(installed):
    [record] = installed.glob("*.dist-info")
    [point] = Distribution.at(record).entry_points.select(group="accel.backends", name="cpu")
    assert point.value == "accel.backends.cpu:BACKEND"


def test_programs_that_look_for_namespaces_of_the_standard_find_ours(installed):
    [record] = installed.glob("*.dist-info")
    [point] = Distribution.at(record).entry_points.select(group="array_api")
    assert (point.name, point.load()) == ("accel", xp)


def test_python_in_the_root_of_a_clone_finds_the_backends_whatever_is_installed(root, installed):
    # Without the site packages' own start-up files: those of an editable install would find the backends.
    here = os.pathsep.join([str(installed), sysconfig.get_path("purelib")])
    code = "import accel; print(accel.__file__, accel.zeros(3, device='sim').to_numpy().tolist())"
    done = subprocess.run(
        [sys.executable, "-S", "-W", "error", "-c", code],
        check=False,
        capture_output=True,
        text=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": here},
    )
    assert done.stdout == f"{root / 'accel/__init__.py'} [0.0, 0.0, 0.0]\n", done.stderr


@pytest.mark.slow
def test_an_editable_install_is_found_from_the_folder_above_a_clone_named_accel(root, tmp_path):
    """A folder without `__init__.py` is a namespace package, which Python takes before it asks setuptools' finder."""
    clone, site = tmp_path / "accel", tmp_path / "site"
    clone.mkdir()
    for name in ("accel", "backends", "pyproject.toml", "README.md", "LICENSE"):
        (clone / name).symlink_to(root / name)
    build = "from setuptools import build_meta; build_meta.build_editable('.')"
    subprocess.run([sys.executable, "-c", build], check=True, capture_output=True, cwd=clone)
    [wheel] = clone.glob("*.whl")
    shutil.unpack_archive(wheel, site, "zip")
    code = f"import site; site.addsitedir({str(site)!r}); import accel; print(accel.zeros(3, device='sim').size)"
    done = subprocess.run(
        [sys.executable, "-S", "-W", "error", "-c", code],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": sysconfig.get_path("purelib")},
    )
    assert done.stdout == "3\n", done.stderr


def test_and_that_way_is_not_in_the_wheel(root, installed):
    assert (installed / "accel/backends/__init__.py").read_text() == (root / "backends/__init__.py").read_text()


def packed(files, time, owner, mode):
    """Return a compressed archive of files, as a machine with such a clock, user and mask makes it."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as archive:
        for name, content in files:
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.uname, member.mode = len(content), time, owner, mode
            archive.addfile(member, io.BytesIO(content))
    return gzip.compress(plain.getvalue(), mtime=time)


def test_a_source_distribution_has_nothing_of_the_machine_that_made_it(root):
    namespace = runpy.run_path(str(root / "ci/release_sdist.py"))
    files = [("accel-1/b.py", b"two"), ("accel-1/a.py", b"one")]
    one = namespace["rewritten"](packed(files, 5, "somebody", 0o644), 7)
    other = namespace["rewritten"](packed(files[::-1], 50, "root", 0o600), 7)
    assert one == other
    with tarfile.open(fileobj=io.BytesIO(one)) as archive:
        found = [(member.name, archive.extractfile(member).read(), member.mtime) for member in archive]
    assert found == [("accel-1/a.py", b"one", 7), ("accel-1/b.py", b"two", 7)]


def test_each_folder_of_the_checkout_is_in_the_source_distribution(root):
    tracked = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=False).stdout
    tops = {line.split("/")[0] for line in tracked.splitlines() if "/" in line}
    grafted = {line.split()[1] for line in (root / "MANIFEST.in").read_text().splitlines() if line.startswith("graft")}
    assert tops - {"accel", "backends"} <= grafted
