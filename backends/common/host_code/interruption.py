"""How Ctrl-C, or another signal, stops a launch: text in LLVM's language.

Python's signal handlers run in the main thread only, between its bytecodes. While that thread is in a long launch, a
watcher asks it every fifth of a second to look for signals: it writes `ASK` into the word of the launch, which all
threads of the launch read at intervals. If a handler raises, the word becomes `STOPPED`, and all threads return. The
error stays set in the main thread.

**The invariant.** A lock guards which word is watched, and its serial number. So the watcher never writes into the word
of a launch that is over.
"""

from .process_words import ASK, STOPPED, Word, at

__all__ = ["API", "NOTE", "interruption"]

API = (
    "PyEval_RestoreThread",
    "PyEval_SaveThread",
    "PyErr_CheckSignals",
    "PyErr_Clear",
    "PyErr_Fetch",
    "PyErr_NormalizeException",
    "PyErr_Restore",
    "PyErr_SetString",
    "PyObject_CallMethod",
    "PyUnicode_FromFormat",
    "Py_DecRef",
)
"""Functions of Python that the text calls."""

_MICROSECONDS = 200_000
NOTE = "kernel %s was stopped before its end; the elements that it had written stay as it wrote them"
_FORKED = "a signal handler forked this process within a kernel, whose other threads are not in this process"


def _constant(name: str, value: str) -> str:
    return f'@{name} = private constant [{len(value) + 1} x i8] c"{value}\\00"\n'


def interruption() -> str:
    """Return the text of ``begin``, ``finish`` and ``attend``.

    The first two stand around a launch that takes long. They take the word of the launch, and memory of four words.
    ``attend`` takes the word, when it is not 0, and returns whether the thread is to stop.
    """
    names = ("add_note", "(O)", NOTE, _FORKED)
    constants = [_constant(name, value) for name, value in zip(("method", "one", "note", "forked"), names, strict=True)]
    return "".join([*constants, _TEXT])


