"""What modules for GPUs call and processors do not have: registers, barriers, warps, atomics, in LLVM's language.

The definitions are inlined before the checks are inserted, so an atomic operation is checked at the line that calls it.
What reads memory of the runtime is inlined only in code without checks, which must not see it.
"""

import re
from collections.abc import Iterable

from accel.support.system import machine

from .mathematics import MATHEMATICS

__all__ = ["MEETING", "PREFIX", "definitions"]

PREFIX = "accel."
"""Begins the names of functions here: the passes of LLVM do not know them."""

_STACK = 256 * 1024
_X86 = machine() == "x86_64"
_POINTER = 'call i64 asm "movq %rsp, $0", "=r"()' if _X86 else 'call i64 asm "mov $0, sp", "=r"()'
_LOAD_4 = '"movl ($1), $0", "=r,r"' if _X86 else '"ldr ${0:w}, [$1]", "=r,r"'
_LOAD_8 = '"movq ($1), $0", "=r,r"' if _X86 else '"ldr $0, [$1]", "=r,r"'

# Offsets in `Here` of abi.h.
_REGISTERS = {
    **{f"tid.{axis}": 4 * i for i, axis in enumerate("xyz")},
    **{f"ctaid.{axis}": 12 + 4 * i for i, axis in enumerate("xyz")},
    **{f"ntid.{axis}": 24 + 4 * i for i, axis in enumerate("xyz")},
    **{f"nctaid.{axis}": 36 + 4 * i for i, axis in enumerate("xyz")},
    "laneid": 52,
    "warpsize": 60,
}
_DYNAMIC_SHARED, _DYNAMIC_SIZE = 72, 80

_SHUFFLE, _VOTE, _MATCH, _SYNC = 0, 1, 2, 4  # Collective
_BLOCK, _DEVICE, _SYSTEM = 0, 1, 2  # Scope

# Of the runtime, and of functions.cpp.
_DECLARED = {
    "accel_sim_barrier": "declare i64 @accel_sim_barrier(i32, i32) #9",
    "accel_sim_collect": "declare ptr @accel_sim_collect(i64, i64, i32) #9",
    "accel_sim_active": "declare i64 @accel_sim_active() #9",
    "accel_sim_grid_barrier": "declare void @accel_sim_grid_barrier() #9",
    "accel_sim_fence": "declare void @accel_sim_fence(i32) nounwind",
    "accel_sim_yield": "declare void @accel_sim_yield() #9",
    "accel_nvvm_step": "declare void @accel_nvvm_step() nounwind",
    "accel_nvvm_votes": "declare i64 @accel_nvvm_votes(ptr, i32) nounwind",
    "accel_nvvm_matches": "declare i64 @accel_nvvm_matches(ptr, i32, i64) nounwind",
    "accel_nvvm_print": "declare i32 @accel_nvvm_print(ptr, ptr) nounwind",
    "accel_sim_trap": "declare void @accel_sim_trap() nounwind",
}
_ATTRIBUTES = """
attributes #7 = { nounwind willreturn memory(none) }
attributes #8 = { nounwind memory(none) }
attributes #9 = { convergent nomerge nounwind }
"""


def _function(head: str, body: str) -> str:
    return f"define {head} alwaysinline nounwind {{\n{body}\n}}\n"


