"""`fuse`: functions of arrays, traced and compiled for the shapes and dtypes of their arguments."""

import inspect
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar, overload

from accel import config
from accel.device import Device
from accel.errors import FuseError
from accel.fusion.launches import missing_compiler
from accel.ir.text import program_text
from accel.support import log
from accel.support.call_sites import stack_level
from accel.support.garbage import uncollected
from accel.tracing.explanation import FusedExplanation, explained
from accel.tracing.launch_checks import MISSED
from accel.tracing.launch_code import Launch, launch_of
from accel.tracing.leaves import Leaves
from accel.tracing.part_traces import Plans
from accel.tracing.runs_in_parts import run_in_parts
from accel.tracing.stages import STAGES
from accel.tracing.traced import Traced
from accel.xp.array_library import recorder

__all__ = ["Fused", "fuse"]

_Function: TypeAlias = Callable[..., Any]
_P = ParamSpec("_P")
_R = TypeVar("_R")

_MOST_LAUNCHES = 8
_MOST_TRACES = 256
_MANY_CHANGES = 20

_warned = False
"""Whether it was said in this process that functions run unfused for want of a compiler."""


class Fused(Generic[_P, _R]):
    """A function whose array operations are compiled into few kernels; made by `fuse`.

    It takes arrays of `accel.xp`, of NumPy and containers, numbers, and tuples, lists and dicts of these. It is traced
    when it is called with arguments of new shapes or dtypes. Threads may share it.
    """

    __wrapped__: Callable[_P, _R]
    __name__: str

    def __init__(self, function: Callable[_P, _R], static: Sequence[str] = (), fallback: str | None = None) -> None:
        self.__name__ = type(function).__name__  # if the function has no name
        update_wrapper(self, function)
        if _is_suspended(function):
            raise FuseError(f"{self.__name__} is a generator or async; fuse the functions that it calls")
        self._function = function
        self._signature = inspect.signature(function)
        self._static = frozenset(static)
        unknown = self._static - {*self._signature.parameters}
        if unknown:
            raise ValueError(
                f"static= names {', '.join(sorted(unknown))}; the parameters of {self.__name__} are "
                f"{', '.join(self._signature.parameters)}"
            )
        self._fallback = fallback
        self._launches: tuple[Launch, ...] = ()
        self._traced: dict[tuple[Any, ...], Traced | None] = {}
        self._changes = 0
        self._plans: Plans = {}

    def __call__(self, *arguments: _P.args, **keywords: _P.kwargs) -> _R:
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
        for launch in self._launches:
            result = launch(arguments, keywords)
            if result is not MISSED:
                return result  # type: ignore[no-any-return]
        if recorder.get() is not None or config.current().fuse == "off":
            return self._function(*arguments, **keywords)
        bound, leaves = self._bound(arguments, keywords)
        if leaves.is_traced or self._lacks_compiler(leaves):
            return self._function(*arguments, **keywords)
        traced = self._found(bound, leaves)
        if traced is None and self._fallback == "parts":
            return run_in_parts(self._function, bound, leaves.arrays, self.__name__, self._plans)  # type: ignore[no-any-return]
        if traced is None or traced.overlap(inputs := traced.inputs(leaves)):
            return self._function(*arguments, **keywords)
        self._remember(traced, leaves, arguments, keywords)
        return traced.run(inputs, leaves.numbers)  # type: ignore[no-any-return]

    def _repr_html_(self) -> str:
        from accel.pictures.html import card, counted, source

        traces = counted(len(self._traced), "trace")
        about = f"{self._signature}, fused, {traces}"
        return card(self.__name__, about, source(self._function))

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Return the function with an object as its first argument, as methods have it."""
        return self if instance is None else _Method(self, instance)

    def __reduce__(self) -> str | tuple[Any, ...]:
        name: str = getattr(self, "__qualname__", self.__name__)
        found: Any = sys.modules.get(self.__module__)
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is self:
            return name
        return _restored, (self._function, tuple(self._static), self._fallback, self.__name__)

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
        from accel.kernels.languages import writer_of

        write = program_text if language == "ir" else partial(writer_of(language).kernel_source, language=language)
        return "\n\n".join(dict.fromkeys(write(step.kernel.program) for step in plan.steps if step.kernel is not None))

    def _bound(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[inspect.BoundArguments, Leaves]:
        bound = self._signature.bind(*arguments, **keywords)
        bound.apply_defaults()
        leaves = Leaves()
        for name, value in bound.arguments.items():
            leaves.add(value, name, static=name in self._static)
        return bound, leaves

    def _lacks_compiler(self, leaves: Leaves) -> bool:
        """Tell whether the devices of a call have no compiler, so that the function runs unfused; warn of it once."""
        global _warned
        devices = {each.device for each in leaves.arrays} or {Device.default()}
        missing = [missing_compiler(device) for device in devices]
        if None in missing:
            return False
        if not _warned:
            _warned = True
            text = f"{self.__name__}, and what else accel.fuse is to fuse on the host, runs unfused; {missing[0]}"
            log.info("%s", text)
            warnings.warn(text, RuntimeWarning, stack_level())
        return True

    def _trace(self, bound: inspect.BoundArguments, leaves: Leaves) -> Traced:
        with uncollected():
            return Traced(self._function, bound, leaves, self._static, self.__name__)

    def _found(self, bound: inspect.BoundArguments, leaves: Leaves) -> Traced | None:
        """Return what was traced for arguments, or trace now; None if the function runs unfused.

        No lock is held, as the function may wait for a thread that calls it. So threads that come first at once each
        trace it. What is kept is changed by single steps, so it is whole for other threads, after an interrupt and in
        the child of a fork.
        """
        settings = config.current()
        key = (*leaves.key, settings.device, settings.debug, settings.nan_checks)
        try:
            traced = self._traced.get(key, MISSED)
        except TypeError:
            raise TypeError(
                f"{self.__name__} takes arrays, numbers, and tuples, lists and dicts of these; other arguments, and "
                f"those in static=, must have a hash"
            ) from None
        if isinstance(traced, Traced) and traced.check.unchanged is not None and not traced.check.unchanged():
            self._drop(key)
            self._note_change(traced)
            traced = MISSED
        if traced is not MISSED:
            return traced  # type: ignore[return-value]
        try:
            traced = self._trace(bound, leaves)
        except FuseError as error:
            if self._fallback is None:
                raise
            traced, is_first = None, None not in self._traced.values()
            self._traced[key] = traced
            log.info("%s runs unfused: %s", self.__name__, str(error))
            if is_first and self._fallback == "eager":
                warnings.warn(f"{self.__name__} runs unfused: {error}", RuntimeWarning, stack_level())
        self._traced[key] = traced
        while len(self._traced) > _MOST_TRACES:
            self._drop(next(iter([*self._traced])))
        return traced

    def _note_change(self, traced: Traced) -> None:
        """Warn of a function that is traced again and again, which takes longer than to run it unfused."""
        self._changes += 1
        if self._changes == _MANY_CHANGES:
            names = ", ".join(traced.check.changed())
            warnings.warn(
                f"{self.__name__} was traced anew {_MANY_CHANGES} times, as what it refers to changed, the last time "
                f"{names}; pass that as an argument",
                RuntimeWarning,
                stack_level(),
            )

    def _drop(self, key: tuple[Any, ...]) -> None:
        """Forget a trace, and what it keeps alive."""
        traced = self._traced.pop(key, None)
        if traced is not None:
            old = [*traced.launches.values()]
            self._launches = tuple([each for each in self._launches if each not in old])

    def _remember(self, traced: Traced, leaves: Leaves, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        """Prepare for more calls of this form with arguments of the same shapes and dtypes."""
        kinds = tuple([type(each.value) for each in leaves.parts if each.role == "array"])
        form = len(arguments), tuple(keywords), kinds
        if form not in traced.launches:
            passed = self._signature.bind(
                *[f"arguments[{place}]" for place in range(len(arguments))],
                **{name: f"keywords[{name!r}]" for name in keywords},
            )
            traced.launches[form] = launch_of(traced, leaves, passed.arguments, tuple(keywords), len(arguments))
        launch = traced.launches[form]
        if launch is not None and launch not in self._launches:
            self._launches = (launch, *self._launches[: _MOST_LAUNCHES - 1])


def _restored(function: _Function, static: tuple[str, ...], fallback: str | None, name: str) -> Fused[..., Any]:
    fused = Fused(function, static, fallback)
    fused.__name__ = name
    return fused


class _Method:
    """A fused function with an object as its first argument."""

    def __init__(self, fused: Fused[..., Any], instance: Any) -> None:
        self.__func__, self.__self__ = fused, instance

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self.__func__(self.__self__, *arguments, **keywords)

    def explain(self, *arguments: Any, **keywords: Any) -> FusedExplanation:
        """As that of the function."""
        return self.__func__.explain(self.__self__, *arguments, **keywords)

    def source(self, language: str, /, *arguments: Any, **keywords: Any) -> str:
        """As that of the function."""
        return self.__func__.source(language, self.__self__, *arguments, **keywords)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__func__, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.__self__, self.__func__.__name__)


def _is_suspended(function: Any) -> bool:
    """Tell whether the lines of a function run after it has returned."""
    kinds = inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction
    return any(kind(function) for kind in kinds)


@overload
def fuse(
    function: Callable[_P, _R],
    /,
    *,
    static: Sequence[str] | str = (),
    kernel_name: str | None = None,
    fallback: str | None = None,
) -> Fused[_P, _R]: ...
@overload
def fuse(
    function: None = None,
    /,
    *,
    static: Sequence[str] | str = (),
    kernel_name: str | None = None,
    fallback: str | None = None,
) -> Callable[[Callable[_P, _R]], Fused[_P, _R]]: ...
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
    fallback : "eager" or "parts", optional
        What to do if the function needs elements while it is traced. With "eager" it runs unfused. With "parts" it runs
        in each call, and what it computes between such places is fused. A call then costs some 20 microseconds for
        each operation of arrays, so this is for large arrays; with small ones it runs unfused.

    Returns
    -------
    Any
        The fused function, or a decorator that makes one.

    Raises
    ------
    ValueError
        If ``fallback`` is none of its values.

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
    if fallback not in (None, "eager", "parts"):
        raise ValueError(f"fallback is None, 'eager' or 'parts'; found {fallback!r}")

    def wrapped(function: _Function) -> Fused[..., Any]:
        fused = Fused(function, names, fallback)
        fused.__name__ = kernel_name or fused.__name__
        return fused

    return wrapped if function is None else wrapped(function)
