import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from itertools import pairwise

import numpy as np
import pytest
from accel.backends.cuda_on_cpu.build import compilation, disk_cache
from accel.backends.cuda_on_cpu.build.building import build
from accel.backends.cuda_on_cpu.build.compilers import VARIABLE, find_compiler
from accel.backends.cuda_on_cpu.build.digests import digest_of_files
from accel.backends.cuda_on_cpu.launch.module import Module

import accel
from accel.errors import CapabilityError, KernelLaunchError, KernelSyntaxError
from accel.support.background import BACKGROUND

SOURCE = """
__constant__ float weights[4];
__device__ int counter;
namespace lib { template <typename T> __device__ T table[8]; }
struct Pair { double first; char second; };
extern "C" __global__ void set(int* to, int value) { *to = value; }
extern "C" __global__ void count(int* to) { *to = ++counter; }
template <typename T> __global__ void scale(T* x, T factor, Pair pair) {
    __shared__ T tile[32];
    __shared__ double other;
    tile[0] = x[0]; other = 1;
    x[0] = factor * tile[0] * T(other) + T(weights[int(x[0])]) + lib::table<T>[0];
}
#ifdef WIDTH
extern "C" __global__ void width(int* to) { *to = WIDTH; }
#endif
"""
ALL = ("set", "count", "scale<float>", "scale<double>")


def build_source(source=SOURCE, kernels=ALL, **options):
    return build(source, kernels=kernels, **{"warp": 32, "checked": False, **options})


def loaded(source=SOURCE, kernels=ALL, device="sim:0", **options):
    return Module.load(build_source(source, kernels, **options), device)


