"""What all kernels of a process share: how they use several threads, and how they end with the process.

GNU's OpenMP runs a job in several threads within 2 μs, and takes jobs of several threads at once. A child of a fork
must not call it, and works in one thread. Where it is missing, each job starts threads of its own.
"""

import atexit
import ctypes
import time

from accel.support.locks import in_child

from .machine_code import function_of

__all__ = ["symbols"]

# As OpenMP's function: a job, its data, the number of threads, and flags. Fewer threads do all of it too.
_START_THREADS = """declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
define void @start(ptr %job, ptr %data, i32 %threads, i32 %flags) {
begin:
  %names = alloca [1024 x i64]
  %helpers = sub i32 %threads, 1
  br label %more
more:
  %started = phi i32 [0, %begin], [%next, %create]
  %wanted = icmp ult i32 %started, %helpers
  br i1 %wanted, label %create, label %work
create:
  %name = getelementptr i64, ptr %names, i32 %started
  %error = call i32 @pthread_create(ptr %name, ptr null, ptr %job, ptr %data)
  %next = add i32 %started, 1
  %fine = icmp eq i32 %error, 0
  br i1 %fine, label %more, label %work
work:
  call void %job(ptr %data)
  br label %wait
wait:
  %joined = phi i32 [0, %work], [%after, %join]
  %left = icmp ult i32 %joined, %started
  br i1 %left, label %join, label %end
join:
  %place = getelementptr i64, ptr %names, i32 %joined
  %thread = load i64, ptr %place
  %ignored = call i32 @pthread_join(i64 %thread, ptr null)
  %after = add i32 %joined, 1
  br label %wait
end:
  ret void
}
"""

_state = (ctypes.c_int64 * 4)()
"""Addresses and counts that kernels read.

The function that runs a job in several threads, or 0; whether the process ends; how many launches run; the function
that returns the number of a thread, or 0.
"""


_forked = False


def symbols() -> dict[str, int]:
    """Return the addresses of what kernels call or read, by name."""
    if not _state[0] and not _forked:
        _state[0], _state[3] = _openmp() or (function_of(_START_THREADS, "start", {}), 0)
    python = ctypes.pythonapi
    return {
        "process.state": ctypes.addressof(_state),
        "python.release": _address(python.PyEval_SaveThread),
        "python.acquire": _address(python.PyEval_RestoreThread),
    }


def _openmp() -> tuple[int, int] | None:
    try:
        library = ctypes.CDLL("libgomp.so.1")
        return _address(library.GOMP_parallel), _address(library.omp_get_thread_num)
    except (OSError, AttributeError):
        return None


def _address(function: object) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0  # type: ignore[arg-type]


def _wait_for_launches() -> None:
    _state[1] = 1
    while _state[2]:
        time.sleep(0.001)


def _start_child() -> None:
    global _forked
    _forked = True
    _state[0] = _state[2] = _state[3] = 0


atexit.register(_wait_for_launches)
in_child(_start_child)