def _registers() -> dict[str, str]:
    here = _function(
        "ptr @accel.here()",
        f"  %s = {_POINTER} #8\n  %b = and i64 %s, {-_STACK}\n  %p = inttoptr i64 %b to ptr\n  ret ptr %p",
    )
    table = {"accel.here": here}
    places = {f"nvvm.read.ptx.sreg.{name}": offset for name, offset in _REGISTERS.items()}
    for name, offset in {**places, "dynamic_shared_size": _DYNAMIC_SIZE}.items():
        table[PREFIX + name] = _function(
            f"i32 @{PREFIX}{name}()",
            f"  %h = call ptr @accel.here()\n  %p = getelementptr i8, ptr %h, i64 {offset}\n"
            f"  %v = call i32 asm {_LOAD_4}(ptr %p) #8\n  ret i32 %v",
        )
    table["accel.dynamic_shared"] = _function(
        "ptr @accel.dynamic_shared()",
        f"  %h = call ptr @accel.here()\n  %p = getelementptr i8, ptr %h, i64 {_DYNAMIC_SHARED}\n"
        f"  %v = call i64 asm {_LOAD_8}(ptr %p) #8\n  %r = inttoptr i64 %v to ptr\n  ret ptr %r",
    )
    table["accel.lanemask_lt"] = _function(
        "i32 @accel.lanemask_lt()",
        "  %l = call i32 @accel.nvvm.read.ptx.sreg.laneid()\n  %b = shl i32 1, %l\n  %m = sub i32 %b, 1\n  ret i32 %m",
    )
    return table


def _barriers() -> dict[str, str]:
    """Of a block; the last argument tells the calls apart."""

    def barrier(name: str, kind: int, result: str) -> str:
        returned = "i32" if result else "void"
        head = f"{returned} @accel.nvvm.{name}({'i32 %p, ' if result else ''}i32 %place)"
        predicate = "%p" if result else "0"
        call = f"  %k = or i32 %place, {kind}\n  %r = call i64 @accel_sim_barrier(i32 {predicate}, i32 %k) #9\n"
        return _function(head, call + (result or "  ret void"))

    passed = "  %n = trunc i64 %r to i32\n"
    every = "  %w = lshr i64 %r, 32\n  %m = trunc i64 %w to i32\n  %c = icmp eq i32 %n, %m\n"
    return {
        "accel.nvvm.barrier0": barrier("barrier0", 0, ""),
        "accel.nvvm.barrier0.popc": barrier("barrier0.popc", 1, passed + "  ret i32 %n"),
        "accel.nvvm.barrier0.and": barrier("barrier0.and", 2, f"{passed}{every}  %z = zext i1 %c to i32\n  ret i32 %z"),
        "accel.nvvm.barrier0.or": barrier(
            "barrier0.or", 3, passed + "  %c = icmp ne i32 %n, 0\n  %z = zext i1 %c to i32\n  ret i32 %z"
        ),
    }


def _fences() -> dict[str, str]:
    return {
        f"accel.nvvm.membar.{name}": _function(
            f"void @accel.nvvm.membar.{name}()",
            f"  call void @accel_nvvm_step()\n  call void @accel_sim_fence(i32 {scope})\n  ret void",
        )
        for name, scope in (("cta", _BLOCK), ("gl", _DEVICE), ("sys", _SYSTEM))
    }


# %source is the lane to read, where %inside holds; PTX calls the last two operands b and c.
_SHUFFLE_TEXT = f"""\
  %m = zext i32 %mask to i64
  %v = zext i32 %value to i64
  %values = call ptr @accel_sim_collect(i64 %m, i64 %v, i32 {_SHUFFLE}) #9
  %lane = call i32 @accel.nvvm.read.ptx.sreg.laneid()
  %d = and i32 %b, 31
  %clamp = and i32 %c, 31
  %s = lshr i32 %c, 8
  %segment = and i32 %s, 31
  %others = xor i32 %segment, -1
  %least = and i32 %lane, %segment
  %w = and i32 %clamp, %others
  %most = or i32 %least, %w
  %x = and i32 %d, %others
  %of_index = or i32 %least, %x
  %above = sub i32 %lane, %d
  %below = add i32 %lane, %d
  %flipped = xor i32 %lane, %d
  %is_up = icmp eq i32 %mode, 1
  %is_down = icmp eq i32 %mode, 2
  %is_xor = icmp eq i32 %mode, 3
  %s1 = select i1 %is_xor, i32 %flipped, i32 %of_index
  %s2 = select i1 %is_down, i32 %below, i32 %s1
  %source = select i1 %is_up, i32 %above, i32 %s2
  %i1 = icmp sge i32 %source, %most
  %i2 = icmp sle i32 %source, %most
  %inside = select i1 %is_up, i1 %i1, i1 %i2
  %from = select i1 %inside, i32 %source, i32 %lane
  %offset = sext i32 %from to i64
  %at = getelementptr i64, ptr %values, i64 %offset
  %word = call i64 asm sideeffect {_LOAD_8}(ptr %at)
  %result = trunc i64 %word to i32
  %r1 = insertvalue {{ i32, i1 }} poison, i32 %result, 0
  %r2 = insertvalue {{ i32, i1 }} %r1, i1 %inside, 1
  ret {{ i32, i1 }} %r2"""

