"""The arguments of `ElementwiseKernel` and `ReductionKernel`, and how their kernels take them."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from accel import xp
from accel.dtypes import DType
from accel.kernels.raw.parameters import Parameter
from accel.testing.cupy_simulation.places import current_device, number_of
from accel.testing.cupy_simulation.text_parameters import TextParameter, element_type, types_of
from accel.xp.arrays import Array

__all__ = ["Argument", "Arguments", "Parameters", "declared", "headers", "number", "refuse_name", "typedefs"]

_NUMBERS = (bool, int, float, complex, np.generic)


class Argument(NamedTuple):
    """An array or a number for a parameter."""

    parameter: TextParameter
    value: Any
    dtype: DType

    @property
    def is_array(self) -> bool:
        """Whether it is an array."""
        return isinstance(self.value, Array)

    @property
    def layout(self) -> tuple[int, ...]:
        """The shape and the strides in bytes of an array."""
        return (*self.value.shape, *self.value.__accel_operand__().strides)

    @property
    def contiguous(self) -> bool:
        """Whether the elements of an array follow each other in C order."""
        step = self.dtype.itemsize
        rank = self.value.ndim
        for extent, stride in zip(self.layout[:rank][::-1], self.layout[rank:][::-1], strict=True):
            if extent != 1 and stride != step:
                return False
            step *= extent
        return True

    @property
    def key(self) -> tuple[Any, ...]:
        """What the text for it depends on."""
        return (self.dtype, self.value.ndim, self.contiguous) if self.is_array else (self.dtype,)

    @property
    def parameters(self) -> list[Parameter]:
        """The parameters of the kernel for it."""
        name = self.parameter.name
        if not self.is_array:
            return [Parameter(name, self.dtype)]
        first = Parameter(name, self.dtype, 0, not self.parameter.constant)
        return [first, *[number(f"_{name}_{place}") for place in range(2 * self.value.ndim)]]

    @property
    def outer(self) -> str:
        """The statement that makes an array, or a number of CuPy's type."""
        name, kind = self.parameter.name, element_type(self.dtype)
        if not self.is_array:
            return f"const {kind} _raw_{name}({name});"
        layout = ", ".join([f"_{name}_{place}" for place in range(2 * self.value.ndim)])
        constant = "const " if self.parameter.constant else ""
        whole = f"CArray<{kind}, {self.value.ndim}, {str(self.contiguous).lower()}, true>"
        return f"{constant}{whole} _raw_{name}(({kind}*){name}, {{{layout}}});"

    @property
    def inner(self) -> str:
        """The statement that gives a raw array or a number its name; empty for the elements of an array."""
        if self.is_array and not self.parameter.raw:
            return ""
        return f"auto& {self.parameter.name} = _raw_{self.parameter.name};"

    def element(self, index: str) -> str:
        """Return the statement that gives the element at an index its name."""
        constant = "const " if self.parameter.constant else ""
        name = self.parameter.name
        return f"{constant}{element_type(self.dtype)}& {name} = _raw_{name}[{index}.get()];"

    @property
    def passed(self) -> tuple[Any, ...]:
        """The arguments of the launch."""
        if not self.is_array:
            return (self.dtype.type(self.value),)
        return (self.value, *map(np.int64, self.layout))


class Arguments(NamedTuple):
    """The arguments of a call.

    Attributes
    ----------
    inputs : list of Argument
        The inputs; arrays that are not raw have the shape of the loop.
    outputs : list of Array
        The arrays for results that the call gave.
    results : list of numpy.dtype
        The dtypes of the results.
    placeholders : dict
        The dtypes of the placeholders.
    shape : tuple of int
        The shape of the loop.
    """

    inputs: list[Argument]
    outputs: list[Array]
    results: list[DType]
    placeholders: dict[str, DType]
    shape: tuple[int, ...]


