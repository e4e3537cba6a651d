"""Arguments of a launch: checked against the parameters of a kernel, and converted to its C++ types."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from accel.device import Device
from accel.errors import AccelError, DeviceMismatchError, KernelSignatureError
from accel.kernels.raw.conversions import conversion
from accel.kernels.raw.parameters import Parameter
from accel.memory.storage_work import Use

__all__ = ["BoundArguments", "Signature"]


class BoundArguments(NamedTuple):
    """The checked and converted arguments of a launch.

    Attributes
    ----------
    values : tuple
        NumPy scalars, and structured arrays of one element, in the order of the parameters.
    uses : list of Use
        The memory that the arguments use.
    device : Device or None
        The device of all memory; None if no argument has memory.
    """

    values: tuple[Any, ...]
    uses: list[Use]
    device: Device | None


class Signature:
    """The parameters of a kernel, and the conversion of arguments for each."""

    __slots__ = ("_conversions", "_kernel", "_parameters")

    def __init__(self, kernel: str, parameters: Sequence[Parameter]) -> None:
        self._kernel = kernel
        self._parameters = parameters
        self._conversions = tuple(map(conversion, parameters))

    def bind(self, arguments: Sequence[Any]) -> BoundArguments:
        """Check and convert arguments.

        Raises
        ------
        KernelSignatureError
            If the number of arguments is wrong, or one has memory where a number is needed, or the other way round.
        DTypeError, OverflowError
            If a dtype differs, or a number does not fit.
        LayoutError
            If a view has another rank, or an argument for a bare pointer is not contiguous.
        ReadOnlyError
            If the kernel may write and the memory is read-only.
        DeviceMismatchError
            If the memory is on several devices.
        """
        if len(arguments) != len(self._parameters):
            expected = ", ".join(map(str, self._parameters)) or "none"
            raise KernelSignatureError(
                f"{self._kernel} takes {len(self._parameters)} arguments ({expected}); found {len(arguments)}"
            )
        values: list[Any] = []
        uses: list[Use] = []
        try:
            for convert, argument in zip(self._conversions, arguments, strict=True):
                values.append(convert(argument, uses))
        except (AccelError, OverflowError) as error:
            parameter = self._parameters[len(values)]
            raise type(error)(f"the parameter {parameter} of {self._kernel}: {error}") from None
        return BoundArguments(tuple(values), uses, _device(self._kernel, uses))


def _device(kernel: str, uses: Sequence[Use]) -> Device | None:
    devices = [use.storage.device for use in uses]
    if devices and devices.count(devices[0]) < len(devices):
        several = " and ".join(map(str, dict.fromkeys(devices)))
        raise DeviceMismatchError(f"the arguments of {kernel} are on {several}; move them to one, as in x.to(device)")
    return devices[0] if devices else None
