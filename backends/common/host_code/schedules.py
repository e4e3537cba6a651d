"""The order in which the threads of a block run, as functions in LLVM's language."""

from collections.abc import Sequence

from .process_words import NO_MEMORY
from .slots import WORD, Slots

__all__ = ["ATTEND", "WARP", "schedule", "simple_schedule"]

WARP = 32
"""Threads of a warp."""

ATTEND = "declare i1 @process.attend(ptr) cold\n"

_THREADS = """  %at.x = getelementptr i8, ptr %args, i64 {X}
  %at.y = getelementptr i8, ptr %args, i64 {Y}
  %at.z = getelementptr i8, ptr %args, i64 {Z}
  %x = load i64, ptr %at.x
  %y = load i64, ptr %at.y
  %z = load i64, ptr %at.z
  %xy = mul i64 %x, %y
  %threads = mul i64 %xy, %z
"""

_SIMPLE = (
    """define internal void @step{N}(ptr noalias %args, i64 %low, i64 %high, ptr %partial) {{
begin:
  %shared = alloca [{S} x i8], align 64
  %trouble = getelementptr i8, ptr %args, i64 {D}
"""
    + _THREADS
    + """  br label %blocks
blocks:
  %block = phi i64 [%low, %begin], [%next.block, %finished]
  %more = icmp ult i64 %block, %high
  br i1 %more, label %look, label %end
look:
  %word = load atomic i64, ptr %trouble monotonic, align 8
  %calm = icmp eq i64 %word, 0
  br i1 %calm, label %threads.of, label %attend, !prof !0
attend:
  %stop = call i1 @process.attend(ptr %trouble)
  br i1 %stop, label %end, label %threads.of
threads.of:
  %thread = phi i64 [0, %look], [0, %attend], [%next.thread, %one]
  %left = icmp ult i64 %thread, %threads
  br i1 %left, label %one, label %finished
one:
  %ignored = call i64 @thread{N}(ptr %args, ptr null, ptr %shared, ptr null, i64 0, i64 %block, i64 %thread)
  %next.thread = add i64 %thread, 1
  br label %threads.of
finished:
  %next.block = add i64 %block, 1
  br label %blocks
end:
  ret void
}}
"""
)

# Warps run one after the other, each until all its threads wait for the block. The state of a thread is the number of
# the place where it waits: odd if it waits for its warp only, and -1 if it finished.
_WAITING = (
    """define internal void @step{N}(ptr noalias %args, i64 %low, i64 %high, ptr %partial) {{
begin:
  %shared = alloca [{S} x i8], align 64
  %trouble = getelementptr i8, ptr %args, i64 {D}
"""
    + _THREADS
    + """  %room = mul i64 %threads, {F}
  %frames = call ptr @malloc(i64 %room)
  %refused = icmp eq ptr %frames, null
  br i1 %refused, label %no.memory, label %blocks
no.memory:
  store atomic i64 {M}, ptr %trouble monotonic, align 8
  ret void
blocks:
  %block = phi i64 [%low, %begin], [%next.block, %next]
  %more = icmp ult i64 %block, %high
  br i1 %more, label %look, label %end
look:
  %word = load atomic i64, ptr %trouble monotonic, align 8
  %calm = icmp eq i64 %word, 0
  br i1 %calm, label %clear, label %attend, !prof !0
attend:
  %stop = call i1 @process.attend(ptr %trouble)
  br i1 %stop, label %end, label %clear
clear:
  %cleared = phi i64 [0, %look], [0, %attend], [%cleared.next, %clear.one]
  %uncleared = icmp ult i64 %cleared, %threads
  br i1 %uncleared, label %clear.one, label %round
clear.one:
  %clear.offset = mul i64 %cleared, {F}
  %clear.frame = getelementptr i8, ptr %frames, i64 %clear.offset
  call void @llvm.memset.p0.i64(ptr align 16 %clear.frame, i8 0, i64 16, i1 false)
  %cleared.next = add i64 %cleared, 1
  br label %clear
round:
  br label %warps
warps:
  %first = phi i64 [0, %round], [%next.first, %next.warp]
  %warp.left = icmp ult i64 %first, %threads
  br i1 %warp.left, label %warp, label %compare.all
warp:
  %in.block = sub i64 %threads, %first
  %lanes = call i64 @llvm.umin.i64(i64 %in.block, i64 {W})
  %warp.offset = mul i64 %first, {F}
  %warp.frames = getelementptr i8, ptr %frames, i64 %warp.offset
  br label %turn
turn:
  br label %lane
lane:
  %l = phi i64 [0, %turn], [%l.next, %lane.done]
  %lane.left = icmp ult i64 %l, %lanes
  br i1 %lane.left, label %resume, label %compare.warp
resume:
  %offset = mul i64 %l, {F}
  %frame = getelementptr i8, ptr %warp.frames, i64 %offset
  %state = load i64, ptr %frame
  %running = icmp ne i64 %state, -1
  br i1 %running, label %call, label %lane.done
call:
  %thread = add i64 %first, %l
  %new = call i64 @thread{N}(ptr %args, ptr %frame, ptr %shared, ptr %warp.frames, i64 {F}, i64 %block, i64 %thread)
  store i64 %new, ptr %frame
  br label %lane.done
lane.done:
  %l.next = add i64 %l, 1
  br label %lane
compare.warp:
  %warp.odd = call i64 @odd.one(ptr %warp.frames, i64 %lanes, i64 {F})
  %warp.fine = icmp eq i64 %warp.odd, 0
  br i1 %warp.fine, label %decide, label %diverged
decide:
  %where = load i64, ptr %warp.frames
  %finished = icmp eq i64 %where, -1
  %bit = and i64 %where, 1
  %for.warp = icmp eq i64 %bit, 1
  %unfinished = xor i1 %finished, true
  %again = and i1 %for.warp, %unfinished
  br i1 %again, label %turn, label %next.warp
next.warp:
  %next.first = add i64 %first, {W}
  br label %warps
compare.all:
  %block.odd = call i64 @odd.one(ptr %frames, i64 %threads, i64 {F})
  %block.fine = icmp eq i64 %block.odd, 0
  br i1 %block.fine, label %go.on, label %diverged
go.on:
  %block.where = load i64, ptr %frames
  %over = icmp eq i64 %block.where, -1
  br i1 %over, label %next, label %round
next:
  %next.block = add i64 %block, 1
  br label %blocks
diverged:
  %odd = phi i64 [%warp.odd, %compare.warp], [%block.odd, %compare.all]
  %index = lshr i64 %odd, 1
  %at.site = getelementptr [{P} x i64], ptr @sites{N}, i64 0, i64 %index
  %site = load i64, ptr %at.site
  %code = add i64 %site, 1
  %exchanged = cmpxchg ptr %trouble, i64 0, i64 %code monotonic monotonic
  br label %end
end:
  call void @free(ptr %frames)
  ret void
}}
"""
)

