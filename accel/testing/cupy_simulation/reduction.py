"""`ReductionKernel` as in CuPy, on a simulated device."""

from collections.abc import Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from accel import xp
from accel.testing.cupy_simulation.element_arguments import Argument, Arguments, headers, typedefs
from accel.testing.cupy_simulation.elementwise import TextKernel
from accel.testing.cupy_simulation.subclasses import for_subclasses
from accel.testing.cupy_simulation.user_lines import placed

__all__ = ["ReductionKernel"]

_BLOCK = 128
_MOST_ALONE = 16
_MANY_RESULTS = 1024


class ReductionKernel(TextKernel):
    """A reduction in CUDA, called as that of CuPy.

    Threads of a block share a reduction. The order is not that of CuPy, which depends on the GPU too.

    Parameters
    ----------
    in_params, out_params : str
        The parameters, as in ``'T x, raw float32 y'``.
    map_expr, reduce_expr, post_map_expr : str
        What each element becomes; how ``a`` and ``b`` become one; an expression of the total ``a``.
    identity : str or number, optional
        The total of no elements.
    name, reduce_type, preamble : str
        The name of the kernel, the type of totals, and what comes before the kernel.
    reduce_dims : bool
        As in CuPy; it changes nothing here.
    options : sequence of str
        Options for the compiler.
    """

    def __init__(
        self,
        in_params: str,
        out_params: str,
        map_expr: str,
        reduce_expr: str,
        post_map_expr: str,
        identity: Any,
        name: str = "reduce_kernel",
        reduce_type: str | None = None,
        reduce_dims: bool = True,
        preamble: str = "",
        options: Sequence[str] = (),
    ) -> None:
        super().__init__(in_params, out_params, name, preamble, options)
        self.map_expr: str = map_expr
        self.reduce_expr: str = reduce_expr
        self.post_map_expr: str = post_map_expr
        self.identity: str = "" if identity is None else str(identity)
        self.reduce_dims: bool = reduce_dims
        self.reduce_type: str = self._parameters.outputs[0].kind if reduce_type is None else reduce_type
        self._map = placed(map_expr, f"map_expr of {name}")
        self._reduce = placed(reduce_expr, f"reduce_expr of {name}")
        self._finish = placed(post_map_expr, f"post_map_expr of {name}")

    @for_subclasses
    def __call__(
        self, *args: Any, out: Any = None, axis: Any = None, keepdims: bool = False, stream: Any = None
    ) -> Any:
        """Launch the kernel, and return its first output.

        Parameters
        ----------
        *args
            Arrays and numbers for the inputs, and arrays for the outputs or none.
        out : ndarray, optional
            The output.
        axis : int or sequence of int, optional
            The axes that are reduced; by default all.
        keepdims : bool
            Whether these axes stay, with one element.
        stream : Stream, optional
            By default the current one.

        Raises
        ------
        TypeError, ValueError
            If the arguments are not those of the kernel.
        KernelSyntaxError
            If the text does not compile.
        """
        if out is not None and self.nout != 1:
            raise NotImplementedError("out= is for kernels with one output; pass the outputs after the inputs")
        if out is not None and len(args) > self.nin:
            raise ValueError("cannot specify 'out' as both a positional and keyword argument")
        given = args if out is None else (*args, out)
        arguments = self._parameters.arguments(self.name, given, joined=False)
        shape = arguments.shape
        reduced = _axes(axis, len(shape))
        kept = [place for place in range(len(shape)) if place not in reduced]
        total = tuple(
            [1 if place in reduced else shape[place] for place in range(len(shape)) if keepdims or place in kept]
        )
        results = self._parameters.results(arguments, total, sized=False)
        if results[0].value.size:
            if not self.identity and 0 in shape:
                raise ValueError(f"zero-size array to reduction operation {self.name} which has no identity")
            self._launch(arguments, results, (*reduced, *kept), len(reduced), stream)
        return results[0].value

    def _launch(
        self, arguments: Arguments, results: list[Argument], order: tuple[int, ...], reduced: int, stream: Any
    ) -> None:
        inputs = _in_order(arguments.inputs, order)
        shape = [arguments.shape[place] for place in order]
        count, totals, final = prod(shape[:reduced]), prod(shape[reduced:]), results[0].value.shape
        team = _team(count, totals)
        everything = [*inputs, *results]
        key = (
            *(tuple([each.key for each in everything]), tuple(arguments.placeholders.items())),
            *(len(shape), len(final), team),
        )
        code = partial(self._code, arguments, everything, len(shape), len(final), team)
        kernel = self._kernel(key, everything, len(shape) + len(final), code)
        values = [value for each in everything for value in each.passed]
        kernel((-(-totals * team // _BLOCK),), (_BLOCK,), [*values, *shape, *final], stream=stream)

    def _code(
        self, arguments: Arguments, everything: list[Argument], rank: int, final: int, team: int, parameters: str
    ) -> str:
        extents = [f"_extent_{axis}" for axis in range(rank + final)]
        inputs = [each for each in everything[: self.nin] if each.is_array and not each.parameter.raw]
        outputs = [each for each in everything[self.nin :] if not each.parameter.raw]
        texts = (self.preamble, self.map_expr, self.reduce_expr, self.post_map_expr, self.reduce_type)
        return "\n".join(
            [
                headers([each.dtype for each in everything], *texts) + typedefs(arguments.placeholders),
                "typedef long long IndexT;",
                self._preamble.marked,
                f"typedef {self.reduce_type} _type_reduce;",
                f"__global__ void {self.name}({parameters}) {{",
                *[each.outer for each in everything],
                f"CIndexer<{rank}> _in_ind({{{', '.join(extents[:rank])}}});",
                f"CIndexer<{final}> _out_ind({{{', '.join(extents[rank:])}}});",
                "{",
                *[each.inner for each in everything],
                "auto _joined = [&](_type_reduce a, _type_reduce b) -> _type_reduce { return (",
                self._reduce.marked,
                "); };",
                f"const int _team = {team}, _tid = threadIdx.x % _team;",
                f"alignas(16) __shared__ char _sdata_raw[{_BLOCK if team > 1 else 1} * sizeof(_type_reduce)];",
                "_type_reduce* _sdata = reinterpret_cast<_type_reduce*>(_sdata_raw) + threadIdx.x - _tid;",
                "const ptrdiff_t _i = (ptrdiff_t(blockIdx.x) * blockDim.x + threadIdx.x) / _team;",
                f"_type_reduce _s = _type_reduce({self.identity});",
                "if (_i < _out_ind.size())",
                "for (IndexT _J = _tid, _j = _i + _J * _out_ind.size(); _j < _in_ind.size();",
                "_J += _team, _j += _team * _out_ind.size()) {",
                "_in_ind.set(_j);",
                *[each.element("_in_ind") for each in inputs],
                "_s = _joined(_s, static_cast<_type_reduce>(",
                self._map.marked,
                "));",
                "}",
                *(_SHARED if team > 1 else []),
                "if (_tid == 0 && _i < _out_ind.size()) {",
                "_out_ind.set(_i);",
                *[each.element("_out_ind") for each in outputs],
                "_type_reduce a = _s;",
                f"({self._finish.marked});",
                "}",
                "}",
                "}",
            ]
        )


_SHARED = [
    "_sdata[_tid] = _s;",
    "__syncthreads();",
    "for (int _half = _team / 2; _half > 0; _half /= 2) {",
    "if (_tid < _half) _sdata[_tid] = _joined(_sdata[_tid], _sdata[_tid + _half]);",
    "__syncthreads();",
    "}",
    "_s = _sdata[0];",
]
"""How the threads of a team join their totals."""


def _axes(axis: Any, rank: int) -> tuple[int, ...]:
    """Return the axes that are reduced, in order."""
    given = range(rank) if axis is None else axis if isinstance(axis, Sequence) else (axis,)
    for each in given:
        if not -rank <= each < rank:
            raise np.exceptions.AxisError(each, rank)
    axes = tuple(sorted([each % rank for each in given]))
    if len({*axes}) != len(axes):
        raise ValueError("duplicate value in 'axis'")
    return axes


def _in_order(inputs: list[Argument], order: tuple[int, ...]) -> list[Argument]:
    """Return the inputs with the axes that are reduced first."""
    if order == tuple(range(len(order))):
        return inputs
    if any(each.parameter.raw for each in inputs):
        raise NotImplementedError("a reduction with raw arrays is along the first axes; transpose the arrays first")
    return [each._replace(value=xp.permute_dims(each.value, order)) if each.is_array else each for each in inputs]


def _team(count: int, totals: int) -> int:
    """Return how many threads share a reduction: one if it is short, or if there are many."""
    if count <= _MOST_ALONE or totals >= _MANY_RESULTS:
        return 1
    return min(_BLOCK, 1 << (count // 4).bit_length())
