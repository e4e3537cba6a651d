"""`Array` for array-api-compat, and for the copies of it inside SciPy and scikit-learn: our arrays are not lazy.

Their `is_lazy_array` finds out whether an array of a class that it does not know is lazy by computing with it, which
waits for a device. It first asks the function `_is_lazy_cls` about the class, and this module answers for ours.
"""

from functools import wraps
from types import ModuleType
from typing import Any

from accel.xp.arrays import Array

__all__ = ["register"]


def register(helpers: ModuleType) -> None:
    """Answer for our class, and leave every other class to the library; change nothing in versions that do not ask."""
    ask = getattr(helpers, "_is_lazy_cls", None)
    if ask is None:
        return

    @wraps(ask)
    def is_lazy_class(cls: type) -> Any:
        return False if cls is Array else ask(cls)

    helpers._is_lazy_cls = is_lazy_class  # type: ignore[attr-defined]
