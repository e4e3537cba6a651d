"""Without llvmlite: NumPy computes, and what only the compiler can do is an error that says what to install."""

import tomllib

import pytest

from accel.support.host_compiler import OLDEST

# A child process that finds neither llvmlite nor numba.
BEFORE = """
import sys
sys.modules["llvmlite"] = sys.modules["numba"] = None
import numpy as np
import accel
from accel import xp
"""
INSTALL = "pip install 'accel-container[compiler]'"


@pytest.fixture
def without(python, root, tmp_path):
    """Runs code in a process that finds no compiler; the code is in a file, so that kernels have a source."""

    def run(code: str) -> str:
        program = tmp_path / "program.py"
        program.write_text(BEFORE + code)
        return python(f"import runpy; runpy.run_path({str(program)!r})", root)

    return run


def test_large_copies_of_any_shape_are_right(without):
    code = """
source = np.arange(3 * 1000 * 1000, dtype=np.uint8).reshape(3, 1000, 1000)
flat = accel.from_numpy(source.reshape(-1).copy())
planes = flat.view(accel.Layout((1000, 1000, 3), (1000, 1, 1_000_000)))
pixels = accel.empty(source.size, "uint8").view(accel.Layout.row_major(1000, 1000, 3))
for _ in range(20):
    pixels.copy_from(planes)
print(np.array_equal(pixels.to_numpy(), source.transpose(1, 2, 0)))
"""
    assert without(code) == "True"


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_fused_functions_run_unfused_and_say_so_once(without, device):
    code = f"""
import warnings
calls = []
@accel.fuse
def scaled(x, y):
    calls.append(type(x))
    x += 1
    return (x - y) * 2
@accel.fuse(fallback="parts")
def total(x):
    return xp.sum(x) if float(x[0]) else x
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(3):
        x = xp.ones(4, device={device!r})
        print(scaled(x, x * 0.5).tolist(), x.tolist(), float(total(x)))
print(len(calls), *[str(each.message) for each in caught])
"""
    *results, said = without(code).splitlines()
    assert results == ["[3.0, 3.0, 3.0, 3.0] [2.0, 2.0, 2.0, 2.0] 8.0"] * 3
    assert said == f"3 scaled, and what else accel.fuse is to fuse on the host, runs unfused; write {INSTALL}"


def test_what_a_fused_function_would_become_needs_the_compiler(without):
    code = """
try:
    accel.fuse(lambda x: x + 1).explain(xp.ones(3))
except accel.errors.CapabilityError as error:
    print(error)
"""
    assert f"which is not installed; write {INSTALL}" in without(code)


KERNEL = """
from accel import BufferView
from accel.kernels import f32, kernel
@kernel
def add_one(x: BufferView[f32]):
    for i in range(x.size):
        x[i] += 1
"""


def test_kernels_on_the_host_are_an_error_that_says_what_to_install(without):
    code = """
try:
    add_one(accel.zeros(5, "float32")[:])
except accel.errors.CapabilityError as error:
    print(error)
"""
    assert without(KERNEL + code) == (
        f"kernels on the host are compiled by llvmlite, which is not installed; write {INSTALL}, or launch them on "
        f"device='sim', which interprets them"
    )


OLD = """
import importlib.machinery, types
old = types.ModuleType("llvmlite")
old.__version__, old.__spec__ = "0.47.1", importlib.machinery.ModuleSpec("llvmlite", None)
sys.modules["llvmlite"] = old
"""


@pytest.mark.parametrize(
    "line", ["add_one(accel.zeros(9, 'float32')[:])", "accel.fuse(lambda x: x + 1).explain(xp.ones(3))"]
)
def test_an_older_compiler_which_numba_brings_would_end_the_process_and_is_refused(without, line):
    refused = f"try:\n    {line}\nexcept accel.errors.CapabilityError as error:\n    print(error)"
    said = f"compiled by llvmlite, of which version 0.48 or newer serves; found 0.47: write {INSTALL}"
    assert said in without(OLD + KERNEL + refused)


def test_what_needs_no_compiler_works_beside_an_older_one(without):
    code = """
x = accel.zeros(3000, "float32", device="sim")
add_one(x[:])
print(float(x.to("cpu").to_numpy().sum()), float(xp.sum(xp.ones(300_000))))
"""
    assert without(OLD + KERNEL + code) == "3000.0 300000.0"


def test_the_oldest_version_is_that_of_the_extra(root):
    extras = tomllib.loads((root / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert extras["compiler"] == [f"llvmlite>={'.'.join(map(str, OLDEST))}"]


def test_the_simulated_device_interprets_kernels_however_long_they_are(without):
    code = """
c = accel.zeros(3000, "float32", device="sim")
add_one(c[:])
print(float(c.to("cpu").to_numpy().sum()))
"""
    assert without(KERNEL + code) == "3000.0"


def test_large_reductions_are_numpys(without):
    code = """
x = xp.asarray(np.arange(1 << 20) % 7 / 7)
for _ in range(70):
    assert float(xp.var(x)) == np.var(np.asarray(x))
from accel.support.background import BACKGROUND
print(BACKGROUND.wait(60), "accel.fusion" in sys.modules, BACKGROUND.errors)
"""
    assert without(code) == "True False {}"


def test_what_is_lent_to_arrow_libraries_is_an_error_that_says_what_to_install(without):
    code = """
try:
    xp.ones(3).__arrow_c_array__()
except accel.errors.CapabilityError as error:
    print(error)
"""
    assert without(code).endswith(f"is compiled by llvmlite, which is not installed; write {INSTALL}")


def test_info_says_what_to_install(monkeypatch, capsys):
    from accel.commands import info

    monkeypatch.setattr(info, "version", lambda name: None if name == "llvmlite" else "1")
    report = info.machine_report()
    assert f"llvmlite           not installed; compiles for the host: {INSTALL}" in info.machine_text(report)
