"""`tune`: sizes of blocks and tiles are chosen by measuring, and remembered for each device and kind of arguments."""

import ast
import inspect
import json
import os
import platform
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from itertools import product
from statistics import median
from time import perf_counter
from typing import Any, TypeAlias

from accel import copies
from accel.copies.elements import all_of
from accel.device import Device, resolve
from accel.errors import AccelError
from accel.ir import View
from accel.kernels.call_signature import Bound
from accel.kernels.measurement_files import recall, remember
from accel.kernels.python_kernel import Kernel
from accel.memory import AnyStorage, heap_of
from accel.support.locks import open_after_fork
from accel.support.system import machine

__all__ = ["Tuned", "tune"]

_Choice: TypeAlias = dict[str, Any]

_ROUNDS = 5
_SECONDS = 0.002
"""The least time of a round; fast kernels are launched several times in each."""

_OF_LAUNCH = "grid", "block", "over"


class Tuned:
    """A kernel with the fastest of several choices; made by `tune`.

    Threads may share it. It measures at the first call for a device and a kind of arguments: their types, and their
    sizes up to a factor of two. Later calls, also in other processes, use the same choice.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    candidates : sequence of _Choice
        The choices.
    computed : mapping of str to callable
        Functions that compute ``grid``, ``block`` or ``over`` from a choice, by name.
    """

    def __init__(
        self, kernel: Kernel, candidates: Sequence[_Choice], computed: Mapping[str, Callable[..., Any]]
    ) -> None:
        self._kernel = kernel
        self._candidates = candidates
        self._computed = computed
        self._chosen: dict[str, _Choice] = {}
        self._lock = open_after_fork(threading.RLock())

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Launch the kernel with the fastest choice, and return what the kernel returns."""
        return self._launch(self.choice(*arguments, **named), arguments, named)

    def choice(self, *arguments: Any, **named: Any) -> dict[str, Any]:
        """Return the fastest choice for some arguments; it is measured if it is not known yet.

        While it is measured, the kernel writes the memory of the arguments, which has its old values again afterwards.

        Parameters
        ----------
        *arguments : Any
            The arguments by position.
        **named
            Those by name.

        Raises
        ------
        AccelError, ValueError
            If no choice can be launched: the error of the first one.
        """
        _, bound = self._bound(self._candidates[0], arguments, named)
        key = self._key(bound)
        cached = self._chosen.get(key)
        if cached is None:
            with self._lock:  # another thread may have measured it meanwhile
                cached = self._chosen.get(key) or self._recalled(key) or self._measured(key, arguments, named)
                self._chosen[key] = cached
        return dict(cached)

    def _bound(self, choice: _Choice, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, Bound]:
        constants = {name: value for name, value in choice.items() if name not in _OF_LAUNCH}
        return self._kernel._bound(arguments, {**named, **constants})

    def _recalled(self, key: str) -> _Choice | None:
        place = recall(key)
        valid = type(place) is int and 0 <= place < len(self._candidates)
        return self._candidates[place] if valid else None

    def _measured(self, key: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> _Choice:
        times: dict[int, float] = {}
        failed: list[Exception] = []
        with _unchanged(self._written(arguments, named)):
            for place, choice in enumerate(self._candidates):
                try:
                    times[place] = _seconds(lambda choice=choice: self._launch(choice, arguments, named))  # type: ignore[misc]
                except (AccelError, ValueError, SyntaxError) as error:  # a block that is too large, for example
                    failed.append(error)
        if not times:
            raise failed[0]
        best = min(times, key=times.__getitem__)
        remember(key, best)
        return self._candidates[best]

    def _written(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> list[AnyStorage]:
        """Return the storages that the kernel may write."""
        _, bound = self._bound(self._candidates[0], arguments, named)
        program = self._kernel._lowered(bound, checks=(False, False)).program
        pairs = zip(program.parameters, bound.leaves, strict=True)
        return [leaf.memory.storage for each, leaf in pairs if isinstance(each, View) and each.writable and leaf.memory]

    def _launch(self, choice: _Choice, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        constants = {name: value for name, value in choice.items() if name not in _OF_LAUNCH}
        how = {name: value for name, value in choice.items() if name in _OF_LAUNCH}
        how |= {name: self._compute(function, choice, arguments, named) for name, function in self._computed.items()}
        return self._kernel.on(**how)(*arguments, **named, **constants)

    def _compute(
        self, function: Callable[..., Any], choice: _Choice, arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> Any:
        """Return an extent of the grid that depends on the arguments and on the choice, by their names."""
        parameters = inspect.signature(self._kernel.__wrapped__).parameters
        values = {**dict(zip(parameters, arguments, strict=False)), **named, **choice}
        return function(**{name: values[name] for name in inspect.signature(function).parameters})

    def _key(self, bound: Bound) -> str:
        """Return a text for the device, the kernel, the choices, and the kind of the arguments."""
        device = bound.device or resolve(None)
        sizes = [number.bit_length() for leaf in bound.leaves if leaf.memory for number in leaf.numbers[1:]]
        source = sha256(ast.dump(self._kernel._source.tree).encode()).hexdigest()
        return json.dumps([_hardware(device), source, repr(self._candidates), repr(bound.kinds), sizes])

    def __repr__(self) -> str:
        return f"<tuned {self._kernel!r}, {len(self._candidates)} choices>"


def tune(kernel: Kernel, **choices: Any) -> Tuned:
    """Return a kernel whose block and tile sizes are chosen by measuring.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    **choices
        For each constant parameter of the kernel (annotated `Static`), and for ``block``, ``grid`` and ``over``, the
        values to try. All combinations are tried. A ``grid``, ``block`` or ``over`` can also be a function, whose
        parameters are names of the kernel's parameters and of choices; it is called at each launch.

    Returns
    -------
    Tuned
        The kernel.

    Raises
    ------
    TypeError
        If no kernel is given, or if another choice than ``grid``, ``block`` and ``over`` is a function.

    Examples
    --------
    >>> import accel
    >>> from accel.kernels import Static
    >>> @accel.kernel
    ... def double(v, step: Static):
    ...     for i in range(v.size // step):
    ...         for k in range(step):
    ...             v[i * step + k] *= 2
    >>> fast = accel.tune(double, step=(1, 8, 64))
    >>> c = accel.zeros(4096)
    >>> fast(c).done()
    True
    >>> fast.choice(c)["step"] in (1, 8, 64)
    True
    """
    if not isinstance(kernel, Kernel):
        raise TypeError(f"a kernel is tuned; found {type(kernel).__name__}: write @accel.kernel before the function")
    computed = {name: value for name, value in choices.items() if callable(value)}
    listed = {name: _values(name, value) for name, value in choices.items() if name not in computed}
    if set(computed) - set(_OF_LAUNCH):
        raise TypeError(f"only grid, block and over can be functions; found {', '.join(computed)}")
    candidates = [dict(zip(listed, values, strict=True)) for values in product(*listed.values())]
    return Tuned(kernel, candidates, computed)


def _values(name: str, candidates: Any) -> Sequence[Any]:
    if isinstance(candidates, Sequence) and not isinstance(candidates, str) and len(candidates):
        return candidates
    raise ValueError(f"{name} is a list of values to try; found {candidates!r}: write {name}=[16, 32, 64]")


@contextmanager
def _unchanged(storages: Sequence[AnyStorage]) -> Iterator[None]:
    """Give storages back the bytes that they have now."""
    saved = [storage.deep_copy() for storage in storages]
    try:
        yield
    finally:
        for storage, copy in zip(storages, saved, strict=True):
            copies.copy(all_of(storage), all_of(copy))
            copy.release()


def _seconds(launch: Callable[[], Any]) -> float:
    """Return the time of a launch, from its start until it is done; the median of several rounds."""
    _wait(launch())  # compiles
    count = 1
    rounds: list[float] = []
    while len(rounds) < _ROUNDS:
        began = perf_counter()
        for _ in range(count):
            last = launch()
        _wait(last)
        took = perf_counter() - began
        if took < _SECONDS and not rounds and count < 1 << 12:
            count *= 4
            continue
        rounds.append(took / count)
    return median(rounds)


def _wait(result: Any) -> None:
    if hasattr(result, "wait"):  # an event; kernels that return numbers have waited
        result.wait()


def _hardware(device: Device) -> list[str]:
    """Return the facts of a device and its host on which the fastest choice depends."""
    limits = heap_of(device).backend.limits(device)
    host = [machine(), platform.processor(), str(os.cpu_count())]
    return [device.type, str(limits.memory), str(limits.warp), str(limits.grid), *host]