class Parameters(NamedTuple):
    """The parameters of a kernel."""

    inputs: tuple[TextParameter, ...]
    outputs: tuple[TextParameter, ...]

    def arguments(
        self, kernel: str, given: Sequence[Any], *, size: int | None = None, joined: bool = True
    ) -> Arguments:
        """Return the arguments of a call.

        Parameters
        ----------
        kernel : str
            Name of the kernel, for messages.
        given : sequence
            Arrays and numbers; the outputs may be missing.
        size : int, optional
            The size of the loop, if all arrays are raw.
        joined : bool
            Whether outputs count for the shape of the loop.

        Raises
        ------
        TypeError, ValueError
            As CuPy raises them.
        """
        count = len(self.inputs)
        if len(given) not in (count, count + len(self.outputs)):
            raise TypeError(
                f"Wrong number of arguments for {kernel!r}. It must be either {count} or "
                f"{count + len(self.outputs)} (with outputs), but given {len(given)}."
            )
        for each in given:
            _refuse(each)
        inputs, outputs = list(given[:count]), list(given[count:])
        if not all(isinstance(each, Array) for each in outputs):
            raise TypeError("Output arguments type must be cupy.ndarray")
        shape = self._shape(given if joined else inputs, size)
        dtypes, results, placeholders = types_of(
            self.inputs, self.outputs, *(_dtypes(each) for each in (inputs, outputs))
        )
        pairs = zip(self.inputs, inputs, dtypes, strict=True)
        return Arguments(
            [Argument(parameter, _in_shape(parameter, value, shape), dtype) for parameter, value, dtype in pairs],
            outputs,
            results,
            placeholders,
            shape,
        )

    def _shape(self, given: Sequence[Any], size: int | None) -> tuple[int, ...]:
        pairs = zip((*self.inputs, *self.outputs), given, strict=False)
        shapes = [value.shape for parameter, value in pairs if isinstance(value, Array) and not parameter.raw]
        if size is not None:
            if shapes:
                raise ValueError("Specified 'size' can be used only if all of the ndarray are 'raw'.")
            return (int(size),)
        if not shapes:
            raise ValueError("Loop size is undecided. Write size=, as in kernel(x, size=x.size).")
        return np.broadcast_shapes(*shapes)

    def results(self, arguments: Arguments, shape: tuple[int, ...], *, sized: bool) -> list[Argument]:
        """Return the arrays for the results: those given, or new ones.

        Raises
        ------
        ValueError
            If an array has another shape than the results, or the size of a new array is not known.
        """
        arrays: list[Array] = arguments.outputs
        if not arrays:
            if not sized and any(each.raw for each in self.outputs):
                raise ValueError("Output array size is Undecided. Pass the output array, or write size=.")
            arrays = [xp.empty(shape, dtype=dtype, device=current_device()) for dtype in arguments.results]
        for parameter, array in zip(self.outputs, arrays, strict=True):
            if not parameter.raw and array.shape != shape:
                raise ValueError(
                    f"Out shape is mismatched: {parameter.name} has {array.shape}, the results have {shape}"
                )
        return [Argument(*each) for each in zip(self.outputs, arrays, arguments.results, strict=True)]


def _refuse(value: Any) -> None:
    if not isinstance(value, (Array, *_NUMBERS)):
        raise TypeError(f"Unsupported type {type(value)}: write cupy.asarray(x)")
    if isinstance(value, Array) and value.device != current_device():
        raise ValueError(
            f"The device where the array resides ({value.device}) is different from the current device "
            f"({current_device()}); write with cupy.cuda.Device({number_of(value.device)}):"
        )


def _dtypes(values: Iterable[Any]) -> list[DType | None]:
    return [value.dtype if isinstance(value, Array) else None for value in values]


def _in_shape(parameter: TextParameter, value: Any, shape: tuple[int, ...]) -> Any:
    if not isinstance(value, Array) or parameter.raw or value.shape == shape:
        return value
    return xp.broadcast_to(value, shape)


def number(name: str) -> Parameter:
    """Return a parameter for a number of 8 bytes."""
    return Parameter(name, np.dtype(np.int64))


def declared(parameter: Parameter) -> str:
    """Return the text of a parameter."""
    kind = element_type(parameter.dtype).replace("float16", "__half")
    if parameter.rank is None:
        return f"const {kind} {parameter.name}"
    return f"{'' if parameter.writable else 'const '}{kind}* {parameter.name}"


def headers(dtypes: Iterable[DType], *texts: str) -> str:
    """Return the lines that include what a text needs; the header of complex numbers takes long to compile."""
    kinds = {dtype.kind for dtype in dtypes}
    halves = {dtype.itemsize for dtype in dtypes if dtype.kind == "f"}
    names = ["cupy_arrays"]
    if 2 in halves or any("float16" in text for text in texts):
        names.append("cupy_float16")
    if "c" in kinds or any("complex" in text for text in texts):
        names.append("cupy_complex")
    return "".join([f"#include <accel_sim/{name}.h>\n" for name in names])


def typedefs(placeholders: dict[str, DType]) -> str:
    """Return the definitions of the placeholders."""
    return "".join([f"typedef {element_type(dtype)} {name};\n" for name, dtype in placeholders.items()])


def refuse_name(name: str) -> None:
    """Raise `ValueError` if a name is none of a kernel."""
    if re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*", name) is None:
        raise ValueError(f'Invalid kernel name: "{name}"')
