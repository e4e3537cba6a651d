"""Arguments of random programs: arrays that may be views of one memory, and numbers."""

from random import Random
from typing import Any, NamedTuple

import numpy as np

from accel import xp

__all__ = ["Arguments", "Made", "arguments", "drawn_index", "drawn_number", "drawn_shape"]

DTYPES = (
    *("float64", "float64", "float32", "int64", "int32", "bool", "int8", "uint8", "int16", "uint16", "uint32"),
    *("uint64", "complex128", "complex64", "float16"),
)
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5)
NUMBERS = ("0", "1", "2", "3", "-1", "-2", "7", "0.5", "-1.5", "-0.0", "2.0", "True", "100", "1e300", "(1+2j)")


class Made(NamedTuple):
    """Arguments on a device.

    Attributes
    ----------
    memories : list of Array
        The arrays that arguments are, or are views of.
    values : dict
        The arguments, by name.
    """

    memories: list[Any]
    values: dict[str, Any]

    def named(self) -> dict[str, Any]:
        """Return the arguments by name."""
        return {**self.values}


class Arguments(NamedTuple):
    """How to make arguments.

    Attributes
    ----------
    memories : list of numpy.ndarray
        The elements.
    views : list of (int, str, bool)
        Of each array: the number of its memory, an expression of a view of it, and whether it is read-only.
    numbers : list
        The numbers.
    """

    memories: list[Any]
    views: list[tuple[int, str, bool]]
    numbers: list[Any]

    @property
    def names(self) -> list[str]:
        """The names of the parameters."""
        return [f"x{place}" for place in range(len(self.views))] + [f"n{place}" for place in range(len(self.numbers))]

    def made(self, device: str) -> Made:
        """Return new arrays with these elements on a device."""
        memories = [xp.asarray(each, device=device, copy=True) for each in self.memories]
        values = []
        for number, view, readonly in self.views:
            array = eval(view, {"x": memories[number], "xp": xp})
            if readonly:
                array.flags.writeable = False
            values.append(array)
        return Made(memories, dict(zip(self.names, [*values, *self.numbers], strict=True)))


def drawn_shape(random: Random) -> tuple[int, ...]:
    """Return the shape of an array."""
    rank = random.choice([0, 1, 1, 2, 2, 2, 3, 3, 4])
    extents = [0, 1, 1, 2, 3, 4, 5, 5, 17] if rank > 1 else [0, 1, 2, 3, 8, 17, 40, 131]
    return tuple([random.choice(extents) for _ in range(rank)])


def drawn_elements(random: Random, shape: tuple[int, ...], dtype: str) -> Any:
    """Return elements of a dtype, some of them special."""
    rng = np.random.default_rng(random.randrange(1 << 30))
    kind = np.dtype(dtype).kind
    if kind in "fc":
        values = np.asarray(rng.integers(-40, 40, shape) / 8)
        if random.randrange(3) == 0:
            values = np.where(rng.random(shape) < 0.2, rng.choice(SPECIAL, shape), values)
        return np.asarray(values * (1 - 0.5j) if kind == "c" else values).astype(dtype)
    if kind == "b":
        return np.asarray(rng.integers(0, 2, shape)).astype(dtype)
    limits = np.iinfo(dtype)
    low, high = (max(limits.min, -9), 10) if random.randrange(3) else (limits.min, limits.max)
    return np.asarray(rng.integers(low, high, shape, dtype=dtype))


def drawn_number(random: Random) -> str:
    """Return a number of Python."""
    return random.choice(NUMBERS)


def drawn_index(random: Random, shape: tuple[int, ...], *, views: bool = False) -> str:
    """Return a basic index of an array of a shape; ``views`` excludes what selects an element."""
    parts: list[str] = []
    for extent in shape[: random.randrange(len(shape) + 1)] if random.randrange(2) else shape:
        if random.randrange(12) == 0:
            parts.append("None")
        kind = random.randrange(8)
        if kind == 0 and extent and not views:
            parts.append(str(random.randrange(-extent, extent)))
        elif kind < 3:
            parts.append(":")
        else:
            first, last = (random.choice(["", *range(-extent - 1, extent + 2)]) for _ in range(2))
            parts.append(f"{first}:{last}:{random.choice(['', '', '', 1, 2, 3, -1, -1, -2, -5])}")
    if random.randrange(6) == 0 or not parts or (views and len(parts) < len(shape)):
        parts.append("...")
    return ", ".join(parts)


def drawn_view(random: Random, shape: tuple[int, ...]) -> str:
    """Return an expression of a view of ``x``."""
    text = "x"
    if random.randrange(2) and shape:
        text += f"[{drawn_index(random, shape, views=True)}]"
    if random.randrange(4) == 0:
        text += ".T"
    return text


def arguments(random: Random) -> Arguments:
    """Return how to make the arguments of a program: one to four arrays, and up to two numbers."""
    memories: list[Any] = []
    views = []
    shape = drawn_shape(random)
    for _ in range(random.choice([1, 2, 2, 3, 4])):
        if not memories or random.randrange(4):
            if random.randrange(3) == 0:
                shape = drawn_shape(random)
            memories.append(drawn_elements(random, shape, random.choice(DTYPES)))
        number = len(memories) - 1
        views.append((number, drawn_view(random, memories[number].shape), random.randrange(8) == 0))
    numbers = [random.choice([2, -3, 0.5, True, 0, 1.25, -1, 200]) for _ in range(random.choice([0, 0, 1, 2]))]
    return Arguments(memories, views, numbers)
