"""The code of a launch on a device that keeps work in order without events: written for the types of one call.

What depends on the extents and strides of the arguments, or on an explicit grid, is prepared once for each of them by
the backend, and kept. A launch then checks its arguments, packs the addresses and the numbers, and calls the driver.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from accel.abc.kernels import PreparesForms
from accel.errors import AccelError
from accel.kernels.call_code import Argument, Call, arguments_of, write_call, write_value
from accel.kernels.frontend.types import BufferType, TensorType
from accel.kernels.gate_code import Gated, write_gate
from accel.kernels.grids import Extents
from accel.kernels.launch_code import Code, memory_form, nbytes_of, write_memory
from accel.kernels.specialization import Geometry, Specialization

__all__ = ["device_launch"]

_MOST_FORMS = 256
"""Of how many extents and strides, and grids, what was prepared is kept."""

GeometryOf = Callable[[Specialization, tuple[Extents | None, ...]], Geometry]
"""Returns the blocks for the arguments ``grid``, ``block`` and ``over`` of `Kernel.on`, or raises."""


def device_launch(kernel: Specialization, call: Call, geometry_of: GeometryOf) -> Callable[..., Any] | None:
    """Return the function that launches a kernel on a device; None if such calls need the general way.

    It takes the arguments, the stream or None, and ``grid``, ``block`` and ``over`` or None. It returns an event after
    the kernel, or `MISSED`.
    """
    arguments = arguments_of(kernel.program, call)
    if arguments is None or kernel.heap.in_order is None or not isinstance(kernel.compiled, PreparesForms):
        return None
    if any(type(each.value) is np.ndarray for each in arguments):  # the general way says that it is on the host
        return None
    prepared = _Prepared(kernel, call, geometry_of)
    if not any(each.has_memory for each in arguments) or prepared.start_of(call.arguments, None) is None:
        return None
    code, memory, values, form = Code([], {}), list[Gated](), list[str](), list[str]()
    write_call(kernel.program, kernel.captured, call, code)
    for argument in arguments:
        if argument.has_memory:
            memory.append(_write_memory(argument, code, form))
            values.append(f"p{argument.i}")
        else:
            values += write_value(argument, code)
    _write_start(prepared, form, code)
    write_gate(kernel.heap, memory, (), f"start(queue, {', '.join(values)})", code)
    return code.function(kernel.program.name, "arguments, stream=None, extents=None")


def _write_memory(argument: Argument, code: Code, form: list[str]) -> Gated:
    i, value, kind, *_ = argument
    assert isinstance(kind, BufferType | TensorType), "it has memory"
    distance = write_memory(i, value, kind.dtype, code, writes=argument.writes)
    if isinstance(kind, TensorType):  # its layout is a constant
        code.scope.update({f"geometry{i}": value._geometry, f"pad{i}": value._pad})
        code.lines.append(f"if a{i}._geometry is not geometry{i} or a{i}._pad is not pad{i}: return MISSED")
    else:
        form += memory_form(i, value)
    return Gated(i, argument.writes, nbytes_of(i, value), distance)


def _write_start(prepared: "_Prepared", form: list[str], code: Code) -> None:
    code.scope.update(starts=prepared.starts, prepare=prepared.start_for)
    if prepared.explicit:
        code.lines.append("if extents is None: return MISSED")
    else:
        code.lines.append("if extents is not None: return MISSED")
    key = "".join(f"{each}, " for each in ["extents"] * prepared.explicit + form)
    code.lines.extend(
        [
            f"form = ({key})",
            "try: start = starts[form]",
            "except KeyError: start = prepare(form, arguments, extents)",
            "if start is None: return MISSED",
        ]
    )


class _Prepared:
    """What the backend has prepared for the launches of one kernel.

    Attributes
    ----------
    starts : dict
        The function that starts the kernel, by extents, strides and grids.
    explicit : bool
        Whether the grid is explicit.
    """

    def __init__(self, kernel: Specialization, call: Call, geometry_of: GeometryOf) -> None:
        self.starts: dict[tuple[Any, ...], Callable[..., bool]] = {}
        self.explicit = kernel.program.explicit
        self._kernel = kernel
        self._bind, self._kinds = call.bind, call.kinds  # not its arguments, whose memory would be kept alive
        self._geometry_of = geometry_of

    def start_for(
        self, form: tuple[Any, ...], arguments: tuple[Any, ...], extents: tuple[Extents | None, ...] | None
    ) -> Callable[..., bool] | None:
        """Return the function that starts the kernel for some extents, strides and grid; None if there is none."""
        try:
            start = self.start_of(arguments, extents)
        except (AccelError, ValueError, TypeError):  # the general way raises it again
            return None
        if start is not None:
            if len(self.starts) >= _MOST_FORMS:
                self.starts.clear()
            self.starts[form] = start
        return start

    def start_of(
        self, arguments: tuple[Any, ...], extents: tuple[Extents | None, ...] | None
    ) -> Callable[..., bool] | None:
        kernel, compiled = self._kernel, self._kernel.compiled
        bound = self._bind(arguments)
        if bound.kinds != self._kinds:
            return None
        geometry = Geometry() if extents is None else self._geometry_of(kernel, extents)
        assert isinstance(compiled, PreparesForms), "it was asked for before"
        numbers = [number for leaf in bound.leaves for number in leaf.numbers]
        return None if 0 in geometry.grid else compiled.launcher(numbers, *geometry)
