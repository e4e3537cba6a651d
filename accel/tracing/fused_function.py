"""`fuse`: functions of arrays, traced and compiled for the shapes and dtypes of their arguments."""

import inspect
import warnings
from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from threading import RLock
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from accel import config
from accel.containers import AcceleratorDataContainer
from accel.errors import DeviceMismatchError, FuseError
from accel.fusion.index_maps import identity
from accel.fusion.nodes import Input, Reshape, View
from accel.ir.text import program_text
from accel.kernels.languages import writer_of
from accel.support.call_sites import stack_level
from accel.support.locks import open_after_fork
from accel.tracing.explanation import FusedExplanation, explained
from accel.tracing.launch_code import MISSED, Output, Place, launcher
from accel.tracing.library import TracingLibrary
from accel.tracing.nan_origins import NanOrigins
from accel.tracing.numbers import TracedNumber
from accel.tracing.plans import Plan
from accel.tracing.stages import STAGES
from accel.tracing.symbols import Symbol
from accel.tracing.trace import Trace
from accel.xp.array_base import in_memory, is_number, live
from accel.xp.array_library import library_on, recorder, recording
from accel.xp.arrays import Array, wrap
from accel.xp.creation import asarray

__all__ = ["Fused", "fuse"]

_Function: TypeAlias = Callable[..., Any]

_NUMBERS = (bool, int, float, complex)
_MOST_LAUNCHERS = 8
_MOST_TRACES = 256
_tracing = open_after_fork(RLock())


class _Leaves:
    """The arrays and numbers of the arguments of a call, and what a trace depends on besides them."""

    def __init__(self) -> None:
        self.arrays: list[Array] = []
        self.places: list[int] = []
        self.numbers: list[Any] = []
        self.key: list[Any] = []
        self.names: list[str] = []

    def add(self, value: Any, name: str, *, static: bool = False) -> None:
        """Add an argument, or a part of one, by its name."""
        kind = type(value)
        if static:
            self.key.append(("static", kind, value, _text_of(value)))
        elif kind is Array:
            self._add_array(value, name)
        elif kind in (np.ndarray, AcceleratorDataContainer):
            self._add_array(asarray(value), name)
        elif kind in _NUMBERS:
            self.numbers.append(value)
            self.key.append(kind)
        elif isinstance(value, np.generic):
            self._add_array(asarray(value), name)
        elif kind in (tuple, list) or (isinstance(value, tuple) and hasattr(value, "_fields")):
            self.key.append((kind, len(value)))
            for number, each in enumerate(value):
                self.add(each, f"{name}[{number}]")
        elif kind is dict:
            self.key.append((kind, *value))
            for key, each in value.items():
                self.add(each, f"{name}[{key!r}]")
        else:
            self.key.append(("static", kind, value, _text_of(value)))

    def _add_array(self, array: Array, name: str) -> None:
        place = next((place for place, each in enumerate(self.arrays) if each is array), len(self.arrays))
        self.places.append(place)
        if place < len(self.arrays):
            self.key.append(place)
            return
        native = live(array)
        readonly = array._library.backend.is_readonly(native)
        self.key.append((native.shape, native.strides, native.dtype.str, native.dtype.name, array._library, readonly))
        self.arrays.append(array)
        self.names.append(name)


def _text_of(value: Any) -> str:
    """Return what tells values apart that are equal: 0.0 and -0.0, and those within tuples."""
    return repr(value) if isinstance(value, float | complex | tuple) else ""


class _Traced(NamedTuple):
    plan: Plan
    captured: tuple[Array, ...]
    structure: Any
    outputs: list[Output]
    numbers: tuple[Any, ...]
    nan_origins: NanOrigins | None


