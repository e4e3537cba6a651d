"""Compiles text in LLVM's language to machine code, and keeps it on disk, up to a limit.

LLVM comes with llvmlite. A file in the cache is named after all that its content depends on, and
ends with a checksum: what is damaged is compiled again. Code stays in memory until the process is gone, as a thread may
still run it then.
"""

import hashlib
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from accel import config
from accel.errors import CapabilityError, OutOfMemoryError
from accel.support.host_compiler import explained, missing
from accel.support.locks import in_child

from .. import bounded_folders, thresholds
from ..cache_files import content_of, store
from .immortal import immortal

__all__ = ["SIMPLE", "features", "function_of", "identity", "is_free", "require_compiler", "seconds_of"]

_lock: Any = threading.RLock()
_loaded: dict[bytes, int] = {}
seconds_of: dict[int, float] = {}
"""How long LLVM compiled functions that were not on disk, by their addresses."""

_numbers = count()
_frozen = False
"""Whether LLVM may not be called any more, as another thread was within it when this process was forked."""

level = 3
"""How much LLVM optimises, from 0 on. Programs that are run once are tested ten times as fast with 0."""

processor = ""
"""LLVM's name of the processor for which is compiled, such as "x86-64-v3"; by default that of this machine.

Tests run what is compiled for older ones.
"""

LIMIT = 64 << 20
"""Bytes of the machine code on disk, of which a kernel has about 10,000."""

LARGE = 1 << 19
"""Characters of a text that is compiled with few optimisations, since all take time that grows with its square.

Independent loops have few branches, and take time that grows with their length: their texts may be eight times as long.
"""

SIMPLE = "; simple\n"
"""Begins a text that computes nothing twice, so that few passes suffice. They take a third of the time."""


def is_free(seconds: float) -> bool:
    """Return whether this thread may compile now, or once another thread has ended to within some seconds.

    It may not in a process that was forked while another thread compiled; nor does a finaliser within a compilation.
    """
    if _frozen or _lock._is_owned() or not _lock.acquire(timeout=seconds):
        return False
    _lock.release()
    return True


def function_of(text: str | Callable[[], str], name: str, symbols: Mapping[str, int], key: str = "") -> int:
    """Return the address of a function of a module.

    Parameters
    ----------
    text : str or callable
        The module, or what prints it. Equal modules are compiled once.
    name : str
        The function.
    symbols : mapping of str to int
        The addresses of what the module declares, besides the functions of the C library.
    key : str
        What stands for the module, so that it is not printed if it was compiled before; by default its text.

    Raises
    ------
    CapabilityError
        If llvmlite is missing or broken, or must not be used in this process.
    OutOfMemoryError
        If there is too little memory for the compiler.
    """
    if callable(text) and not key:
        text = text()
    known = f"{_version()} {key}" if callable(text) else text
    digest = hashlib.sha256(f"{processor} {known}".encode()).digest()
    if digest not in _loaded:
        with _lock:
            if digest not in _loaded:
                _loaded[digest] = _load(digest, text, name, symbols)
    return _loaded[digest]


@cache
def _version() -> str:
    """Return a checksum of the files that say which text a program has."""
    folders = Path(__file__).parent, Path(config.__file__).parent / "ir"  # copies do without its import
    files = [file for folder in folders for file in sorted(folder.glob("*.py"))]
    return hashlib.sha256(b"".join([file.read_bytes() for file in files])).hexdigest()


def _load(key: bytes, text: str | Callable[[], str], name: str, symbols: Mapping[str, int]) -> int:
    if _frozen:
        raise CapabilityError(
            "this process was forked while another thread compiled, so it can compile no kernel; "
            "launch the kernel once before the fork, or start processes by 'spawn'"
        )
    try:
        np.empty(thresholds.ROOM, np.uint8)  # LLVM ends the process where it finds too little memory
        llvm, machine = _llvm()
        file = _file(hashlib.sha256(key + machine.identity).hexdigest())
        code = _read(file)
        if code is not None:
            return _linked(llvm, code, name, symbols)
        began = perf_counter()
        code = machine.compiled(text() if callable(text) else text)
        address = _linked(llvm, code, name, symbols)
        seconds_of[address] = perf_counter() - began
    except CapabilityError:
        raise
    except MemoryError:
        raise OutOfMemoryError(
            f"the compiler needs {thresholds.ROOM >> 20} MiB of address space, which is not free; release memory"
        ) from None
    except Exception as error:  # a broken llvmlite fails in any way
        raise _no_compiler(error) from error
    _write(file, code)
    return address


def require_compiler() -> None:
    """Raise `CapabilityError` if the compiler is missing, or would end the process."""
    if missing():
        raise _no_compiler(ImportError("llvmlite"))


def _no_compiler(error: Exception) -> CapabilityError:
    return CapabilityError(
        f"kernels on the host are compiled by llvmlite, {explained(error)}, "
        f"or launch them on device='sim', which interprets them"
    )


