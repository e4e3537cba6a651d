"""`task`: a function on stores, that an engine runs."""

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import update_wrapper
from typing import Any, overload

from accel.engines.constraints import Constraint
from accel.engines.futures import Future
from accel.engines.protocol import current
from accel.engines.task_definition import Body, TaskDefinition, function_of
from accel.engines.task_launch import Launch
from accel.errors import StoreValueError
from accel.support.device_names import DEVICE_TYPES

__all__ = ["Task", "task"]


class Task(TaskDefinition):
    """A function on stores, that an engine runs; made by `task`.

    Parameters
    ----------
    body : Body
        The function.
    """

    __name__: str
    __qualname__: str
    __module__: str
    __wrapped__: Body

    def __init__(
        self, body: Body, constraints: Iterable[Constraint] = (), parameters: Mapping[str, Any] | None = None
    ) -> None:
        update_wrapper(self, function_of(body))
        super().__init__(body, constraints, parameters)
        self.__wrapped__ = body

    def __call__(self, *arguments: Any, **named: Any) -> Future:
        """Submit the task to the current engine.

        Parameters
        ----------
        *arguments, **named
            A `LogicalStore` or a `LogicalStorePartition` for each parameter that declares an access, and scalars
            for all others. If one argument is a partition, the body runs once for each color.

        Returns
        -------
        Future
            To wait for the task. A read of a store waits for the tasks that write it, so most programs need no future.

        Raises
        ------
        StoreTypeError
            If an argument is missing, or is no store or no scalar where one is needed.
        StoreValueError
            If the stores do not fit together: other color shapes, a reduction that the dtype does not have, one
            element written through two parameters.
        ReadOnlyError
            If a store that the task writes is attached to read-only memory.
        StoreError
            If an input is unbound, and no task that binds it was submitted; or a store is detached.
        """
        return current().call(self, self.values(arguments, named))

    def bind(self, *arguments: Any, **named: Any) -> Launch:
        """Check the arguments, and return the launch without submitting it; otherwise as a call.

        Parameters
        ----------
        *arguments : object
            The arguments by position.
        **named
            Those by name.
        """
        return Launch(self, self.values(arguments, named))

    def variant(self, device: str) -> Callable[[Body], Body]:
        """Decorate the body for a type of device, such as ``sim`` or ``cuda``: a function or a kernel.

        It takes the parameters of the task, by position. The function is returned as it is.

        Parameters
        ----------
        device : str
            The type of device.

        Raises
        ------
        StoreValueError
            If it is no type of device.

        Examples
        --------
        >>> import accel
        >>> from accel.engines import InOut, task
        >>> from accel.kernels import f32, kernel
        >>> @task
        ... def double(x: InOut):
        ...     x.span_read_write_accessor()[...] *= 2
        >>> @double.variant("sim")
        ... @kernel
        ... def double_there(x: accel.LayoutTensor[f32, 1]):
        ...     for i in range(x.size):
        ...         x[i] *= 2
        """
        if device not in DEVICE_TYPES:
            raise StoreValueError(f"{device!r} is no type of device; write one of {', '.join(DEVICE_TYPES)}")

        def add(body: Body) -> Body:
            self.add_body(device, body)
            return body

        return add

    def __reduce__(self) -> str | tuple[object, ...]:
        module: Any = sys.modules.get(self.__module__)
        for name in self.__qualname__.split("."):
            module = getattr(module, name, None)
        if module is self and self.__module__ != "__main__":
            return str(self.__qualname__)
        # A task of a script or inside of a function: cloudpickle sends its bodies by value.
        return _again, (self.bodies, self.constraints, self._annotations)

    def __repr__(self) -> str:
        return f"<task {self.__qualname__}>"


def _again(bodies: Mapping[str, Body], constraints: Iterable[Constraint], parameters: Mapping[str, Any]) -> Task:
    result = Task(bodies["cpu"], constraints, parameters)
    for device, body in bodies.items():
        result.add_body(device, body)
    return result


@overload
def task(body: Body, /) -> Task: ...
@overload
def task(
    *, constraints: Iterable[Constraint] = (), parameters: Mapping[str, Any] | None = None
) -> Callable[[Body], Task]: ...
def task(
    body: Body | None = None,
    /,
    *,
    constraints: Iterable[Constraint] = (),
    parameters: Mapping[str, Any] | None = None,
) -> Task | Callable[[Body], Task]:
    """Make a function a task: calls are submitted to the current engine.

    The annotations say what the task does with each store: `Input`, `Output`, `InOut` or ``Reduce[ADD]``. All other
    parameters are scalars. The body gets a `PhysicalStore` for each store. It returns nothing.

    The colors of one launch are tasks in the order of the colors, in C order. If the stores of a launch overlap, such
    as an `Input` and an `Output` on tiles of one root, then each color sees what the colors before it wrote, and
    nothing that the colors after it write. Colors that share no elements may run at once.

    Parameters
    ----------
    body : function or kernel
        The body for the CPU; `Task.variant` adds bodies for other devices.
    constraints : iterable of Constraint
        What `align` and `broadcast` return.
    parameters : mapping, optional
        Annotations for parameters that cannot have them, such as those of a kernel: ``{"x": Input}``.

    Returns
    -------
    Task or callable
        The task, or a decorator that makes one.

    Raises
    ------
    StoreTypeError
        If a parameter cannot be one of a task, such as ``*args``, or the ``self`` of a method in its class.
    StoreValueError
        If a constraint or an annotation names no parameter.

    Examples
    --------
    >>> import numpy as np
    >>> from accel.engines import InOut, Input, task
    >>> from accel.store import from_array
    >>> @task
    ... def saxpy(a: float, x: Input, y: InOut):
    ...     y.span_read_write_accessor()[...] += a * x.span_read_accessor()
    >>> x, y = from_array(np.arange(6.0)), from_array(np.ones(6), read_only=False)
    >>> future = saxpy(2.0, x.partition_by_tiling((2,)), y.partition_by_tiling((2,)))
    >>> np.asarray(y.get_physical_store())
    array([ 1.,  3.,  5.,  7.,  9., 11.])
    """
    if body is None:
        return lambda function: Task(function, constraints, parameters)
    return Task(body, constraints, parameters)
