"""`Array` for polars: what it makes of Arrow's capsules has no name, no given dtype, and one axis."""

from types import ModuleType

from accel.xp.registrations.numpy_arguments import takes_ours

__all__ = ["register"]


def register(module: ModuleType) -> None:
    """Let series, data frames and literals be made of our arrays, whichever of these the module defines."""
    for name, (owner, function) in {
        "DataFrame": (vars(module).get("DataFrame"), "__init__"),
        "Series": (vars(module).get("Series"), "__init__"),
        "lit": (module, "lit"),
    }.items():
        if getattr(vars(module).get(name), "__module__", "") == module.__name__:
            takes_ours(owner, function, "polars")
