"""Parameters of a kernel, read from its own source: what a launch is checked against."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from accel.dtypes import DType, as_dtype
from accel.errors import KernelSignatureError

__all__ = ["Parameter", "kernels_of", "parameters_of"]

_SCALARS: Mapping[str, str] = {
    "bool": "bool",
    "char": "int8",
    "signed char": "int8",
    "unsigned char": "uint8",
    "short": "int16",
    "unsigned short": "uint16",
    "int": "int32",
    "unsigned": "uint32",
    "unsigned int": "uint32",
    "long long": "int64",
    "unsigned long long": "uint64",
    "size_t": "uint64",
    "ptrdiff_t": "int64",
    **{f"{kind}{bits}_t": f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "__half": "float16",
    "__nv_bfloat16": "bfloat16",
    "hip_bfloat16": "bfloat16",
    "float2": "complex64",
    "double2": "complex128",
    "complex<float>": "complex64",
    "complex<double>": "complex128",
}
_HEAD = re.compile(
    r'extern\s+"C"\s+__global__\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?void\s+'
    r"(?:__launch_bounds__\s*\([^)]*\)\s*)?(?P<name>\w+)\s*\("
)
_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_IGNORED = re.compile(r"\b(?:__restrict__|restrict|volatile|__grid_constant__|struct)\b")
_VIEW = re.compile(r"(?:accel::)?View<\s*(.+?)\s*,\s*(\d+)\s*>$")
_NAME = re.compile(r"(.*[\s*&>])(\w+)$", re.DOTALL)


class Parameter(NamedTuple):
    """One parameter of a kernel.

    Attributes
    ----------
    name : str
        Its name.
    dtype : numpy.dtype
        Of the scalar, or of the elements.
    rank : int or None
        Of a view; 0 for a bare pointer, None for a scalar.
    writable : bool
        Whether the kernel may write through it.
    """

    name: str
    dtype: DType
    rank: int | None = None
    writable: bool = False

    def __str__(self) -> str:
        if self.rank is None:
            return f"{self.dtype.name} {self.name}"
        const = "" if self.writable else "const "
        kind = f"{const}{self.dtype.name}*" if self.rank == 0 else f"View<{const}{self.dtype.name}, {self.rank}>"
        return f"{kind} {self.name}"


def parameters_of(source: str, kernel: str) -> tuple[Parameter, ...]:
    """Return the parameters of a kernel in some source.

    Raises
    ------
    KernelSignatureError
        If the kernel is not there, or a parameter has a type that no argument can be checked against.
    """
    plain = _COMMENTS.sub(" ", source)
    for head in _HEAD.finditer(plain):
        if head["name"] == kernel:
            texts = _split(plain[head.end() :])
            return tuple([_parameter(text, kernel) for text in texts if text not in ("", "void")])
    raise KernelSignatureError(
        f"no kernel {kernel!r} is in the source, which has {', '.join(kernels_of(source)) or 'none'}; write "
        f'extern "C" __global__ void {kernel}(...)'
    )


def kernels_of(source: str) -> list[str]:
    """Return the names of the kernels in some source."""
    return [head["name"] for head in _HEAD.finditer(_COMMENTS.sub(" ", source))]


def _split(text: str) -> list[str]:
    """Return what stands between commas up to the closing parenthesis."""
    parts, depth = [""], 0
    for letter in text:
        if depth == 0 and letter == ")":
            break
        depth += (letter in "(<[") - (letter in ")>]")
        if depth == 0 and letter == ",":
            parts.append("")
        else:
            parts[-1] += letter
    return [" ".join(part.split()) for part in parts]


def _parameter(text: str, kernel: str) -> Parameter:
    named = _NAME.match(_IGNORED.sub(" ", text).strip())
    if named is None:
        raise _unknown(text, kernel)
    kind, name = named.group(1).strip(), named.group(2)
    view = _VIEW.search(kind)
    if view is not None:
        return Parameter(name, _dtype(view.group(1), text, kernel), int(view.group(2)), not _is_const(view.group(1)))
    if kind.endswith("*") and kind.count("*") == 1:
        return Parameter(name, _dtype(kind[:-1], text, kernel), 0, not _is_const(kind[:-1]))
    return Parameter(name, _dtype(kind, text, kernel))


def _is_const(kind: str) -> bool:
    return "const" in kind.split()


def _dtype(kind: str, text: str, kernel: str) -> DType:
    name = " ".join(word for word in kind.split() if word != "const")
    for prefix in ("thrust::", "cuda::std::", "std::"):
        name = name.removeprefix(prefix)
    if name not in _SCALARS:
        raise _unknown(text, kernel)
    return as_dtype(_SCALARS[name])


def _unknown(text: str, kernel: str) -> KernelSignatureError:
    return KernelSignatureError(
        f"the parameter {text!r} of {kernel} has a type that no argument can be checked against; known are numbers "
        f"({', '.join(sorted(_SCALARS))}), pointers to them, and accel::View<T, rank>"
    )