def run(module, kernel, *values):
    """Run a kernel as one thread, without the runtime: it must not ask which thread it is."""
    arrays = [np.asarray(value) for value in values]
    pointers = (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(module.entry(kernel).address)(pointers)


def result(module, kernel, *values):
    out = np.zeros(1, "i4")
    run(module, kernel, np.uint64(out.ctypes.data), *values)
    return int(out[0])


@pytest.fixture(scope="module")
def slow_files():
    """What takes long to make: the runtime, the precompiled headers, and the answers of compilers."""
    runtime, folder = build_source().runtime, disk_cache.folder()
    return [runtime, *folder.glob("compiler-*"), *folder.glob("headers_*/*/*.gch")]


@pytest.fixture
def empty_cache(tmp_path):
    folder = tmp_path / "cache" / "cuda_sim"
    folder.mkdir(parents=True, mode=0o700)
    with accel.using(cache_dir=str(tmp_path / "cache")):
        yield folder


@pytest.fixture
def cache(slow_files, empty_cache):
    """A cache without kernels."""
    for file in slow_files:
        copy = empty_cache / file.relative_to(slow_files[0].parent)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    return empty_cache


def test_a_kernel_runs():
    assert result(loaded(), "set", np.int32(5)) == 5


@pytest.mark.parametrize("checked", [False, True])
def test_entries_have_the_layout_of_their_arguments(checked):
    module = loaded(checked=checked)
    assert module.entry("set")[1:] == ((8, 4), (8, 4))
    assert module.entry("scale<float>")[1:] == ((8, 4, 16), (8, 4, 8))
    assert module.entry("scale<double>")[1:] == ((8, 8, 16), (8, 8, 8))
    assert len({module.entry(kernel).address for kernel in ALL}) == len(ALL)
    assert all(module.code[0] < module.entry(kernel).address < module.code[1] for kernel in ALL)
    with pytest.raises(KernelLaunchError, match="there is no kernel scale; write one of set, count"):
        module.entry("scale")


@pytest.mark.parametrize("checked", [False, True])
def test_variables_are_known_by_name_and_size(checked):
    module = loaded(checked=checked)
    assert sorted((name, size) for name, _, size, _ in module.shared) == [
        ("other", 8),
        ("other", 8),
        ("tile", 128),
        ("tile", 256),
    ]
    assert sorted((name, size, readonly) for name, _, size, readonly in module.globals) == [
        ("counter", 4, False),
        ("table", 32, False),
        ("table", 64, False),
        ("weights", 16, True),
    ]
    for variables in (module.shared, module.globals):
        assert [v.offset for v in variables] == sorted(v.offset for v in variables)
        for before, after in pairwise(variables):
            assert before.offset + before.size <= after.offset
    assert module.shared_size == module.shared[-1].offset + module.shared[-1].size


def test_each_thread_of_the_system_has_its_own_shared_memory():
    module = loaded()
    begin = ctypes.CFUNCTYPE(ctypes.c_void_p)(module.shared_begin)
    with ThreadPoolExecutor(1) as other:
        assert begin() == begin() != other.submit(begin).result()
    (tile,) = [v for v in module.shared if v.size == 128]
    x = np.asarray([3], "f4")
    run(module, "scale<float>", np.uint64(x.ctypes.data), np.float32(2), np.zeros(16, "u1"))
    assert ctypes.c_float.from_address(begin() + tile.offset).value == 3


def test_a_module_without_shared_memory_has_no_segment():
    module = loaded('extern "C" __global__ void nothing() {}', ("nothing",))
    assert (module.shared, module.globals, module.shared_size, module.shared_begin) == ((), (), 0, 0)


def test_each_device_has_variables_of_its_own():
    first, second = loaded(device="sim:7"), loaded(device="sim:8")
    assert [result(first, "count") for _ in range(3)] == [1, 2, 3]
    assert result(second, "count") == 1
    assert loaded(device="sim:7") is first
    (counter,) = [v for v in second.globals if v.name == "counter"]
    assert ctypes.c_int.from_address(counter.offset).value == 1


def test_options_are_macros_and_folders(tmp_path):
    (tmp_path / "width.h").write_text("#define OF_HEADER 7\n")
    source = '#include "width.h"\nextern "C" __global__ void width(int* to) { *to = WIDTH + OF_HEADER; }'
    options = ("-DWIDTH=4", f"-I{tmp_path}", "--use_fast_math", "-arch=sm_90", "--std=c++20")
    assert result(loaded(source, ("width",), options=options), "width") == 11


def test_an_unknown_option_is_an_error_that_names_it():
    with pytest.raises(CapabilityError, match=r"compiler option '-fplugin=x'; it has -D, .*-arch=sm_90"):
        build_source(options=("-fplugin=x",))
    with pytest.raises(CapabilityError, match="'-D' has no value"):
        build_source(options=("-D",))


@pytest.mark.slow
def test_a_runtime_is_made_where_there_is_none(empty_cache):
    built = build_source()
    assert built.runtime.parent == built.path.parent == empty_cache
    assert result(Module.load(built, "sim:0"), "set", np.int32(5)) == 5


def test_the_second_build_compiles_nothing(cache, monkeypatch):
    first = build_source()
    monkeypatch.setattr(compilation, "compiled", None)
    assert build_source() == first
    assert first.path.is_file()
    assert first.runtime.is_file()
    assert cache.stat().st_mode & 0o777 == 0o700


def test_a_build_is_logged_once(cache, caplog):
    caplog.set_level("INFO", "accel")
    for _ in range(2):
        build_source("__global__ void noted() {}", ("noted",))
    assert BACKGROUND.wait(60)
    assert [each.getMessage()[:20] for each in caplog.records] == ["the cache has no not"]


def test_a_launch_of_what_was_built_before_needs_nothing_of_the_compiler(cache):
    build_source('extern "C" __global__ void k(int* p) { *p = 1; }', ("k",))
    program = textwrap.dedent("""
        import sys
        from accel.backends.sim import raw_executable
        from accel.backends.cuda_on_cpu.build.building import build
        from accel.backends.cuda_on_cpu.launch.module import Module
        source = 'extern "C" __global__ void k(int* p) { *p = 1; }'
        Module.load(build(source, warp=32, checked=False, kernels=("k",)), 0).entry("k")
        heavy = (
            "build.compilation build.compiler_process build.libraries text.translation text.tokens debug_info.lines "
            "findings.explanations findings.messages"
        ).split()
        print([name for name in heavy if f"accel.backends.cuda_on_cpu.{name}" in sys.modules])
    """)
    environment = {**os.environ, "ACCEL_CACHE_DIR": str(cache.parent)}
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, env=environment)
    assert done.stdout.strip() == "[]"


def test_the_digest_of_files_is_that_of_their_names_and_contents(tmp_path):
    one, two = tmp_path / "1", tmp_path / "2"
    seen = set()
    for contents in [("a", "b"), ("b", "a"), ("ab", ""), ("a", "b\n")]:
        for path, content in zip((one, two), contents, strict=True):
            path.write_text(content)
        digests = {digest_of_files([str(each) for each in paths]) for paths in ((one, two), (two, one))}
        assert len(digests) == 1
        seen |= digests
    assert len(seen) == 4


