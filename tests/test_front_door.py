"""`import accel` imports nothing else; its names are those of `__all__` and the stub."""

import ast
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import accel

from .tables import rows

HEAVY = ("cupy", "numba", "scipy", "skimage", "torch", "dask", "ml_dtypes", "PIL", "rich", "array_api_compat")


def loaded_after(statement: str) -> set[str]:
    """Return the top-level modules of a fresh process after a statement."""
    code = f"{statement}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_door_alone_loads_nothing():
    new = loaded_after("import accel") - loaded_after("pass")
    assert new == {"accel"}


@pytest.mark.parametrize(
    "statement",
    [
        "import accel; c = accel.zeros(3); c[0] = 1; c.to('cpu', copy=True).to_numpy(); c.release()",
        "import accel, numpy; numpy.asarray(accel.from_numpy(numpy.arange(3)))",
        "import accel; accel.AcceleratorDataContainer(3, 'float32').fill(2)",
        "import accel; accel.memory.snapshot(); accel.Device.best()",
    ],
)
def test_containers_load_numpy_and_no_more(statement):
    loaded = loaded_after(statement)
    assert "numpy" in loaded
    assert not loaded & set(HEAVY)


# Each takes milliseconds of the first container: pathlib alone loads five modules more.
SLOW = {"ast", "dataclasses", "decimal", "fractions", "hashlib", "inspect", "json", "pathlib", "tempfile", "urllib"}


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_the_first_container_loads_no_slow_module_of_python(device):
    new = loaded_after(f"import accel; accel.zeros(3, device={device!r})") - loaded_after("import numpy")
    assert not new & SLOW


def test_arrays_load_nothing_heavy_either():
    assert not loaded_after("import accel.xp as xp; xp.sum(xp.ones(3))") & set(HEAVY) - {"array_api_compat"}


def test_every_name_is_there():
    for name in accel.__all__:
        assert getattr(accel, name) is not None
    assert set(accel.__all__) <= set(dir(accel))
    assert {*accel._LAZY, "__version__"} == set(accel.__all__)


def test_layouts_are_made_by_the_class_as_by_the_functions():
    for shape in ((4,), (2, 3), ((2, (3, 4)),), (5, 0, 2)):
        assert accel.Layout.row_major(*shape) == accel.layout.row_major(*shape)
        assert accel.Layout.col_major(*shape) == accel.layout.col_major(*shape)
    assert accel.Layout.row_major(2, 3) == accel.Layout((2, 3), (3, 1))


def test_other_names_are_not():
    with pytest.raises(AttributeError, match="no attribute 'tensor'"):
        accel.tensor  # noqa: B018 - the access is the test


def test_the_stub_offers_the_same_names_from_the_same_homes():
    stub = ast.parse(Path(accel.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    lines = (node for node in stub.body if isinstance(node, ast.ImportFrom))
    imports = {alias.asname: node.module for node in lines for alias in node.names}
    submodules = {name for name, module in accel._LAZY.items() if module == f"accel.{name}"}
    assert {name for name, module in imports.items() if module == "accel"} == submodules
    assert imports == accel._LAZY | dict.fromkeys(submodules, "accel")


@rows(
    "module",
    sorted(
        f"accel.{'.'.join(path.relative_to(Path(accel.__file__).parent).with_suffix('').parts)}".removesuffix(
            ".__init__"
        )
        for path in Path(accel.__file__).parent.rglob("*.py")
        if "numba_simulation" not in path.parts or find_spec("numba_cuda")
    ),
)
def test_every_module_says_what_it_offers(module):
    found = import_module(module)
    assert found.__doc__
    for name in found.__all__ if hasattr(found, "__all__") else ():
        assert hasattr(found, name), f"{module}.__all__ names {name}"


def test_the_version_is_the_distributions():
    from importlib.metadata import version

    assert accel.__version__ == version("accel-container")
