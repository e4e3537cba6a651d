"""What compilers are called with."""

from typing import NamedTuple

__all__ = ["for_kernels", "for_runtime"]

_COMMON = (
    "-std=c++17", "-fPIC", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-fno-stack-protector",
    "-U_FORTIFY_SOURCE", "-fno-strict-aliasing", "-pthread",
)  # fmt: skip
# Kernels have no errno, and reinterpret memory. An operation is rounded as it is written: multiplications and additions
# are not contracted, so results are those of NumPy, on every processor. Signed integers wrap around, as on GPUs.
# A frame of any size touches the guard page of the stack. `new` gives null when the heap is full. The last call of a
# function leaves a return address in it, for its line. Compilers leave out what is allocated and freed, also twice.
_KERNELS = (
    "-fvisibility=hidden", "-fwrapv", "-fno-math-errno", "-ffp-contract=off", "-w", "-fno-plt",
    "-fstack-clash-protection", "-fcheck-new", "-fno-optimize-sibling-calls", "-fno-builtin-malloc",
    "-fno-builtin-free",
)  # fmt: skip
# Lines and inlined calls, but no variables. The linker of GNU takes wrong files from version 5.
_LINES = ("-g1", "-gdwarf-4")


class _Kind(NamedTuple):
    """Options of a kind of compiler: of all code, of kernels, of the runtime, of unchecked and of checked kernels."""

    all: tuple[str, ...]
    kernels: tuple[str, ...]
    runtime: tuple[str, ...]
    unchecked: tuple[str, ...]
    checked: tuple[str, ...]


# Checked code calls the runtime at each access, by the names that the sanitizers have; the sanitizers are not linked.
# `-fsanitize=bounds` of clang also has checks that only trap.
# Volatile accesses have calls of their own. A function that ends calls the runtime, which finds its frame by the frame
# pointer, and forgets which of its variables are not written.
_CALLS = (
    "-fsanitize=thread", "-fno-sanitize-trap=all", "-fsanitize=alignment,array-bounds,return",
    "-mllvm", "-tsan-instrument-read-before-write=1", "-mllvm", "-tsan-distinguish-volatile=1",
)  # fmt: skip
# One lane sets a variable, and all of them pass it to a shuffle: clang would take it that all lanes set it.
_FAST = "-ftrivial-auto-var-init=pattern"
# g++: a barrier stays one instruction: threads that pass one must not pass copies of it. For clang, abi.h says so.
# It makes no call for a structure in memory that is passed by value, so small functions are inlined. It would copy a
# structure by its members, of which some may have no value. Each variable has a place of its own on the stack: of one
# whose address stays in the function it calls for reads by a pointer, but not for writes by name, so what another
# variable left unwritten at its place would be reported.
# zig compiles for the processor that it runs on, traps at undefined behaviour, and leaves out assertions, unless told
# otherwise.
_KINDS = {
    "gcc": _Kind(
        ("-fno-gnu-unique", "-fmax-errors=100"), ("-fno-thread-jumps",), (), (),
        ("-fsanitize=thread,alignment,bounds,return", "--param", "tsan-distinguish-volatile=1", "-fno-tree-sra",
         "-fstack-reuse=none", "-finline-functions", "-finline-small-functions"),
    ),
    "clang": _Kind((), (), (), (_FAST,), _CALLS),
    "zig": _Kind(
        ("-mcpu=baseline", "-UNDEBUG"), (), ("-fno-sanitize=all",), ("-fno-sanitize=all", _FAST), _CALLS,
    ),
}  # fmt: skip


def for_kernels(kind: str, *, checked: bool, warp: int) -> tuple[str, ...]:
    """Return the options that compile kernels, for a kind of compiler."""
    own = _KINDS[kind]
    how = ("-O1", "-fno-omit-frame-pointer", *own.checked) if checked else ("-O2", *own.unchecked)
    macros = ("-DACCEL_SIM=1", f"-DACCEL_SIM_WARP={warp}", f"-DACCEL_SIM_CHECKED={int(checked)}")
    return (*_COMMON, *_KERNELS, *own.kernels, *_LINES, *own.all, *how, *macros)


def for_runtime(kind: str) -> tuple[str, ...]:
    """Return the options that compile the runtime."""
    return (*_COMMON, *_KINDS[kind].all, *_KINDS[kind].runtime, "-O2", "-Wall")
