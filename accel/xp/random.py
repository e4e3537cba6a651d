"""Random numbers on every device: `default_rng`, and generators with the methods of NumPy's.

NumPy draws for the host and for simulated devices, which so have the same numbers. The library of a GPU draws there,
other numbers for the same seed.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from accel.device import Device, DeviceLike
from accel.dtypes import as_dtype
from accel.errors import CapabilityError, DeviceMismatchError, FuseError
from accel.support.call_sites import call_site
from accel.xp.array_base import live
from accel.xp.array_library import ArrayLibrary, library_on, recorder
from accel.xp.arrays import Array, wrap
from accel.xp.creation import asarray
from accel.xp.documentation.rows import of_draws
from accel.xp.functions import standard
from accel.xp.host_access import on_host

__all__ = ["Generator", "default_rng"]

_DISTRIBUTIONS = """
    beta binomial chisquare dirichlet exponential f gamma geometric gumbel hypergeometric integers laplace logistic
    lognormal logseries multinomial multivariate_hypergeometric multivariate_normal negative_binomial
    noncentral_chisquare noncentral_f normal pareto poisson power random rayleigh standard_cauchy standard_exponential
    standard_gamma standard_normal standard_t triangular uniform vonmises wald weibull zipf
"""


def default_rng(seed: Any = None, *, rng: Any = None, device: DeviceLike | None = None) -> "Generator":
    """Return a generator of random numbers on a device.

    Parameters
    ----------
    seed : int, sequence of int, numpy.random.SeedSequence, BitGenerator or Generator, optional
        What decides the numbers; by default they differ each time. A `Generator` of this module is returned as it is.
    rng : optional
        Another name of ``seed``, which libraries agreed on (SPEC 7).
    device : Device or str, optional
        The device of the arrays; by default `Device.default`.

    Returns
    -------
    Generator
        The generator.

    Raises
    ------
    TypeError
        If there are both ``seed`` and ``rng``, or if it is nothing that decides numbers.
    CapabilityError
        If no library draws numbers on the device.

    Examples
    --------
    >>> import accel.xp as xp
    >>> rng = xp.random.default_rng(7)
    >>> rng.integers(0, 10, 4)
    Array([9, 6, 6, 8], dtype=int64, device=cpu)
    """
    if seed is not None and rng is not None:
        raise TypeError("seed and rng are two names of one argument; write default_rng(seed)")
    seed = rng if seed is None else seed
    if isinstance(seed, Generator):
        if device is not None and library_on(device) is not seed._library:
            raise ValueError(f"this generator is on {seed.device}; write default_rng(seed, device={str(device)!r})")
        return seed
    library = library_on(device)
    return Generator(library, _random_of(library).default_rng(seed))


def _random_of(library: ArrayLibrary) -> Any:
    """Return the module for random numbers of a device's library; NumPy's on the host and on simulated devices."""
    if library.device is Device.CPU or library.device.type == "sim":
        return np.random
    module = getattr(library.namespace, "random", None)
    if module is None:
        raise CapabilityError(f"no library draws random numbers on {library.device}; write default_rng(device='cpu')")
    return module


class Generator:
    """A generator of random numbers on one device, made by `default_rng`.

    It has the methods of `numpy.random.Generator`; their results are arrays on its device. Parameters can be arrays.
    On simulated devices, arrays of parameters are copied to the host, if ``host_copies`` allows it.

    Parameters
    ----------
    library : ArrayLibrary
        The library of arrays of the device.
    native : Any
        Its generator.
    """

    __slots__ = ("_library", "_native")

    def __init__(self, library: ArrayLibrary, native: Any) -> None:
        self._library = library
        self._native = native

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Array]: ...

    @property
    def device(self) -> Device:
        """The device of the results."""
        return self._library.device

    @property
    def bit_generator(self) -> Any:
        """The library's source of random bits."""
        return self._native.bit_generator

    def spawn(self, n_children: int) -> "list[Generator]":
        """Return generators on the same device whose numbers are independent of each other.

        Parameters
        ----------
        n_children : int
            How many.
        """
        return [Generator(self._library, each) for each in self._function("spawn")(n_children)]

    def bytes(self, length: int) -> Any:
        """Return random bytes.

        Parameters
        ----------
        length : int
            How many.
        """
        return self._function("bytes")(length)

    def permutation(self, x: Array | int | Sequence[Any], axis: int = 0) -> Array:
        """Return a permutation of the numbers from 0 to ``x``, or a copy of an array in another order along an axis.

        Parameters
        ----------
        x : Array, int or sequence
            The array, or the number.
        axis : int, default 0
            The axis.
        """
        if isinstance(x, int | np.integer):
            return self._ours(self._function("permutation")(int(x)))
        array = self._on_device(x)
        return self._taken(array, self._function("permutation")(array.shape[axis]), axis)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Change the order of the elements of an array along an axis, in place.

        Parameters
        ----------
        x : Array
            The array.
        axis : int, default 0
            The axis.
        """
        if not isinstance(x, Array):
            self._function("shuffle")(x, axis)
            return
        x[...] = self.permutation(x, axis)

    def permuted(self, x: Array, *, axis: int | None = None, out: Array | None = None) -> Array:
        """Return a copy of an array with another order of the elements along each line of an axis, or of all.

        Parameters
        ----------
        x : Array
            The array.
        axis : int, optional
            The axis; without, all elements change their places.
        out : Array, optional
            The array for the result; it is returned.
        """
        array = self._on_device(x)
        places = np.arange(array.size).reshape(array.shape)
        places = self._function("permuted")(places if axis is None else _numbered(places, axis), axis=axis)
        if axis is None:
            result = self._taken(array.reshape(-1), places.reshape(-1), 0).reshape(array.shape)
        else:
            result = standard("take_along_axis")(array, self._ours(places), axis=axis)
        return result if out is None else _written(out, result)

    def choice(
        self,
        a: Array | int | Sequence[Any],
        size: int | tuple[int, ...] | None = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> Array:
        """Return random elements along an axis of an array, or numbers from 0 to ``a``.

        Parameters
        ----------
        a : Array, int or sequence
            The array, or the number.
        size : int or tuple of int, optional
            The shape of the result; one element without.
        replace : bool, default True
            Whether an element may be drawn again.
        p : Array, optional
            The probability of each element; equal without.
        axis : int, default 0
            The axis.
        shuffle : bool, default True
            Whether elements without replacement are in a random order.
        """
        weights = None if p is None else self._parameter(p)
        function = self._function("choice")
        if isinstance(a, int | np.integer):
            return self._ours(function(int(a), size, replace, weights, shuffle=shuffle))
        array = self._on_device(a)
        return self._taken(array, function(array.shape[axis], size, replace, weights, shuffle=shuffle), axis)

    def _drawn(self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Array:
        out = keywords.pop("out", None)
        if isinstance(out, Array):
            self._on_device(out)
        options = {each: self._parameter(value) for each, value in keywords.items()}
        if options.get("dtype") is not None:
            options["dtype"] = as_dtype(options["dtype"])
        if out is not None and len(arguments) <= (name == "standard_gamma"):  # without a size
            options.setdefault("size", out.shape)
        result = self._ours(self._function(name)(*map(self._parameter, arguments), **options))
        return result if out is None else _written(out, result)

    def _function(self, name: str) -> Callable[..., Any]:
        _refuse_recording()
        function = getattr(self._native, name, None)
        if function is None:
            raise CapabilityError(
                f"the library that draws random numbers on {self.device} has no {name}; draw on the host, and move the "
                f"result, as in default_rng(seed, device='cpu').{name}(...).to_device('{self.device}')"
            )
        if self._library.within is None or self._draws_on_host():
            return function  # type: ignore[no-any-return]
        return partial(self._library.compute, function)

    def _draws_on_host(self) -> bool:
        return isinstance(self._native, np.random.Generator)

    def _parameter(self, value: Any) -> Any:
        """Return a parameter as the library that draws takes it."""
        if not isinstance(value, Array):
            return value
        return on_host(value, "numpy.random") if self._draws_on_host() else live(self._on_device(value))

    def _on_device(self, value: Any) -> Array:
        _refuse_recording()
        array = value if isinstance(value, Array) else asarray(value, device=self.device)
        if array._library is not self._library:
            raise DeviceMismatchError(
                f"this generator is on {self.device}, and the array on {array.device}; write "
                f"x.to_device('{self.device}')"
            )
        return array

    def _ours(self, result: Any) -> Array:
        if self._library.device is Device.CPU:
            return wrap(self._library, result if isinstance(result, np.ndarray) else np.asarray(result)[()])
        if self._draws_on_host():
            return asarray(np.asarray(result), device=self.device)
        return wrap(self._library, result)

    def _taken(self, x: Array, places: Any, axis: int) -> Array:
        indices = self._ours(places)
        if indices.ndim == 1:
            return standard("take")(x, indices, axis=axis)  # type: ignore[no-any-return]
        return x[(slice(None),) * (axis % x.ndim) + (indices,)]

    def __reduce__(self) -> tuple[object, ...]:
        if self._draws_on_host():
            return _restored, (str(self.device), self._native)
        bits = self._native.bit_generator
        try:  # CuPy has no public names for these
            size, state = bits._size, wrap(self._library, bits._state)
        except AttributeError:
            raise CapabilityError(
                f"the library that draws random numbers on {self.device} does not tell the state of a generator; write "
                f"default_rng(seed, device='{self.device}')"
            ) from None
        return _with_state, (str(self.device), type(bits).__name__, size, state.to_device(Device.CPU))

    def __repr__(self) -> str:
        return f"Generator({type(self.bit_generator).__name__}) on {self.device}"


def _refuse_recording() -> None:
    if recorder.get() is not None:
        raise FuseError(
            f"random numbers would be drawn once, while a fused function is traced, and be the same in each call; "
            f"found a generator at {call_site()}: draw them outside, and pass them as an argument"
        )


def _numbered(places: Any, axis: int) -> Any:
    """Return the place of each element along an axis."""
    shape = [1] * places.ndim
    shape[axis] = places.shape[axis]
    return np.broadcast_to(np.arange(places.shape[axis]).reshape(shape), places.shape)


def _written(out: Array, result: Array) -> Array:
    """Write numbers to an array of their shape and dtype, and return it."""
    if (out.shape, out.dtype) != (result.shape, result.dtype):
        raise ValueError(
            f"out has shape {out.shape} and dtype {out.dtype.name}, and the numbers have {result.shape} and "
            f"{result.dtype.name}; write out=xp.empty({result.shape}, dtype='{result.dtype.name}')"
        )
    out[...] = result
    return out


def _restored(device: str, native: Any) -> Generator:
    return Generator(library_on(device), native)


def _with_state(device: str, kind: str, size: int, state: Array) -> Generator:
    """Return a generator that goes on where another one was, whose source of bits had this state."""
    library = library_on(device)
    module = _random_of(library)
    bits = library.compute(getattr(module, kind), 0, size=size)
    wrap(library, bits._state)[...] = state.to_device(library.device)
    return Generator(library, library.compute(module.Generator, bits))


def _distribution(name: str) -> Callable[..., Array]:
    def method(self: Generator, *arguments: Any, **keywords: Any) -> Array:
        return self._drawn(name, arguments, keywords)

    method.__name__, method.__qualname__ = name, f"Generator.{name}"
    method.__doc__ = of_draws(name)
    method.__wrapped__ = getattr(np.random.Generator, name)  # type: ignore[attr-defined]
    return method


for _name in _DISTRIBUTIONS.split():
    setattr(Generator, _name, _distribution(_name))
