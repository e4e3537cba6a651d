"""The arrays that the user's code gave to a function, as text for an error."""

from collections.abc import Iterator, Mapping
from inspect import getargvalues
from typing import Any

from accel.support.call_sites import entry_frame

__all__ = ["call_in_words"]


def call_in_words() -> str:
    """Name each array among the arguments of the function of this library that the user's code called.

    They are read from the frame of that function: so nothing is noted in advance for an error that is rare.
    """
    frame = entry_frame()
    names, several, keywords, values = getargvalues(frame)
    parameters = [name for name in (*names, several, keywords) if name is not None]
    arrays = ", ".join(text for name in parameters for text in _arrays(name, values.get(name)))
    return f"{frame.f_code.co_name.strip('_')} got {arrays}"


def _arrays(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, tuple | list):
        for place, part in enumerate(value):
            yield from _arrays(f"{name}[{place}]", part)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _arrays(f"{name}[{key!r}]", part)
    elif hasattr(value, "_library") and hasattr(value, "shape") and not isinstance(value, type):
        yield f"{name} of shape {value.shape} on {value.device}"
