"""Messages to the logger ``accel``: what was compiled, what a cache lacked, and what took the place of a device.

`logging` is not imported here: in a program that has not imported it, nobody listens. A handler may run anything, wait
for locks, and show arrays, which waits for devices. So a message is given without any lock of ours; `soon` is for where
one is held.
"""

import sys
from _collections_abc import Callable  # collections.abc loads nine modules more
from typing import Any

__all__ = ["debug", "info", "soon"]

_DEBUG, _INFO = 10, 20  # as in logging


def debug(text: str, *values: object) -> None:
    """Log what is of use to who looks for lost time. No lock is held.

    Parameters
    ----------
    text : str
        What `logging` formats with the values, if anybody listens.
    *values : object
        The values. Handlers may keep them, so none is an error, whose traceback keeps the memory of users.
    """
    _log(_DEBUG, text, values)


def info(text: str, *values: object) -> None:
    """Log what takes time, or the place of what was asked for; as `debug` does."""
    _log(_INFO, text, values)


def soon(log: Callable[..., None], text: str, *values: object) -> None:
    """Log in another thread, which holds no locks: the caller may hold any.

    Parameters
    ----------
    log : callable
        `debug` or `info`.
    text : str
        What `logging` formats with the values, if anybody listens.
    *values : object
        The values.
    """
    if _listening(_DEBUG if log is debug else _INFO) is not None:
        from accel.support.background import BACKGROUND

        BACKGROUND.submit(object(), lambda: log(text, *values))


def _log(level: int, text: str, values: tuple[object, ...]) -> None:
    logger = _listening(level)
    if logger is not None:
        logger.log(level, text, *values, stacklevel=3)


def _listening(level: int) -> Any:
    """Return the logger; None if nobody listens to a level."""
    logging: Any = sys.modules.get("logging")
    if not hasattr(logging, "captureWarnings"):  # its last name is missing while another thread imports it
        return None
    logger = logging.getLogger("accel")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    return logger if logger.isEnabledFor(level) else None
