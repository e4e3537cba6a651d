"""What compilers are called with."""

__all__ = ["for_kernels", "for_runtime"]

_COMMON = (
    "-std=c++17", "-fPIC", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-fno-stack-protector",
    "-U_FORTIFY_SOURCE", "-fno-strict-aliasing", "-pthread",
)  # fmt: skip
# Kernels have no errno, and reinterpret memory. An operation is rounded as it is written: multiplications and additions
# are not contracted, so results are those of NumPy, on every processor. Signed integers wrap around, as on GPUs.
# A frame of any size touches the guard page of the stack.
_KERNELS = (
    "-fvisibility=hidden", "-fwrapv", "-fno-math-errno", "-ffp-contract=off", "-w", "-fno-plt",
    "-fstack-clash-protection",
)  # fmt: skip
# A barrier stays one instruction: threads that pass one must not pass copies of it. For clang, abi.h says so.
_KERNELS_OF_KIND = {"gcc": ("-fno-thread-jumps",)}
# Lines and inlined calls, but no variables. The linker of GNU takes wrong files from version 5.
_LINES = ("-g1", "-gdwarf-4")
# zig compiles for the processor that it runs on, traps at undefined behaviour, and leaves out assertions, unless told
# otherwise.
_OF_KIND = {
    "gcc": ("-fno-gnu-unique", "-fmax-errors=100"),
    "clang": (),
    "zig": ("-mcpu=baseline", "-UNDEBUG"),
}
_UNCHECKED = {"gcc": (), "clang": (), "zig": ("-fno-sanitize=all",)}
# One lane sets a variable, and all of them pass it to a shuffle: clang would take it that all lanes set it.
_FAST = {"gcc": (), "clang": ("-ftrivial-auto-var-init=pattern",), "zig": ("-ftrivial-auto-var-init=pattern",)}
# Checked code calls the runtime at each access, by the names that the sanitizers have; the sanitizers are not linked.
# `-fsanitize=bounds` of clang also has checks that only trap.
# Volatile accesses have calls of their own. A function that ends calls the runtime, which finds its frame by the frame
# pointer, and forgets which of its variables are not written.
# g++ makes no call for a structure in memory that is passed by value, so small functions are inlined. It would copy a
# structure by its members, of which some may have no value.
_CALLS_OF_GCC = (
    "-fsanitize=thread,alignment,bounds", "--param", "tsan-distinguish-volatile=1", "-fno-tree-sra",
    "-finline-functions", "-finline-small-functions",
)  # fmt: skip
_CALLS_OF_CLANG = (
    "-fsanitize=thread", "-fno-sanitize-trap=all", "-fsanitize=alignment,array-bounds",
    "-mllvm", "-tsan-instrument-read-before-write=1", "-mllvm", "-tsan-distinguish-volatile=1",
)  # fmt: skip


def for_kernels(kind: str, *, checked: bool, warp: int) -> tuple[str, ...]:
    """Return the options that compile kernels, for a kind of compiler."""
    calls = _CALLS_OF_GCC if kind == "gcc" else _CALLS_OF_CLANG
    how = ("-O1", "-fno-omit-frame-pointer", *calls) if checked else ("-O2", *_UNCHECKED[kind], *_FAST[kind])
    macros = ("-DACCEL_SIM=1", f"-DACCEL_SIM_WARP={warp}", f"-DACCEL_SIM_CHECKED={int(checked)}")
    kernels = (*_KERNELS, *_KERNELS_OF_KIND.get(kind, ()))
    return (*_COMMON, *kernels, *_LINES, *_OF_KIND[kind], *how, *macros)


def for_runtime(kind: str) -> tuple[str, ...]:
    """Return the options that compile the runtime."""
    return (*_COMMON, *_OF_KIND[kind], *_UNCHECKED[kind], "-O2", "-Wall")
