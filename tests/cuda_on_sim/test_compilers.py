import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from accel.backends.cuda_on_cpu.build import compilers
from accel.backends.cuda_on_cpu.build.compilers import VARIABLE, find_compiler
from accel.backends.cuda_on_cpu.build.diagnostics import explained
from accel.backends.cuda_on_cpu.text.options import accepted
from hypothesis import given
from hypothesis import strategies as st

import accel
from accel.errors import CapabilityError


@pytest.fixture(autouse=True)
def forgetful(tmp_path, monkeypatch):
    """Nothing is remembered from before, or afterwards."""
    monkeypatch.delenv(VARIABLE, raising=False)
    compilers._first_that_works.cache_clear()
    with accel.using(cache_dir=str(tmp_path / "cache")):
        yield
    compilers._first_that_works.cache_clear()


def script(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o700)
    return path


def none_but(monkeypatch, folder, *, zig=True):
    """Leave only the compilers of a folder, and the wheel, if it is installed."""
    monkeypatch.setattr(shutil, "which", lambda name, which=shutil.which: which(name, path=f"{folder}") or _path(name))
    if not zig:
        monkeypatch.setattr(compilers, "find_spec", lambda name: None)


def _path(name):
    return name if name.startswith("/") and Path(name).exists() else None


def test_the_compiler_of_the_environment_is_first(tmp_path, monkeypatch):
    real = find_compiler()
    wrapper = script(tmp_path / "my-compiler", f'exec {" ".join(real.command)} "$@"')
    monkeypatch.setenv(VARIABLE, f"{wrapper} -DX='a b'")
    assert find_compiler() == (((str(wrapper), "-DX=a b")), real.kind, real.version)


def test_a_compiler_of_the_environment_that_does_not_work_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(script(tmp_path / "broken", "echo no headers >&2; exit 1")))
    with pytest.raises(CapabilityError, match=r"ACCEL_KERNEL_COMPILER=\S*broken does not work .*no headers"):
        find_compiler()
    monkeypatch.setenv(VARIABLE, "/nowhere/c++")
    with pytest.raises(CapabilityError, match="there is no command /nowhere/c\\+\\+"):
        find_compiler()


def test_no_compiler_is_an_error_that_names_the_extra(tmp_path, monkeypatch):
    none_but(monkeypatch, tmp_path, zig=False)
    with pytest.raises(CapabilityError, match=r"pip install 'accel-container\[cuda-sim\]'") as caught:
        find_compiler()
    assert isinstance(caught.value, NotImplementedError)
    assert "\n" not in str(caught.value)


def test_a_compiler_that_does_not_work_is_passed_over(tmp_path, monkeypatch):
    real = find_compiler()
    script(tmp_path / "bin" / "g++", "echo broken >&2; exit 1")
    script(tmp_path / "bin" / "clang++", f'exec {" ".join(real.command)} "$@"')
    none_but(monkeypatch, tmp_path / "bin", zig=False)
    compilers._first_that_works.cache_clear()
    assert find_compiler().command == (str(tmp_path / "bin" / "clang++"),)


def test_the_wheel_is_used_where_there_is_no_other(tmp_path, monkeypatch):
    assert importlib.util.find_spec("ziglang"), "the extra 'test' has it"
    none_but(monkeypatch, tmp_path)
    compiler = find_compiler()
    assert compiler.kind == "zig"
    assert compiler.command[1] == "c++"


def test_a_compiler_is_tried_once_until_it_changes(tmp_path, monkeypatch):
    real, log = " ".join(find_compiler().command), tmp_path / "log"
    path = script(tmp_path / "c++", f'echo >> {log}; exec {real} "$@"')
    monkeypatch.setenv(VARIABLE, str(path))
    tries = []
    for seconds in (0, 0, 5):
        os.utime(path, (seconds, seconds))
        compilers._first_that_works.cache_clear()
        find_compiler()
        tries.append(len(log.read_text()))
    assert tries[0] == tries[1] < tries[2]


