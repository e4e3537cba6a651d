"""The arguments of a program's kernels, as bytes in the order of their parameters."""

import struct
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from accel.dtypes import DType
from accel.ir import Parameter, Program, View

__all__ = ["Packing"]

_CODES = {
    "bool": "?",
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "uint8": "B",
    "uint16": "H",
    "uint32": "I",
    "uint64": "Q",
    "float16": "e",
    "bfloat16": "H",
    "float32": "f",
    "float64": "d",
    "complex64": "ff",
    "complex128": "dd",
}


class Packing:
    """How arguments are packed: those of a launch, then addresses and numbers of the backend's own.

    Parameters
    ----------
    program : Program
        The program.
    own : str
        The codes of `struct` for the backend's own arguments.

    Attributes
    ----------
    offsets : list of int
        Where each argument begins.
    nbytes : int
        Bytes of all.
    """

    __slots__ = ("_convert", "_pack", "nbytes", "offsets")

    def __init__(self, program: Program, own: str) -> None:
        codes = [code for parameter in program.parameters for code in _codes(parameter)] + list(own)
        self.offsets, text = [], "="
        for code in codes:
            text += f"{-struct.calcsize(text) % _alignment(code)}x"
            self.offsets.append(struct.calcsize(text))
            text += code
        self.nbytes = struct.calcsize(text)
        self._pack = struct.Struct(text).pack_into
        self._convert = _conversions(program)

    def write(self, memory: Any, arguments: Sequence[Any], own: Sequence[int]) -> None:
        """Write arguments to memory."""
        if self._convert:
            arguments = [
                part for each, number in enumerate(arguments) for part in self._convert.get(each, _unchanged)(number)
            ]
        self._pack(memory, 0, *arguments, *own)


def _codes(parameter: Parameter) -> list[str]:
    return ["Q", *["q"] * (2 * parameter.rank)] if isinstance(parameter, View) else [_CODES[parameter.dtype.name]]


def _alignment(code: str) -> int:
    return struct.calcsize(f"={code}")


def _conversions(program: Program) -> dict[int, Callable[[Any], tuple[Any, ...]]]:
    """Return how numbers are converted that `struct` cannot pack, by their places among the arguments."""
    result: dict[int, Callable[[Any], tuple[Any, ...]]] = {}
    place = 0
    for parameter in program.parameters:
        if parameter.dtype.kind == "c" and not isinstance(parameter, View):
            result[place] = _parts
        elif parameter.dtype.name == "bfloat16" and not isinstance(parameter, View):
            result[place] = partial(_bits, parameter.dtype)
        place += len(_codes(parameter))
    return result


def _unchanged(number: Any) -> tuple[Any, ...]:
    return (number,)


def _parts(number: Any) -> tuple[Any, ...]:
    return number.real, number.imag


def _bits(dtype: DType, number: Any) -> tuple[Any, ...]:
    return (int(np.array(number, dtype).view(np.uint16)),)
