"""`kernel`: Python functions that are compiled for the types and the device of their arguments."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial, update_wrapper
from operator import index
from time import perf_counter
from typing import Any, NamedTuple, TypeAlias, overload

from accel import config
from accel.abc import Stream
from accel.abc.kernels import ChecksThreads
from accel.abc.stream import is_stream
from accel.device import Device, resolve
from accel.errors import DeviceMismatchError, KernelLaunchError
from accel.ir.text import program_text
from accel.kernels.call_code import Call
from accel.kernels.call_signature import Bound, Signature
from accel.kernels.device_launch_code import device_launch
from accel.kernels.frontend.function_source import FunctionSource
from accel.kernels.frontend.lowering import Lowered, lower
from accel.kernels.grids import Extents, as_block, as_grid, blocks_over
from accel.kernels.host_launch_code import host_launch
from accel.kernels.languages import writer_of
from accel.kernels.launch_code import MISSED
from accel.kernels.specialization import DONE, Geometry, Specialization, specialized
from accel.memory import heap_of
from accel.support import log
from accel.support.kernel_coverage import counting
from accel.support.locks import open_after_fork

__all__ = ["Kernel", "Launch", "kernel"]

_Function: TypeAlias = Callable[..., Any]
_Checks: TypeAlias = tuple[bool, bool]  # of every access, and of NaN
_Lowering: TypeAlias = tuple[bool, bool, bool]  # the checks, and whether lines are counted
_Key: TypeAlias = tuple[tuple[object, ...], _Lowering, Device]

_MOST_LAUNCHERS = 8
_BLOCK = 256

# Reentrant: a garbage collection while one kernel is compiled may run code that launches another.
_compiling = open_after_fork(threading.RLock())


class Launch(NamedTuple):
    """How a kernel is launched; see `Kernel.on`.

    Attributes
    ----------
    stream : Stream or None
        The stream; None for the current one.
    grid, block, over : int or tuple of int, or None
        As they were given.
    """

    stream: Stream | None = None
    grid: Extents | None = None
    block: Extents | None = None
    over: Extents | None = None


_PLAIN = Launch()
_NO_EXTENTS = None, None, None
_NO_KEY = object()


class Kernel:
    """A Python function that is compiled when it is called, for the types of the arguments; made by `kernel`.

    It runs on the device of its memory; on the CPU if that is memory of the host, and on the default device if no
    argument has memory. Work is in order with all other work on the same memory. Threads may share a kernel. It is
    pickled by reference, as functions are.

    Parameters
    ----------
    function : callable
        The function.
    debug : bool, optional
        Whether it is checked, whatever the settings say.
    finds_nan : bool, default False
        Whether it is checked for nan.
    """

    __name__: str
    __qualname__: str
    __wrapped__: _Function

    def __init__(self, function: _Function, debug: bool | None = None, finds_nan: bool = False) -> None:
        self._source = FunctionSource.of(function)
        self._debug = True if finds_nan else debug
        self._finds_nan = finds_nan
        self._signature: Signature | None = None
        self._specialized: dict[_Key, Specialization] = {}
        # Those of the specializations that were used last, and those of all.
        self._launchers: tuple[_Function, ...] = ()
        self._every_launcher: dict[_Key, _Function] = {}
        update_wrapper(self, function)
        with suppress(NameError):  # an annotation may name what is defined later
            self._signature = Signature(self._source)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Launch the kernel.

        Parameters
        ----------
        *arguments, **named
            Memory (a container, a view, an array of `accel.xp`, of NumPy or another library), numbers, named tuples of
            these; layouts, dtypes and text are constants.

        Returns
        -------
        Event, or a NumPy scalar, or a tuple of these
            An event after the kernel; on the CPU the kernel is done on return. A kernel that returns numbers is waited
            for.

        Raises
        ------
        KernelSignatureError, DTypeError, OverflowError, LayoutError, ReadOnlyError, ReleasedError, DeviceMismatchError
            If an argument does not fit. Nothing is launched, as for the next three.
        KernelSyntaxError
            If the function has Python that kernels do not support, for these types.
        KernelLaunchError
            If it needs an explicit grid, or the device refuses the launch.
        CapabilityError
            If the device does not run such kernels.
        KernelBoundsError
            In debug mode, if the kernel has left a view; also from where the results are waited for.
        ZeroDivisionError, FloatingPointError
            In debug mode, if it has divided an integer by zero; with ``finds_nan``, or in ``debug(nan=True)``, if it
            has written a NaN.
        """
        if not named:
            for launch in self._launchers:
                result = launch(arguments)
                if result is not MISSED:
                    return result
        return self._launch(arguments, named, _PLAIN)

    def on(
        self,
        stream: Stream | None = None,
        *,
        grid: Extents | None = None,
        block: Extents | None = None,
        over: Extents | None = None,
    ) -> _Function:
        """Return the kernel for a stream, or with an explicit grid, to be called with the arguments.

        Parameters
        ----------
        stream : Stream, optional
            By default the current stream of the device. On a stream of the CPU, a thread runs the kernel.
        grid : int or tuple of up to three ints
            Number of blocks along each axis, x first; for kernels that use ``thread_index`` and the like.
        block : int or tuple of up to three ints
            Number of threads of a block along each axis; 256 by default.
        over : int or tuple of up to three ints
            Instead of a grid: the least number of threads along each axis. The last blocks may have more threads.

        Raises
        ------
        TypeError
            If ``stream`` is no stream of accel.
        ValueError
            If both ``grid`` and ``over`` are given.

        Examples
        --------
        >>> kernel.on(stream)(view, 2.0)  # doctest: +SKIP
        >>> kernel.on(over=view.size, block=128)(view, 2.0)  # doctest: +SKIP
        """
        if stream is not None and not is_stream(stream):
            raise TypeError(f"{stream!r} is no stream of accel; write stream=accel.new_stream(device)")
        if grid is not None and over is not None:
            raise ValueError(f"both grid={grid} and over={over} were given; write one of them")
        how = Launch(stream, grid, block, over)
        extents = _as_key(how[1:])

        def launch(*arguments: Any, **named: Any) -> Any:
            for prepared in () if named or extents is _NO_KEY else self._launchers:
                event = prepared(arguments, stream, extents)
                if event is not MISSED:
                    return event
            return self._launch(arguments, named, how)

        return launch

    def inspect(self, language: str, /, *arguments: Any, **named: Any) -> str:
        """Return what the kernel becomes for some arguments; nothing is launched.

        Parameters
        ----------
        language : str
            ``"ir"`` for the typed form, or a language that a backend writes: ``"host"`` for LLVM's, ``"cuda"``,
            ``"hip"``, or ``"python"``, which simulated devices interpret. No such device is needed.
        *arguments, **named
            As for a call.
        """
        write = program_text if language == "ir" else partial(writer_of(language).kernel_source, language=language)
        bound = self._bound(arguments, named)[1]
        return write(self._lowered(bound, self._checks).program)

    @property
    def _checks(self) -> _Checks:
        settings = config.current()
        debug = settings.debug if self._debug is None else self._debug
        return debug, self._finds_nan or (debug and settings.nan_checks)

    def _bound(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], Bound]:
        """Return one argument for each parameter, and what they become."""
        signature = self._signature
        if signature is None:
            signature = self._signature = Signature(self._source)
        positional = signature.positional(arguments, named)
        return positional, signature.bind(positional)

    def _launch(self, arguments: tuple[Any, ...], named: dict[str, Any], how: Launch) -> Any:
        positional, bound = self._bound(arguments, named)
        device = bound.device or (resolve(None) if how.stream is None else how.stream.device)
        if how.stream is not None and how.stream.device is not device:
            raise DeviceMismatchError(
                f"{how.stream!r} cannot run {self.__name__} on memory of {device}; "
                f"write {self.__name__}.on(accel.new_stream('{device}'))"
            )
        key = bound.key, (*self._checks, device.type == "sim" and counting()), device
        specialization = self._specialized.get(key)
        if specialization is None or specialization.outdated:
            specialization = self._compile(key, positional, bound)
        launcher = self._every_launcher.get(key)
        if launcher is not None and launcher not in self._launchers:
            self._launchers = (launcher, *self._launchers[: _MOST_LAUNCHERS - 1])
        geometry = _geometry(specialization, how[1:])
        return specialization.launch(bound, geometry, how.stream) if 0 not in geometry.grid else DONE

    def _lowered(self, bound: Bound, checks: _Checks | _Lowering) -> Lowered:
        assert self._signature is not None, "arguments were bound to it"
        return lower(self._source, dict(zip(self._signature.names, bound.kinds, strict=True)), *checks)

    def _lowered_for(self, bound: Bound, checks: _Lowering, device: Device) -> Lowered:
        lowered, backend = self._lowered(bound, checks), heap_of(device).backend
        if checks[0] or not lowered.program.explicit or not isinstance(backend, ChecksThreads):
            return lowered
        return self._lowered(bound, (backend.checks_threads(device), False, checks[2]))

    def _compile(self, key: _Key, arguments: tuple[Any, ...], bound: Bound) -> Specialization:
        began, seconds = perf_counter(), None
        with _compiling:
            specialization = self._specialized.get(key)  # another thread may have compiled it meanwhile
            if specialization is None or specialization.outdated:
                specialization = specialized(self._lowered_for(bound, *key[1:]), key[2])
                launcher = self._launcher(specialization, arguments, bound)
                if launcher is not None:
                    self._every_launcher[key] = launcher
                self._specialized[key] = specialization
                seconds = perf_counter() - began
        if seconds is not None:
            log.info("the kernel %s was compiled for %s in %.3f s", self.__qualname__, key[2], seconds)
        return specialization

    def _launcher(self, specialization: Specialization, arguments: tuple[Any, ...], bound: Bound) -> _Function | None:
        """Return what launches more calls of the same types fast; None if they need the general way."""
        assert self._signature is not None, "arguments were bound to it"
        signature = self._signature
        call = Call(arguments, bound.kinds, signature.annotated, self._debug, signature.bind)
        if bound.device is Device.CPU:
            return None if specialization.program.explicit else host_launch(specialization, call)
        return None if bound.device is None else device_launch(specialization, call, _geometry)

    def __reduce__(self) -> str:
        return self.__qualname__

    def __repr__(self) -> str:
        return f"<kernel {self.__qualname__}>"

    def _repr_html_(self) -> str:
        from accel.pictures.html import card, source, table

        made = tuple(self._specialized.items())
        rows = [(key[2], program_text(each.program).partition("\n")[0].removeprefix("kernel ")) for key, each in made]
        compiled = table(("device", "compiled for"), rows, otherwise="not compiled yet")
        return card(self.__qualname__, "kernel", compiled, source(self._source.function))


