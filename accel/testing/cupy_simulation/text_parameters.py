"""The parameters of `ElementwiseKernel` and `ReductionKernel`: their text, and the types that a call gives to it."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from accel.dtypes import DType

__all__ = ["TextParameter", "element_type", "parsed_parameters", "types_of"]

_ELEMENT_TYPES = {
    "bool": "bool",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long long",
    "uint8": "unsigned char",
    "uint16": "unsigned short",
    "uint32": "unsigned int",
    "uint64": "unsigned long long",
    "float16": "float16",
    "float32": "float",
    "float64": "double",
    "complex64": "complex<float>",
    "complex128": "complex<double>",
}


class TextParameter(NamedTuple):
    """A parameter such as ``raw T x``.

    Attributes
    ----------
    name, kind : str
        Its name, and the text of its type.
    dtype : numpy.dtype or None
        The type; None for a placeholder, which is one letter.
    raw : bool
        Whether the kernel indexes the array by itself.
    constant : bool
        Whether the kernel may not write it.
    """

    name: str
    kind: str
    dtype: DType | None
    raw: bool
    constant: bool


def element_type(dtype: DType) -> str:
    """Return the name of a dtype in kernels.

    Raises
    ------
    TypeError
        If kernels have no such type.
    """
    if dtype.name not in _ELEMENT_TYPES:
        raise TypeError(f"kernels have no type for {dtype}; there are {', '.join(_ELEMENT_TYPES)}")
    return _ELEMENT_TYPES[dtype.name]


@lru_cache(1024)
def parsed_parameters(text: str, *, constant: bool) -> tuple[TextParameter, ...]:
    """Return the parameters of a text such as ``'T x, raw T y'``.

    Raises
    ------
    ValueError
        If the text is no such list, or a name is that of the loop.
    TypeError
        If there is no such type.
    """
    return tuple([_parsed(part, constant) for part in text.split(",")]) if text.strip() else ()


def _parsed(text: str, constant: bool) -> TextParameter:
    *words, kind, name = text.split() if len(text.split()) > 1 else ("", "", "")
    unknown = [word for word in words if word not in ("raw", "_non_const")]
    if not name or unknown:
        raise ValueError(f"a parameter is written as in 'T x' or 'raw float32 x'; found {text.strip()!r}")
    if name == "i":
        raise ValueError("Can not use 'i' as a parameter name: it is the index of the loop")
    dtype = None if len(kind) == 1 else np.dtype(kind)
    return TextParameter(
        name,
        kind if dtype is None else element_type(dtype),
        dtype,
        "raw" in words,
        constant and "_non_const" not in words,
    )


def types_of(
    inputs: Sequence[TextParameter], outputs: Sequence[TextParameter], given: Sequence[Any], results: Sequence[Any]
) -> tuple[list[DType], list[DType], dict[str, DType]]:
    """Return the dtypes of the inputs and outputs, and those of the placeholders.

    Parameters
    ----------
    inputs, outputs : sequence of TextParameter
        The parameters.
    given, results : sequence
        The dtypes of the arguments; None for a number, which decides nothing.

    Raises
    ------
    TypeError
        If an array has another type than its parameter, or nothing decides a placeholder.
    """
    placeholders: dict[str, DType] = {}
    _decide(placeholders, zip(outputs, results, strict=False))
    _decide(placeholders, zip(inputs, given, strict=True))
    unknown = [each.kind for each in (*inputs, *outputs) if each.dtype is None and each.kind not in placeholders]
    if unknown:
        raise TypeError(
            f"no array decides the type {unknown[0]}; numbers decide none: pass an array, or write the dtype, as in "
            f"'float32 x'"
        )
    return (
        [_dtype(each, placeholders) for each in inputs],
        [_dtype(each, placeholders) for each in outputs],
        dict(sorted(placeholders.items())),
    )


def _decide(placeholders: dict[str, DType], pairs: Iterable[tuple[TextParameter, DType | None]]) -> None:
    for parameter, dtype in pairs:
        if dtype is None:
            continue
        expected = placeholders.setdefault(parameter.kind, dtype) if parameter.dtype is None else parameter.dtype
        if expected != dtype:
            raise TypeError(
                f"Type is mismatched. {parameter.name} {dtype} {expected}: write {parameter.name}.astype('{expected}')"
            )


def _dtype(parameter: TextParameter, placeholders: dict[str, DType]) -> DType:
    return placeholders[parameter.kind] if parameter.dtype is None else parameter.dtype
