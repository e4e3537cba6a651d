"""Arguments of kernels from the command line, as in ``float[1024]=random``, and what is in them afterwards."""

import re
from pathlib import Path
from typing import Any

import numpy as np

from accel import xp
from accel.kernels.raw.parameters import Parameter

__all__ = ["argument_from", "summary"]

_ARRAY = re.compile(r"(?P<type>[^\[\]=]*)\[(?P<shape>[\d,\s]+)\](?:=(?P<what>.+))?")
_SHOWN = 6


def argument_from(text: str, parameter: Parameter, random: np.random.Generator) -> Any:
    """Return the argument that a text describes: a number, or an array on the simulated device.

    Raises
    ------
    ValueError
        If it cannot be read.
    """
    if text.endswith(".npy"):
        return xp.asarray(np.load(Path(text)), device="sim")
    if parameter.rank is None:
        return _number(text.rpartition("=")[2], parameter)
    match = _ARRAY.fullmatch(text.strip())
    if match is None:
        raise ValueError(
            f"{text!r} is no array for the parameter {parameter.name}; write TYPE[SHAPE]=WHAT, as in "
            f"float[1024]=random, or a .npy file"
        )
    shape = tuple(int(extent) for extent in match["shape"].split(",") if extent.strip())
    if match["what"] is None:
        return xp.empty(shape, dtype=parameter.dtype, device="sim")
    return xp.asarray(_values(match["what"].strip(), shape, parameter, random), device="sim")


def _number(text: str, parameter: Parameter) -> Any:
    for kind in (int, float, complex):
        try:
            return kind(text)
        except ValueError:
            continue
    raise ValueError(f"{text!r} is no number for the parameter {parameter.name}; write as in 1024 or 2.5")


def _values(what: str, shape: tuple[int, ...], parameter: Parameter, random: np.random.Generator) -> Any:
    dtype = parameter.dtype
    if what == "random":
        whole = dtype.kind in "iu"
        return (random.integers(0, 100, shape) if whole else random.random(shape)).astype(dtype)
    if what == "arange":
        return np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    value = {"zeros": 0, "ones": 1}.get(what)
    return np.full(shape, _number(what, parameter) if value is None else value, dtype=dtype)


def summary(name: str, array: Any) -> str:
    """Return a line about an array: its type, its extremes and its first elements."""
    values = np.asarray(array.to_device("cpu"))
    first = " ".join(f"{value:.6g}" if values.dtype.kind in "fiub" else str(value) for value in values.ravel()[:_SHOWN])
    more = " ..." if values.size > _SHOWN else ""
    extremes = f", {values.min():.6g} to {values.max():.6g}" if values.size and values.dtype.kind in "fiu" else ""
    return f"{name}: {values.dtype}{list(values.shape)}{extremes}: {first}{more}"