class Fused:
    """A function whose array operations are compiled into few kernels; made by `fuse`.

    It takes arrays of `accel.xp`, of NumPy and containers, numbers, and tuples, lists and dicts of these. It is traced
    when it is called with arguments of new shapes or dtypes. Threads may share it.
    """

    __wrapped__: _Function
    __name__: str

    def __init__(self, function: _Function, static: Sequence[str] = (), fallback: str | None = None) -> None:
        self._function = function
        self._signature = inspect.signature(function)
        self._static = frozenset(static)
        self._fallback = fallback
        self._launchers: tuple[Callable[[tuple[Any, ...]], Any], ...] = ()
        self._traced: dict[tuple[Any, ...], _Traced | None] = {}
        update_wrapper(self, function)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Call the function.

        Raises
        ------
        FuseError
            If the function needs elements while it is traced; nothing has run.
        DeviceMismatchError
            If arrays are on several devices.
        KernelBoundsError, NanError
            In debug mode.
        """
        if not keywords:
            for launch in self._launchers:
                result = launch(arguments)
                if result is not MISSED:
                    return result
        if recorder() is not None or config.current().fuse == "off":
            return self._function(*arguments, **keywords)
        bound, leaves = self._bound(arguments, keywords)
        traced = self._found(bound, leaves, len(arguments))
        if traced is None or _overlap(traced, leaves.arrays):
            return self._function(*arguments, **keywords)
        natives = [live(each, writing=index in traced.plan.written) for index, each in enumerate(leaves.arrays)]
        natives += [live(each) for each in traced.captured]
        numbers = [each.evaluate(leaves.numbers) for each in traced.numbers]
        if traced.nan_origins is not None:
            traced.nan_origins.check(natives, numbers)
        found = traced.plan.run(natives, numbers)
        library = leaves.arrays[0]._library if leaves.arrays else traced.plan.library
        arrays = [wrap(library, each) for each in found]
        inputs = (*leaves.arrays, *traced.captured)

        def made(place: int) -> Any:
            output = traced.outputs[place]
            array = inputs[output.input] if output.input is not None else arrays[output.output]  # type: ignore[index]
            for view in output.views:
                array = view(array)
            return array

        return _mapped(traced.structure, lambda each: made(each.place) if isinstance(each, Place) else each)

    def explain(self, *arguments: Any, **keywords: Any) -> FusedExplanation:
        """Return which loops and calls the function becomes for some arguments; nothing is computed."""
        bound, leaves = self._bound(arguments, keywords)
        return explained(self._trace(bound, leaves).plan, self.__name__)

    def source(self, language: str, /, *arguments: Any, **keywords: Any) -> str:
        """Return the text of the loops for some arguments.

        Parameters
        ----------
        language : str
            ``"graph"`` for the array operations, ``"regions"`` for what each loop does of them, ``"ir"`` for the typed
            form, or a language that a backend writes: ``"host"``, ``"cuda"``, ``"hip"`` or ``"python"``. No such device
            is needed.
        *arguments, **keywords
            As for a call.
        """
        plan = self._trace(*self._bound(arguments, keywords)).plan
        if language in STAGES:
            return STAGES[language](plan)
        write = program_text if language == "ir" else partial(writer_of(language).kernel_source, language=language)
        return "\n\n".join([write(step.kernel.program) for step in plan.steps if step.kernel is not None])

    def _bound(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[inspect.BoundArguments, _Leaves]:
        bound = self._signature.bind(*arguments, **keywords)
        bound.apply_defaults()
        leaves = _Leaves()
        for name, value in bound.arguments.items():
            leaves.add(value, name, static=name in self._static)
        return bound, leaves

    def _found(self, bound: inspect.BoundArguments, leaves: _Leaves, given: int) -> _Traced | None:
        settings = config.current()
        key = (*leaves.key, settings.device, settings.debug, settings.nan_checks)
        try:
            return self._traced[key]
        except KeyError:
            pass
        except TypeError:
            raise TypeError(
                f"{self.__name__} takes arrays, numbers, and tuples, lists and dicts of these; other arguments, and "
                f"those in static=, must have a hash"
            ) from None
        with _tracing:
            if key not in self._traced:
                values = tuple(bound.arguments.values())
                try:
                    self._traced[key] = self._trace(bound, leaves)
                    self._add_launcher(self._traced[key], values, given)
                except FuseError as error:
                    if self._fallback != "eager":
                        raise
                    if None not in self._traced.values():
                        warnings.warn(f"{self.__name__} runs unfused: {error}", RuntimeWarning, stack_level())
                    self._traced[key] = None
                while len(self._traced) > _MOST_TRACES:
                    del self._traced[next(iter(self._traced))]
            return self._traced[key]

    def _add_launcher(self, traced: _Traced | None, arguments: tuple[Any, ...], given: int) -> None:
        """Prepare for more calls with positional arguments of the same shapes and dtypes."""
        assert traced is not None, "the function was traced"
        parameters = self._signature.parameters
        if any(each.kind is not each.POSITIONAL_OR_KEYWORD for each in parameters.values()):
            return
        plan, captured, structure, outputs, numbers, _ = traced
        static = [name in self._static for name in parameters]
        launch = launcher(plan, arguments, given, static, captured, structure, outputs, numbers)
        if launch is not None:
            self._launchers = (launch, *self._launchers[: _MOST_LAUNCHERS - 1])

    def _trace(self, bound: inspect.BoundArguments, leaves: _Leaves) -> _Traced:
        libraries = {each._library for each in leaves.arrays}
        if len({each._library for each in leaves.arrays if not is_number(each)}) == 1 < len(libraries):
            raise FuseError(
                f"{self.__name__} has a number of the host among arrays of a device; pass it as x.item(), or write "
                f"fallback='eager'"
            )
        if len(libraries) > 1:
            devices = " and ".join(str(each.device) for each in libraries)
            raise DeviceMismatchError(
                f"{self.__name__} has arrays on {devices}; move them to one device, as in x.to_device(device)"
            )
        trace = Trace(libraries.pop() if libraries else library_on(None))
        library = TracingLibrary(trace)
        places, numbers = iter(leaves.places), iter(enumerate(leaves.numbers))
        symbols = []
        for array, name in zip(leaves.arrays, leaves.names, strict=True):
            native = in_memory(array)
            symbols.append(trace.argument(native, name, readonly=trace.real.backend.is_readonly(native)))

        def argument(value: Any) -> Any:
            kind = type(value)
            if kind in _NUMBERS:
                index, number = next(numbers)
                return TracedNumber(lambda passed: passed[index], number)
            if kind in (Array, np.ndarray, AcceleratorDataContainer) or isinstance(value, np.generic):
                return library.array(symbols[next(places)])
            return value

        for name, value in bound.arguments.items():
            if name not in self._static:
                bound.arguments[name] = _mapped(value, argument)
        with recording(library):
            returned = self._function(*bound.args, **bound.kwargs)
        return self._planned(trace, returned)

    def _planned(self, trace: Trace, returned: Any) -> _Traced:
        outputs: list[Output] = []
        nodes: list[Any] = []
        taken: set[Any] = set()
        bases: dict[int, int] = {}

        def output(value: Any) -> Any:
            if isinstance(value, TracedNumber):
                value.refuse("a number as a result")
            if not isinstance(value, Array) or not isinstance(value._native, Symbol):
                return value
            symbol, views = value._native, []
            while symbol.parent is not None:
                symbol, view = symbol.parent
                views.append(view)
            base = symbol.base
            if base.source is not None:
                outputs.append(Output(base.source.number, None, tuple(views[::-1])))
            else:
                if id(base) not in bases:
                    bases[id(base)] = len(nodes)
                    node = base.node
                    memory = node.source if isinstance(node, Reshape) else node
                    if isinstance(memory, Input) or memory in taken:
                        node = View(node, identity(node.shape), node.shape)
                    taken.add(memory)
                    nodes.append(node)
                outputs.append(Output(None, bases[id(base)], tuple(views[::-1])))
            return Place(len(outputs) - 1)

        structure = _mapped(returned, output)
        settings = config.current()
        plan = Plan(trace, nodes, self.__name__, debug=settings.debug)
        checked = settings.debug and settings.nan_checks
        nan_origins = NanOrigins(trace, nodes, self.__name__) if checked else None
        return _Traced(plan, tuple(trace.captured), structure, outputs, tuple(trace.numbers), nan_origins)


def _mapped(value: Any, function: Callable[[Any], Any]) -> Any:
    """Apply a function to the leaves of tuples, named tuples, lists and dicts."""
    kind = type(value)
    if kind is tuple or kind is list:
        return kind([_mapped(each, function) for each in value])
    if kind is dict:
        return {name: _mapped(each, function) for name, each in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields") and kind is not Place:
        return kind(*[_mapped(each, function) for each in value])
    return function(value)


def _overlap(traced: _Traced, arrays: Sequence[Array]) -> bool:
    """Tell whether an argument that is written shares memory with another one."""
    if not traced.plan.written:
        return False
    from accel.xp.array_storage import may_overlap

    everything = (*arrays, *traced.captured)
    return any(
        may_overlap(each._library, everything[number]._native, each._native)
        for number in traced.plan.written
        for index, each in enumerate(everything)
        if index != number
    )


def fuse(
    function: _Function | None = None,
    /,
    *,
    static: Sequence[str] | str = (),
    kernel_name: str | None = None,
    fallback: str | None = None,
) -> Any:
    """Compile a function of arrays into few kernels.

    Parameters
    ----------
    function : callable
        Takes and returns arrays, numbers, and tuples, lists and dicts of these.
    static : str or sequence of str
        Names of arguments that are values of Python while the function is traced; it is traced for each value.
    kernel_name : str, optional
        The name of the kernels; by default that of the function.
    fallback : "eager", optional
        Run the function unfused if it cannot be fused.

    Examples
    --------
    >>> import accel
    >>> from accel import xp
    >>> @accel.fuse
    ... def scaled(x, y):
    ...     return (x - y) * 2 + 1
    >>> scaled(xp.asarray([1.0, 2.0]), xp.asarray([0.0, 0.5]))
    Array([3., 4.], dtype=float64, device=cpu)
    """
    names = (static,) if isinstance(static, str) else tuple(static)
    if fallback not in (None, "eager"):
        raise ValueError(f"fallback is None or 'eager'; found {fallback!r}")

    def wrapped(function: _Function) -> Fused:
        fused = Fused(function, names, fallback)
        if kernel_name is not None:
            fused.__name__ = kernel_name
        return fused

    return wrapped if function is None else wrapped(function)
