"""Options of compilers: those of users, as for NVRTC, nvcc and hipcc, and those of each compiler here."""

import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from accel.errors import CapabilityError

__all__ = ["accepted", "for_kernels", "for_linking", "for_runtime"]


class _Option(NamedTuple):
    """What becomes of an option.

    Attributes
    ----------
    becomes : str
        The same option of the compilers here; empty if it is left out.
    takes : bool
        It has a value, after it or after ``=``.
    """

    becomes: str
    takes: bool


_KEPT = {
    "-D": "-D", "--define-macro": "-D", "-U": "-U", "--undefine-macro": "-U", "-I": "-I", "--include-path": "-I",
    "-isystem": "-isystem", "-include": "-include", "--pre-include": "-include", "-std": "-std=", "--std": "-std=",
}  # fmt: skip
# These choose a GPU, a precision, an optimisation or a message: nothing that the simulated device has.
_LEFT_OUT = (
    "-default-device --device-as-default-execution-space -use_fast_math --use_fast_math -ffast-math -lineinfo "
    "--generate-line-info -G --device-debug -g -w --disable-warnings -m64 -rdc --restrict -restrict "
    "--expt-relaxed-constexpr -expt-relaxed-constexpr --expt-extended-lambda -expt-extended-lambda --extended-lambda "
    "-extended-lambda --extra-device-vectorization -extra-device-vectorization -dlto -munsafe-fp-atomics "
    "-O0 -O1 -O2 -O3 -O -Wall -Wextra -pthread --builtin-move-forward -dw --std-library -c -dc"
).split()  # fmt: skip
_LEFT_OUT_WITH_VALUE = (
    "-arch --gpu-architecture -gencode --generate-code -code --gpu-code --offload-arch --fmad -fmad --ftz -ftz "
    "--prec-div -prec-div --prec-sqrt -prec-sqrt --maxrregcount -maxrregcount --ptxas-options -Xptxas "
    "--relocatable-device-code --diag-suppress -diag-suppress --diag-error --split-compile -ffp-contract -Xcompiler "
    "--compiler-options --dopt -dopt -x -lineinfo --jump-table-density --device-stack-protector "
    "--extensible-whole-program --minimal --amdgpu-target"
).split()
_OPTIONS = {
    **{name: _Option("", False) for name in _LEFT_OUT},
    **{name: _Option("", True) for name in _LEFT_OUT_WITH_VALUE},
    **{name: _Option(becomes, True) for name, becomes in _KEPT.items()},
}
_JOINED = ("-isystem", "-include", "-D", "-U", "-I")  # the value may follow at once
_OLDER = ("c++03", "c++11", "c++14", "gnu++11", "gnu++14")  # the headers here need C++ 17, which has all of these


def accepted(options: Sequence[str]) -> tuple[str, ...]:
    """Return the options of a user for the compilers here.

    Raises
    ------
    CapabilityError
        If one is not known.

    Examples
    --------
    >>> accepted(["-DWIDTH=4", "-I", "headers", "--gpu-architecture=sm_90", "--std=c++20"])
    ('-DWIDTH=4', '-Iheaders', '-std=c++20')
    """
    words = iter(options)
    return tuple(kept for word in words for kept in _accepted(word, words))


def _accepted(word: str, following: Iterator[str]) -> Iterator[str]:
    name, equals, value = word.partition("=")
    joined = next((start for start in _JOINED if word.startswith(start) and word != start), None)
    if joined and name not in _OPTIONS:
        name, equals, value = joined, "=", word[len(joined) :]
    option = _OPTIONS.get(name)
    if option is None:
        raise CapabilityError(_unknown(word))
    if option.takes and not equals:
        value = next(following, "")
        if not value:
            raise CapabilityError(
                f"the option {word!r} has no value; write it after {word!r}, as the next of the options"
            )
    if option.becomes == "-std=":
        yield f"-std={'c++17' if value in _OLDER else value}"
    elif option.becomes in {"-isystem", "-include"}:
        yield from (option.becomes, value)
    elif option.becomes:
        yield f"{option.becomes}{value}"


def _unknown(word: str) -> str:
    return (
        f"the simulated device does not have the compiler option {word!r}; it has {', '.join(_KEPT)}, and ignores what "
        f"chooses a GPU or an optimisation, such as -arch=sm_90, --use_fast_math and -O3"
    )


_COMMON = (
    "-std=c++17", "-fPIC", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-fno-stack-protector",
    "-U_FORTIFY_SOURCE", "-fno-strict-aliasing", "-pthread",
)  # fmt: skip
# Kernels have no errno, and reinterpret memory. An operation is rounded as it is written: multiplications and additions
# are not contracted, so results are those of NumPy, on every processor. Signed integers wrap around, as on GPUs.
_KERNELS = ("-fvisibility=hidden", "-fwrapv", "-fno-math-errno", "-ffp-contract=off", "-w", "-fno-plt")
# zig compiles for the processor that it runs on, and traps at undefined behaviour, unless told otherwise.
_OF_KIND = {"gcc": ("-fno-gnu-unique",), "clang": (), "zig": ("-mcpu=baseline", "-fno-sanitize=all")}
# Checked code calls the runtime at each access, by the names that the sanitizers have; the sanitizers are not linked.
# `-fsanitize=bounds` of clang also has checks that only trap.
# Volatile accesses have calls of their own. A function that ends calls the runtime, which finds its frame by the frame
# pointer, and forgets which of its variables are not written.
_CALLS_OF_GCC = ("-fsanitize=thread,alignment,bounds", "--param", "tsan-distinguish-volatile=1")
_CALLS_OF_CLANG = (
    "-fsanitize=thread", "-fno-sanitize-trap=all", "-fsanitize=alignment,array-bounds",
    "-mllvm", "-tsan-instrument-read-before-write=1", "-mllvm", "-tsan-distinguish-volatile=1",
)  # fmt: skip


def for_kernels(kind: str, *, checked: bool, warp: int) -> tuple[str, ...]:
    """Return the options that compile kernels, for a kind of compiler."""
    calls = _CALLS_OF_GCC if kind == "gcc" else _CALLS_OF_CLANG
    # -g1: lines and inlined calls.
    how = ("-O1", "-g1", "-fno-omit-frame-pointer", *calls) if checked else ("-O2",)
    macros = ("-DACCEL_SIM=1", f"-DACCEL_SIM_WARP={warp}", f"-DACCEL_SIM_CHECKED={int(checked)}")
    return (*_COMMON, *_KERNELS, *_OF_KIND[kind], *how, *macros)


def for_runtime(kind: str) -> tuple[str, ...]:
    """Return the options that compile the runtime."""
    return (*_COMMON, *_OF_KIND[kind], "-O2", "-Wall")


def for_linking(kind: str, name: str) -> tuple[str, ...]:
    """Return the options that link a shared object, which others name by `name`."""
    if sys.platform == "darwin":
        return ("-shared", "-undefined", "dynamic_lookup", f"-Wl,-install_name,{name}")
    # Without the libraries of zig, which it would have to compile first. Python has loaded those of C.
    return ("-shared", "-Wl,--as-needed", f"-Wl,-soname,{name}", *(("-nostdlib",) if kind == "zig" else ()))
