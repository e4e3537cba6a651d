"""The import contracts: a planted violation of each is reported."""

import re
import shutil
import subprocess
import sys
import tomllib

import pytest

BACKENDS = "A backend sees abc, a few helpers of memory, and the foundation"
LAYOUT = "Layout is pure integers, pictures need nothing"
CIRCLES = "No circles within a room"
VIEWS = "Views are layered, tensors do not import buffers"
PLANTED = [
    ("Layers", "accel/errors.py", "import accel.device"),
    ("Layers", "accel/support/lazy.py", "import accel.errors"),
    ("Layers", "accel/pictures/svg.py", "import accel.support.lazy"),
    ("Layers", "accel/memory/planted.py", "from accel.containers import AcceleratorDataContainer"),
    ("Layers", "accel/registry.py", "def lazily():\n    from accel.device import Device"),
    ("Layers", "accel/config.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import accel.memory"),
    ("Layers", "accel/dtypes.py", "from accel import config"),
    ("Layers", "accel/kernels/__init__.py", "import accel.xp"),
    ("Layers", "accel/cellar.py", "'''A package in no layer.'''"),
    ("Layers", "accel/abc/planted.py", "from accel.memory.heap import heap_of"),
    ("Layers", "accel/memory/planted.py", "from accel.copies.run import copy"),
    ("Layers", "accel/memory/planted.py", "import accel.interchange"),
    ("Layers", "accel/interchange/planted.py", "import accel.copies"),
    ("Layers", "accel/copies/planted.py", "import accel.interchange"),
    ("Layers", "accel/store/planted.py", "import accel.xp"),
    ("Packages import each other, not the front door", "accel/memory/planted.py", "from accel import empty"),
    ("Packages import each other, not the front door", "accel/backends/cpu/planted.py", "import accel"),
    (VIEWS, "accel/views/sources.py", "from accel.views.buffers.buffer import NDBuffer"),
    (VIEWS, "accel/views/iterator.py", "if TYPE_CHECKING:\n    from accel.views.layout_tensor import LayoutTensor"),
    (VIEWS, "accel/views/planted.py", "'''A module in no layer.'''"),
    ("Buffers do not import tensors", "accel/views/buffers/dims.py", "import accel.views.cells"),
    (LAYOUT, "accel/layout/__init__.py", "import numpy"),
    (LAYOUT, "accel/pictures/svg.py", "import numpy"),
    (LAYOUT, "accel/layout/algebra.py", "import accel.device"),
    (LAYOUT, "accel/layout/algebra.py", "from accel.support.device_names import DEVICE_TYPES"),
    (CIRCLES, "accel/engines/points.py", "def lazily():\n    from accel.engines.tasks import task"),
    (CIRCLES, "accel/engines/memory_budget/planted.py", "import accel.engines.tiles"),
    (CIRCLES, "accel/copies/planner.py", "import accel.copies.run"),
    (CIRCLES, "accel/store/arrays/array_base.py", "from accel.store.arrays.logical_array import LogicalArray"),
    (CIRCLES, "accel/xp/calls.py", "def lazily():\n    from accel.xp.operands import library_of"),
    (CIRCLES, "accel/memory/storage.py", "def lazily():\n    import accel.memory.host_storage"),
    (BACKENDS, "accel/backends/common/planted.py", "import accel.containers"),
    (BACKENDS, "accel/backends/cpu/planted.py", "from accel import xp"),
    (BACKENDS, "accel/backends/cpu/planted.py", "import accel.testing"),
    (BACKENDS, "accel/backends/cpu/planted.py", "from accel.memory.heap import heap_of"),
    ("Backends do not import each other", "accel/backends/sim/planted.py", "from ..cpu import backend"),
    ("Backends do not import each other", "accel/backends/planted.py", "'''A module in no layer.'''"),
    (
        "Backends do not import each other",
        "accel/backends/cuda_on_cpu/text/planted.py",
        "from ...sim.memory import Memory",
    ),
    ("CUDA on the processor is layered", "accel/backends/cuda_on_cpu/text/planted.py", "from ..build import flags"),
    (
        "CUDA on the processor is layered",
        "accel/backends/cuda_on_cpu/launch/planted.py",
        "from ..findings import kinds",
    ),
    ("Only entry points lead to a backend", "accel/memory/planted.py", "import accel.backends.cpu"),
    ("Only entry points lead to a backend", "accel/commands/cli.py", "from accel import backends"),
]


def contracts(root):
    tools = tomllib.loads((root / "pyproject.toml").read_text())["tool"]
    return [contract["name"] for contract in tools["importlinter"]["contracts"]]


def broken(root, folder):
    """Return the contracts that ci/contracts reports as broken in an installed copy."""
    report = subprocess.run([root / "ci/contracts", folder], check=False, capture_output=True, text=True)
    verdicts = dict(re.findall(r"^(.+) (KEPT|BROKEN)\b", report.stdout, re.MULTILINE))
    assert list(verdicts) == contracts(root), report.stdout + report.stderr
    assert (report.returncode == 0) == ("BROKEN" not in verdicts.values())
    return [name for name, verdict in verdicts.items() if verdict == "BROKEN"]


def plant(file, code):
    file.parent.mkdir(exist_ok=True)
    for package in (file.parent / "__init__.py", file):
        package.touch()
    file.write_text(f"{file.read_text()}\n{code}\n")


@pytest.fixture
def copy(installed, tmp_path):
    return shutil.copytree(installed, tmp_path / "copy")


@pytest.mark.slow
@pytest.mark.parametrize(("contract", "file", "code"), PLANTED)
def test_a_planted_violation_breaks_its_contract_alone(root, copy, contract, file, code):
    plant(copy / file, code)
    assert broken(root, copy) == [contract]


def test_every_contract_has_a_planted_violation(root):
    assert {contract for contract, *_ in PLANTED} == set(contracts(root))


@pytest.mark.slow
def test_rooms_yet_to_be_built_keep_the_contracts(root, copy):
    plant(copy / "accel/layout/algebra.py", "from accel.errors import LayoutError\nimport math")
    plant(copy / "accel/views/__init__.py", "import accel.layout.algebra, accel.memory, numpy")
    assert broken(root, copy) == []


@pytest.mark.parametrize("line", ["import backends", "from backends.cpu import BACKEND", "import backends.cpu as cpu"])
def test_ruff_refuses_backends_under_their_folders_name(root, line):
    command = [sys.executable, "-m", "ruff", "check", "--select=TID251", "--stdin-filename=accel/planted.py", "-"]
    report = subprocess.run(command, check=False, cwd=root, input=f"{line}\n", capture_output=True, text=True)
    assert "TID251" in report.stdout, report.stdout + report.stderr
