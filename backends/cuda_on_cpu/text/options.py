"""`accepted`: the options that users write for NVRTC, nvcc and hipcc, as those of the compilers here."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from accel.errors import CapabilityError

__all__ = ["accepted", "apart"]


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
_LEFT_OUT = """
    -default-device --device-as-default-execution-space -use_fast_math --use_fast_math -ffast-math -lineinfo
    --generate-line-info -G --device-debug -g -w --disable-warnings -m64 -rdc --restrict -restrict
    --expt-relaxed-constexpr -expt-relaxed-constexpr --expt-extended-lambda -expt-extended-lambda
    --extended-lambda -extended-lambda --extra-device-vectorization -extra-device-vectorization -dlto
    -munsafe-fp-atomics -O0 -O1 -O2 -O3 -O -Wall -Wextra -pthread --builtin-move-forward -dw --std-library -c
    -dc
"""
_LEFT_OUT_WITH_VALUE = """
    -arch --gpu-architecture -gencode --generate-code -code --gpu-code --offload-arch --fmad -fmad --ftz -ftz
    --prec-div -prec-div --prec-sqrt -prec-sqrt --maxrregcount -maxrregcount --ptxas-options -Xptxas
    --relocatable-device-code --diag-suppress -diag-suppress --diag-error --split-compile -ffp-contract
    -Xcompiler --compiler-options --dopt -dopt -x --jump-table-density --device-stack-protector
    --extensible-whole-program --minimal --amdgpu-target
"""
_OPTIONS = {
    **{name: _Option("", False) for name in _LEFT_OUT.split()},
    **{name: _Option("", True) for name in _LEFT_OUT_WITH_VALUE.split()},
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
    >>> accepted(["-DWIDTH=4", "-I", "/headers", "--gpu-architecture=sm_90", "--std=c++20"])
    ('-DWIDTH=4', '-I/headers', '-std=c++20')
    """
    words = iter(options)
    return tuple(option for word in words for option in _accepted(word, words))


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
    elif option.becomes == "-I":
        yield f"-I{Path(value).absolute()}"  # kernels that are kept do not depend on the folder of the process
    elif option.becomes == "-isystem":
        yield from (option.becomes, str(Path(value).absolute()))
    elif option.becomes == "-include":
        yield from (option.becomes, str(Path(value).absolute()) if Path(value).exists() else value)
    elif option.becomes:
        yield f"{option.becomes}{value}"


def _unknown(word: str) -> str:
    return (
        f"the simulated device does not have the compiler option {word!r}; it has {', '.join(_KEPT)}, and ignores what "
        f"chooses a GPU or an optimisation, such as -arch=sm_90, --use_fast_math and -O3"
    )


def apart(words: Sequence[str]) -> tuple[tuple[str, ...], str]:
    r"""Return options without those that define macros, and these as directives for after the headers.

    The headers have names such as ``N`` too. They know only the macros of compilers, which begin with ``_``, and
    NDEBUG.

    Examples
    --------
    >>> apart(["-DN=4", "-Iheaders", "-DFAST", "-DNDEBUG"])
    (('-Iheaders', '-DNDEBUG'), '#define N 4\n#define FAST 1\n')
    """
    of_compilers = ("-D_", "-DACCEL_SIM", "-DNDEBUG")
    macros = [word for word in words if word.startswith("-D") and not word.startswith(of_compilers)]
    pairs = [word[2:].partition("=") for word in macros]
    text = "".join([f"#define {name} {value if equals else 1}\n" for name, equals, value in pairs])
    return tuple(word for word in words if word not in macros), text
