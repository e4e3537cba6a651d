"""Arguments of a launch: checked against the parameters, and converted to what a kernel takes by value."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from accel.device import Device
from accel.errors import AccelError, DeviceMismatchError, KernelSignatureError
from accel.kernels.conversions import conversion
from accel.kernels.parameters import Parameter
from accel.memory.submission import Use

__all__ = ["Bound", "Signature"]


class Bound(NamedTuple):
    """What a launch is given.

    Attributes
    ----------
    values : tuple
        NumPy scalars and structures of one element, in order.
    uses : list of Use
        The memory behind them.
    device : Device or None
        That of all memory; None if there is none.
    """

    values: tuple[Any, ...]
    uses: list[Use]
    device: Device | None


class Signature:
    """The parameters of a kernel, and what becomes of an argument for each."""

    __slots__ = ("_conversions", "_kernel", "_parameters")

    def __init__(self, kernel: str, parameters: Sequence[Parameter]) -> None:
        self._kernel = kernel
        self._parameters = parameters
        self._conversions = tuple(map(conversion, parameters))

    def bound(self, given: Sequence[Any]) -> Bound:
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
        if len(given) != len(self._parameters):
            wanted = ", ".join(map(str, self._parameters)) or "none"
            raise KernelSignatureError(
                f"{self._kernel} takes {len(self._parameters)} arguments ({wanted}); found {len(given)}"
            )
        values: list[Any] = []
        uses: list[Use] = []
        try:
            for convert, argument in zip(self._conversions, given, strict=True):
                values.append(convert(argument, uses))
        except (AccelError, OverflowError) as error:
            refused = self._parameters[len(values)]
            raise type(error)(f"the parameter {refused} of {self._kernel}: {error}") from None
        return Bound(tuple(values), uses, _device(self._kernel, uses))


def _device(kernel: str, uses: Sequence[Use]) -> Device | None:
    devices = [use.storage.device for use in uses]
    if devices and devices.count(devices[0]) < len(devices):
        several = " and ".join(map(str, dict.fromkeys(devices)))
        raise DeviceMismatchError(f"the arguments of {kernel} are on {several}; move them to one, as in x.to(device)")
    return devices[0] if devices else None
