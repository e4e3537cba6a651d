"""`ElementwiseKernel` as in CuPy, on a simulated device."""

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any

from accel import xp
from accel.testing.cupy_simulation.element_arguments import (
    Argument,
    Arguments,
    Parameters,
    declared,
    headers,
    number,
    refuse_name,
    typedefs,
)
from accel.testing.cupy_simulation.kernels import RawKernel
from accel.testing.cupy_simulation.subclasses import for_subclasses
from accel.testing.cupy_simulation.text_parameters import parsed_parameters
from accel.testing.cupy_simulation.user_lines import placed

__all__ = ["ElementwiseKernel", "TextKernel"]


class TextKernel:
    """What kernels of texts in CUDA share: the parameters, and the kernels that were compiled for types and ranks."""

    def __init__(self, in_params: str, out_params: str, name: str, preamble: str, options: Sequence[str]) -> None:
        refuse_name(name)
        self.name: str = name
        self.__name__: str = name
        self._parameters = Parameters(
            parsed_parameters(in_params, constant=True), parsed_parameters(out_params, constant=False)
        )
        self.nin: int
        self.nout: int
        self.nin, self.nout = map(len, self._parameters)
        self.nargs: int = self.nin + self.nout
        self.preamble: str = preamble
        self.options: tuple[str, ...] = tuple(options)
        self._preamble = placed(preamble, f"preamble of {name}")
        self._kernels: dict[Any, RawKernel] = {}

    @property
    def cached_codes(self) -> dict[Any, str]:
        """The text of each kernel that was compiled so far, by the types of its arguments."""
        return {key: kernel.code for key, kernel in self._kernels.items()}

    @property
    def cached_code(self) -> str:
        """The text of the first kernel that was compiled."""
        return next(iter(self.cached_codes.values()))

    def _kernel(self, key: Any, everything: list[Argument], extents: int, code: Callable[[str], str]) -> RawKernel:
        """Return the kernel for some types.

        Parameters
        ----------
        key : hashable
            What the text depends on.
        everything : list of Argument
            The arguments.
        extents : int
            How many numbers are passed after them.
        code : callable
            Returns the text for the text of its parameters.
        """
        kernel = self._kernels.get(key)
        if kernel is None:
            parameters = [parameter for each in everything for parameter in each.parameters]
            parameters += [number(f"_extent_{axis}") for axis in range(extents)]
            text = code(", ".join(map(declared, parameters)))
            kernel = RawKernel(text, self.name, self.options, parameters=parameters)
        return self._kernels.setdefault(key, kernel)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} on a simulated device>"


class ElementwiseKernel(TextKernel):
    """A loop in CUDA over the elements of arrays, called as that of CuPy.

    Parameters
    ----------
    in_params, out_params : str
        The parameters, as in ``'T x, raw float32 y'``.
    operation : str
        What is done for each element. ``i`` is its number, ``_ind`` has its coordinates.
    name : str
        The name of the kernel.
    reduce_dims : bool
        Whether arrays in C order are indexed as arrays of one axis.
    preamble, loop_prep, after_loop : str
        What comes before the kernel, before its loop, and after it.
    no_return, return_tuple : bool
        Whether a call returns None, or always a tuple.
    options : sequence of str
        Options for the compiler.
    """

    def __init__(
        self,
        in_params: str,
        out_params: str,
        operation: str,
        name: str = "kernel",
        reduce_dims: bool = True,
        preamble: str = "",
        no_return: bool = False,
        return_tuple: bool = False,
        *,
        loop_prep: str = "",
        after_loop: str = "",
        options: Sequence[str] = (),
    ) -> None:
        super().__init__(in_params, out_params, name, preamble, options)
        self.operation: str = operation
        self.reduce_dims: bool = reduce_dims
        self.no_return: bool = no_return
        self.return_tuple: bool = return_tuple
        self._operation = placed(operation, f"operation of {name}")
        self._before = placed(loop_prep, f"loop_prep of {name}")
        self._after = placed(after_loop, f"after_loop of {name}")

    @for_subclasses
    def __call__(self, *args: Any, size: int | None = None, stream: Any = None, block_size: int = 128) -> Any:
        """Launch the kernel, and return its outputs.

        Parameters
        ----------
        *args
            Arrays and numbers for the inputs, and arrays for the outputs or none.
        size : int, optional
            How often the loop runs, if all arrays are raw.
        stream : Stream, optional
            By default the current one.
        block_size : int
            Threads of a block.

        Raises
        ------
        TypeError, ValueError
            If the arguments are not those of the kernel.
        KernelSyntaxError
            If the text does not compile.
        """
        if block_size <= 0:
            raise ValueError("block_size must be greater than zero")
        arguments = self._parameters.arguments(self.name, args, size=size)
        results = self._parameters.results(arguments, arguments.shape, sized=size is not None)
        if 0 not in arguments.shape:
            self._launch(arguments, results, int(block_size), stream)
        if self.no_return:
            return None
        arrays = tuple([each.value for each in results])
        return arrays[0] if self.nout == 1 and not self.return_tuple else arrays

    def _launch(self, arguments: Arguments, results: list[Argument], block: int, stream: Any) -> None:
        shape, everything = arguments.shape, [*arguments.inputs, *results]
        if self.reduce_dims and len(shape) != 1:
            shape, everything = _flattened(shape, everything)
        key = (tuple([each.key for each in everything]), tuple(arguments.placeholders.items()), len(shape))
        kernel = self._kernel(key, everything, len(shape), partial(self._code, arguments, everything, len(shape)))
        values = [value for each in everything for value in each.passed]
        kernel((-(-prod(shape) // block),), (block,), [*values, *shape], stream=stream)

    def _code(self, arguments: Arguments, everything: list[Argument], rank: int, parameters: str) -> str:
        extents = [f"_extent_{axis}" for axis in range(rank)]
        elements = [each.element("_ind") for each in everything if each.is_array and not each.parameter.raw]
        texts = (self.preamble, self.operation, self._before.text, self._after.text)
        return "\n".join(
            [
                headers([each.dtype for each in everything], *texts) + typedefs(arguments.placeholders),
                self._preamble.marked,
                f"__global__ void {self.name}({parameters}) {{",
                *[each.outer for each in everything],
                f"CIndexer<{rank}> _ind({{{', '.join(extents)}}});",
                "{",
                *[each.inner for each in everything],
                f"{self._before.marked};",
                "CUPY_FOR(i, _ind.size()) {",
                "_ind.set(i);",
                *elements,
                f"{self._operation.marked};",
                "}",
                f"{self._after.marked};",
                "}",
                "}",
            ]
        )


def _flattened(shape: tuple[int, ...], everything: list[Argument]) -> tuple[tuple[int, ...], list[Argument]]:
    """Return the shape of the loop and the arguments with one axis, if all arrays that it walks over are in C order."""
    walked = [each.is_array and not each.parameter.raw for each in everything]
    if not all(each.contiguous for each, counts in zip(everything, walked, strict=True) if counts):
        return shape, everything
    flat = [
        each._replace(value=xp.reshape(each.value, (-1,))) if counts else each
        for each, counts in zip(everything, walked, strict=True)
    ]
    return (prod(shape),), flat
