"""NVRTC, NVIDIA's device compiler, through ctypes; it needs neither a driver nor a GPU."""

import ctypes
import functools
import importlib.util
import re
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

__all__ = ["Compiled", "Resources", "compile", "disassembler", "instructions", "library", "version"]

USED = re.compile(
    r"Compiling entry function '(\w+)' for "
    r".*?(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads"
    r".*?Used (\d+) registers(?:[^\n]*?(\d+) bytes smem)?",
    re.DOTALL,
)

INSTRUCTION = re.compile(r"(?m)^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([^;]+?)\s*;")


class Resources(NamedTuple):
    """Resources of a kernel: registers and bytes of local memory of a thread, bytes of shared memory of a block."""

    registers: int
    stack: int
    spilled: int
    shared: int


class Compiled(NamedTuple):
    """A compiled module: its PTX text, the resources of its kernels, and its machine code."""

    ptx: str
    kernels: dict[str, Resources]
    code: bytes


@functools.cache
def library():
    """Return the library, or None if it is not installed (`pip install nvidia-cuda-nvrtc`)."""
    spec = importlib.util.find_spec("nvidia")
    folders = [Path(folder) for folder in spec.submodule_search_locations] if spec else []
    files = sorted([path for folder in folders for path in folder.glob("*/lib/libnvrtc.so.*")])
    return ctypes.CDLL(str(files[-1])) if files else None


def version():
    """Return the version as text."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    library().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return f"{major.value}.{minor.value}"


@functools.cache
def compile(source, options, architecture):
    """Compile a source text for an architecture, such as "sm_90"; an AssertionError has the compiler's message."""
    program = ctypes.c_void_p()
    _check(library().nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernels.cu", 0, None, None), program)
    options = (*options, "-std=c++17", f"-arch={architecture}", "--ptxas-options=-v")
    _check(
        library().nvrtcCompileProgram(
            program, len(options), (ctypes.c_char_p * len(options))(*map(str.encode, options))
        ),
        program,
    )
    result = Compiled(_text(program, "PTX"), _resources(_text(program, "ProgramLog")), _bytes(program, "CUBIN"))
    library().nvrtcDestroyProgram(ctypes.byref(program))
    return result


def _resources(log):
    return {
        name: Resources(int(registers), int(stack), int(stored) + int(loaded), int(shared or 0))
        for name, stack, stored, loaded, registers, shared in USED.findall(log)
    }


@functools.cache
def disassembler():
    """Return the path of nvdisasm, or None if it is not installed (`pip install nvidia-cuda-nvdisasm`)."""
    spec = importlib.util.find_spec("nvidia")
    folders = [Path(folder) for folder in spec.submodule_search_locations] if spec else []
    return next((path for folder in folders for path in folder.glob("*/bin/nvdisasm")), None)


@functools.cache
def instructions(code):
    """Return the machine instructions of each kernel in the order of their addresses, without what fills the end."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(code)
        file.flush()
        command = [disassembler(), "--print-code", file.name]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    by_kernel = {}
    for section in re.split(r"(?m)^\s*\.section\s+", text)[1:]:
        if name := re.match(r"\.text\.(\w+)", section):
            by_kernel[name[1]] = [line for line in INSTRUCTION.findall(section) if not line.startswith("NOP")]
    return by_kernel


def _text(program, what):
    return _bytes(program, what).rstrip(b"\0").decode()


def _bytes(program, what):
    size = ctypes.c_size_t()
    getattr(library(), f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(library(), f"nvrtcGet{what}")(program, text)
    return text.raw


def _check(status, program):
    assert status == 0, _text(program, "ProgramLog")
