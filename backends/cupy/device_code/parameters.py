"""The parameters of a program's kernels: of a view its address, and those extents and strides that are used."""

from collections.abc import Iterator
from typing import NamedTuple

from accel.ir import Extent, Number, Program, Stride, View

from .trees import nodes
from .types import identifier, type_name

__all__ = ["KernelParameter", "kernel_parameters"]

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


class KernelParameter(NamedTuple):
    """A parameter of a kernel.

    Attributes
    ----------
    place : int
        Of its value among the arguments of a launch.
    code : str
        Of the module `struct`.
    text : str
        Its declaration.
    is_form : bool
        Whether it is an extent or a stride.
    number : Number or None
        What is passed by value.
    """

    place: int
    code: str
    text: str
    is_form: bool
    number: Number | None = None


def kernel_parameters(program: Program) -> Iterator[KernelParameter]:
    """Yield the parameters that a program's kernels take, before those of the backend's own."""
    forms = [each for each in nodes((program.prelude, program.steps)) if isinstance(each, Extent | Stride)]
    used = {(type(each), *each) for each in forms}  # tuples of two classes may be equal
    place = 0
    for parameter in program.parameters:
        name, kind = identifier(parameter.name), type_name(parameter.dtype)
        if not isinstance(parameter, View):
            yield KernelParameter(place, _CODES[parameter.dtype.name], f"{kind} {name}", False, parameter)
            place += 1
            continue
        yield KernelParameter(place, "Q", f"{'' if parameter.writable else 'const '}{kind}* {name}", False)
        rank = parameter.rank
        for axis in range(rank):
            if (Extent, parameter.name, axis) in used:
                yield KernelParameter(place + 1 + axis, "q", f"i64 {name}extent{axis}", True)
        for axis in range(rank):
            if (Stride, parameter.name, axis) in used:
                yield KernelParameter(place + 1 + rank + axis, "q", f"index_t {name}stride{axis}", True)
        place += 1 + 2 * rank