def test_what_changes_the_code_changes_the_file(cache):
    one = 'extern "C" __global__ void k(int* p) { *p = 1; }'
    variants = [{}, {"warp": 64}, {"checked": True}, {"options": ("-DX",)}, {"source": one + "\n"}]
    files = [build_source(**{"source": one, "kernels": ("k",), **changes}).path for changes in variants]
    assert len({*files}) == len(files)


def test_a_header_that_changes_is_read_again(cache, tmp_path):
    header, source = tmp_path / "n.h", '#include "n.h"\nextern "C" __global__ void k(int* p) { *p = N; }'
    numbers = []
    for number in (1, 2, 1):
        header.write_text(f"#define N {number}\n")
        numbers.append(result(loaded(source, ("k",), options=("-I", str(tmp_path))), "k"))
    assert numbers == [1, 2, 1]


def test_a_damaged_entry_of_the_cache_is_made_again(cache):
    built = build_source()
    for file in cache.glob("*.json"):
        file.write_text("[1")
    built.path.unlink()
    assert build_source() == built
    assert built.path.is_file()


def test_a_failure_leaves_no_file(cache):
    build_source(kernels=("set",))
    before = {*cache.iterdir()}
    with pytest.raises(KernelSyntaxError):
        build_source("x", kernels=())
    assert {path for path in cache.iterdir() if path.suffix != ".lock"} <= before


def test_the_cache_drops_what_was_used_least_recently(empty_cache):
    for age, name in enumerate("abcd"):
        (empty_cache / name).write_bytes(bytes(100))
        os.utime(empty_cache / name, (1000 - age, 1000 - age))
    disk_cache.drop_oldest(250)
    assert sorted(path.name for path in empty_cache.iterdir()) == ["a", "b"]


def test_the_cache_is_looked_through_once_a_minute(cache, monkeypatch):
    looks = []
    monkeypatch.setattr(disk_cache, "drop_oldest", lambda: looks.append(1))
    (cache / "last_look").unlink(missing_ok=True)
    for expected, age in ((1, 0), (1, 59), (2, 61), (3, -3600)):  # the clock may have been set back
        if looks:
            os.utime(cache / "last_look", (time.time() - age,) * 2)
        disk_cache.keep_within_limit()
        assert len(looks) == expected


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["a file is in its place", "it is read-only"])
def test_a_cache_that_cannot_be_written_is_replaced(tmp_path, monkeypatch, kind):
    if kind == "it is read-only":
        monkeypatch.setattr(os, "access", lambda *arguments: False)  # root may write anywhere
    else:
        (tmp_path / "cuda_sim").write_text("")
    with accel.using(cache_dir=str(tmp_path)):
        built = build_source()
        assert tmp_path not in built.path.parents
        assert build_source() == built
        assert result(loaded(), "set", np.int32(6)) == 6


def test_threads_that_build_the_same_compile_it_once(cache, monkeypatch):
    compiled, compile_ = [], compilation._compile
    monkeypatch.setattr(compilation, "_compile", lambda *arguments: compiled.append(1) or compile_(*arguments))
    with ThreadPoolExecutor(4) as several:
        files = list(several.map(lambda context: context.run(build_source), [copy_context() for _ in range(4)]))
    assert len({*files}) == 1
    assert len(compiled) == 1


def test_processes_that_build_the_same_agree(cache):
    program = textwrap.dedent("""
        import sys
        from accel.backends.cuda_on_cpu.build.building import build
        source = 'extern "C" __global__ void k(int* p) { *p = 1; }'
        print(build(source, warp=32, checked=False, kernels=("k",)).path)
    """)
    environment = {**os.environ, "ACCEL_CACHE_DIR": str(cache.parent)}
    start = [sys.executable, "-c", program]
    started = [subprocess.Popen(start, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(3)]
    assert len({process.communicate()[0] for process in started}) == 1
    assert not any(process.returncode for process in started)


def fake(tmp_path, text):
    """Return a compiler that is a script before the real one."""
    path = tmp_path / "fake-g++"
    real = " ".join(find_compiler().command)
    path.write_text(f'#!/bin/sh\n{text}\nexec {real} "$@"\n')
    path.chmod(0o700)
    return str(path)


@pytest.mark.parametrize("text", ["kill -9 $$", "echo 'g++: fatal error: Killed signal terminated' >&2; exit 1"])
def test_a_compiler_that_is_killed_is_no_error_in_the_source(cache, tmp_path, monkeypatch, text):
    only = f'case "$*" in *unit*) {text};; esac'
    monkeypatch.setenv(VARIABLE, fake(tmp_path, only))
    with pytest.raises(KernelLaunchError, match="did not end by itself"):
        build_source()
    assert not list(cache.glob("*.json")) or not [f for f in cache.glob("*.json") if "compiler" not in f.name]
    monkeypatch.delenv(VARIABLE)
    assert build_source().path.is_file()


@pytest.mark.slow
def test_an_interrupt_ends_the_compiler_and_leaves_no_file(cache, tmp_path):
    marker = tmp_path / "started"
    command = fake(tmp_path, f'case "$*" in *unit.cpp*) touch {marker}; exec sleep 1000;; esac')
    program = (
        "from accel.backends.cuda_on_cpu.build.building import build; build('', warp=32, checked=False, kernels=())"
    )
    environment = {**os.environ, "ACCEL_CACHE_DIR": str(cache.parent), VARIABLE: command}
    process = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True, env=environment)
    try:
        while not marker.exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in process.communicate(timeout=60)[1]
    finally:
        process.kill()
    assert not [path for path in cache.iterdir() if path.is_dir() and path.name.startswith("tmp")]