def _as_key(extents: tuple[Extents | None, ...]) -> Any:
    """Return the extents of an explicit grid as integers, None without any, and `_NO_KEY` if they are not valid."""
    if extents == _NO_EXTENTS:
        return None
    try:
        return tuple(
            [tuple(map(index, each)) if isinstance(each, Sequence) else each and index(each) for each in extents]
        )
    except TypeError:  # the launch says what is wrong
        return _NO_KEY


def _geometry(specialization: Specialization, extents: tuple[Extents | None, ...]) -> Geometry:
    """Return the explicit grid of a launch.

    Raises
    ------
    KernelLaunchError
        If the program needs one and there is none, or the other way round.
    """
    name, (grid, block, over) = specialization.program.name, extents
    if not specialization.program.explicit:
        if extents != _NO_EXTENTS:
            raise KernelLaunchError(
                f"{name} has parallel loops, which choose their grid; write {name}(...), or {name}.on(stream)(...)"
            )
        return Geometry()
    limits = specialization.heap.backend.limits(specialization.heap.device)
    threads = as_block(_BLOCK if block is None else block)
    if grid is not None:
        return Geometry(as_grid(grid, threads, limits), threads)
    if over is not None:
        return Geometry(blocks_over(over, threads, limits), threads)
    raise KernelLaunchError(
        f"{name} asks where its thread is, so it needs a grid; write {name}.on(grid=blocks, block=threads)(...), "
        f"or {name}.on(over=threads)(...)"
    )