def test_other_systems_are_an_error_that_names_them(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(compilers, "LINUX", False)
    with pytest.raises(CapabilityError, match="need Linux; found win32"):
        find_compiler()


@pytest.mark.parametrize(
    ("options", "flags"),
    [
        (["-DA", "-D", "B=1", "--define-macro=C", "-UD"], ["-DA", "-DB=1", "-DC", "-UD"]),
        (["-I/a", "-I", "/b", "--include-path=/c", "-isystem", "/d"], ["-I/a", "-I/b", "-I/c", "-isystem", "/d"]),
        (["-std=c++11", "--std=c++20", "-std", "c++14"], ["-std=c++17", "-std=c++20", "-std=c++17"]),
        (["-default-device", "--use_fast_math", "-arch=sm_90", "-arch", "sm_80", "--gpu-architecture=compute_70"], []),
        (["--fmad=false", "-lineinfo", "-G", "-rdc=true", "-Xptxas", "-v", "-O3", "--offload-arch=gfx942"], []),
    ],
)
def test_options_of_nvrtc_and_hipcc_are_known(options, flags):
    assert accepted(options) == tuple(flags)


@given(st.text(min_size=1))
def test_other_options_are_errors(word):
    with pytest.raises(CapabilityError, match=re.escape(repr(f"-z{word}"))):
        accepted([f"-z{word}"])


@given(st.text())
def test_any_output_is_explained_and_kept(output):
    assert explained(output) == output or "not simulated" in explained(output) or explained(output).endswith(output)


def test_undefined_functions_have_their_place_from_each_linker():
    of_gnu = "/usr/bin/ld: /tmp/unit.o: in function `k':\na.cu:5: undefined reference to `helper(float)'\n"
    of_lld = "ld.lld: error: undefined symbol: helper(float)\n>>> referenced by a.cu:5\n>>>     unit.o:(k)\n"
    for output in (of_gnu, of_lld):
        assert explained(output).splitlines()[0] == (
            "a.cu:5: error: helper(float) is declared, and used, but defined nowhere"
        )


PROGRAM = """
import ctypes, numpy
from accel.backends.cuda_on_cpu.build.building import build
from accel.backends.cuda_on_cpu.build.compilers import find_compiler
from accel.backends.cuda_on_cpu.launch.module import Module
source = '''
__device__ unsigned __int128 wide(unsigned n) { return ((unsigned __int128)n << 80) / 1000; }
extern "C" __global__ void k(int* to, int n) {
    int x;
    x = __builtin_popcount(n) + int(sinf(0.0f)) + int(wide(n) >> 80);
    *to = x;
}
'''
out = numpy.zeros(1, "i4")
address, number = numpy.uint64(out.ctypes.data), numpy.int32(7)
values = [numpy.asarray(address), numpy.asarray(number)]
pointers = (ctypes.c_void_p * 2)(*[value.ctypes.data for value in values])
module = Module.load(build(source, warp=32, checked=False, kernels=("k",)), 0)
ctypes.CFUNCTYPE(None, ctypes.c_void_p)(module.entry("k").address)(pointers)
checked = Module.load(build(source, warp=32, checked=True, kernels=("k",)), 0)
places = {checked.frames(pc) for pc in range(*checked.code)}
for each in (module, checked):
    content = each.built.path.read_bytes()
    print(all(name in content for name in (b"__tsan_write4", b"__ubsan_handle_type_mismatch_v1")))
print(find_compiler().kind, out[0], any(frames and frames[0].line == 5 for frames in places))
try:
    build("int f(int); int g() { return f(1); }", warp=32, checked=True, kernels=())
except SyntaxError as error:
    print("f(int) is declared" in str(error))
"""


@pytest.mark.slow
def test_kernels_are_built_by_the_wheel_without_its_libraries(tmp_path):
    assert importlib.util.find_spec("ziglang"), "the extra 'test' has it"
    zig = Path(importlib.util.find_spec("ziglang").submodule_search_locations[0]) / "zig"
    environment = {**os.environ, VARIABLE: f"{zig} c++", "ACCEL_CACHE_DIR": str(tmp_path)}
    start = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(start, check=True, capture_output=True, text=True, env=environment)
    assert done.stdout.split() == ["False", "True", "zig", "3", "True", "True"]
    libraries = [path for path in (tmp_path / "cuda_sim" / "zig").rglob("*") if path.suffix in {".a", ".so"}]
    assert not libraries, "it compiled its libraries"
