"""Arguments of a launch: checked against the parameters, and converted to what a kernel takes by value."""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np

from accel.device import Device
from accel.dtypes import DType, exact_cast
from accel.errors import (
    AccelError,
    DeviceMismatchError,
    DTypeError,
    KernelSignatureError,
    LayoutError,
    ReadOnlyError,
)
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
    found = [_converted(kernel, parameter, argument) for parameter, argument in zip(parameters, given, strict=True)]
    uses = tuple([use for _, use in found if use is not None])
    return Bound(tuple([value for value, _ in found]), uses, _device(kernel, uses))


def _converted(kernel: str, parameter: Parameter, argument: Any) -> tuple[Any, Use | None]:
    try:
        if parameter.rank is None:
            return _scalar(parameter.dtype, argument), None
        use = Use(_storage(argument), parameter.writable)
        operand = argument.__accel_operand__()
        _check(parameter, operand)
    except (AccelError, OverflowError) as error:
        raise type(error)(f"the parameter {parameter} of {kernel}: {error}") from None
    return _view(operand) if parameter.rank else np.uint64(operand.address), use


def _scalar(dtype: DType, argument: Any) -> Any:
    kind, least, most = _limits(dtype)
    if type(argument) is kind and least <= argument <= most:
        return dtype.type(argument)
    if hasattr(argument, "__accel_operand__"):
        raise KernelSignatureError(f"a number is wanted, and {type(argument).__name__} is memory; write float(x)")
    number = exact_cast(argument, dtype)
    if number.ndim:
        raise KernelSignatureError(f"one number is wanted; found {number.size}")
    return number[()]


@cache
def _limits(dtype: DType) -> tuple[type | None, Any, Any]:
    """Return which of Python's numbers fit without a closer look: of a type, from one to another."""
    if dtype.kind in "iu":
        return int, np.iinfo(dtype).min, np.iinfo(dtype).max
    if dtype.kind == "f":
        return float, float(np.finfo(dtype).min), float(np.finfo(dtype).max)
    return None, 0, 0


def _storage(argument: Any) -> AnyStorage:
    if isinstance(argument, HostStorage | DeviceStorage):
        return argument
    if isinstance(argument, Interchange):
        return cast("Lender", argument)._lent_storage()
    raise KernelSignatureError(
        f"memory is wanted; found {type(argument).__name__}: write accel.container(values, device=...), a view of one, "
        f"an array of accel.xp, or accel.from_dlpack(x) for another library's"
    )


def _check(parameter: Parameter, operand: Operand) -> None:
    """Refuse memory that a kernel would misread."""
    rank, size = len(operand.extents), operand.dtype.itemsize
    if operand.dtype != parameter.dtype:
        raise DTypeError(
            f"the dtypes must agree, and its argument is of {operand.dtype.name}; convert that by xp.astype"
        )
    if parameter.writable and not operand.writable:
        raise ReadOnlyError("it is not const, and its argument is read-only; write const, or give a copy")
    if parameter.rank and rank != parameter.rank:
        raise LayoutError(f"its argument has {rank} axes; write accel::View<T, {rank}>, or give another view")
    if operand.swizzle is not None or operand.table is not None:
        raise LayoutError("no strides lead through its argument; give a copy")
    if not parameter.rank and not operand.contiguous:
        raise LayoutError(
            f"it is a bare pointer, and extents {operand.extents} with strides {operand.strides} do not lie in one "
            f"piece; write accel::View<T, {rank}>, or give a copy"
        )
    if operand.address % size or any(stride % size for stride in operand.strides):
        raise LayoutError(f"the address or strides {operand.strides} are no multiples of {size} bytes; give a copy")


def _view(operand: Operand) -> Any:
    strides = [stride // operand.dtype.itemsize for stride in operand.strides]
    return np.array([operand.address, *operand.extents, *strides], np.int64).view(_struct(len(strides)))


@cache
def _struct(rank: int) -> np.dtype[np.void]:
    """Return how `accel::View` lies in memory."""
    return np.dtype([("data", np.uint64), ("extents", np.int64, (rank,)), ("strides", np.int64, (rank,))], align=True)


def _device(kernel: str, uses: Sequence[Use]) -> Device | None:
    devices = list(dict.fromkeys(use.storage.device for use in uses))
    if len(devices) > 1:
        raise DeviceMismatchError(
            f"the arguments of {kernel} are on {' and '.join(map(str, devices))}; move them to one, as in x.to(device)"
        )
    return devices[0] if devices else None