# Of a vote: the lanes whose predicate holds, and above them the lanes that took part.
_VOTE_TEXT = f"""\
  %m = zext i32 %mask to i64
  %v = zext i1 %p to i64
  %values = call ptr @accel_sim_collect(i64 %m, i64 %v, i32 {_VOTE}) #9
  %both = call i64 @accel_nvvm_votes(ptr %values, i32 %mask)
  %votes = trunc i64 %both to i32
  %h = lshr i64 %both, 32
  %lanes = trunc i64 %h to i32
  %none = icmp eq i32 %votes, 0
  %all = icmp eq i32 %votes, %lanes
  %any = xor i1 %none, true
  %same = or i1 %none, %all
  %is_all = icmp eq i32 %mode, 0
  %is_any = icmp eq i32 %mode, 1
  %p1 = select i1 %is_any, i1 %any, i1 %same
  %p2 = select i1 %is_all, i1 %all, i1 %p1
  %r1 = insertvalue {{ i32, i1 }} poison, i32 %votes, 0
  %r2 = insertvalue {{ i32, i1 }} %r1, i1 %p2, 1
  ret {{ i32, i1 }} %r2"""


def _matches(bits: int) -> dict[str, str]:
    value = "  %v = zext i32 %value to i64\n" if bits == 32 else "  %v = add i64 %value, 0\n"
    common = (
        f"  %m = zext i32 %mask to i64\n{value}"
        f"  %values = call ptr @accel_sim_collect(i64 %m, i64 %v, i32 {_MATCH}) #9\n"
        f"  %both = call i64 @accel_nvvm_matches(ptr %values, i32 %mask, i64 %v)\n  %equal = trunc i64 %both to i32\n"
    )
    every = (
        "  %h = lshr i64 %both, 32\n  %lanes = trunc i64 %h to i32\n  %all = icmp eq i32 %equal, %lanes\n"
        "  %r0 = select i1 %all, i32 %lanes, i32 0\n"
        "  %r1 = insertvalue { i32, i1 } poison, i32 %r0, 0\n"
        "  %r2 = insertvalue { i32, i1 } %r1, i1 %all, 1\n  ret { i32, i1 } %r2"
    )
    arguments = f"(i32 %mask, i{bits} %value)"
    return {
        f"accel.nvvm.match.any.sync.i{bits}": _function(
            f"i32 @accel.nvvm.match.any.sync.i{bits}{arguments}", common + "  ret i32 %equal"
        ),
        f"accel.nvvm.match.all.sync.i{bits}": _function(
            f"{{ i32, i1 }} @accel.nvvm.match.all.sync.i{bits}{arguments}", common + every
        ),
    }


