"""The threads that kernels share, as text in LLVM's language.

A launch takes threads that have nothing to do, and starts more while it has too few of them. Where none can be started
it goes on with those that it has: pieces of work are taken one by one, so that fewer threads do all of it too.

**The invariant.** Whoever changes the state of a place with an atomic exchange owns it until the next exchange. A
launch owns a place from `CLAIMED` to `POSTED`, and a thread owns its place while it is `RUNNING` or `AWAITED`. A
thread only sleeps in odd states; who moves it from there wakes it, under the lock of the place. A launch takes back
what no thread has begun, and waits for the rest: afterwards no thread knows its memory.
"""

from typing import Any

from accel.support.system import machine, signal_number

__all__ = ["MOST", "PLACE", "pool"]

MOST = 1024
"""Places for threads."""

PLACE = 256
"""Bytes of a place: its state, the job, its data, and the number of the thread in the job; from 64 on its lock, from
128 on its condition, which are initialised with its thread."""

# Turns of about 40 cycles: launches that follow one another find the threads awake, and other programs lose little.
_SPINS = 1000

_STATES = {
    "ABSENT": 0,
    "IDLE": 2,
    "ASLEEP": 3,
    "DONE": 4,  # the launch has not seen it yet
    "DONE.ASLEEP": 5,
    "CLAIMED": 6,
    "POSTED": 8,
    "RUNNING": 10,
    "AWAITED": 12,  # as RUNNING, and the launch sleeps until it is done
}