# Returns a place where a thread waits and another does not; 0 if all wait at the same place or have finished.
_ODD_ONE = """define internal i64 @odd.one(ptr %frames, i64 %count, i64 %size) {
begin:
  %state = load i64, ptr %frames
  br label %head
head:
  %number = phi i64 [1, %begin], [%next, %body]
  %more = icmp ult i64 %number, %count
  br i1 %more, label %compare, label %same
compare:
  %offset = mul i64 %number, %size
  %frame = getelementptr i8, ptr %frames, i64 %offset
  %other = load i64, ptr %frame
  %next = add i64 %number, 1
  %equal = icmp eq i64 %other, %state
  br i1 %equal, label %body, label %differ
body:
  br label %head
same:
  ret i64 0
differ:
  %finished = icmp eq i64 %state, -1
  %result = select i1 %finished, i64 %other, i64 %state
  ret i64 %result
}
"""


def simple_schedule(slots: Slots, helpers: dict[str, str], number: int, shared: int) -> str:
    """Return the function that runs a range of blocks, whose threads never wait."""
    helpers.setdefault("process.attend", ATTEND)
    return _SIMPLE.format(N=number, S=shared, D=WORD, **_places(slots))


def schedule(slots: Slots, helpers: dict[str, str], number: int, shared: int, frame: int, sites: Sequence[int]) -> str:
    """Return the function that runs a range of blocks, whose threads wait at places with these sites."""
    helpers.setdefault("malloc", "declare ptr @malloc(i64)\n")
    helpers.setdefault("free", "declare void @free(ptr)\n")
    helpers.setdefault("odd.one", _ODD_ONE)
    helpers.setdefault("process.attend", ATTEND)
    table = ", ".join(f"i64 {site}" for site in (0, *sites))
    places = f"@sites{number} = private constant [{1 + len(sites)} x i64] [{table}]\n"
    values = {"N": number, "S": shared, "F": frame, "D": WORD, "M": NO_MEMORY, "P": 1 + len(sites), "W": WARP}
    return places + _WAITING.format(**values, **_places(slots))


def _places(slots: Slots) -> dict[str, int]:
    return {name: slots.grid + 24 + 8 * axis for axis, name in enumerate("XYZ")}
