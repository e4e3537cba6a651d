"""The stubs (.pyi) are written by ci/stubs, are up to date, and hide no function body from mypy."""

import ast
import shutil
import subprocess
import sys
from importlib import import_module

import pytest

LAZY = "engines", "kernels", "layout", "memory", "store", "testing", "xp", "xp.fft", "xp.linalg", "xp.special"
NAMES = ["accel", *(f"accel.{name}" for name in LAZY)]


def path_of(name, root):
    """Return the path of a module's stub."""
    folder = root.joinpath(*name.split("."))
    return folder / "__init__.pyi" if folder.is_dir() else folder.with_suffix(".pyi")


@pytest.fixture
def checkout(root, tmp_path):
    """A folder with copies of the stubs."""
    for name in NAMES:
        copy = tmp_path / path_of(name, root).relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path_of(name, root), copy)
    return tmp_path


def stubs(root, *arguments):
    command = [sys.executable, root / "ci/stubs.py", *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def test_every_stub_is_up_to_date(root):
    done = stubs(root, "--check")
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_ci_check_looks_at_them(root):
    assert "\nci/stubs --check\n" in (root / "ci/check").read_text()


def test_every_stub_is_known_here(root):
    assert {path_of(name, root) for name in NAMES} == set(root.glob("accel/**/*.pyi"))


@pytest.mark.slow
def test_stubs_that_are_out_of_date_are_reported(root, checkout):
    changed, missing, foreign = (checkout / "accel" / path for path in ("xp/fft.pyi", "__init__.pyi", "planted.pyi"))
    changed.write_text(changed.read_text().replace("def fft(a: Array", "def fft(a: int"))
    missing.unlink()
    foreign.touch()
    done = stubs(root, "--check", checkout)
    names = ("accel/__init__.pyi", "accel/planted.pyi", "accel/xp/fft.pyi")
    assert done.stderr.splitlines() == [f"{name} is out of date: run ci/stubs" for name in names]
    assert done.returncode == 1
    assert not missing.exists()


@pytest.mark.slow
def test_stubs_are_written_to_a_folder(root, checkout):
    for name in NAMES:
        (checkout / path_of(name, root).relative_to(root)).write_text("nothing")
    assert stubs(root, checkout).returncode == 0
    for name in NAMES:
        text = path_of(name, root).read_text(encoding="utf-8")
        assert (checkout / path_of(name, root).relative_to(root)).read_text(encoding="utf-8") == text


def defined(statement):
    """Return the names that a statement of a stub exports."""
    if isinstance(statement, ast.ImportFrom):
        return {alias.name for alias in statement.names if alias.asname == alias.name}
    if isinstance(statement, ast.Assign):
        return {target.id for target in statement.targets} - {"__all__"}
    return {statement.target.id if isinstance(statement, ast.AnnAssign) else statement.name}


@pytest.mark.parametrize("name", NAMES)
def test_stubs_have_every_public_name_and_no_other(name, root):
    statements = ast.parse(path_of(name, root).read_text(encoding="utf-8")).body
    names = {each for statement in statements for each in defined(statement)}
    private = {each for each in names if each.startswith("_") and each not in import_module(name).__all__}
    assert names - private == set(import_module(name).__all__)
    assert private <= {"_Axes", "_Axis", "_Norm"}


@pytest.mark.parametrize("name", NAMES)
def test_modules_with_a_stub_have_no_function_bodies(name, root):
    """Mypy reads the stub in place of the module, and would not check them."""
    tree = ast.parse(path_of(name, root).with_suffix(".py").read_text(encoding="utf-8"))
    hidden = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
    assert not [node for node in ast.walk(tree) if isinstance(node, hidden)]
