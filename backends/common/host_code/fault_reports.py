"""Says which kernel used memory that is not there, before the process ends by that signal.

The handler runs in the thread that failed, within the signal. So it only writes text that exists already, by functions
that POSIX allows there, and reads the mark of its thread. (POSIX does not list `pthread_getspecific`, which reads two
words in the C libraries of Linux.) It acts on threads that are in a kernel only, and then calls the handler before it.
Of several threads that fail at once, one says so, and the others give it a second.
"""

import ctypes
from collections.abc import Mapping
from typing import Any

from accel.support.system import LINUX, c_library, signal_number

from .immortal import immortal
from .process_words import Word, at

__all__ = ["SIGNALS", "fault_reports", "install", "previous"]

SIGNALS = tuple(map(signal_number, ("SIGSEGV", "SIGBUS"))) if LINUX else ()
"""Their numbers; the layout of the system's structures is that of Linux."""

_BEFORE = "accel: kernel "
_AFTER = (
    " used memory that is not there: an index is far outside of its view, or the memory was released. "
    "Run it under accel.debug(), which checks each index and names the line: with accel.debug(): ...\\0A"
)
_FLAGS_AT, _NBYTES = 136, 152
_SIGINFO, _ONSTACK = 4, 0x08000000

_installed = False
_default = immortal(ctypes.create_string_buffer(_NBYTES))
_previous = {each: immortal(ctypes.create_string_buffer(_NBYTES)) for each in SIGNALS}


def previous() -> Mapping[str, int]:
    """Return the addresses of the actions before ours, and of the default one, by their names in the text."""
    return {f"previous.{each}": ctypes.addressof(action) for each, action in _previous.items()} | {
        "default": ctypes.addressof(_default)
    }


def install(handler: int) -> None:
    """Let the system call the handler, whose address this is; done once in a process."""
    global _installed
    if _installed:
        return
    _installed = True  # first: a child of a fork in between must not chain the handler to itself
    sigaction: Any = getattr(c_library(), "sigaction", None)
    action = ctypes.create_string_buffer(_NBYTES)
    ctypes.c_size_t.from_buffer(action).value = handler
    ctypes.c_int.from_buffer(action, _FLAGS_AT).value = _SIGINFO | _ONSTACK
    for each, before in _previous.items():
        sigaction(each, None, before)
        sigaction(each, action, None)


def fault_reports() -> str:
    """Return the text of ``fault``, a handler of signals; empty if the system is not Linux."""
    if not SIGNALS:
        return "define void @fault() {\n  ret void\n}\n"
    segv, bus = (f"previous.{each}" for each in SIGNALS)
    before, after = len(_BEFORE), len(_AFTER) - 2
    return f"""
@{segv} = external global [{_NBYTES} x i8]
@{bus} = external global [{_NBYTES} x i8]
@default = external global [{_NBYTES} x i8]
@say.before = private constant [{before} x i8] c"{_BEFORE}"
@say.after = private constant [{after} x i8] c"{_AFTER}"
declare i64 @writev(i32, ptr, i32)
declare i32 @sleep(i32)
declare i64 @strlen(ptr)
declare i32 @raise(i32)
declare i32 @sigaction(i32, ptr, ptr)

define internal void @restore(i32 %signal, ptr %action, ptr %info) noinline {{
begin:
  %ignored = call i32 @sigaction(i32 %signal, ptr %action, ptr null)
  %at.code = getelementptr i32, ptr %info, i64 2
  %code = load i32, ptr %at.code
  %sent = icmp sle i32 %code, 0
  br i1 %sent, label %again, label %end
again:
  %raised = call i32 @raise(i32 %signal)
  br label %end
end:
  ret void
}}

define internal void @part(ptr %text, i64 %number, ptr %start, i64 %length) {{
  %part = getelementptr [2 x i64], ptr %text, i64 %number
  %at.length = getelementptr i64, ptr %part, i64 1
  store ptr %start, ptr %part
  store i64 %length, ptr %at.length
  ret void
}}

define void @fault(i32 %signal, ptr %info, ptr %context) {{
begin:
  %text = alloca [6 x i64], align 16
  %key = load i64, ptr {at(Word.MARK)}
  %name = call ptr @pthread_getspecific(i64 %key)
  %ours = icmp ne ptr %name, null
  br i1 %ours, label %say, label %choose
say:
  %said = atomicrmw xchg ptr {at(Word.SAID)}, i64 1 monotonic
  %again = icmp ne i64 %said, 0
  br i1 %again, label %wait, label %write
wait:
  %left = call i32 @sleep(i32 1)
  br label %choose
write:
  %length = call i64 @strlen(ptr %name)
  call void @part(ptr %text, i64 0, ptr @say.before, i64 {before})
  call void @part(ptr %text, i64 1, ptr %name, i64 %length)
  call void @part(ptr %text, i64 2, ptr @say.after, i64 {after})
  %written = call i64 @writev(i32 2, ptr %text, i32 3)
  br label %choose
choose:
  %is.bus = icmp eq i32 %signal, {SIGNALS[1]}
  %action = select i1 %is.bus, ptr @{bus}, ptr @{segv}
  %handler = load ptr, ptr %action
  %number = ptrtoint ptr %handler to i64
  %none = icmp ult i64 %number, 2
  br i1 %none, label %default, label %call
default:
  call void @restore(i32 %signal, ptr %action, ptr %info)
  ret void
call:
  %at.flags = getelementptr i8, ptr %action, i64 {_FLAGS_AT}
  %flags = load i32, ptr %at.flags
  %bit = and i32 %flags, {_SIGINFO}
  %long = icmp ne i32 %bit, 0
  br i1 %long, label %with.info, label %plain
with.info:
  call void %handler(i32 %signal, ptr %info, ptr %context)
  br label %called
plain:
  call void %handler(i32 %signal)
  br label %called
called:
  br i1 %ours, label %die, label %end
die:
  call void @restore(i32 %signal, ptr @default, ptr %info)
  br label %end
end:
  ret void
}}
"""
