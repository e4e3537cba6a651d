"""Implicit copies of device arrays to the host: refused, or made and counted, as the setting ``host_copies`` says.

A function that reads the host's memory only, such as one of NumPy's, cannot use an array on another device. `on_host`
gives it a copy where the setting allows that.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from accel import config
from accel.device import Device, DeviceLike
from accel.dtypes import DType
from accel.errors import DeviceMismatchError, HostCopyWarning
from accel.support import log
from accel.support.call_sites import call_site, stack_level

__all__ = ["HostCopies", "count", "host_copies", "lent_by_copy", "on_host"]

_SIMULATED = Device.SIM.dlpack[0]  # the code of memory that no other library can use


class _Movable(Protocol):
    """What `on_host` needs of an array."""

    @property
    def device(self) -> Device: ...

    @property
    def nbytes(self) -> int: ...

    def to_device(self, device: DeviceLike, /) -> Self: ...

    def __array__(self) -> np.ndarray[Any, DType]: ...


@dataclass(frozen=True, slots=True)
class HostCopies:
    """How many copies of device arrays were made on the host because a function needed them there.

    Attributes
    ----------
    copies : int
        Number of copies.
    nbytes : int
        Bytes that were copied.
    places : mapping of str to int
        Number of copies by the line that caused them: the last line outside of accel, in your program or in a library.
    """

    copies: int
    nbytes: int
    places: Mapping[str, int]

    def __sub__(self, before: "HostCopies") -> "HostCopies":
        """Return the copies that were made after those of an earlier record."""
        counts = {place: count - before.places.get(place, 0) for place, count in self.places.items()}
        places = {place: count for place, count in counts.items() if count}
        return HostCopies(self.copies - before.copies, self.nbytes - before.nbytes, places)


_places: dict[str, int] = {}
_nbytes = 0


def host_copies() -> HostCopies:
    """Return how many device arrays were copied to the host so far for functions that could not read them.

    All threads of the process are counted. The difference of two records is what was copied between them. Copies that
    the program itself asks for, such as ``x.to_device('cpu')`` and ``float(x)``, are not counted.

    Returns
    -------
    HostCopies
        A record of the copies, their bytes, and the places in the program.

    Examples
    --------
    >>> import numpy as np
    >>> import accel
    >>> import accel.xp as xp
    >>> x = xp.ones(100, device="sim")
    >>> before = xp.host_copies()
    >>> with accel.using(host_copies="allow"):
    ...     values = np.asarray(x)
    >>> count = xp.host_copies() - before
    >>> count.copies, count.nbytes
    (1, 800)
    """
    nbytes, places = _nbytes, _places.copy()
    return HostCopies(sum(places.values()), nbytes, places)


def lent_by_copy(device: Device) -> bool:
    """Tell whether other libraries get the memory of a device as a copy on the host.

    So it is if the setting allows copies, and no other library can read the memory itself.
    """
    return device.dlpack[0] == _SIMULATED and config.current().host_copies != "never"


def on_host(x: _Movable, what: str, *, writable: bool = False) -> np.ndarray[Any, DType]:
    """Return an array's elements in the host's memory: a copy, or the memory itself if it is on the host.

    Parameters
    ----------
    x : Array
        The elements.
    what : str
        The function or library that needs them there, for messages: ``"NumPy's sin"``.
    writable : bool
        Whether a copy can be written to, which does not change the array.

    Raises
    ------
    DeviceMismatchError
        If the array is on another device, and ``host_copies`` is ``never``.
    """
    if x.device is Device.CPU:
        return x.__array__()
    if config.current().host_copies == "never":
        raise DeviceMismatchError(
            f"this array is on {x.device}, and {what} cannot read it there; write x.to_device('cpu'), or "
            f"accel.using(host_copies='allow') to have such copies made and counted"
        )
    values = x.to_device(Device.CPU).__array__()
    values.flags.writeable = writable
    count(x, what)
    return values


def count(x: _Movable, what: str) -> None:
    """Count a copy to the host that was made for a function; warn of it if the setting says so."""
    global _nbytes
    nbytes, place = x.nbytes, call_site()
    # No call between these: another thread may count too.
    _nbytes += nbytes
    _places[place] = _places[place] + 1 if place in _places else 1
    log.debug("%s reads %d bytes of %s on the host, at %s", what, nbytes, x.device, place)
    if config.current().host_copies == "warn":
        _warn(x, what, place)


# The filters of warnings, and the places where a copy gave a warning since they were set.
_warned: tuple[object, set[str]] = (None, set())


def _warn(x: _Movable, what: str, place: str) -> None:
    """Warn of the first copy at each place; of all later ones too if the warning is raised as an error.

    Like Python, this forgets which warnings it gave when their filters change, as `pytest.warns` changes them.
    """
    global _warned
    if _warned[0] is not warnings.filters:
        _warned = warnings.filters, set()
    places = _warned[1]
    if place not in places:
        warnings.warn(
            f"{what} needs {x.nbytes} bytes that are on {x.device}, and got a copy on the host; write "
            f"x.to_device('cpu') to make the copy explicitly",
            HostCopyWarning,
            stacklevel=stack_level(),
        )
        places.add(place)
