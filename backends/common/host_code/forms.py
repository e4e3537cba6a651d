"""How LLVM holds the numbers of each dtype."""

import struct
from functools import cache
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from accel.dtypes import DType
from accel.errors import CapabilityError

__all__ = ["DOUBLE", "FLOAT", "I64", "TRUTH_FORM", "Form", "Value", "form_of"]

Value: TypeAlias = tuple[str, ...]
"""A number in registers: their names, or constants; two for a complex number, else one."""


class Form(NamedTuple):
    """How LLVM holds numbers of a dtype.

    Attributes
    ----------
    name : str
        Name of the dtype, as part of names of functions.
    kind : str
        Of one part of a number.
    register, memory : str
        The LLVM type of one part, in a register and in memory. A bfloat16 is held as the integer of its bits.
    nbytes : int
        Bytes of one part.
    parts : int
        2 for complex numbers, else 1.
    """

    name: str
    kind: Literal["bool", "int", "uint", "float"]
    register: str
    memory: str
    nbytes: int
    parts: int

    @property
    def bits(self) -> int:
        """The width of one part."""
        return 8 * self.nbytes

    @property
    def is_narrow(self) -> bool:
        """Whether operations are computed in float32 and rounded."""
        return self.kind == "float" and self.nbytes == 2

    @property
    def computed(self) -> "Form":
        """The form in which operations are computed."""
        return FLOAT if self.is_narrow else self

    @property
    def part(self) -> "Form":
        """The form of the real part."""
        return self if self.parts == 1 else (FLOAT if self.nbytes == 4 else DOUBLE)

    def constant(self, value: Any) -> Value:
        """Return a constant."""
        if self.parts == 2:
            number = complex(value)
            return self.part.constant(number.real) + self.part.constant(number.imag)
        if self.kind == "bool":
            return ("true" if value else "false",)
        if self.kind == "float":
            return (self._float(value),)
        return (str(int(value)),)

    def _float(self, value: Any) -> str:
        if self.name == "bfloat16":
            from ml_dtypes import bfloat16

            return str(int(np.asarray(value, bfloat16).view(np.uint16)))
        with np.errstate(over="ignore"):
            number = np.dtype(self.name).type(value)
        if self.name == "float16":
            return f"0xH{int(number.view(np.uint16)):04X}"
        return f"0x{struct.pack('>d', number).hex().upper()}"


_FLOATS = {"float16": ("half", 2), "float32": ("float", 4), "float64": ("double", 8), "bfloat16": ("i16", 2)}


@cache
def form_of(dtype: DType) -> Form:
    """Return the form of a dtype.

    Raises
    ------
    CapabilityError
        If kernels on the host cannot compute with it.
    """
    name = dtype.name
    if dtype.kind == "b":
        return Form(name, "bool", "i1", "i8", 1, 1)
    if dtype.kind in "iu":
        register = f"i{8 * dtype.itemsize}"
        return Form(name, "int" if dtype.kind == "i" else "uint", register, register, dtype.itemsize, 1)
    if dtype.kind == "c":
        part = "float" if dtype.itemsize == 8 else "double"
        return Form(name, "float", part, part, dtype.itemsize // 2, 2)
    if name not in _FLOATS:
        raise CapabilityError(
            f"a kernel on the host cannot compute with {name}; keep the data in float16 or bfloat16, "
            f"or convert it before the launch"
        )
    register, nbytes = _FLOATS[name]
    return Form(name, "float", register, register, nbytes, 1)


FLOAT = form_of(np.dtype(np.float32))
DOUBLE = form_of(np.dtype(np.float64))
I64 = form_of(np.dtype(np.int64))
TRUTH_FORM = form_of(np.dtype(np.bool_))
