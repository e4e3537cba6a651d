"""`Array` for pandas, which takes other sequences than NumPy's arrays for lists of objects, and masks for labels."""

from types import MappingProxyType, ModuleType
from typing import Any

from accel.xp.arrays import Array
from accel.xp.registrations.numpy_arguments import takes_ours

__all__ = ["register"]

_METHODS = MappingProxyType(
    {
        "Categorical": ("__init__",),
        "DataFrame": ("groupby", "isin", "merge", "pivot_table"),
        "Index": ("isin",),
        "Series": ("groupby", "isin"),
    }
)


def register(module: ModuleType) -> None:
    """Let methods and masks take our arrays, whichever of these the module defines."""
    for name, methods in _METHODS.items():
        owner = vars(module).get(name)
        if getattr(owner, "__module__", "") in {module.__name__, "pandas"}:
            for method in methods:
                if method in vars(owner):
                    takes_ours(owner, method, "pandas")
    if "is_bool_indexer" in vars(module) and module.__name__ == "pandas.core.common":
        _take_masks(module)


def _take_masks(common: Any) -> None:
    original = common.is_bool_indexer

    def is_bool_indexer(key: Any) -> bool:
        return key.dtype.kind == "b" if type(key) is Array else original(key)

    common.is_bool_indexer = is_bool_indexer
