"""`task`: a function on stores, that an engine runs."""

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial, update_wrapper
from inspect import Parameter as Argument
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction, signature
from typing import Any, NamedTuple, NoReturn, get_origin, overload

from accel.engines.annotations import Declared, declared
from accel.engines.arguments import Place
from accel.engines.constraints import Align, Constraint
from accel.engines.durations import Durations
from accel.engines.futures import Future
from accel.engines.launch import Launch
from accel.engines.protocol import current
from accel.errors import StoreTypeError, StoreValueError
from accel.kernels import Kernel, RawKernel
from accel.store.regions import Access
from accel.views import Buffer, BufferView, LayoutTensor, NDBuffer

__all__ = ["Body", "Parameter", "Task", "kernel_views", "task"]

Body = Callable[..., object]
"""The function that a task calls, or a kernel."""

_NO_DEFAULT: Any = Argument.empty


class Parameter(NamedTuple):
    """A parameter of a task.

    Attributes
    ----------
    name : str
        Its name.
    declared : Declared or None
        What the task does with the store; None for a scalar.
    default : object
        The value of a scalar that is not given.
    named : bool
        Whether the body takes it by name only.
    """

    name: str
    declared: Declared | None
    default: Any = _NO_DEFAULT
    named: bool = False


class Task:
    """A function on stores, that an engine runs; made by `task`.

    Attributes
    ----------
    name : str
        The name of the function.
    what : str
        What messages call a launch of one point.
    parameters : tuple of Parameter
        The parameters.
    constraints : tuple
        What `align` and `broadcast` made.
    store_places, scalar_places : tuple
        Which parameters take stores, and which take scalars.
    positional : int
        How many parameters take arguments by position.
    seconds : dict
        How long the last runs took; see `accel.engines.durations`.
    simple : bool
        Whether it writes one store at most, reduces none, and has no constraints and no kernel for the CPU.
    writes_several : bool
        Whether it writes more than one store.
    """

    __name__: str
    __qualname__: str
    __module__: str
    __wrapped__: Body

    def __init__(
        self, body: Body, constraints: Iterable[Constraint] = (), parameters: Mapping[str, Any] | None = None
    ) -> None:
        function = _function(body)
        update_wrapper(self, function)
        self.__wrapped__ = body
        self.name = self.__name__
        self.what = f"task {self.name}"
        self.constraints = tuple(constraints)
        self._given = dict(parameters or {})
        self.parameters = _parameters(body, self._given)
        self.positional = sum([not each.named for each in self.parameters])
        self.seconds: Durations = {}
        self._bodies: dict[str, Body] = {"cpu": body}
        self._places = {each.name: at for at, each in enumerate(self.parameters)}
        self.store_places = tuple(
            [
                Place(at, each.name, *each.declared)
                for at, each in enumerate(self.parameters)
                if each.declared is not None
            ]
        )
        self.scalar_places = tuple(
            [(at, each.name) for at, each in enumerate(self.parameters) if each.declared is None]
        )
        self.writes_several = sum([place.access is not Access.READ for place in self.store_places]) > 1
        self.simple = self._is_simple()
        _check_constraints(self)

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
            To wait for the task. Whoever reads a store waits for the tasks that write it, so most programs need none.

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
        """Check the arguments, and return the launch without submitting it; otherwise as a call."""
        return Launch(self, self.values(arguments, named))

    def values(self, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the arguments in the order of the parameters."""
        if not named and len(arguments) == len(self.parameters) == self.positional:
            return arguments
        if len(arguments) > self.positional:
            raise StoreTypeError(f"task {self.name} takes {self.positional} arguments; found {len(arguments)}")
        given = dict(zip(self._places, arguments, strict=False))
        for name in named:
            if name not in self._places:
                raise StoreTypeError(f"task {self.name} has no parameter {name!r}; it has {', '.join(self._places)}")
            if name in given:
                raise StoreTypeError(f"task {self.name} got {name!r} twice, by position and by name")
        given |= named
        missing = [each.name for each in self.parameters if each.name not in given and each.default is _NO_DEFAULT]
        if missing:
            raise StoreTypeError(f"task {self.name} needs an argument for {', '.join(missing)}")
        return tuple([given.get(each.name, each.default) for each in self.parameters])

    def _is_simple(self) -> bool:
        reduces = any(place.op is not None for place in self.store_places)
        other = self.constraints or self.writes_several or self.positional < len(self.parameters)
        return not (reduces or other or isinstance(self._bodies["cpu"], Kernel))

    def variant(self, device: str) -> Callable[[Body], Body]:
        """Decorate the body for a type of device, such as ``sim`` or ``cuda``: a function or a kernel.

        It takes the parameters of the task, by position. The function is returned as it is.

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
        from accel.support.device_names import DEVICE_TYPES

        if device not in DEVICE_TYPES:
            raise StoreValueError(f"{device!r} is no type of device; write one of {', '.join(DEVICE_TYPES)}")

        def add(body: Body) -> Body:
            self._bodies[device] = body
            self.simple = self._is_simple()
            return body

        return add

    def body(self, device: str) -> Body | None:
        """Return the body for a type of device; None if there is no variant for it."""
        return self._bodies.get(device)

    def __reduce__(self) -> str | tuple[object, ...]:
        module: Any = sys.modules.get(self.__module__)
        for name in self.__qualname__.split("."):
            module = getattr(module, name, None)
        if module is self and self.__module__ != "__main__":
            return str(self.__qualname__)
        # A task of a script or inside of a function: cloudpickle sends its bodies by value.
        return _again, (self._bodies, self.constraints, self._given)

    def __repr__(self) -> str:
        return f"<task {self.__qualname__}>"


def _again(bodies: Mapping[str, Body], constraints: Iterable[Constraint], parameters: Mapping[str, Any]) -> Task:
    made = Task(bodies["cpu"], constraints, parameters)
    made._bodies.update(bodies)
    return made


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
    as an `Input` and an `Output` on tiles of one root, then each color sees what the colors before it wrote, and none
    of what the colors after it write. Colors that share no elements may run at once.

    Parameters
    ----------
    body : function or kernel
        The body for the CPU; `Task.variant` adds bodies for other devices.
    constraints : iterable of Constraint
        What `align` and `broadcast` made.
    parameters : mapping, optional
        Annotations for parameters that cannot have them, such as those of a kernel: ``{"x": Input}``.

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
        return lambda given: Task(given, constraints, parameters)
    return Task(body, constraints, parameters)


@cache
def kernel_views(body: Kernel) -> tuple[type, ...]:
    """Return for each parameter of a kernel the class of view that it takes; `LayoutTensor` if it says nothing."""
    function = body.__wrapped__
    given = [each.annotation for each in signature(function).parameters.values()]
    known = [_evaluated(each, function) if isinstance(each, str) else each for each in given]
    classes = [get_origin(each) or each for each in known]
    return tuple([each if each in (Buffer, BufferView, NDBuffer) else LayoutTensor for each in classes])


def _function(body: Body) -> Any:
    """Return the function that a body calls in the end; its name and its module are those of the task.

    Raises
    ------
    StoreTypeError
        If the body cannot be that of a task.
    """
    if isinstance(body, RawKernel) or not callable(body):
        raise StoreTypeError(f"the body of a task is a function or a kernel; found {type(body).__name__}")
    if isinstance(body, partial):
        return _function(body.func)
    function: Any = body.__wrapped__ if isinstance(body, Kernel | staticmethod) else body
    if not hasattr(function, "__name__"):
        raise StoreTypeError(f"an object of {type(body).__name__} has no name for a task; write task(x.__call__)")
    if isgeneratorfunction(function) or iscoroutinefunction(function) or isasyncgenfunction(function):
        raise StoreTypeError(
            f"the body of task {function.__name__} would not run where it is called; write it without yield and async"
        )
    return function


def _parameters(body: Body, given: Mapping[str, Any]) -> tuple[Parameter, ...]:
    function = _function(body)
    found = signature(body.__wrapped__ if isinstance(body, Kernel) else body).parameters
    if next(iter(found), None) in ("self", "cls") and not isinstance(body, Kernel):
        _refuse_method(function.__name__, next(iter(found)))
    unknown = [name for name in given if name not in found]
    if unknown:
        raise StoreValueError(f"{unknown[0]!r} is no parameter of {function.__name__}; it has {', '.join(found)}")
    return tuple([_parameter(each, given.get(each.name, each.annotation), function) for each in found.values()])


def _refuse_method(name: str, first: str) -> NoReturn:
    raise StoreTypeError(
        f"task {name} would get no object for {first!r}; write @staticmethod above @task and leave {first!r} out, or "
        f"make a task of the method of one object: task(obj.{name})"
    )


def _parameter(found: Argument, annotation: Any, function: Any) -> Parameter:
    if found.kind in (Argument.VAR_POSITIONAL, Argument.VAR_KEYWORD):
        raise StoreTypeError(f"task {function.__name__} cannot have {found}; give each parameter a name")
    if isinstance(annotation, str):
        annotation = _evaluated(annotation, function)
    return Parameter(found.name, declared(annotation), found.default, found.kind is Argument.KEYWORD_ONLY)


def _evaluated(text: str, function: Any) -> Any:
    """Return what the text of an annotation means where the function is; None if it names what is not there."""
    names = {**function.__globals__}
    names.update(
        {
            name: cell.cell_contents
            for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
        }
    )
    try:
        return eval(text, names)  # noqa: S307 - the text of the user's own program
    except NameError as error:
        if text.partition("[")[0].rpartition(".")[2] in {"Input", "Output", "InOut", "Reduce"}:
            raise StoreTypeError(
                f"task {function.__name__} is annotated with {text!r}, and its module has no such name; import it there"
            ) from error
        return None  # a scalar, whose type is imported for type checkers only


def _check_constraints(made: Task) -> None:
    for constraint in made.constraints:
        for name in constraint.names:
            at = made._places.get(name)
            if at is None or made.parameters[at].declared is None:
                kind = "align" if isinstance(constraint, Align) else "broadcast"
                stores = ", ".join([each.name for each in made.parameters if each.declared is not None])
                raise StoreValueError(
                    f"{kind} names {name!r}, which is no store of {made.name}; its stores are {stores}"
                )