@overload
def kernel(function: _Function, /) -> Kernel: ...
@overload
def kernel(*, debug: bool | None = None, finds_nan: bool = False) -> Callable[[_Function], Kernel]: ...
def kernel(
    function: _Function | None = None, /, *, debug: bool | None = None, finds_nan: bool = False
) -> Kernel | Callable[[_Function], Kernel]:
    """Make a kernel of a Python function.

    Each outermost ``for`` loop runs in parallel, on the device of the arguments.

    Parameters
    ----------
    function : function
        Defined by ``def``, in a file.
    debug : bool, optional
        Whether every access of a view is checked; by default as the setting ``debug`` says at each call.
    finds_nan : bool
        Whether the first NaN that is written is a `NanError` with its line. This turns debug mode on.

    Returns
    -------
    Kernel or callable
        The kernel, or a decorator that makes one.

    Raises
    ------
    KernelSyntaxError
        If the function is a lambda, a method or a generator, or its source is not available.
    TypeError
        If a parameter has an annotation that kernels do not know; the message has the parameter.

    Examples
    --------
    >>> import accel
    >>> from accel import BufferView
    >>> from accel.dtypes import f32
    >>> @accel.kernel
    ... def scale(v: BufferView[f32], factor: f32):
    ...     for i in range(v.size):
    ...         v[i] = v[i] * factor
    """
    if function is not None:
        return Kernel(function)
    return lambda wrapped: Kernel(wrapped, debug, finds_nan)
