"""The precompiled headers of kernels: g++ uses them where they fit, and a damaged file costs no kernel."""

import shutil

import pytest
from accel.backends.cuda_on_cpu.build import disk_cache
from accel.backends.cuda_on_cpu.build.building import build
from accel.backends.cuda_on_cpu.build.compilers import VARIABLE, find_compiler
from accel.backends.cuda_on_cpu.build.machine_files import runtime_file
from accel.backends.cuda_on_cpu.build.machine_library import make_runtime

import accel
from accel.errors import KernelSyntaxError

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is missing; other compilers read the headers")


@pytest.fixture
def headers_of(tmp_path, monkeypatch):
    """Use a cache that has the runtime only; return a function that compiles a kernel, and returns what g++ read."""
    log, wrapper = tmp_path / "log", tmp_path / "g++"
    wrapper.write_text(f'#!/bin/sh\nexec g++ -H "$@" 2> >(tee -a {log} >&2)\n'.replace("/bin/sh", "/bin/bash"))
    wrapper.chmod(0o700)
    monkeypatch.setenv(VARIABLE, shutil.which("g++"))
    runtime = runtime_file(find_compiler())
    make_runtime(find_compiler(), runtime)
    monkeypatch.setenv(VARIABLE, str(wrapper))

    def compiled(number, options=(), body="x[threadIdx.x] += 1;"):
        log.write_text("")
        source = f'extern "C" __global__ void k{number}(float* x) {{ {body} }}'
        build(source, options=options, warp=32, checked=False, kernels=(f"k{number}",))
        return log.read_text()

    with accel.using(cache_dir=str(tmp_path)):
        shutil.copy(runtime, runtime_file(find_compiler()))
        yield compiled


def header():
    (file,) = disk_cache.folder().glob("headers_*/accel_sim/kernel.h.gch")
    return file


def test_the_second_kernel_uses_the_header_that_the_first_one_left(headers_of):
    assert "kernel.h.gch" not in headers_of(0)
    assert f"! {header()}" in headers_of(1)
    assert f"! {header()}" in headers_of(2, ("-DN=4",))
    # Options by which the headers mean something else.
    assert f"! {header()}" not in headers_of(3, ("-std=c++20",))


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["no bytes", "other bytes", "half", "few bytes", "no end"])
def test_a_damaged_header_is_not_used_and_made_again(headers_of, damage):
    headers_of(0)
    file = header()
    whole = file.read_bytes()
    damaged = {"no bytes": b"", "other bytes": b"x" * 1000, "half": whole[: len(whole) // 2], "few bytes": whole[:100],
               "no end": whole[:-5000] + bytes(5000)}  # fmt: skip
    file.write_bytes(damaged[damage])
    assert f"! {file}" not in headers_of(1)
    assert f"! {file}" in headers_of(2)


def test_an_error_of_a_kernel_is_that_of_the_kernel(headers_of):
    headers_of(0)
    with pytest.raises(KernelSyntaxError, match=r"<source>:1:.*nothing"):
        headers_of(1, body="nothing;")
    assert header().exists()
