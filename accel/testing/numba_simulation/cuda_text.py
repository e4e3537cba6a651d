"""CUDA text that programs compile and load by cuda.core or numba-cuda's linker: `Program`, `Linker`, kernels."""

import ctypes
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from accel.abc import Stream
from accel.device import Device
from accel.errors import KernelLaunchError
from accel.memory import heap_of
from accel.testing.numba_simulation.core import Attributes, LoadedKernel, ObjectCode
from accel.testing.numba_simulation.failures import refuse

__all__ = ["Linker", "Program", "TextCode"]

_INCLUDED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


def _backend(device: Device) -> Any:
    return heap_of(device).backend


def _expanded(text: str, folders: Sequence[str]) -> str:
    """Return a text with the files that it includes, of those in some folders: each once."""
    seen: set[str] = set()

    def content(found: "re.Match[str]") -> str:
        file = next((path for folder in folders if (path := Path(folder, found[1])).is_file()), None)
        if file is None or found[1] in seen:
            return found[0] if file is None else ""
        seen.add(found[1])
        return _INCLUDED.sub(content, file.read_text(encoding="utf-8"))

    return _INCLUDED.sub(content, text)


def _is_of_cuda(folder: str) -> bool:
    """Return whether a folder has headers of CUDA or of CCCL; the simulated device has its own."""
    return any(Path(folder, name).exists() for name in ("cuda_fp16.h", "cuda_runtime.h", "cuda/std"))


class TextCode(ObjectCode):
    """Texts in CUDA as one module; stands for `cuda.core.ObjectCode`.

    Parameters
    ----------
    text : str
        The text, with all that it includes of the program's own files.
    folders : sequence of str
        Where other headers are.
    """

    def __init__(self, text: str, folders: Sequence[str]) -> None:
        super().__init__()
        self.text: str = text
        self.folders: tuple[str, ...] = tuple(folders)

    @property
    def options(self) -> tuple[str, ...]:
        """The options of the compiler."""
        return tuple(word for folder in self.folders for word in ("-I", folder))

    def get_kernel(self, name: str) -> LoadedKernel:
        """Return a kernel by its name."""
        return LoadedKernel(_TextKernel(self, name), Attributes(0, 0, 0, 0))

    def variable(self, name: str, device: Device) -> Any:
        """Return the memory of a variable; None if there is none."""
        try:
            return _backend(device).raw_variable(device, self.text, name, self.options).memory
        except KernelLaunchError:
            return None


class _TextKernel:
    def __init__(self, code: TextCode, name: str) -> None:
        self._code, self._name = code, name

    def launch(
        self,
        arguments: Sequence[Any],
        grid: Sequence[int],
        block: Sequence[int],
        stream: Stream,
        shared: int = 0,
        cooperative: bool = False,
    ) -> None:
        """Launch the kernel, as `Kernel.launch` does."""
        executable = _backend(stream.device).compile_raw(stream.device, self._code.text, self._name, self._code.options)
        further = {"cooperative": True} if cooperative else {}
        executable.launch(
            tuple(grid), tuple(block), tuple(map(_number, arguments)), shared=shared, stream=stream, **further
        )


def _number(value: Any) -> Any:
    """Return an argument as a number with its bytes; addresses are unsigned."""
    if isinstance(value, ctypes._SimpleCData):
        kind = "f" if isinstance(value, ctypes.c_float | ctypes.c_double) else "u"
        return np.frombuffer(bytes(value), f"{kind}{ctypes.sizeof(value)}")[0]
    return {bool: np.bool_, int: np.int64, float: np.float64}.get(type(value), lambda other: other)(value)


class Program:
    """Stands for `cuda.core.Program`: CUDA text that is compiled when one of its kernels is launched."""

    def __init__(self, code: Any, code_type: str, options: Any = None) -> None:
        if code_type != "c++":
            raise refuse(f"a program in {code_type}", "write it in CUDA")
        given = getattr(options, "include_path", None) or ()
        folders = [given] if isinstance(given, str) else map(str, given)
        self._folders = [folder for folder in folders if folder and Path(folder).is_dir() and not _is_of_cuda(folder)]
        self._text = _expanded(code.decode() if isinstance(code, bytes) else code, self._folders)

    def compile(self, target_type: str, name_expressions: Iterable[str] = (), logs: Any = None) -> TextCode:
        """Return the text as code."""
        return TextCode(self._text, self._folders)

    def close(self) -> None:
        """Do nothing."""


class Linker:
    """Stands for `cuda.core.Linker`: it joins texts in CUDA."""

    def __init__(self, *codes: ObjectCode, options: Any = None) -> None:
        texts = [code for code in codes if isinstance(code, TextCode)]
        if not texts or len(texts) < len(codes):
            raise refuse("linking without CUDA text", "link CUDA sources (.cu, cuda.CUSource)")
        self._texts = texts

    def link(self, target_type: str) -> TextCode:
        """Return the texts as one.

        Raises
        ------
        CapabilityError
            If PTX is asked for.
        """
        if target_type == "ptx":
            raise refuse("PTX", "launch the kernel")
        folders = dict.fromkeys(folder for code in self._texts for folder in code.folders)
        return TextCode("\n".join(code.text for code in self._texts), [*folders])

    def get_info_log(self) -> str:
        """Return nothing."""
        return ""

    def get_error_log(self) -> str:
        """Return nothing."""
        return ""

    def close(self) -> None:
        """Do nothing."""
