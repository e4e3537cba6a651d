"""The arguments of a program's kernels, as bytes."""

import struct
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np

from accel.dtypes import DType
from accel.ir import Program

from .parameters import KernelParameter, kernel_parameters

__all__ = ["FormPacking", "Packing"]

_Convert = Callable[[Any], tuple[Any, ...]]


class Packing:
    """How arguments are packed: those of a launch that kernels take, then addresses and numbers of the backend's own.

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

    __slots__ = ("_convert", "_pack", "_taken", "nbytes", "offsets")

    def __init__(self, program: Program, own: str) -> None:
        taken = [*kernel_parameters(program)]
        text, self.offsets = _laid_out([*[each.code for each in taken], *own])
        self.nbytes = struct.calcsize(text)
        self._pack = struct.Struct(text).pack_into
        self._taken = _items([each.place for each in taken])
        self._convert = _conversions(taken)

    def write(self, memory: Any, arguments: Sequence[Any], own: Sequence[int]) -> None:
        """Write arguments to memory."""
        taken = self._taken(arguments)
        if self._convert:
            taken = _converted(taken, self._convert)
        self._pack(memory, 0, *taken, *own)


class FormPacking:
    """How arguments are packed whose views have certain forms: their addresses and the numbers are first in memory.

    Parameters
    ----------
    program : Program
        The program.
    own : str
        As for `Packing`.
    arguments : sequence
        Those of a launch, of any addresses and numbers.

    Attributes
    ----------
    offsets : list of int
        Where each argument begins.
    nbytes : int
        Bytes of all.
    """

    __slots__ = ("_arguments", "_convert", "_forms", "_pack", "nbytes", "offsets")

    def __init__(self, program: Program, own: str, arguments: Sequence[Any]) -> None:
        taken = [*kernel_parameters(program)]
        codes = [*[each.code for each in taken], *own]
        order = sorted(range(len(codes)), key=lambda number: number < len(taken) and taken[number].is_form)
        text, offsets = _laid_out([codes[number] for number in order])
        self.offsets = [offsets[order.index(number)] for number in range(len(codes))]
        self.nbytes = struct.calcsize(text)
        of_taken = self.offsets[: len(taken)]
        self._forms = [
            (offset, arguments[each.place]) for offset, each in zip(of_taken, taken, strict=True) if each.is_form
        ]
        changing = [each for each in taken if not each.is_form]
        self._pack = struct.Struct(_laid_out([*[each.code for each in changing], *own])[0]).pack_into
        self._convert = _conversions(changing)

    def write_forms(self, memory: Any) -> None:
        """Write extents and strides to memory."""
        for offset, number in self._forms:
            struct.pack_into("=q", memory, offset, number)

    @property
    def pack_into(self) -> Callable[..., None]:
        """What writes the address of each view and each number to memory at an offset, in the order of parameters."""
        if not self._convert:
            return self._pack
        return lambda memory, offset, *values: self._pack(memory, offset, *_converted(values, self._convert))

    def write(self, memory: Any, addresses: Sequence[int], numbers: Sequence[Any], own: Sequence[int]) -> None:
        """Write the address of each view, the numbers, and the backend's own arguments, to memory."""
        if self._convert:
            self._pack(memory, 0, *_converted((*addresses, *numbers), self._convert), *own)
        else:
            self._pack(memory, 0, *addresses, *numbers, *own)


def _laid_out(codes: Iterable[str]) -> tuple[str, list[int]]:
    """Return the text of `struct` for arguments, each at a multiple of its size, and where each begins."""
    text, offsets = "=", []
    for code in codes:
        text += f"{-struct.calcsize(text) % struct.calcsize(f'={code}')}x"
        offsets.append(struct.calcsize(text))
        text += code
    return text, offsets


def _items(places: Sequence[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """Return what gets the items at some places of a sequence."""
    if len(places) > 1:
        return itemgetter(*places)
    return lambda arguments: [arguments[place] for place in places]


def _conversions(parameters: Sequence[KernelParameter]) -> dict[int, _Convert]:
    """Return how numbers are converted that `struct` cannot pack, by their places."""
    result: dict[int, _Convert] = {}
    for place, each in enumerate(parameters):
        if each.number is None:
            continue
        if each.number.dtype.kind == "c":
            result[place] = _parts
        elif each.number.dtype.name == "bfloat16":
            result[place] = partial(_bits, each.number.dtype)
    return result


def _converted(arguments: Sequence[Any], convert: dict[int, _Convert]) -> list[Any]:
    return [part for place, each in enumerate(arguments) for part in convert.get(place, _unchanged)(each)]


def _unchanged(number: Any) -> tuple[Any, ...]:
    return (number,)


def _parts(number: Any) -> tuple[Any, ...]:
    return number.real, number.imag


def _bits(dtype: DType, number: Any) -> tuple[Any, ...]:
    return (int(np.array(number, dtype).view(np.uint16)),)
