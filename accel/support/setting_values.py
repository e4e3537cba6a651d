"""Values of settings, from what a call or the environment has: a function for each kind, which raises ValueError."""

import os
from collections.abc import Callable
from operator import index

from accel.support.device_names import parse_device_name

__all__ = ["checks", "choice", "count", "device", "flag", "path", "width"]

_CHECKS = ("memory", "race", "init", "sync")
# Right kernels may have conflicts of banks, sums of floats in any order, and threads that write the same value.
_ON_REQUEST = ("banks", "order", "same-value")


def device(value: object) -> str:
    """Return the name of a device, or ``gpu``."""
    text = str(value)
    if text != "gpu":
        parse_device_name(text)
    return text


def flag(value: object) -> bool:
    """Return a bool, or that of a word such as ``on``."""
    if isinstance(value, bool):
        return value
    truth = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    try:
        return truth[str(value).lower()]
    except KeyError:
        raise ValueError("write 1 or 0") from None


def choice(*allowed: str) -> Callable[[object], str]:
    """Return a function that accepts these words."""

    def parse(value: object) -> str:
        if value not in allowed:
            raise ValueError(f"write one of {', '.join(allowed)}")
        return str(value)

    return parse


def count(minimum: int, most: int | None = None) -> Callable[[object], int]:
    """Return a function that accepts whole numbers in a range, also as text."""
    allowed = f"{minimum} or more" if most is None else f"{minimum} to {most}"

    def parse(value: object) -> int:
        try:
            number = int(value) if isinstance(value, str) else index(value)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            number = minimum - 1
        if isinstance(value, bool) or number < minimum or (most is not None and number > most):
            raise ValueError(f"write a whole number, {allowed}")
        return number

    return parse


def width(value: object) -> int:
    """Return the threads of a warp."""
    if str(value) not in ("32", "64"):
        raise ValueError("write 32 or 64")
    return int(str(value))


def checks(value: object) -> str:
    """Return the checks of kernels that words name, in one order."""
    words = () if value in ("", "none") else str(value).replace(" ", "").split(",")
    chosen = {check for word in words for check in (_CHECKS if word == "all" else (word,))}
    known = (*_CHECKS, *_ON_REQUEST)
    if not chosen <= {*known}:
        raise ValueError(f"write all, none, or some of {','.join(known)}")
    if "same-value" in chosen:
        chosen.add("race")
    return ",".join([check for check in known if check in chosen])


def path(value: object) -> str:
    """Return the text of a path."""
    if not isinstance(value, str | os.PathLike) or not os.fspath(value):
        raise ValueError("write a folder")
    return str(value)
