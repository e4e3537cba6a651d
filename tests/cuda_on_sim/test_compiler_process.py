"""Compilers end, with all that they started: at an interrupt, at limits of time and memory, and with the process."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from accel.backends.cuda_on_cpu.build import compiler_process
from accel.backends.cuda_on_cpu.build.building import build
from accel.backends.cuda_on_cpu.build.compiler_process import run
from accel.backends.cuda_on_cpu.build.compilers import VARIABLE, find_compiler
from accel.backends.cuda_on_cpu.build.machine_files import runtime_file
from accel.backends.cuda_on_cpu.programs.building import build_program

import accel
from accel.errors import KernelCompileTimeoutError, KernelLaunchError

CALL = "build('', warp=32, checked=False, kernels=())"


@pytest.fixture
def endless(tmp_path, monkeypatch):
    """A compiler that starts a process which does not end, where it compiles a source; return its number's file."""
    runtime = build("", warp=32, checked=False, kernels=()).runtime
    number = tmp_path / "number"
    path = tmp_path / "fake-g++"
    real = " ".join(find_compiler().command)
    child = f"sleep 1000 & echo $! > {number}.new; mv {number}.new {number}; wait"
    path.write_text(f'#!/bin/sh\ncase "$*" in *unit.cpp*|*slow.cu*) {child};; esac\nexec {real} "$@"\n')
    path.chmod(0o700)
    monkeypatch.setenv(VARIABLE, str(path))
    shutil.copy(runtime, runtime_file(find_compiler()))
    return number


def started(process, number):
    """Wait until the compiler of a process runs; return the number of the process that it started."""
    while not number.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    return int(number.read_text())


def runs(number):
    """Return whether a process runs; one that ended, and that nobody asked about yet, does not."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ended(number):
    end = time.monotonic() + 20
    while runs(number) and time.monotonic() < end:
        time.sleep(0.01)
    return not runs(number)


def process_with(program):
    text = "from accel.backends.cuda_on_cpu.build.building import build\n" + textwrap.dedent(program)
    return subprocess.Popen([sys.executable, "-c", text], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


PLACES = {
    "the main thread": CALL,
    "a thread that is waited for": f"""
        import threading
        thread = threading.Thread(target=lambda: {CALL})
        thread.start()
        thread.join()
    """,
    "a thread that the exit waits for": f"""
        import signal, threading
        threading.Thread(target=lambda: {CALL}).start()
        signal.pause()
    """,
    "a thread that is not waited for": f"""
        import signal, threading
        threading.Thread(target=lambda: {CALL}, daemon=True).start()
        signal.pause()
    """,
}


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("place", PLACES)
def test_an_interrupt_ends_all_that_a_compiler_started(endless, place, times):
    process = process_with(PLACES[place])
    child = started(process, endless)
    for _ in range(times):
        process.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in process.communicate(timeout=60)[1]
    assert ended(child)


@pytest.mark.slow
def test_the_end_of_the_process_ends_the_compiler_of_a_daemon_thread(endless):
    process = process_with(f"""
        import pathlib, threading, time
        threading.Thread(target=lambda: {CALL}, daemon=True).start()
        while not pathlib.Path({str(endless)!r}).exists():
            time.sleep(0.01)
    """)
    child = started(process, endless)
    assert process.communicate(timeout=60) == ("", "")
    assert ended(child)


@pytest.mark.slow
def test_the_child_of_a_fork_leaves_the_compiler_of_its_parent_alone(endless):
    process = process_with(f"""
        import os, pathlib, threading, time
        threading.Thread(target=lambda: {CALL}, daemon=True).start()
        while not pathlib.Path({str(endless)!r}).exists():
            time.sleep(0.01)
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            os.kill(int(pathlib.Path({str(endless)!r}).read_text()), 0)
    """)
    child = started(process, endless)
    assert process.communicate(timeout=60) == ("", "")
    assert ended(child)


def test_a_compilation_has_a_limit_of_time(endless):
    began = time.monotonic()
    with (
        accel.using(compile_limit=1),
        pytest.raises(KernelCompileTimeoutError, match=r"1 seconds.*accel\.configure\(compile_limit=2\)") as caught,
    ):
        build(" ", warp=32, checked=False, kernels=())
    assert isinstance(caught.value, TimeoutError)
    assert isinstance(caught.value, KernelLaunchError)
    assert time.monotonic() - began >= 1
    assert ended(int(endless.read_text()))


@pytest.mark.slow
def test_a_program_has_a_limit_of_time(endless, tmp_path):
    source = tmp_path / "slow.cu"
    source.write_text("int main() { return 0; }\n")
    with accel.using(compile_limit=1), pytest.raises(KernelCompileTimeoutError):
        build_program([source], warp=32, checked=False)
    assert ended(int(endless.read_text()))


BOMB = "\n".join(
    [
        "#define A0 y[0] += 1;",
        *[f"#define A{i} {f'A{i - 1} ' * 10}" for i in range(1, 8)],
        'extern "C" __global__ void k(float* y) {\n A7\n}',
    ]
)
TEMPLATES = """
template <int A, int B> struct F { static const int value = F<A - 1, B>::value + F<A - 1, B ^ 1 << A>::value; };
template <int B> struct F<0, B> { static const int value = B; };
extern "C" __global__ void k(int* y) { *y = F<25, 0>::value; }
"""


@pytest.mark.slow
@pytest.mark.parametrize("source", [BOMB, TEMPLATES, '#include "pipe"\n'], ids=["macros", "templates", "pipe"])
def test_sources_that_do_not_end_are_ended(tmp_path, source):
    os.mkfifo(tmp_path / "pipe")
    with accel.using(compile_limit=1), pytest.raises(KernelCompileTimeoutError):
        build(source, options=("-I", str(tmp_path)), warp=32, checked=False, kernels=())


def test_an_endless_file_ends_at_the_limit_of_memory(tmp_path, monkeypatch):
    (tmp_path / "unit.cpp").write_text('#include "/dev/zero"\n')
    monkeypatch.setattr(compiler_process, "_memory", lambda: 256 << 20)
    with pytest.raises(KernelLaunchError, match="no memory, of which it gets 256 MiB at most"):
        run([*find_compiler().command, "-c", str(tmp_path / "unit.cpp")], tmp_path)


def test_a_compiler_that_is_not_there_is_an_error_of_the_launch(tmp_path):
    with pytest.raises(KernelLaunchError, match="nowhere/g"):
        run(["/nowhere/g++", "--version"], tmp_path)
