"""The compiler options of a kernel: those that CuPy overrides are refused, and the C++ standard is added."""

from accel.errors import CapabilityError

from .platforms import Platform

__all__ = ["effective"]

_STANDARD = "-std=c++17"


def effective(options: tuple[str, ...], kernel: str, platform: Platform) -> tuple[str, ...]:
    """Return the options to give to CuPy: the user's, after the C++ standard unless they name one.

    CuPy appends options of its own. Of two options with one name the compilers take the last one, at most with a
    warning that CuPy does not show.

    Raises
    ------
    CapabilityError
        If CuPy overrides one of them.
    """
    for option in options:
        reason = platform.overridden.get(option.lstrip("-").partition("=")[0])
        if reason is not None and option.lstrip("-") not in platform.appended:
            raise CapabilityError(f"the option {option} of {kernel} has no effect: {reason}")
    has_standard = any(option.lstrip("-").startswith("std=") for option in options)
    return options if has_standard else (_STANDARD, *options)
