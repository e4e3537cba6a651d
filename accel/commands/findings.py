"""What ``accel doctor`` finds."""

from typing import NamedTuple

__all__ = ["Finding"]


class Finding(NamedTuple):
    """Something about an installation.

    Attributes
    ----------
    is_wrong : bool
        Whether something fails because of it; otherwise it could be better.
    what : str
        What was found.
    remedy : str
        The line to type.
    """

    is_wrong: bool
    what: str
    remedy: str
