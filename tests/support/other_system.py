"""A program that pretends to run on Windows or macOS, and uses what works there.

It is no proof that `accel` runs there. It shows that `accel` does not need what is taken away here.
"""

import _thread
import builtins
import concurrent.futures
import ctypes
import ctypes.util
import gc
import io
import logging
import multiprocessing
import os
import platform
import random
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import warnings
from importlib import import_module
from pathlib import Path

import ml_dtypes
import numpy as np

# Modules that look at the system when they are imported see the real one.
BEFORE = (concurrent.futures, subprocess, logging, multiprocessing, random, ml_dtypes)
NOT_ON_WINDOWS = {
    *("fork", "forkpty", "register_at_fork", "killpg", "getpgid", "setsid", "wait", "waitid", "pidfd_open", "WNOHANG"),
    *("sched_getaffinity", "sched_yield", "sysconf", "sysconf_names", "uname", "statvfs", "memfd_create", "mkfifo"),
    *("pread", "preadv", "pwrite", "pwritev", "readv", "writev", "chown", "O_CLOEXEC", "O_NONBLOCK", "O_PATH"),
    *("getuid", "geteuid", "getgid", "getegid", "setuid", "setgid", "setgroups"),
}
NOT_ON_MACOS = {"sched_getaffinity", "pidfd_open", "memfd_create", "eventfd", "O_PATH"}
OF_THE_LIBRARY = {"statvfs", "uname"}  # functions of Python's own library call them here
MODULES = {"win32": ("fcntl", "grp", "pty", "pwd", "resource", "termios"), "darwin": ()}
SIGNALS = {"SIGABRT", "SIGFPE", "SIGILL", "SIGINT", "SIGSEGV", "SIGTERM", "SIG_DFL", "SIG_IGN"}
CONFIGURATION = {"SC_PAGE_SIZE", "SC_PAGESIZE", "SC_PHYS_PAGES", "SC_NPROCESSORS_ONLN"}


def pretend(system: str, processor: str) -> None:
    """Take away what a system lacks."""
    sys.platform = system
    platform.machine = lambda: processor
    names = NOT_ON_WINDOWS - OF_THE_LIBRARY | {name for name in dir(os) if name.startswith("RTLD_")}
    for name in names if system == "win32" else NOT_ON_MACOS:
        if hasattr(os, name):
            delattr(os, name)
    for name in MODULES[system]:
        sys.modules[name] = None
    for each in (builtins, io):
        each.open = without_folders_of_linux(each.open)
    take_from_libraries(system)
    if system == "win32":
        for name in [name for name in dir(signal) if name.startswith(("SIG", "pthread")) and name not in SIGNALS]:
            delattr(signal, name)
        for kind in (type(_thread.allocate_lock()), type(threading.RLock())):
            (methods,) = [each for each in gc.get_referents(kind.__dict__) if "acquire" in each]
            del methods["_at_fork_reinit"]
            ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))
    else:
        for name in set(os.sysconf_names) - CONFIGURATION:
            del os.sysconf_names[name]


def without_folders_of_linux(real):
    def opened(file, *arguments, **keywords):
        if str(file).startswith(("/proc", "/sys")):
            raise FileNotFoundError(file)
        return real(file, *arguments, **keywords)

    return opened


def take_from_libraries(system: str) -> None:
    real = ctypes.CDLL

    class Library(real):
        def __init__(self, name, *arguments, **keywords):
            if system == "win32" and name is None:
                raise TypeError("bad argument type for built-in operation")
            if name is not None and "libmvec" in name:
                raise OSError(name)
            super().__init__(name, *arguments, **keywords)

        def __getattr__(self, name):
            if name == "renameat2":
                raise AttributeError(name)
            return super().__getattr__(name)

    ctypes.CDLL = Library


def refused(function, *words: str) -> None:
    """Call a function, whose error names what is missing and what to do."""
    import accel

    message = ""
    try:
        function()
    except accel.errors.CapabilityError as error:
        message = str(error)
    assert all(word in message for word in (*words, sys.platform, "in WSL")), message


def use_memory() -> None:
    import accel

    for device in ("cpu", "sim"):
        c = accel.container(range(64), "float32", device=device)
        c[8:16].copy_from(c[16:24])
        assert c.to_numpy()[8:16].tolist() == list(range(16, 24))
        wide = accel.empty(64, "float32", device=device).view(accel.Layout.row_major(8, 8))
        wide.copy_from(c.view(accel.Layout.col_major(8, 8)))
        assert np.array_equal(wide.to_numpy(), c.to_numpy().reshape(8, 8).T)
    stream, c = accel.new_stream("sim"), accel.zeros(16, "float64", device="sim")
    c.copy_from_async(accel.container(range(16), "float64", device="sim"), stream=stream).wait()
    assert c.to_numpy().tolist() == list(range(16))