def match_in(pattern, text):
    return re.search(pattern, text, re.MULTILINE)


def error_of(source, kernels=(), **options):
    with pytest.raises(KernelSyntaxError) as caught:
        build_source(source, kernels, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("line", "construct"),
    [
        ('asm volatile("mov.u32 %0, %%smid;" : "=r"(x));', r"inline PTX \(mov.u32 %0, %%smid;\)"),
        ("x = __not_there(x);", "__not_there"),
        ("cuda::barrier<1> b;", "cuda"),
        ("nvcuda::wmma::fragment<1> b;", "nvcuda"),
        ("CUtensorMap map;", "CUtensorMap"),
        ("f<<<1, 1>>>(x);", "kernel launches from kernels"),
    ],
)
def test_cuda_that_is_not_simulated_is_named_with_its_line(line, construct):
    message = error_of(f'#line 40 "dir/file.cu"\n__device__ void f(int x) {{\n  {line}\n}}')
    assert match_in(rf"^dir/file.cu:41:\d+: error: CUDA that is not simulated: {construct}", message), message


@pytest.mark.parametrize("header", ["mma.h", "cutlass/cutlass.h"])
def test_headers_of_cuda_that_are_not_there_are_named(header):
    message = error_of(f"#include <{header}>\n")
    assert match_in(rf"^<source>:1:\d+: (?:fatal )?error: CUDA that is not simulated: {header}", message), message


@pytest.mark.parametrize("line", ["total = 1;", "return 1 +;", "f(1, 2);", "int x = x.y;", "std::nothing();"])
def test_errors_in_a_source_are_told_apart(line):
    message = error_of(f"__device__ void f(int x) {{\n{line}\n}}")
    assert match_in(r"^<source>:2:\d+: error: ", message)
    assert "not simulated" not in message


@pytest.mark.parametrize("checked", [False, True])
def test_a_function_that_is_defined_nowhere_is_named(checked):
    source = '#line 4 "a.cu"\nfloat helper(float);\nextern "C" __global__ void k(float* x) { *x = helper(*x); }'
    message = error_of(source, ("k",), checked=checked)
    assert match_in(r"a\.cu:5: error: helper\(float\) is declared, and used, but defined nowhere", message), message


def test_a_kernel_that_is_not_in_the_source_is_an_error():
    assert "missing" in error_of("", ("missing",))


def test_a_header_that_includes_itself_is_an_error(tmp_path):
    (tmp_path / "a.h").write_text('#include "a.h"\n')
    assert "nested" in error_of('#include "a.h"', options=("-I", str(tmp_path)))


def test_a_character_of_number_zero_is_an_error_with_its_line():
    assert error_of('int a;\n#line 9 "x.cu"\nint\0 b;') == "x.cu:9: error: a character of number 0; remove it"


def test_a_source_of_a_megabyte_is_compiled():
    source = (
        "// a comment of no meaning { ( [ \n" * 30_000 + 'extern "C" __global__ void k(int* p) { int x; *p = x = 8; }'
    )
    assert len(source) > 1_000_000
    assert result(loaded(source, ("k",)), "k") == 8


def test_names_of_the_source_may_be_those_of_no_alphabet():
    source = 'extern "C" __global__ void größe(int* p) { *p = 3; /* \udcff */ }'
    assert result(loaded(source, ("größe",)), "größe") == 3
