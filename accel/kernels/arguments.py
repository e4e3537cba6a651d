"""Arguments of a launch: checked against the parameters, and converted to what a kernel takes by value."""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np

from accel.device import Device
from accel.dtypes import exact_cast
from accel.errors import DeviceMismatchError, DTypeError, KernelSignatureError, LayoutError, ReadOnlyError
from accel.kernels.parameters import Parameter
from accel.memory import AnyStorage, DeviceStorage, HostStorage, Operand
from accel.memory.interchange import Interchange, Lender
from accel.memory.work import Use

__all__ = ["Bound", "bound"]


class Bound(NamedTuple):
    """What a launch is given.

    Attributes
    ----------
    values : tuple
        NumPy scalars and structures of one element, in order.
    uses : tuple of Use
        The memory behind them.
    device : Device or None
        That of all memory; None if there is none.
    """

    values: tuple[Any, ...]
    uses: tuple[Use, ...]
    device: Device | None


def bound(kernel: str, parameters: Sequence[Parameter], given: Sequence[Any]) -> Bound:
    """Check and convert arguments.

    Raises
    ------
    KernelSignatureError
        If there are too many or too few, or one is neither memory nor a number where that is needed.
    DTypeError, OverflowError
        If a dtype is another one, or a number does not fit.
    LayoutError
        If a view has another rank, or does not lie in one piece where a bare pointer is needed.
    ReadOnlyError
        If the kernel may write to what must not change.
    DeviceMismatchError
        If the memory is of several devices.
    """
    if len(given) != len(parameters):
        wanted = ", ".join(map(str, parameters)) or "none"
        raise KernelSignatureError(f"{kernel} takes {len(parameters)} arguments ({wanted}); found {len(given)}")
    values, uses = [], []
    for parameter, argument in zip(parameters, given, strict=True):
        if parameter.rank is None:
            values.append(_scalar(kernel, parameter, argument))
        else:
            storage, operand = _memory(kernel, parameter, argument)
            values.append(_pointer(kernel, parameter, operand) if parameter.rank == 0 else _view(parameter, operand))
            uses.append(Use(storage, parameter.writable))
    return Bound(tuple(values), tuple(uses), _device(kernel, uses))


def _scalar(kernel: str, parameter: Parameter, argument: Any) -> Any:
    try:
        number = exact_cast(argument, parameter.dtype)
    except (DTypeError, OverflowError) as error:
        error.add_note(f"as the argument {parameter} of {kernel}")
        raise
    if number.ndim:
        raise KernelSignatureError(f"the parameter {parameter} of {kernel} takes one number; found {number.size}")
    return number[()]


def _memory(kernel: str, parameter: Parameter, argument: Any) -> tuple[AnyStorage, Operand]:
    if isinstance(argument, HostStorage | DeviceStorage):
        storage: AnyStorage = argument
    elif isinstance(argument, Interchange):
        storage = cast("Lender", argument)._lent_storage()
    else:
        raise KernelSignatureError(
            f"the parameter {parameter} of {kernel} takes memory; found {type(argument).__name__}: write "
            f"accel.container(values, device=...), a view of one, or an accel.xp array"
        )
    operand = argument.__accel_operand__()
    if operand.dtype != parameter.dtype:
        raise DTypeError(f"the parameter {parameter} of {kernel} is given {operand.dtype.name}; the dtypes must agree")
    if parameter.writable and not operand.writable:
        raise ReadOnlyError(f"the parameter {parameter} of {kernel} is not const, and its argument is read-only")
    if parameter.rank and len(operand.extents) != parameter.rank:
        raise LayoutError(f"the parameter {parameter} of {kernel} is given {len(operand.extents)} axes")
    return storage, operand


def _pointer(kernel: str, parameter: Parameter, operand: Operand) -> Any:
    if not operand.contiguous:
        raise LayoutError(
            f"the parameter {parameter} of {kernel} is a bare pointer, and extents {operand.extents} with strides "
            f"{operand.strides} do not lie in one piece; take accel::View<T, {len(operand.extents)}>, or copy first"
        )
    return np.uint64(_address(operand))


def _address(operand: Operand) -> int:
    return operand.span.block.pointer + operand.span.start + operand.start


@cache
def _struct(rank: int) -> np.dtype[np.void]:
    """Return how `accel::View` lies in memory."""
    return np.dtype([("data", np.uint64), ("extents", np.int64, (rank,)), ("strides", np.int64, (rank,))], align=True)


def _view(parameter: Parameter, operand: Operand) -> Any:
    assert parameter.rank, "a view has axes"
    if operand.swizzle is not None or operand.table is not None:
        raise LayoutError(f"no strides lead through the argument for {parameter}; write x.copy()")
    if any(stride % operand.dtype.itemsize for stride in operand.strides):
        raise LayoutError(f"strides {operand.strides} in bytes are no multiples of an element, for {parameter}")
    struct = np.zeros(1, _struct(parameter.rank))
    struct["data"] = _address(operand)
    struct["extents"] = operand.extents
    struct["strides"] = [stride // operand.dtype.itemsize for stride in operand.strides]
    return struct


def _device(kernel: str, uses: Sequence[Use]) -> Device | None:
    devices = list(dict.fromkeys(use.storage.device for use in uses))
    if len(devices) > 1:
        raise DeviceMismatchError(
            f"the arguments of {kernel} are on {' and '.join(map(str, devices))}; move them to one, as in x.to(device)"
        )
    return devices[0] if devices else None
