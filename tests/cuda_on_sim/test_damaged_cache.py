"""What is damaged in the cache of compiled kernels, or has a folder in its place, is not loaded, and is made again."""

import os
import shutil
import subprocess
import sys

import pytest
from accel.backends.common.cache_files import is_whole, put, record, recorded
from accel.backends.cuda_on_cpu.build import compilers, disk_cache, libraries
from accel.backends.cuda_on_cpu.build.building import build
from accel.backends.cuda_on_cpu.build.compilers import find_compiler
from accel.backends.cuda_on_cpu.build.precompiled import words_for
from accel.backends.cuda_on_cpu.programs.execution import run_program

import accel
from accel.errors import KernelLaunchError

SOURCE = 'extern "C" __global__ void k(float* y) { y[threadIdx.x] *= 2; }'

DAMAGE = {
    "short": lambda whole: whole[: len(whole) // 2],
    "zeros": lambda whole: whole[: len(whole) // 2] + bytes(len(whole) - len(whole) // 2),
    "empty": lambda whole: b"",
    "one bit": lambda whole: whole[:-1] + bytes([whole[-1] ^ 1]),
    "longer": lambda whole: whole + b"\0",
    "other": lambda whole: b"[1, 2]",
}

LAUNCH = f"""
import accel
k = accel.RawKernel.from_source({SOURCE!r})
c = accel.full(32, 2.0, "float32", device="sim")
k(c, grid=1, block=32).wait()
print(c.to_numpy().sum())
"""


@pytest.fixture
def cache(tmp_path):
    """A cache that has the runtime only, which takes seconds to compile."""
    runtime = build("", warp=32, checked=True, kernels=()).runtime
    folder = tmp_path / "cache" / "cuda_sim"
    folder.mkdir(parents=True, mode=0o700)
    for path in (runtime, *disk_cache.folder().glob("compiler-*")):
        shutil.copy(path, folder)
    with accel.using(cache_dir=str(tmp_path / "cache")):
        yield folder


def launch(cache):
    """Launch a kernel in a process of its own, which a damaged file may end; return what it prints."""
    environment = {**os.environ, "ACCEL_CACHE_DIR": str(cache.parent)}
    done = subprocess.run([sys.executable, "-c", LAUNCH], check=False, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def modules(cache):
    return [path for path in cache.glob("*.so") if not path.name.startswith("accel_sim_")]


def replaced(path, how):
    """Put something else in the place of a file."""
    whole = path.read_bytes()
    path.unlink()
    if how in DAMAGE:
        path.write_bytes(DAMAGE[how](whole))
    elif how == "folder":
        (path / "within").mkdir(parents=True)
    elif how == "pipe":
        os.mkfifo(path)
    elif how == "link to itself":
        path.symlink_to(path)
    elif how == "link to nothing":
        path.symlink_to(path.with_name("nothing"))
    else:
        path.symlink_to("/dev/zero")


HOW = [*DAMAGE, "folder", "pipe", "link to itself", "link to nothing", "link to /dev/zero"]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["short", "zeros", "empty"])
def test_a_damaged_module_does_not_end_the_process(cache, how):
    assert launch(cache) == "128.0"
    (module,) = modules(cache)
    replaced(module, how)
    assert launch(cache) == "128.0"


@pytest.mark.parametrize("how", HOW)
def test_what_is_not_as_it_was_put_is_not_there_and_makes_room(tmp_path, how):
    file = tmp_path / "file"
    for content in (b"1", bytes(100_000)):
        (tmp_path / "new").write_bytes(content)
        put(tmp_path / "new", file)
        assert is_whole(file)
        replaced(file, how)
        assert not is_whole(file)
        (tmp_path / "new").write_bytes(content)
        put(tmp_path / "new", file)
        assert is_whole(file)
        assert file.read_bytes().startswith(content)
        replaced(file, how)
        record(file, {"a": [1]})
        assert recorded(file) == {"a": [1]}


@pytest.mark.slow
@pytest.mark.parametrize("how", ["zeros", "folder", "pipe", "link to itself"])
def test_no_file_of_a_kernel_is_used_when_it_is_damaged(cache, how):
    launch(cache)
    damaged = [path for path in cache.iterdir() if path.is_file() and path.name != "last_look"]
    assert {path.suffix for path in damaged} == {".so", ".cu", ".json", ".lock"}
    sizes = {path: path.stat().st_size for path in damaged if path.suffix in {".so", ".cu"}}
    for path in damaged:
        replaced(path, how)
    assert launch(cache) == "128.0"
    assert {path: path.stat().st_size for path in sizes} == sizes


def test_reports_have_the_lines_of_the_source_and_not_those_of_a_damaged_file(cache):
    source = f"{SOURCE}\n"
    path = build(source, warp=32, checked=True, kernels=("k",)).path.with_suffix(".cu")
    path.write_text("something else\n")
    build(source, warp=32, checked=True, kernels=("k",))
    assert path.read_text() == source


@pytest.mark.slow
@pytest.mark.parametrize("how", ["short", "zeros", "folder"])
def test_a_damaged_precompiled_header_is_made_again(cache, how):
    if find_compiler().kind != "gcc":
        pytest.skip("only g++ has one")
    build(SOURCE, warp=32, checked=False, kernels=("k",))
    (header,) = cache.glob("headers_*/accel_sim/kernel.h.gch")
    replaced(header, how)
    assert not words_for(header.parents[1])
    build(SOURCE + "\n", warp=32, checked=False, kernels=("k",))
    assert words_for(header.parents[1])


@pytest.mark.slow
@pytest.mark.parametrize("how", ["short", "zeros", "folder"])
def test_a_damaged_program_is_compiled_again(cache, tmp_path, how):
    source = tmp_path / "program.cu"
    source.write_text("#include <cuda_runtime.h>\n__global__ void k(int* x) { *x = 7; }\nint main() { return 7; }\n")
    assert run_program([source]).code == 7
    replaced(*modules(cache), how)
    assert run_program([source]).code == 7


@pytest.mark.parametrize("damaged", ["[1, 2]", '["gcc"]', "{}", "[", "", "[[[["])
def test_a_damaged_note_of_the_compiler_is_not_believed(cache, damaged):
    expected = find_compiler()
    for path in cache.glob("compiler-*"):
        path.write_text(damaged)
    compilers._first_that_works.cache_clear()
    assert find_compiler() == expected


def test_replaced_headers_of_libraries_are_checked(cache, tmp_path):
    headers = tmp_path / "headers"
    for name in ("cub/version.cuh", "cub/block/block.cuh", "cuda/asm.h", "thrust/none.h"):
        (headers / name).parent.mkdir(parents=True, exist_ok=True)
        (headers / name).write_text('asm("mov.u32 %0, 1;" : "=r"(x));\n')
    file = libraries._replacements(headers) / "cub" / "cub.cuh"
    whole = file.read_bytes()
    for how in ("short", "folder"):
        replaced(file, how)
        libraries._replacements(headers)
        assert file.read_bytes() == whole


def test_a_failure_of_the_folder_names_the_setting(cache, monkeypatch):
    def full(*arguments, **options):
        raise OSError(28, "No space left on device", str(cache))

    from accel.backends.cuda_on_cpu.build import compilation

    monkeypatch.setattr(compilation, "TemporaryDirectory", full)
    with pytest.raises(KernelLaunchError, match=r"No space left.*accel\.configure\(cache_dir='"):
        build(SOURCE, warp=32, checked=False, kernels=("k",))


def test_a_header_that_is_a_pipe_is_not_waited_for(tmp_path):
    from accel.backends.cuda_on_cpu.build.digests import digest_of_file

    os.mkfifo(tmp_path / "pipe")
    assert digest_of_file(tmp_path / "pipe") == digest_of_file("/dev/zero") == ""
