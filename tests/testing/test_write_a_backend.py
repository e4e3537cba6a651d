"""The guide "Write a backend": the files on the page are a backend that accel finds and that conforms."""

import re
import subprocess
import sys
import tomllib

import pytest

from accel.abc import Backend, arrays, direct, kernels, optional, raw_kernels

ABOUT_FORTY = 45


@pytest.fixture(scope="module")
def page(root):
    return (root / "docs/guide/write_a_backend.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def project(page, tmp_path_factory):
    """A folder with the files of the page, and the record that an installer makes of the entry point."""
    folder = tmp_path_factory.mktemp("project")
    for name, code in re.findall(r"^```py(?:thon)?\n# (\w+\.py)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        (folder / name).write_text(code)
    [toml] = re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    [(group, points)] = tomllib.loads(toml)["project"]["entry-points"].items()
    lines = "\n".join(f"{name} = {value}" for name, value in points.items())
    record = folder / "numpy_backend-1.0.dist-info"
    record.mkdir()
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: numpy_backend\nVersion: 1.0\n")
    (record / "entry_points.txt").write_text(f"[{group}]\n{lines}\n")
    return folder


@pytest.mark.slow
def test_the_backend_conforms(project):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 200


def test_accel_finds_it_by_its_entry_point(project, python):
    code = """
        import accel
        print(accel.Device.MPS.is_available(), accel.full(3, 2.5, device="mps").to_numpy().tolist())
    """
    assert python(code, project) == "True [2.5, 2.5, 2.5]"


def test_it_has_about_forty_lines(project):
    lines = (project / "numpy_backend.py").read_text().splitlines()
    assert len([line for line in lines if line.strip()]) <= ABOUT_FORTY


def test_it_has_the_required_members_and_no_other_method(project):
    required = {name for name in vars(Backend) if name[0] != "_"}
    text = (project / "numpy_backend.py").read_text()
    assert {*re.findall(r"^    def (\w+)", text, re.MULTILINE), "name"} == required


def test_the_page_lists_each_optional_protocol_with_its_members(page):
    listed = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", page, re.MULTILINE))
    others = {"Room", "Executable", "PreparedLaunches", "PreparedCopy", "PreparedFill", "CompiledKernel", "Failure"}
    others |= {"WITHIN", "UPLOAD", "DOWNLOAD", "DirectAllocator"}
    modules = (arrays, direct, kernels, optional, raw_kernels)
    names = [(module, name) for module in modules for name in module.__all__ if name not in others]
    protocols = {name: getattr(module, name) for module, name in names}
    assert listed == {
        name: ", ".join(f"`{member}`" for member in [*protocol.__annotations__, *vars(protocol)] if member[0] != "_")
        for name, protocol in protocols.items()
    }
