"""`cupy.random`: NumPy draws on the host, and the numbers are copied to the device; they are not those of CuPy."""

from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar

import numpy as np

from accel import xp
from accel.testing.cupy_simulation.host_calls import on_host
from accel.xp.arrays import Array

__all__ = ["Generator", "RandomState", "random_members"]

_BOTH = """
    beta binomial chisquare dirichlet exponential f gamma geometric hypergeometric logseries poisson power
    standard_exponential standard_gamma standard_normal uniform
"""
_OF_GENERATORS = {*_BOTH.split(), "integers", "random"}
_LEGACY = """
    choice gumbel laplace logistic lognormal multivariate_normal negative_binomial noncentral_chisquare noncentral_f
    normal pareto permutation rand randint randn random_sample rayleigh standard_cauchy standard_t tomaxint triangular
    vonmises wald weibull zipf
"""
_OF_STATES = {*_BOTH.split(), *_LEGACY.split()}
_OF_THE_MODULE = {"random": "random_sample", "ranf": "random_sample", "sample": "random_sample"}


def _drawing(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a function whose numbers are copied to the device.

    A dtype as the last argument, or as ``dtype=``, is that of the result, as all functions of CuPy take it.
    """

    @wraps(function)
    def draw(*arguments: Any, dtype: Any = None, **keywords: Any) -> Any:
        if dtype is None and arguments and isinstance(arguments[-1], type | np.dtype):
            *first, dtype = arguments
            arguments = tuple(first)
        out = keywords.pop("out", None)
        arguments, keywords = on_host((arguments, keywords), f"numpy.random.{name}")
        numbers = xp.asarray(np.asarray(function(*arguments, **keywords), dtype))
        if out is None:
            return numbers
        out[...] = numbers.astype(out.dtype)
        return out

    return draw


class _Drawn:
    """What has the functions of a source of NumPy."""

    _native: Any
    _names: ClassVar[set[str]] = set()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._names:
            raise AttributeError(
                f"{type(self).__name__} of cupy.random has no {name}; there are {', '.join(sorted(self._names))}"
            )
        return _drawing(getattr(self._native, name), name)


class Generator(_Drawn):
    """Stands for `cupy.random.Generator`."""

    _names = _OF_GENERATORS

    def __init__(self, bit_generator: Any = None) -> None:
        self._native = np.random.default_rng(getattr(bit_generator, "_native", bit_generator))


class BitGenerator:
    """Stands for the sources of bits of CuPy; the bits are those of NumPy's PCG64."""

    def __init__(self, seed: Any = None, *, size: int = -1) -> None:
        self._native = np.random.PCG64(seed)


class XORWOW(BitGenerator):
    """Stands for the source of this name."""


class MRG32k3a(BitGenerator):
    """Stands for the source of this name."""


class Philox4x3210(BitGenerator):
    """Stands for the source of this name."""


class RandomState(_Drawn):
    """Stands for `cupy.random.RandomState`."""

    _names = _OF_STATES

    def __init__(self, seed: Any = None, method: Any = None) -> None:
        self._native = np.random.RandomState()
        self.seed(seed)

    def seed(self, seed: Any = None) -> None:
        """Begin anew, from a seed."""
        self._native.seed(on_host(seed, "numpy.random.seed"))

    def shuffle(self, a: Any) -> None:
        """Bring the elements of an array along the first axis into another order, in place."""
        if not isinstance(a, Array):
            raise TypeError("The array must be cupy.ndarray")
        if not a.ndim:
            raise TypeError("An array whose ndim is 0 is not supported")
        a[...] = a[xp.asarray(self._native.permutation(a.shape[0]))]


class _Current:
    """The functions of the module, which draw from the current state."""

    def __init__(self) -> None:
        self.state = RandomState(0)

    def get(self) -> RandomState:
        """Return the state that the functions of the module draw from."""
        return self.state

    def set(self, state: RandomState) -> None:
        """Let the functions of the module draw from a state."""
        if not isinstance(state, RandomState):
            raise TypeError(f"Random state must be an instance of RandomState. Actual: {type(state)}")
        self.state = state

    def reset(self) -> None:
        """Begin anew, from a seed that differs each time."""
        self.state = RandomState()

    def random_integers(self, low: int, high: int | None = None, size: Any = None) -> Any:
        """Return whole numbers of a range, with its last one."""
        low, high = (1, low) if high is None else (low, high)
        return self.state.randint(low, high + 1, size)

    def bytes(self, length: int) -> bytes:
        """Return random bytes."""
        drawn: bytes = self.state._native.bytes(length)
        return drawn

    def find(self, name: str) -> Any:
        """Return a function of the module; None if there is none."""
        name = _OF_THE_MODULE.get(name, name)
        if name == "tomaxint" or name not in _OF_STATES | {"multinomial", "seed", "shuffle"}:
            return None
        if name == "multinomial":
            return _drawing(self.state._native.multinomial, name)
        return getattr(self.state, name)


def random_members() -> tuple[dict[str, Any], Callable[[str], Any]]:
    """Return the members of `cupy.random`, and what looks up its functions."""
    current = _Current()
    own = {
        "default_rng": lambda seed=None: seed if isinstance(seed, Generator) else Generator(seed),
        "get_random_state": current.get,
        "set_random_state": current.set,
        "reset_states": current.reset,
        "random_integers": current.random_integers,
        "bytes": current.bytes,
        **{cls.__name__: cls for cls in (Generator, RandomState, BitGenerator, XORWOW, MRG32k3a, Philox4x3210)},
    }
    return own, current.find
