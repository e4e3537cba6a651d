"""`Signature`: the parameters of a kernel, to which the arguments of a call are bound."""

import inspect
from collections.abc import Mapping
from typing import Any, NamedTuple

from accel.device import Device
from accel.errors import AccelError, DeviceMismatchError, KernelSignatureError
from accel.kernels.annotations import accept_of
from accel.kernels.argument_types import Leaf, Memory, any_value
from accel.kernels.frontend.function_source import FunctionSource
from accel.kernels.frontend.types import ArgumentType, StaticType

__all__ = ["Bound", "Signature"]


class Bound(NamedTuple):
    """The checked arguments of a call.

    Attributes
    ----------
    kinds : tuple of ArgumentType
        The types, in the order of the kernel's parameters.
    leaves : list of Leaf
        What is passed, in the order of the program's parameters.
    device : Device or None
        The device of all memory; None if no argument has memory.
    """

    kinds: tuple[ArgumentType, ...]
    leaves: list[Leaf]
    device: Device | None

    @property
    def key(self) -> tuple[object, ...]:
        """What a program is compiled for: the types, and the text of constants, because 1 equals True and 1.0."""
        constants = [repr(kind.value) for kind in self.kinds if isinstance(kind, StaticType)]
        return self.kinds, *constants

    @property
    def memory(self) -> dict[str, Memory]:
        """The memory of each parameter that has some."""
        return {leaf.name: leaf.memory for leaf in self.leaves if leaf.memory is not None}


class Signature:
    """The parameters of a kernel.

    Attributes
    ----------
    names : tuple of str
        Their names.
    annotated : tuple of bool
        Which of them have an annotation.

    Raises
    ------
    TypeError
        If an annotation is none that kernels have; the message has the parameter.
    NameError
        If an annotation has a name that is not defined yet.
    """

    def __init__(self, source: FunctionSource) -> None:
        self._kernel = source.name
        self._python = inspect.Signature(source.parameters)
        self.names: tuple[str, ...] = tuple([each.name for each in source.parameters])
        self._accept = tuple([_accept(source.name, each) for each in source.parameters])
        self.annotated: tuple[bool, ...] = tuple([accept is not any_value for accept in self._accept])

    def positional(self, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return one argument for each parameter, with the defaults.

        Raises
        ------
        KernelSignatureError
            If an argument is missing, or there are too many, or a name is unknown.
        """
        if not named and len(arguments) == len(self.names):
            return arguments
        try:
            bound = self._python.bind(*arguments, **named)
        except TypeError as error:
            raise KernelSignatureError(f"{self._kernel}({', '.join(self.names)}): {error}") from None
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def bind(self, arguments: tuple[Any, ...]) -> Bound:
        """Check arguments, one for each parameter.

        Raises
        ------
        KernelSignatureError, DTypeError, OverflowError, LayoutError, ReleasedError
            If an argument does not fit its parameter; the message has both.
        DeviceMismatchError
            If the memory is on several devices.
        """
        kinds: list[ArgumentType] = []
        leaves: list[Leaf] = []
        for name, accept, value in zip(self.names, self._accept, arguments, strict=True):
            try:
                kinds.append(accept(value, name, leaves))
            except (AccelError, OverflowError) as error:
                raise type(error)(f"the parameter {name} of {self._kernel}: {error}") from None
        return Bound(tuple(kinds), leaves, _device(self._kernel, leaves))


def _accept(kernel: str, parameter: inspect.Parameter) -> Any:
    try:
        return accept_of(parameter.annotation)
    except TypeError as error:
        raise TypeError(f"the parameter {parameter.name} of {kernel}: {error}") from None


def _device(kernel: str, leaves: list[Leaf]) -> Device | None:
    devices = {leaf.memory.storage.device: leaf.name for leaf in leaves if leaf.memory is not None}
    if len(devices) > 1:
        several = " and ".join(f"{name} on {device}" for device, name in devices.items())
        raise DeviceMismatchError(f"{kernel} has {several}; move them to one device, as in x.to(device)")
    return next(iter(devices), None)
