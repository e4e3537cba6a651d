"""What all kernels of a process share: its threads, how signals stop a launch, and how they end with the process."""

import atexit
import ctypes
import threading
import time
from functools import cache

from accel.support.locks import in_child, open_after_fork
from accel.support.system import c_library, signal_number

from .fault_reports import fault_reports, install, previous
from .immortal import immortal
from .interruption import API, interruption
from .machine_code import function_of, require_compiler
from .parallel_work import sharing
from .process_words import Word, words
from .thread_pool import MOST, PLACE, pool

__all__ = ["symbols"]

_FUNCTIONS = ("share", "attend", "fault")
_CACHE_LINE = 64
_DEFINITIONS = """@process.words = external global [32 x i64]
declare ptr @pthread_getspecific(i64)
"""

# Threads of the pool leave all signals to others, but for those of their own errors.
_OWN_ERRORS = ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGABRT")

_places = immortal(ctypes.create_string_buffer(MOST * PLACE + _CACHE_LINE))
_first_place = -(-ctypes.addressof(_places) // _CACHE_LINE) * _CACHE_LINE


_lock = open_after_fork(threading.RLock())


def symbols() -> dict[str, int]:
    """Return the addresses of what kernels call or read, by name."""
    with _lock:
        return _symbols()


@cache
def _symbols() -> dict[str, int]:
    require_compiler()
    python = ctypes.pythonapi
    _prepare()
    known = {
        "process.words": ctypes.addressof(words),
        "pool.places": _first_place,
        "pool.signals": ctypes.addressof(_blocked()),
        "python.RuntimeError": ctypes.c_void_p.in_dll(python, "PyExc_RuntimeError").value or 0,
        **{name: _address(getattr(python, name)) for name in API},
        **previous(),
    }
    table = ", ".join(f"ptr @{name}" for name in _FUNCTIONS)
    text = "\n".join(
        [
            _DEFINITIONS,
            pool(),
            interruption(),
            fault_reports(),
            sharing(),
            f"@table = constant [{len(_FUNCTIONS)} x ptr] [{table}]",
        ]
    )
    addresses = (ctypes.c_size_t * len(_FUNCTIONS)).from_address(function_of(text, "table", known))
    made = {f"process.{name}": address for name, address in zip(_FUNCTIONS, addresses, strict=True)}
    install(made.pop("process.fault"))
    return made | {"process.words": known["process.words"]}


def _prepare() -> None:
    words[Word.MAIN] = threading.main_thread().ident or 0
    library, key = _library(), ctypes.c_uint64()  # 4 bytes of it on Linux, and 8 on macOS
    library.pthread_key_create(ctypes.byref(key), None)
    words[Word.MARK] = key.value
    _open_lock()


def _open_lock() -> None:
    library, first = _library(), ctypes.addressof(words)
    library.pthread_mutex_init(ctypes.c_void_p(first + 8 * Word.LOCK), None)
    library.pthread_cond_init(ctypes.c_void_p(first + 8 * Word.CONDITION), None)


@cache
def _blocked() -> ctypes.Array[ctypes.c_char]:
    """Return the signals that threads of the pool block."""
    library, signals = _library(), immortal(ctypes.create_string_buffer(128))
    library.sigfillset(signals)
    for name in _OWN_ERRORS:
        library.sigdelset(signals, signal_number(name))
    return signals


def _library() -> ctypes.CDLL:
    library = c_library()
    assert library is not None  # as there are threads of POSIX
    return library


def _address(function: object) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0  # type: ignore[arg-type]


def _wait_for_launches() -> None:
    words[Word.ENDS] = 1
    while words[Word.RUNNING] > 0:
        time.sleep(0.001)


def _start_child() -> None:
    """Begin without threads: those of the parent are not in this process."""
    ctypes.memset(_places, 0, len(_places))
    words[Word.RUNNING] = words[Word.WATCHED] = words[Word.WATCHER] = 0
    words[Word.FORKS] += 1
    words[Word.MAIN] = threading.get_ident()
    _open_lock()


atexit.register(_wait_for_launches)
in_child(_start_child)
