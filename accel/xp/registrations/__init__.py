"""What other libraries must be told about `Array`; each is told when it is imported."""

from functools import partial
from importlib import import_module
from types import MappingProxyType, ModuleType

from accel.xp.after_import import when_imported

__all__ = ["await_libraries"]

_MODULES = MappingProxyType(
    {
        "array_api_compat.common._helpers": "array_api_compat",
        "dask.array.dispatch": "dask",
        "dask.sizeof": "dask_sizes",
        "distributed.protocol.serialize": "distributed",
        "einops._backends": "einops",
        "PIL.Image": "pillow",
        "matplotlib.cbook": "matplotlib",
        "numba": "numba",
        "pandas.core.arrays.categorical": "pandas",
        "pandas.core.common": "pandas",
        "pandas.core.frame": "pandas",
        "pandas.core.indexes.base": "pandas",
        "pandas.core.series": "pandas",
        "polars.dataframe.frame": "polars",
        "polars.functions.lit": "polars",
        "polars.series.series": "polars",
        "scipy._lib.array_api_compat.common._helpers": "array_api_compat",
        "sklearn.externals.array_api_compat.common._helpers": "array_api_compat",
    }
)
"""The module of a library after whose import our module here registers arrays with it."""


def await_libraries() -> None:
    """Register arrays with each library now if it is imported, else once it is."""
    for imported, ours in _MODULES.items():
        when_imported(imported, partial(_register, ours))


def _register(ours: str, imported: ModuleType) -> None:
    import_module(f"{__package__}.{ours}").register(imported)
