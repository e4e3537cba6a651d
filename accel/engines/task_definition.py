"""`TaskDefinition`: the parameters, the constraints and the bodies of a task."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from inspect import Parameter as Argument
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction, signature
from typing import Any, NamedTuple, NoReturn, get_origin

from accel.engines.annotations import Declaration, declaration_of
from accel.engines.constraints import Constraint, Derived, Image, in_order
from accel.engines.durations import Durations
from accel.errors import StoreTypeError, StoreValueError
from accel.kernels import Kernel, RawKernel
from accel.store.reductions import ReductionOp
from accel.store.regions import Access
from accel.views import Buffer, BufferView, LayoutTensor, NDBuffer

__all__ = ["Body", "Parameter", "StorePlace", "TaskDefinition", "function_of", "kernel_views"]

Body = Callable[..., object]
"""The function that a task calls, or a kernel."""

_NO_DEFAULT: Any = Argument.empty


class Parameter(NamedTuple):
    """A parameter of a task.

    Attributes
    ----------
    name : str
        Its name.
    declared : Declaration or None
        What the task does with the store; None for a scalar.
    default : object
        The value of a scalar that is not given.
    named : bool
        Whether the body takes it by name only.
    """

    name: str
    declared: Declaration | None
    default: Any = _NO_DEFAULT
    named: bool = False


class StorePlace(NamedTuple):
    """A parameter that takes a store: its position among the parameters, its name, its access and its operator."""

    at: int
    name: str
    access: Access
    op: ReductionOp | None


class TaskDefinition:
    """The parameters and bodies of a task; `accel.engines.tasks.Task` submits it.

    Attributes
    ----------
    name : str
        The name of the function.
    what : str
        What messages call a launch of one point.
    parameters : tuple of Parameter
        The parameters.
    constraints : tuple
        What `align`, `broadcast`, `image`, `scale` and `bloat` return.
    derived : tuple
        Those that derive tiles, each after that from whose tiles it derives.
    store_places, scalar_places : tuple
        Which parameters take stores, and which take scalars.
    positional : int
        How many parameters take arguments by position.
    keywords : tuple of str
        The names of the others, which follow these.
    bodies : dict
        The body for each type of device that has one.
    seconds : dict
        How long the last runs took; see `accel.engines.durations`.
    simple : bool
        Whether it writes one store at most, reduces none, and has no constraints and no kernel for the CPU.
    writes_several : bool
        Whether it writes more than one store.
    """

    def __init__(
        self, body: Body, constraints: Iterable[Constraint] = (), parameters: Mapping[str, Any] | None = None
    ) -> None:
        self.name: Any = function_of(body).__name__
        self.what: str = f"task {self.name}"
        self.constraints: tuple[Constraint, ...] = _constraints(self.name, constraints)
        self.derived: tuple[Derived, ...] = in_order(self.constraints)
        self._annotations = dict(parameters or {})
        self.parameters: tuple[Parameter, ...] = _parameters(body, self._annotations)
        self.positional: int = sum([not each.named for each in self.parameters])
        self.keywords: tuple[str, ...] = tuple([each.name for each in self.parameters if each.named])
        self.seconds: Durations = {}
        self.bodies: dict[str, Body] = {"cpu": body}
        self._places = {each.name: at for at, each in enumerate(self.parameters)}
        self.store_places: tuple[StorePlace, ...] = tuple(
            [
                StorePlace(at, each.name, *each.declared)
                for at, each in enumerate(self.parameters)
                if each.declared is not None
            ]
        )
        self.scalar_places: tuple[tuple[int, str], ...] = tuple(
            [(at, each.name) for at, each in enumerate(self.parameters) if each.declared is None]
        )
        self.writes_several: bool = sum([place.access is not Access.READ for place in self.store_places]) > 1
        self.simple: bool = self._is_simple()
        _check_constraints(self)

    def values(self, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the arguments in the order of the parameters."""
        if not named and len(arguments) == len(self.parameters) == self.positional:
            return arguments
        if len(arguments) > self.positional:
            raise StoreTypeError(f"task {self.name} takes {self.positional} arguments; found {len(arguments)}")
        values = dict(zip(self._places, arguments, strict=False))
        for name in named:
            if name not in self._places:
                raise StoreTypeError(f"task {self.name} has no parameter {name!r}; it has {', '.join(self._places)}")
            if name in values:
                raise StoreTypeError(f"task {self.name} got {name!r} twice, by position and by name")
        values |= named
        missing = [each.name for each in self.parameters if each.name not in values and each.default is _NO_DEFAULT]
        if missing:
            raise StoreTypeError(f"task {self.name} needs an argument for {', '.join(missing)}")
        return tuple([values.get(each.name, each.default) for each in self.parameters])

    def _is_simple(self) -> bool:
        reduces = any(place.op is not None for place in self.store_places)
        other = self.constraints or self.writes_several or self.positional < len(self.parameters)
        return not (reduces or other or isinstance(self.bodies["cpu"], Kernel))

    def add_body(self, device: str, body: Body) -> None:
        """Set the body for a type of device."""
        self.bodies[device] = body
        self.simple = self._is_simple()