def features() -> Mapping[str, bool]:
    """Return which features the processor has, by LLVM's names; none if LLVM fails, as `function_of` reports."""
    with suppress(Exception):
        return _of("")[1].features
    return {}


def identity() -> bytes:
    """Return what tells processors apart for which is compiled."""
    return _llvm()[1].identity


class _Machine:
    """A processor: by default that of this machine.

    Parameters
    ----------
    llvm : module
        LLVM.
    name : str
        LLVM's name of the processor; by default this one.
    triple : str
        LLVM's name of the system; by default this one. Of others there is only text for their assemblers.
    """

    def __init__(self, llvm: Any, name: str = "", triple: str = "") -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self._llvm = llvm
        self.features: Mapping[str, bool] = llvm.get_host_cpu_features()
        features = "" if name else self.features.flatten()
        name = name or llvm.get_host_cpu_name()
        target = llvm.Target.from_triple(triple) if triple else llvm.Target.from_default_triple()
        self.target = target.create_target_machine(
            cpu=name, features=features, opt=level, reloc="pic", codemodel="default"
        )
        self.identity: bytes = repr((llvm.llvm_version_info, self.target.triple, name, features, level)).encode()

    def compiled(self, text: str) -> bytes:
        """Return the machine code of a module."""
        code: bytes = self.target.emit_object(self.optimised(text))
        return code

    def optimised(self, text: str) -> Any:
        """Return a module after LLVM's passes."""
        llvm, target = self._llvm, self.target
        context = llvm.create_context()
        module = llvm.parse_assembly(text, context)
        module.triple = target.triple
        module.data_layout = str(target.target_data)
        for function in module.functions:
            if not function.is_declaration:
                # Or LLVM registers tables for exceptions, which no kernel has, with the unwinder of the process.
                function.add_function_attribute("nounwind")
        if text.startswith(SIMPLE):
            self._passes().run(module, llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options()))
            return module
        independent = "llvm.loop.parallel_accesses" in text
        large = len(text) > (8 * LARGE if independent else LARGE)
        options = llvm.create_pipeline_tuning_options(speed_level=min(level, 1 if large else 3))
        options.loop_vectorization = not large
        options.slp_vectorization = not large and not independent  # these loops are vectors already
        builder = llvm.create_pass_builder(target, options)
        builder.getModulePassManager().run(module, builder)
        return module

    def _passes(self) -> Any:
        """Return the passes of a simple text."""
        passes = self._llvm.create_new_module_pass_manager()
        passes.add_sroa_pass()
        passes.add_simplify_cfg_pass()
        passes.add_loop_rotate_pass()
        passes.add_instruction_combine_pass()
        passes.add_simplify_cfg_pass()
        return passes


def _llvm() -> tuple[Any, _Machine]:
    return _of(processor)


@cache
def _of(name: str) -> tuple[Any, _Machine]:
    require_compiler()
    import llvmlite.binding as llvm  # type: ignore[import-untyped]

    return llvm, _Machine(llvm, name)


@cache
def _linker() -> Any:
    llvm, machine = _of("")
    # The older linker ends the process where the sections of a kernel get memory that is 2 GiB apart, or more.
    return immortal(llvm.create_lljit_compiler(machine.target, use_jit_link=True))


def _linked(llvm: Any, code: bytes, name: str, symbols: Mapping[str, int]) -> int:
    """Put machine code into memory; return the address of a function."""
    library = llvm.JITLibraryBuilder().add_object_img(code).add_current_process().export_symbol(name)
    for symbol, address in symbols.items():
        if symbol.encode() in code:
            library.import_symbol(symbol, address)
    tracker = immortal(library.link(_linker(), f"kernel{next(_numbers)}"))  # LLVM would unload the code of a dead one
    entry: int = tracker[name]
    return entry


def _file(name: str) -> Path | None:
    """Return the file of a kernel in the cache; None if there can be none."""
    try:
        return Path(config.current().cache_dir).expanduser() / "kernels" / f"{name}.o"
    except RuntimeError:  # the user has no home directory
        return None


def _read(file: Path | None) -> bytes | None:
    """Return the machine code in a file; None if there is none, or if it is damaged."""
    code = None if file is None else content_of(file)
    if file is not None and code is not None:
        bounded_folders.used(file)
    return code


def _write(file: Path | None, code: bytes) -> None:
    """Write a file, and let what was used least recently make room for it."""
    if file is None:
        return
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        store(code, file)
        if bounded_folders.is_time_to_look(file.parent):
            bounded_folders.drop_oldest(file.parent.glob("*.o"), LIMIT)


def _start_child() -> None:
    """Free the locks that other threads held, which are not in this process; LLVM's data may be half changed then."""
    global _frozen
    if not _lock._is_owned():
        _lock._at_fork_reinit()
    ffi: Any = sys.modules.get("llvmlite.binding.ffi")
    if ffi is None:
        return
    within = ffi.lib._lock._lock
    if within.acquire(blocking=False):
        within.release()
    else:
        _frozen = True


in_child(_start_child)
