"""`Module`: a compiled source in the memory of this process, with variables of its own for each device."""

import ctypes
import shutil
import threading
from collections.abc import Hashable
from functools import cached_property
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from accel.errors import KernelLaunchError
from accel.support.locks import open_after_fork

from ..build import disk_cache
from ..build.building import Built
from ..debug_info.demangling import last_name
from ..debug_info.symbols import Elf, Symbol

if TYPE_CHECKING:
    from accel.support.kernel_reports import Frame

    from ..debug_info.frames import Frames

__all__ = ["Entry", "Module", "Variable"]


class Entry(NamedTuple):
    """A kernel.

    Attributes
    ----------
    address : int
        Of the function that takes an array of the addresses of the arguments.
    sizes, alignments : tuple of int
        Bytes of each argument, and what their addresses must be multiples of.
    """

    address: int
    sizes: tuple[int, ...]
    alignments: tuple[int, ...]


class Variable(NamedTuple):
    """A variable of the module.

    Attributes
    ----------
    name : str
        Without namespaces and the function that it is in.
    offset : int
        In the thread-local segment; for a global variable, its address.
    size : int
        In bytes.
    readonly : bool
        Kernels must not write to it.
    """

    name: str
    offset: int
    size: int
    readonly: bool


class Module:
    """Kernels of a compiled source on one device, loaded by `load`; they stay in memory to the end of the process.

    Attributes
    ----------
    shared : tuple of Variable
        Its ``__shared__`` variables, in the order of their offsets.
    guards : tuple of Variable
        What the compiler keeps beside those of classes, to construct them once. No source names them.
    globals : tuple of Variable
        Its ``__device__`` and ``__constant__`` variables, in the order of their addresses.
    code : tuple of two ints
        Begin and end of its instructions and constants.
    shared_size : int
        Bytes of the thread-local segment that they are in.
    shared_begin : int
        Address of a function that returns where that begins for the calling thread; 0 if there is none.
    """

    _loaded: ClassVar[dict[tuple[Built, Hashable], "Module"]] = {}
    _lock: ClassVar = open_after_fork(threading.Lock())

    def __init__(self, built: Built, library: ctypes.CDLL, elf: Elf) -> None:
        self.built = built
        self._library, self._elf = library, elf
        symbols = {symbol.name: symbol for symbol in elf.symbols}
        begin = symbols["accel_sim_shared_begin"]
        self._base = self._address(begin.name) - begin.value
        self._kernels = elf.strings(symbols["accel_sim_kernels"])
        constants = {*elf.strings(symbols["accel_sim_constants"])}
        self.shared = tuple(_variables(elf.symbols, "tls", 0, set()))
        self.guards = tuple(_guards(elf.symbols))
        self.globals = tuple(_variables(elf.symbols, "object", self._base, constants))
        self.code = (self._base + elf.code[0], self._base + elf.code[1])
        self.shared_size = max(
            [variable.offset + variable.size for variable in (*self.shared, *self.guards)], default=0
        )
        self.shared_begin = self._address(begin.name) if self.shared else 0
        ctypes.c_ulong.in_dll(library, "accel_sim_mark_offset").value = symbols[_MARK].value

    @classmethod
    def load(cls, built: Built, device: Hashable) -> "Module":
        """Return the module of a device, loading it the first time."""
        with cls._lock:
            module = cls._loaded.get((built, device))
            if module is None:
                first = all(other != built for other, _ in cls._loaded)
                module = cls(built, _opened(built, first=first), Elf(built.path))
                cls._loaded[built, device] = module
            return module

    def _address(self, name: str) -> int:
        return ctypes.cast(self._library[name], ctypes.c_void_p).value or 0

    def entry(self, kernel: str) -> Entry:
        """Return a kernel by the expression it was built with.

        Raises
        ------
        KernelLaunchError
            If it was not built.
        """
        if kernel not in self._kernels:
            raise KernelLaunchError(f"there is no kernel {kernel}; write one of {', '.join(self._kernels)}")
        number = self._kernels.index(kernel)
        layout = self._library[f"accel_sim_sizes_{number}"]
        layout.restype = ctypes.POINTER(ctypes.c_uint64)
        pairs = layout()
        sizes: list[int] = []
        alignments: list[int] = []
        while pairs[2 * len(sizes)]:
            alignments.append(pairs[2 * len(sizes) + 1])
            sizes.append(pairs[2 * len(sizes)])
        return Entry(self._address(f"accel_sim_entry_{number}"), tuple(sizes), tuple(alignments))

    def symbol(self, name: str) -> Variable | None:
        """Return a variable by its name in the shared object; None if there is none."""
        symbol = next((each for each in self._elf.symbols if each.name == name and each.kind == "object"), None)
        return None if symbol is None else Variable(name, symbol.value + self._base, symbol.size, readonly=False)

    @property
    def counted(self) -> list[int]:
        """The numbers of the counters that there is code of; each may be there more than once."""
        begin, end = (self._library[f"accel_sim_counted_{side}"] for side in ("begin", "end"))
        begin.restype = end.restype = ctypes.c_void_p
        first, last = int(begin()), int(end())
        return [*(ctypes.c_uint32 * ((last - first) // 4)).from_address(first)]

    def counters(self, count: int) -> ctypes.Array[ctypes.c_uint64]:
        """Return the counters, in the memory that the code counts in."""
        return (ctypes.c_uint64 * count).in_dll(self._library, "accel_sim_counters")

    def frames(self, pc: int) -> "tuple[Frame, ...]":
        """Return the calls at a return address, innermost first, also those that are inlined.

        Functions of the headers here are left out, as they are what the language has built in.
        """
        return self._frames.at(pc - 1 - self._base) if self.code[0] < pc <= self.code[1] else ()

    def columns(self, pc: int) -> tuple[object, ...]:
        """Return where the calls at a return address are written, to the column: the same for copies of a call."""
        return self._frames.columns(pc - 1 - self._base) if self.code[0] < pc <= self.code[1] else ()

    @cached_property
    def _frames(self) -> "Frames":
        from ..debug_info.frames import Frames  # only reports need it

        return Frames(self._elf.content, self.built.path.with_suffix(".cu"))

    @cached_property
    def runtime(self) -> ctypes.CDLL:
        """The runtime that the kernels call."""
        return ctypes.CDLL(str(self.built.runtime))


_MARK = "_ZL14accel_sim_mark"
_OURS = ("accel_sim_", _MARK, "_ZN9accel_sim", "_ZNK9accel_sim", "_ZZN9accel_sim", "_ZGV", "_ZT", "__")


def _guards(symbols: list[Symbol]) -> list[Variable]:
    return [
        Variable(symbol.name, symbol.value, symbol.size, readonly=False)
        for symbol in symbols
        if symbol.kind == "tls" and symbol.name.startswith(("_ZGV", "__tls_guard"))
    ]


def _variables(symbols: list[Symbol], kind: str, base: int, constants: set[str]) -> list[Variable]:
    variables = [
        Variable(name, symbol.value + base, symbol.size, name in constants)
        for symbol in symbols
        if symbol.kind == kind and symbol.size and "." not in symbol.name and not symbol.name.startswith(_OURS)
        for name in [last_name(symbol.name)]
    ]
    return sorted(variables, key=lambda variable: variable.offset)


def _opened(built: Built, *, first: bool) -> ctypes.CDLL:
    """Load what the kernels need, and them with variables of their own: the system loads a file only once."""
    for library in (built.runtime, *built.further):
        ctypes.CDLL(str(library))
    if first:
        return ctypes.CDLL(str(built.path))
    with TemporaryDirectory(dir=disk_cache.folder()) as copies:
        return ctypes.CDLL(shutil.copy(built.path, copies))