@cache
def kernel_views(body: Kernel) -> tuple[type, ...]:
    """Return for each parameter of a kernel the class of view that it takes; `LayoutTensor` if it says nothing."""
    function = body.__wrapped__
    annotations = [each.annotation for each in signature(function).parameters.values()]
    types = [_evaluated(each, function) if isinstance(each, str) else each for each in annotations]
    classes = [get_origin(each) or each for each in types]
    return tuple([each if each in (Buffer, BufferView, NDBuffer) else LayoutTensor for each in classes])


def function_of(body: Body) -> Any:
    """Return the function that a body calls in the end; its name and its module are those of the task.

    Raises
    ------
    StoreTypeError
        If the body cannot be that of a task.
    """
    if isinstance(body, RawKernel) or not callable(body):
        raise StoreTypeError(f"the body of a task is a function or a kernel; found {type(body).__name__}")
    if isinstance(body, partial):
        return function_of(body.func)
    function: Any = body.__wrapped__ if isinstance(body, Kernel | staticmethod) else body
    if not hasattr(function, "__name__"):
        raise StoreTypeError(f"an object of {type(body).__name__} has no name for a task; write task(x.__call__)")
    if isgeneratorfunction(function) or iscoroutinefunction(function) or isasyncgenfunction(function):
        raise StoreTypeError(
            f"the body of task {function.__name__} would not run where it is called; write it without yield and async"
        )
    return function


def _parameters(body: Body, annotations: Mapping[str, Any]) -> tuple[Parameter, ...]:
    function = function_of(body)
    parameters = signature(body.__wrapped__ if isinstance(body, Kernel) else body).parameters
    if next(iter(parameters), None) in ("self", "cls") and not isinstance(body, Kernel):
        _refuse_method(function.__name__, next(iter(parameters)))
    unknown = [name for name in annotations if name not in parameters]
    if unknown:
        raise StoreValueError(f"{unknown[0]!r} is no parameter of {function.__name__}; it has {', '.join(parameters)}")
    return tuple(
        [_parameter(each, annotations.get(each.name, each.annotation), function) for each in parameters.values()]
    )


def _refuse_method(name: str, first: str) -> NoReturn:
    raise StoreTypeError(
        f"task {name} would get no object for {first!r}; write @staticmethod above @task and leave {first!r} out, or "
        f"make a task of the method of one object: task(obj.{name})"
    )


def _parameter(parameter: Argument, annotation: Any, function: Any) -> Parameter:
    if parameter.kind in (Argument.VAR_POSITIONAL, Argument.VAR_KEYWORD):
        raise StoreTypeError(f"task {function.__name__} cannot have {parameter}; give each parameter a name")
    if isinstance(annotation, str):
        annotation = _evaluated(annotation, function)
    return Parameter(
        parameter.name, declaration_of(annotation), parameter.default, parameter.kind is Argument.KEYWORD_ONLY
    )


def _evaluated(text: str, function: Any) -> Any:
    """Evaluate the text of an annotation in the scope of its function; None if a name does not exist there."""
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


def _constraints(task: str, constraints: Any) -> tuple[Constraint, ...]:
    if isinstance(constraints, Constraint):
        return (constraints,)
    checked = tuple(constraints)
    for each in checked:
        if not isinstance(each, Constraint):
            raise StoreTypeError(
                f"task {task} has {each!r} as a constraint; write what align, broadcast, image, scale or bloat returns"
            )
    return checked


def _check_constraints(definition: TaskDefinition) -> None:
    accesses = {place.name: place.access for place in definition.store_places}
    for constraint in definition.constraints:
        kind = type(constraint).__name__.lower()
        for name in (constraint.source, constraint.target) if isinstance(constraint, Derived) else constraint.names:
            if name not in accesses:
                raise StoreValueError(
                    f"{kind} names {name!r}, which is no store of {definition.name}; its stores are "
                    f"{', '.join(accesses)}"
                )
        if isinstance(constraint, Image) and not _reads(accesses[constraint.source]):
            raise StoreValueError(
                f"image reads the values of {constraint.source!r}, and task {definition.name} only writes it; declare "
                f"it as an Input or InOut"
            )


def _reads(access: Access) -> bool:
    return access in (Access.READ, Access.READ_WRITE)