def use_large_copies() -> None:
    import accel

    large = accel.from_numpy(np.arange(1 << 20, dtype=np.uint8))
    turned = accel.empty(1 << 20, "uint8").view(accel.Layout.row_major(1024, 1024))
    for _ in range(20):  # so many that a kernel would be compiled for them
        turned.copy_from(large.view(accel.Layout.col_major(1024, 1024)))
    assert np.array_equal(turned.to_numpy(), large.to_numpy().reshape(1024, 1024).T)


def use_arrays() -> None:
    from accel import xp

    for device in ("cpu", "sim"):
        x = xp.reshape(xp.arange(1024, dtype=xp.float64, device=device), (32, 32))
        assert float(xp.sum(x @ xp.eye(32, device=device) + xp.sin(x) * 0)) == 1023 * 512
        assert xp.sort(x[::-1, 0])[3] == 96
    for _ in range(20):
        large = xp.ones(200_000) * 2 + 1
    assert float(xp.sum(large)) == 600_000


def use_kernels(is_compiled: bool) -> None:
    import accel
    from accel.kernels import f32, kernel

    @kernel
    def scale(v: accel.BufferView[f32], factor: f32):
        for i in range(v.size):
            v[i] *= factor

    @accel.fuse
    def doubled(x):
        return (x + 1) * 2

    c = accel.container(range(64), "float32", device="sim")
    scale(c[:], 2.0)
    assert c.to_numpy().tolist() == list(range(0, 128, 2))
    on_host = accel.container(range(64), "float32")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert float(accel.xp.sum(doubled(accel.xp.ones(8)))) == 32
    if is_compiled:
        scale(on_host[:], 2.0)
        assert on_host.to_numpy().tolist() == c.to_numpy().tolist()
        assert not caught
    elif sys.platform == "win32":
        refused(lambda: scale(on_host[:], 2.0), "llvmlite", "POSIX")
        assert "runs unfused; run Python in a container" in str(caught[0].message)
    text = 'extern "C" __global__ void ones(float* x) { x[threadIdx.x] = 1; }'
    ones = accel.RawKernel.from_source(text, "ones")
    refused(lambda: ones(c, grid=1, block=64), "need Linux")


def use_stores(folder: Path) -> None:
    from accel.engines import InOut, engine, task
    from accel.engines.memory_budget.spill_file import SpillFile
    from accel.store import from_array
    from accel.store.folder_replacement import put_in_place

    @task
    def double(x: InOut):
        x.span_read_write_accessor()[...] *= 2

    values = from_array(np.arange(64.0).reshape(8, 8), read_only=False)
    with engine("threads").using():
        double(values.transpose((1, 0)))
        double(values[2:4])
    assert np.asarray(values.get_physical_store())[1:3, 0].tolist() == [16, 64]

    file = SpillFile(str(folder))
    arrays = [np.full(10_000, number) for number in range(8)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for extent, array in zip(list(pool.map(file.write, arrays)), arrays, strict=True):
            again = np.empty_like(array)
            file.read(extent, again)
            assert np.array_equal(again, array)
            assert np.array_equal(file.mapped(extent).view(array.dtype), array)
    file.close()

    for name in ("old", "new"):
        (folder / name).mkdir()
        (folder / name / "content").write_text(name)
    put_in_place(folder / "new", folder / "old")
    assert [each.name for each in folder.iterdir()] == ["old"]
    assert (folder / "old" / "content").read_text() == "new"


def use_commands() -> None:
    from accel.commands.cli import main

    assert main(["info"]) == 0
    assert main(["doctor"]) == 0
    Path("tests.py").write_text("")
    Path("submissions").mkdir()
    assert main(["grade", "submissions", "--tests", "tests.py"]) == 2


def main(system: str, processor: str, compiler: str, extent: str) -> None:
    """Use what works on a system: with ``llvmlite``, or with ``none``; the ``core``, or ``all``."""
    if compiler == "none":
        sys.modules["llvmlite"] = sys.modules["numba"] = None
    elif system != "win32":
        import_module("llvmlite.binding")  # its file has another name there
    sysconfig.get_config_vars()  # they are in a file with the name of the system
    pretend(system, processor)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        use_memory()
        use_arrays()
        if extent == "all":
            use_large_copies()
            use_kernels(compiler == "llvmlite" and system != "win32")
            use_stores(Path(tempfile.mkdtemp(dir=folder)))
            use_commands()
        os.chdir("/")


if __name__ == "__main__":
    main(*sys.argv[1:])