def _warps() -> dict[str, str]:
    return {
        "accel.nvvm.shfl.sync.i32": _function(
            "{ i32, i1 } @accel.nvvm.shfl.sync.i32(i32 %mask, i32 %mode, i32 %value, i32 %b, i32 %c)", _SHUFFLE_TEXT
        ),
        "accel.nvvm.vote.sync": _function("{ i32, i1 } @accel.nvvm.vote.sync(i32 %mask, i32 %mode, i1 %p)", _VOTE_TEXT),
        "accel.nvvm.bar.warp.sync": _function(
            "void @accel.nvvm.bar.warp.sync(i32 %mask)",
            "  %m = zext i32 %mask to i64\n"
            f"  %v = call ptr @accel_sim_collect(i64 %m, i64 0, i32 {_SYNC}) #9\n  ret void",
        ),
        "accel.activemask": _function(
            "i32 @accel.activemask()",
            "  %a = call i64 @accel_sim_active() #9\n  %m = trunc i64 %a to i32\n  ret i32 %m",
        ),
        "accel.nanosleep": _function("void @accel.nanosleep(i32 %ns)", "  call void @accel_sim_yield() #9\n  ret void"),
        "accel.brkpt": _function("void @accel.brkpt()", "  call void @accel_sim_trap()\n  ret void"),
        "cudaCGGetIntrinsicHandle": _function("i64 @cudaCGGetIntrinsicHandle(i32 %scope)", "  ret i64 1"),
        "cudaCGSynchronize": _function(
            "i32 @cudaCGSynchronize(i64 %handle, i32 %flags)", "  call void @accel_sim_grid_barrier() #9\n  ret i32 0"
        ),
        **_matches(32),
        **_matches(64),
    }


def _updated(name: str, kind: str, update: str, ends: str = "") -> str:
    """Return a loop that replaces what is at an address by a function of it and a value, and returns what was there.

    `update` computes ``%new`` from ``%old`` and ``%value``; `ends` computes ``%end``, which leaves without a change.
    """
    word = {"float": "i32", "double": "i64", "half": "i16"}.get(kind, kind)
    cast = f"  %old = bitcast {word} %bits to {kind}\n" if word != kind else ""
    back = f"  %change = bitcast {kind} %new to {word}\n" if word != kind else ""
    old, new = ("%old", "%change") if word != kind else ("%bits", "%new")
    leave = f"{ends}\n  br i1 %end, label %done, label %try\ntry:\n" if ends else ""
    source = "try" if ends else "loop"
    body = (
        "entry:\n  call void @accel_nvvm_step()\n"
        f"  %first = load atomic {word}, ptr %at monotonic, align {_bytes(word)}\n  br label %loop\n"
        f"loop:\n  %bits = phi {word} [ %first, %entry ], [ %seen, %{source} ]\n{cast}{leave}{update}\n"
        f"{back}  %pair = cmpxchg ptr %at, {word} %bits, {word} {new} monotonic monotonic\n"
        f"  %seen = extractvalue {{ {word}, i1 }} %pair, 0\n  %stored = extractvalue {{ {word}, i1 }} %pair, 1\n"
        f"  br i1 %stored, label %done, label %loop\ndone:\n  ret {kind} {old}"
    )
    if word == kind:
        update = update.replace("%old", "%bits")
        body = body.replace("%old", "%bits")
    return _function(f'{kind} @"{name}"(ptr %at, {kind} %value)', body)


def _bytes(kind: str) -> int:
    return int(kind[1:]) // 8