_POOL = """@pool.places = external global [{MOST} x [{PLACE} x i8]], align 64
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_detach(i64)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_signal(ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
@pool.signals = external global [128 x i8]

define internal i1 @create(ptr %function, ptr %data) noinline {{
begin:
  %name = alloca i64
  %before = alloca [128 x i8], align 16
  %blocked = call i32 @pthread_sigmask(i32 {SETMASK}, ptr @pool.signals, ptr %before)
  %error = call i32 @pthread_create(ptr %name, ptr null, ptr %function, ptr %data)
  %open = call i32 @pthread_sigmask(i32 {SETMASK}, ptr %before, ptr null)
  %fine = icmp eq i32 %error, 0
  br i1 %fine, label %started, label %end
started:
  %thread = load i64, ptr %name
  %detached = call i32 @pthread_detach(i64 %thread)
  br label %end
end:
  ret i1 %fine
}}

define internal void @wake(ptr %place) noinline {{
  %lock = getelementptr i8, ptr %place, i64 64
  %condition = getelementptr i8, ptr %place, i64 128
  %locked = call i32 @pthread_mutex_lock(ptr %lock)
  %told = call i32 @pthread_cond_signal(ptr %condition)
  %open = call i32 @pthread_mutex_unlock(ptr %lock)
  ret void
}}

define internal ptr @serve(ptr %place) noinline {{
begin:
  %lock = getelementptr i8, ptr %place, i64 64
  %condition = getelementptr i8, ptr %place, i64 128
  %at.job = getelementptr i8, ptr %place, i64 8
  %at.data = getelementptr i8, ptr %place, i64 16
  %at.number = getelementptr i8, ptr %place, i64 24
  br label %look
look:
  br label %spin
spin:
  %turn = phi i32 [0, %look], [%next, %pause]
  %state = load atomic i32, ptr %place acquire, align 8
  %posted = icmp eq i32 %state, {POSTED}
  br i1 %posted, label %take, label %pause
pause:
  {PAUSE}
  %next = add i32 %turn, 1
  %patient = icmp ult i32 %next, {SPINS}
  br i1 %patient, label %spin, label %lie.down
lie.down:
  %locked = call i32 @pthread_mutex_lock(ptr %lock)
  %from.idle = cmpxchg ptr %place, i32 {IDLE}, i32 {ASLEEP} acq_rel monotonic
  %from.done = cmpxchg ptr %place, i32 {DONE}, i32 {DONE.ASLEEP} acq_rel monotonic
  br label %sleep
sleep:
  %now = load atomic i32, ptr %place acquire, align 8
  %bit = and i32 %now, 1
  %asleep = icmp eq i32 %bit, 1
  br i1 %asleep, label %wait, label %rise
wait:
  %woken = call i32 @pthread_cond_wait(ptr %condition, ptr %lock)
  br label %sleep
rise:
  %unlocked = call i32 @pthread_mutex_unlock(ptr %lock)
  br label %look
take:
  %taken = cmpxchg ptr %place, i32 {POSTED}, i32 {RUNNING} acq_rel monotonic
  %mine = extractvalue {{i32, i1}} %taken, 1
  br i1 %mine, label %run, label %look
run:
  %job = load ptr, ptr %at.job
  %data = load ptr, ptr %at.data
  %number = load i64, ptr %at.number
  call void %job(ptr %data, i64 %number)
  %before = atomicrmw xchg ptr %place, i32 {DONE} acq_rel
  %awaited = icmp eq i32 %before, {AWAITED}
  br i1 %awaited, label %tell, label %look
tell:
  call void @wake(ptr %place)
  br label %look
}}

define internal void @post(ptr %place, ptr %job, ptr %data, i64 %number) alwaysinline {{
  %at.job = getelementptr i8, ptr %place, i64 8
  %at.data = getelementptr i8, ptr %place, i64 16
  %at.number = getelementptr i8, ptr %place, i64 24
  store ptr %job, ptr %at.job
  store ptr %data, ptr %at.data
  store i64 %number, ptr %at.number
  store atomic i32 {POSTED}, ptr %place release, align 8
  ret void
}}

define internal i1 @hire(ptr %place, ptr %job, ptr %data, i64 %number) noinline {{
begin:
  %lock = getelementptr i8, ptr %place, i64 64
  %condition = getelementptr i8, ptr %place, i64 128
  %with.lock = call i32 @pthread_mutex_init(ptr %lock, ptr null)
  %with.condition = call i32 @pthread_cond_init(ptr %condition, ptr null)
  call void @post(ptr %place, ptr %job, ptr %data, i64 %number)
  %fine = call i1 @create(ptr @serve, ptr %place)
  br i1 %fine, label %end, label %none
none:
  store atomic i32 {ABSENT}, ptr %place release, align 8
  br label %end
end:
  ret i1 %fine
}}

define internal void @collect(ptr %place) {{
begin:
  %lock = getelementptr i8, ptr %place, i64 64
  %condition = getelementptr i8, ptr %place, i64 128
  %back = cmpxchg ptr %place, i32 {POSTED}, i32 {IDLE} acq_rel monotonic
  %not.begun = extractvalue {{i32, i1}} %back, 1
  br i1 %not.begun, label %end, label %spin
spin:
  %turn = phi i32 [0, %begin], [%next, %pause]
  %state = load atomic i32, ptr %place acquire, align 8
  %runs = icmp eq i32 %state, {RUNNING}
  %impatient = icmp uge i32 %turn, {SPINS}
  br i1 %runs, label %still, label %free
still:
  br i1 %impatient, label %rest, label %pause
pause:
  {PAUSE}
  %next = add i32 %turn, 1
  br label %spin
rest:
  %locked = call i32 @pthread_mutex_lock(ptr %lock)
  %asked = cmpxchg ptr %place, i32 {RUNNING}, i32 {AWAITED} acq_rel monotonic
  br label %sleep
sleep:
  %now = load atomic i32, ptr %place acquire, align 8
  %awaited = icmp eq i32 %now, {AWAITED}
  br i1 %awaited, label %wait, label %rise
wait:
  %woken = call i32 @pthread_cond_wait(ptr %condition, ptr %lock)
  br label %sleep
rise:
  %unlocked = call i32 @pthread_mutex_unlock(ptr %lock)
  br label %free
free:
  %idle = cmpxchg ptr %place, i32 {DONE}, i32 {IDLE} acq_rel monotonic
  %freed = extractvalue {{i32, i1}} %idle, 1
  br i1 %freed, label %end, label %lies
lies:
  %asleep = cmpxchg ptr %place, i32 {DONE.ASLEEP}, i32 {ASLEEP} acq_rel monotonic
  br label %end
end:
  ret void
}}

define void @launch(ptr %job, ptr %data, i64 %team) {{
begin:
  %helpers = sub i64 %team, 1
  %claimed = alloca ptr, i64 %team
  br label %search
search:
  %count = phi i64 [0, %begin], [%count, %skip], [%number, %found]
  %index = phi i64 [0, %begin], [%after.skip, %skip], [%after.found, %found]
  %wanted = icmp ult i64 %count, %helpers
  %left = icmp ult i64 %index, {MOST}
  %on = and i1 %wanted, %left
  br i1 %on, label %see, label %work
see:
  %number = add i64 %count, 1
  %place = getelementptr [{MOST} x [{PLACE} x i8]], ptr @pool.places, i64 0, i64 %index
  %state = load atomic i32, ptr %place monotonic, align 8
  switch i32 %state, label %skip [i32 {IDLE}, label %claim i32 {ASLEEP}, label %claim i32 {ABSENT}, label %claim]
claim:
  %exchanged = cmpxchg ptr %place, i32 %state, i32 {CLAIMED} acq_rel monotonic
  %mine = extractvalue {{i32, i1}} %exchanged, 1
  br i1 %mine, label %owned, label %skip
skip:
  %after.skip = add i64 %index, 1
  br label %search
owned:
  %absent = icmp eq i32 %state, {ABSENT}
  br i1 %absent, label %start, label %give
start:
  %started = call i1 @hire(ptr %place, ptr %job, ptr %data, i64 %number)
  br i1 %started, label %found, label %work
give:
  call void @post(ptr %place, ptr %job, ptr %data, i64 %number)
  %asleep = icmp eq i32 %state, {ASLEEP}
  br i1 %asleep, label %rouse, label %found
rouse:
  call void @wake(ptr %place)
  br label %found
found:
  %at = getelementptr ptr, ptr %claimed, i64 %count
  store ptr %place, ptr %at
  %after.found = add i64 %index, 1
  br label %search
work:
  call void %job(ptr %data, i64 0)
  br label %ends
ends:
  %done = phi i64 [0, %work], [%next, %end]
  %more = icmp ult i64 %done, %count
  br i1 %more, label %end, label %over
end:
  %at.one = getelementptr ptr, ptr %claimed, i64 %done
  %one = load ptr, ptr %at.one
  call void @collect(ptr %one)
  %next = add i64 %done, 1
  br label %ends
over:
  ret void
}}
"""

_PAUSES = {"x86_64": ("llvm.x86.sse2.pause", "", ""), "aarch64": ("llvm.aarch64.hint", "i32", "i32 1")}
"""The functions that make a processor wait a little: name, type of the argument, argument."""


def pool() -> str:
    """Return the text of ``launch``, which runs a job in several threads, the caller among them.

    It takes the job, its data, and the number of threads. A job is a function of its data and of the number of the
    thread; each is called once in each thread at most, in the caller's always.
    """
    setmask = signal_number("SIG_SETMASK")
    values: dict[str, Any] = {"PAUSE": "", "MOST": MOST, "PLACE": PLACE, "SPINS": _SPINS, "SETMASK": setmask}
    text = _POOL
    if machine() in _PAUSES:
        name, kind, argument = _PAUSES[machine()]
        values["PAUSE"] = f"call void @{name}({argument})"
        text = f"declare void @{name}({kind})\n{text}"
    for name, value in (values | _STATES).items():
        text = text.replace(f"{{{name}}}", str(value))
    return text.replace("{{", "{").replace("}}", "}")
