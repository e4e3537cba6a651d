"""Runs of a program fused and unfused: results, arguments, and which of them share memory are the same."""

from typing import Any

import numpy as np

import accel
from accel import xp

__all__ = ["Run", "bits_of", "compared", "same"]


def compared(program: Any, device: str, *, ulps: int = 0, fuse: Any = accel.fuse) -> None:
    """Run a program fused, twice, and unfused; compare.

    Parameters
    ----------
    program : Program
        The program.
    device : str
        Where the arguments are.
    ulps : int
        By how many units in the last place results may differ.
    fuse : callable
        Fuses a function.
    """
    fused = fuse(program.function)
    expected = Run(program, program.function, device)
    for _ in range(2):
        found = Run(program, fused, device)
        if expected.error is not None:
            assert type(found.error) is type(expected.error), f"{found.error!r} instead of {expected.error!r}"
            untouched = program.arguments.made(device).memories
            if len(untouched) == len(program.arguments.views):  # otherwise it may run unfused
                same(found.memories, untouched, 0, "an argument after an error")
            continue
        if found.error is not None:
            raise found.error
        same(found.memories, expected.memories, 0, "an argument")
        same(found.results, expected.results, ulps, "a result")
        writable = [[each.flags.writeable for each in run.results if each.size] for run in (found, expected)]
        assert writable[0] == writable[1], f"writeable: {writable[0]} instead of {writable[1]}"
    for place in range(len(expected.results)):
        for run in (expected, found):
            run.write(place)
        same(found.memories, expected.memories, 0, f"after a write to result {place}, an argument")
        same(found.results, expected.results, ulps, f"after a write to result {place}, a result")


class Run:
    """A call of a function with new arguments, and what came of it.

    Attributes
    ----------
    error : Exception or None
        What it raised.
    memories, results : list of Array
        The arrays afterwards.
    """

    def __init__(self, program: Any, function: Any, device: str) -> None:
        made = program.arguments.made(device)
        self.memories, self.results, self.error = made.memories, [], None
        try:
            with accel.using(device=device):
                returned = function(*made.values.values())
        except Exception as error:
            self.error = error
        else:
            self.results = [*_arrays(returned)]

    def write(self, place: int) -> None:
        """Write to a result, so that what shares its memory shows it."""
        array = self.results[place]
        if array.flags.writeable:
            array[...] = True if array.dtype.kind == "b" else 77


def _arrays(value: Any) -> Any:
    if isinstance(value, xp.Array):
        yield value
    elif isinstance(value, tuple | list):
        for each in value:
            yield from _arrays(each)
    elif isinstance(value, dict):
        yield from _arrays([*value.values()])


def same(found: list[Any], expected: list[Any], ulps: int, what: str) -> None:
    """Compare arrays: bit for bit, but for the payloads of NaN."""
    assert len(found) == len(expected)
    for place, (one, other) in enumerate(zip(found, expected, strict=True)):
        assert (one.shape, one.dtype, one.device) == (other.shape, other.dtype, other.device), f"{what} {place}: form"
        first, second = (np.asarray(each.to_device("cpu")) for each in (one, other))
        if ulps and first.dtype.kind in "fc":
            np.testing.assert_allclose(first, second, rtol=ulps * np.finfo(first.dtype).eps, err_msg=f"{what} {place}")
        elif not np.array_equal(bits_of(first), bits_of(second)):
            raise AssertionError(f"{what} {place}: found\n{first!r}\ninstead of\n{second!r}")


def bits_of(array: Any) -> Any:
    """Return the bits of elements; of NaN, those of one NaN."""
    parts = array.copy()
    if parts.dtype.kind == "c":
        parts = np.stack([parts.real, parts.imag])
    if parts.dtype.kind == "f":
        parts = np.where(np.isnan(parts), np.array(np.nan, parts.dtype), parts)
        parts = np.ascontiguousarray(parts).view(f"u{parts.itemsize}")
    return parts