def _atomics() -> dict[str, str]:
    table = {}

    def add(name: str, kind: str, update: str, ends: str = "") -> None:
        table[name] = _updated(name, kind, update, ends)

    def increment(name: str, kind: str) -> None:
        update = f"  %more = icmp uge {kind} %old, %value\n  %next = add {kind} %old, 1\n"
        add(name, kind, f"{update}  %new = select i1 %more, {kind} 0, {kind} %next")

    def decrement(name: str, kind: str) -> None:
        update = f"  %zero = icmp eq {kind} %old, 0\n  %more = icmp ugt {kind} %old, %value\n"
        update += f"  %wraps = or i1 %zero, %more\n  %next = sub {kind} %old, 1\n"
        add(name, kind, f"{update}  %new = select i1 %wraps, {kind} %value, {kind} %next")

    for kind, bits in (("float", 32), ("double", 64)):
        add(f"accel.nvvm.atomic.load.add.f{bits}.p0f{bits}", kind, f"  %new = fadd {kind} %old, %value")
        add(f"___numba_atomic_{kind}_add", kind, f"  %new = fadd {kind} %old, %value")
        add(f"___numba_atomic_{kind}_sub", kind, f"  %new = fsub {kind} %old, %value")
        for name, better in (("max", "olt"), ("min", "ogt")):
            ends = f"  %better = fcmp {better} {kind} %old, %value\n  %end = xor i1 %better, true"
            new = f"  %new = select i1 true, {kind} %value, {kind} %value"
            add(f"___numba_atomic_{kind}_{name}", kind, new, ends)
            nan = f"  %u = fcmp uno {kind} %old, %old\n  %b = fcmp {better} {kind} %old, %value\n"
            nan += f"  %o = fcmp ord {kind} %value, %value\n  %c = or i1 %u, %b\n  %g = and i1 %c, %o\n"
            add(f"___numba_atomic_{kind}_nan{name}", kind, new, f"{nan}  %end = xor i1 %g, true")
    for bits in (8, 16, 32, 64):
        for name, test in (("max", "slt"), ("min", "sgt"), ("umax", "ult"), ("umin", "ugt")):
            ends = f"  %better = icmp {test} i{bits} %old, %value\n  %end = xor i1 %better, true"
            add(
                f"accel.atomic.{name}.i{bits}",
                f"i{bits}",
                f"  %new = select i1 true, i{bits} %value, i{bits} %value",
                ends,
            )
    increment("accel.nvvm.atomic.load.inc.32.p0i32", "i32")
    increment("___numba_atomic_u64_inc", "i64")
    decrement("accel.nvvm.atomic.load.dec.32.p0i32", "i32")
    decrement("___numba_atomic_u64_dec", "i64")
    return table


def _divisions() -> dict[str, str]:
    """Division as GPUs have it: by zero gives all ones and the dividend, and the least integer divided by -1 itself."""
    table = {}
    for bits in (8, 16, 32, 64, 128):
        kind = f"i{bits}"
        for name in ("udiv", "urem", "sdiv", "srem"):
            signed = name[0] == "s"
            by_zero = f"{kind} -1" if name.endswith("div") else f"{kind} %a"
            body = f"  %zero = icmp eq {kind} %b, 0\n"
            if signed:
                body += f"  %minus = icmp eq {kind} %b, -1\n  %odd = or i1 %zero, %minus\n"
                body += f"  %n = sub {kind} 0, %a\n"
                body += f"  %m = select i1 %zero, {by_zero}, {kind} {'%n' if name == 'sdiv' else '0'}\n"
                odd, other = "%odd", f"{kind} %m"
            else:
                odd, other = "%zero", by_zero
            body += f"  %d = select i1 {odd}, {kind} 1, {kind} %b\n  %q = {name} {kind} %a, %d\n"
            body += f"  %r = select i1 {odd}, {other}, {kind} %q\n  ret {kind} %r"
            table[f"accel.{name}.{kind}"] = _function(f"{kind} @accel.{name}.{kind}({kind} %a, {kind} %b)", body)
    return table


_PRINT = {
    "vprintf": _function(
        "i32 @vprintf(ptr %format, ptr %values)",
        "  %n = call i32 @accel_nvvm_print(ptr %format, ptr %values)\n  ret i32 %n",
    )
}
_TABLE = {**_registers(), **_barriers(), **_fences(), **_warps(), **_atomics(), **_divisions(), **_PRINT, **MATHEMATICS}
MEETING = frozenset({*_barriers(), *_warps()})
"""The functions at which threads meet."""
_NAME = re.compile(r'@"?([\w.$]+)"?\(')


def definitions(names: Iterable[str]) -> str:
    """Return the definitions of some functions, and of what these call; names that are not here are left out."""
    known, lines, waiting = set[str](), dict[str, None](), [name for name in names if name in _TABLE]
    while waiting:
        name = waiting.pop()
        text = _TABLE.get(name) or _DECLARED.get(name)
        if text is not None and name not in known:
            known.add(name)
            parts = text.partition("define ")
            lines |= dict.fromkeys([*parts[0].splitlines(), parts[1] + parts[2]])
            waiting += _NAME.findall(text)
    return "\n".join([*lines, _ATTRIBUTES])
