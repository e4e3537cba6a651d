"""`Parameter`: the parameters of a kernel, parsed from its source; launches are checked against them."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from accel.abc.raw_sources import kernel_heads
from accel.dtypes import DType, as_dtype
from accel.errors import KernelSignatureError
from accel.kernels.raw.vectors import Vector, vector_named

__all__ = ["Parameter", "only_kernel", "parameters_of"]

_SCALARS: Mapping[str, str] = {
    "bool": "bool",
    "char": "int8",
    "signed char": "int8",
    "unsigned char": "uint8",
    "signed": "int32",
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
    **dict.fromkeys(("nv_bfloat16", "__nv_bfloat16", "hip_bfloat16", "__hip_bfloat16"), "bfloat16"),
    "float2": "complex64",
    "double2": "complex128",
    "cuFloatComplex": "complex64",
    "cuDoubleComplex": "complex128",
    "hipFloatComplex": "complex64",
    "hipDoubleComplex": "complex128",
    "complex<float>": "complex64",
    "complex<double>": "complex128",
}
_IGNORED = re.compile(r"\b(?:__restrict__|restrict|volatile|__grid_constant__|struct)\b")
_VIEW = re.compile(r"(?:const )?(?:accel::)?View<\s*(.+?)\s*,\s*([1-9]\d*)\s*>(?: const)?")
_POINTER = re.compile(r"([^*]+)\*(?: ?const)?")
_NAME = re.compile(r"(.*[\s*&>])(\w+)")


class Parameter(NamedTuple):
    """One parameter of a kernel.

    Attributes
    ----------
    name : str
        Name of the parameter.
    dtype : numpy.dtype
        Type of the scalar or of the elements.
    rank : int or None
        Rank of a view; 0 for a bare pointer, None for a scalar.
    writable : bool
        Whether the kernel may write through it.
    vector : Vector or None
        The vectors to which a bare pointer is; it takes memory of their scalars too, as ``float4*`` takes float32.
    """

    name: str
    dtype: DType
    rank: int | None = None
    writable: bool = False
    vector: Vector | None = None

    @property
    def alignment(self) -> int:
        """Bytes of which the address of its memory is a multiple."""
        return self.dtype.itemsize if self.vector is None else self.vector.alignment

    def __str__(self) -> str:
        if self.rank is None:
            return f"{self.dtype.name} {self.name}"
        const = "" if self.writable else "const "
        element = self.dtype.name if self.vector is None else self.vector.name
        kind = f"{const}{element}*" if self.rank == 0 else f"View<{const}{element}, {self.rank}>"
        return f"{kind} {self.name}"


def parameters_of(source: str, kernel: str) -> tuple[Parameter, ...]:
    """Return the parameters of a kernel in a source.

    Raises
    ------
    KernelSignatureError
        If the source does not have the kernel, or a parameter has a type that is not supported.
    """
    signatures = {_parameters(text, kernel) for name, text in kernel_heads(source) if name == kernel}
    if len(signatures) > 1:  # the preprocessor selects one, and accel does not run it
        raise KernelSignatureError(
            f"the source has {kernel} several times, with different parameters; write one of them"
        )
    if not signatures:
        raise KernelSignatureError(
            f"no kernel {kernel!r} is in the source, which has {', '.join(_kernels_of(source)) or 'none'}; write "
            f'extern "C" __global__ void {kernel}(...)'
        )
    return signatures.pop()


def only_kernel(source: str) -> str:
    """Return the name of the only kernel in a source.

    Raises
    ------
    KernelSignatureError
        If there is no kernel, or more than one.
    """
    names = _kernels_of(source)
    if not names:
        raise KernelSignatureError('the source has no kernel; write extern "C" __global__ void name(...)')
    if len(names) > 1:
        raise KernelSignatureError(
            f"the source has {', '.join(names)}; name one of them, as in from_source(source, {names[0]!r})"
        )
    return names[0]


def _kernels_of(source: str) -> list[str]:
    return list(dict.fromkeys(name for name, _ in kernel_heads(source)))


def _parameters(text: str, kernel: str) -> tuple[Parameter, ...]:
    return tuple([_parameter(part, kernel) for part in _split(text) if part not in ("", "void")])


def _split(text: str) -> list[str]:
    """Return the text between top-level commas up to the closing parenthesis."""
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
    named = _NAME.fullmatch(" ".join(_IGNORED.sub(" ", text).split()))
    if named is None:
        raise _unknown(text, kernel)
    kind, name = named.group(1).strip(), named.group(2)
    view, pointer = _VIEW.fullmatch(kind), _POINTER.fullmatch(kind)
    rank = int(view.group(2)) if view else 0 if pointer else None
    element = next((match.group(1) for match in (view, pointer) if match), kind)
    plain = _without_qualifiers(element)
    vector = vector_named(plain) if pointer else None
    dtype = as_dtype(_SCALARS[plain]) if plain in _SCALARS else vector.scalar if vector else None
    if dtype is None:
        raise _unknown(text, kernel)
    return Parameter(name, dtype, rank, rank is not None and "const" not in element.split(), vector)


def _without_qualifiers(kind: str) -> str:
    name = " ".join(word for word in kind.split() if word != "const")
    for prefix in ("thrust::", "cuda::std::", "std::"):
        name = name.removeprefix(prefix)
    return name


def _unknown(text: str, kernel: str) -> KernelSignatureError:
    return KernelSignatureError(
        f"the parameter {text!r} of {kernel} has an unsupported type; supported are numbers "
        f"({', '.join(sorted(_SCALARS))}), pointers to them or to vectors such as float4, and accel::View<T, rank>"
    )