_TEXT = f"""
@python.RuntimeError = external global i8
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare i32 @PyErr_CheckSignals()
declare void @PyErr_Clear()
declare void @PyErr_Fetch(ptr, ptr, ptr)
declare void @PyErr_NormalizeException(ptr, ptr, ptr)
declare void @PyErr_Restore(ptr, ptr, ptr)
declare void @PyErr_SetString(ptr, ptr)
declare ptr @PyObject_CallMethod(ptr, ptr, ptr, ...)
declare ptr @PyUnicode_FromFormat(ptr, ...)
declare void @Py_DecRef(ptr)
declare i64 @pthread_self()
declare i32 @usleep(i32)

define internal void @lock() {{
  %ignored = call i32 @pthread_mutex_lock(ptr {at(Word.LOCK)})
  ret void
}}

define internal void @unlock() {{
  %ignored = call i32 @pthread_mutex_unlock(ptr {at(Word.LOCK)})
  ret void
}}

define internal void @count() {{
  %serial = load i64, ptr {at(Word.SERIAL)}
  %next = add i64 %serial, 1
  store i64 %next, ptr {at(Word.SERIAL)}
  ret void
}}

define internal ptr @watch(ptr %unused) noinline {{
begin:
  call void @lock()
  br label %idle
idle:
  %some = load ptr, ptr {at(Word.WATCHED)}
  %none = icmp eq ptr %some, null
  br i1 %none, label %sleep, label %stay
sleep:
  store i64 1, ptr {at(Word.WATCHER)}
  %woken = call i32 @pthread_cond_wait(ptr {at(Word.CONDITION)}, ptr {at(Word.LOCK)})
  br label %idle
stay:
  store i64 2, ptr {at(Word.WATCHER)}
  %serial = load i64, ptr {at(Word.SERIAL)}
  call void @unlock()
  %slept = call i32 @usleep(i32 {_MICROSECONDS})
  call void @lock()
  %watched = load ptr, ptr {at(Word.WATCHED)}
  %serial.now = load i64, ptr {at(Word.SERIAL)}
  %same = icmp eq i64 %serial, %serial.now
  %any = icmp ne ptr %watched, null
  %both = and i1 %same, %any
  br i1 %both, label %ask, label %idle
ask:
  %asked = cmpxchg ptr %watched, i64 0, i64 {ASK} monotonic monotonic
  br label %idle
}}

define void @begin(ptr %word, ptr %memory) {{
begin:
  %at.outer = getelementptr ptr, ptr %memory, i64 1
  %at.outer.thread = getelementptr ptr, ptr %memory, i64 2
  %at.watched = getelementptr ptr, ptr %memory, i64 3
  store ptr null, ptr %memory
  store i64 0, ptr %at.watched
  %ends = load atomic i64, ptr {at(Word.ENDS)} monotonic, align 8
  %open = icmp eq i64 %ends, 0
  br i1 %open, label %release, label %who
release:
  %before = atomicrmw add ptr {at(Word.RUNNING)}, i64 1 monotonic
  %saved = call ptr @PyEval_SaveThread()
  store ptr %saved, ptr %memory
  br label %who
who:
  %thread = phi ptr [null, %begin], [%saved, %release]
  %self = call i64 @pthread_self()
  %main = load i64, ptr {at(Word.MAIN)}
  %is.main = icmp eq i64 %self, %main
  br i1 %is.main, label %register, label %end
register:
  call void @lock()
  %outer = load ptr, ptr {at(Word.WATCHED)}
  %outer.thread = load ptr, ptr {at(Word.THREAD)}
  store ptr %outer, ptr %at.outer
  store ptr %outer.thread, ptr %at.outer.thread
  store i64 1, ptr %at.watched
  store ptr %word, ptr {at(Word.WATCHED)}
  store ptr %thread, ptr {at(Word.THREAD)}
  call void @count()
  %watcher = load i64, ptr {at(Word.WATCHER)}
  switch i64 %watcher, label %leave [i64 0, label %start i64 1, label %wake]
start:
  %started = call i1 @create(ptr @watch, ptr null)
  %state = select i1 %started, i64 2, i64 0
  store i64 %state, ptr {at(Word.WATCHER)}
  br label %leave
wake:
  store i64 2, ptr {at(Word.WATCHER)}
  %told = call i32 @pthread_cond_signal(ptr {at(Word.CONDITION)})
  br label %leave
leave:
  call void @unlock()
  br label %end
end:
  ret void
}}

define void @finish(ptr %word, ptr %memory) {{
begin:
  %at.outer = getelementptr ptr, ptr %memory, i64 1
  %at.outer.thread = getelementptr ptr, ptr %memory, i64 2
  %at.watched = getelementptr ptr, ptr %memory, i64 3
  %watched = load i64, ptr %at.watched
  %is.watched = icmp ne i64 %watched, 0
  br i1 %is.watched, label %forget, label %who
forget:
  %outer = load ptr, ptr %at.outer
  %outer.thread = load ptr, ptr %at.outer.thread
  call void @lock()
  store ptr %outer, ptr {at(Word.WATCHED)}
  store ptr %outer.thread, ptr {at(Word.THREAD)}
  call void @count()
  call void @unlock()
  %unasked = cmpxchg ptr %word, i64 {ASK}, i64 0 monotonic monotonic
  br label %who
who:
  %thread = load ptr, ptr %memory
  %kept = icmp eq ptr %thread, null
  br i1 %kept, label %end, label %acquire
acquire:
  call void @PyEval_RestoreThread(ptr %thread)
  %before = atomicrmw sub ptr {at(Word.RUNNING)}, i64 1 monotonic
  br label %end
end:
  ret void
}}

define internal void @explain() {{
begin:
  %type = alloca ptr
  %error = alloca ptr
  %traceback = alloca ptr
  call void @PyErr_Fetch(ptr %type, ptr %error, ptr %traceback)
  call void @PyErr_NormalizeException(ptr %type, ptr %error, ptr %traceback)
  %key = load i64, ptr {at(Word.MARK)}
  %name = call ptr @pthread_getspecific(i64 %key)
  %text = call ptr (ptr, ...) @PyUnicode_FromFormat(ptr @note, ptr %name)
  %no.text = icmp eq ptr %text, null
  br i1 %no.text, label %failed, label %add
add:
  %value = load ptr, ptr %error
  %none = call ptr (ptr, ptr, ptr, ...) @PyObject_CallMethod(ptr %value, ptr @method, ptr @one, ptr %text)
  call void @Py_DecRef(ptr %text)
  %not.added = icmp eq ptr %none, null
  br i1 %not.added, label %failed, label %added
added:
  call void @Py_DecRef(ptr %none)
  br label %end
failed:
  call void @PyErr_Clear()
  br label %end
end:
  %new.type = load ptr, ptr %type
  %new.error = load ptr, ptr %error
  %new.traceback = load ptr, ptr %traceback
  call void @PyErr_Restore(ptr %new.type, ptr %new.error, ptr %new.traceback)
  ret void
}}

define i1 @attend(ptr %word) {{
begin:
  %seen = load atomic i64, ptr %word monotonic, align 8
  %asked = icmp eq i64 %seen, {ASK}
  br i1 %asked, label %who, label %other
other:
  %stops = icmp ne i64 %seen, 0
  ret i1 %stops
who:
  %self = call i64 @pthread_self()
  %main = load i64, ptr {at(Word.MAIN)}
  %is.main = icmp eq i64 %self, %main
  br i1 %is.main, label %look, label %go.on
go.on:
  ret i1 false
look:
  %answered = cmpxchg ptr %word, i64 {ASK}, i64 0 monotonic monotonic
  %thread = load ptr, ptr {at(Word.THREAD)}
  %kept = icmp eq ptr %thread, null
  br i1 %kept, label %check, label %acquire
acquire:
  call void @PyEval_RestoreThread(ptr %thread)
  br label %check
check:
  %forks = load i64, ptr {at(Word.FORKS)}
  %raised = call i32 @PyErr_CheckSignals()
  %forks.now = load i64, ptr {at(Word.FORKS)}
  %calm = icmp eq i32 %raised, 0
  %same = icmp eq i64 %forks, %forks.now
  br i1 %calm, label %quiet, label %say
quiet:
  br i1 %same, label %release, label %child
child:
  call void @PyErr_SetString(ptr @python.RuntimeError, ptr @forked)
  br label %say
say:
  call void @explain()
  store atomic i64 {STOPPED}, ptr %word monotonic, align 8
  br label %release
release:
  %stop = phi i1 [false, %quiet], [true, %say]
  br i1 %kept, label %end, label %let.go
let.go:
  %saved = call ptr @PyEval_SaveThread()
  br label %end
end:
  ret i1 %stop
}}
"""
