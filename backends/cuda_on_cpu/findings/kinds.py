"""What the findings of the runtime are called, the checks that make them, and their errors."""

from collections.abc import Mapping
from enum import IntEnum

from accel.errors import (
    CapabilityError,
    KernelAssertError,
    KernelBanksError,
    KernelCheckError,
    KernelFaultError,
    KernelInitError,
    KernelMemoryError,
    KernelRaceError,
    KernelSyncError,
    KernelTimeoutError,
)

from ..launch.structures import Kind

__all__ = ["CHECKS", "ERRORS", "NAMES", "Scope"]


class Scope(IntEnum):
    """What the threads of a race have in common."""

    WARP = 0
    BLOCK = 1
    GRID = 2


NAMES: Mapping[int, str] = {
    **{kind: kind.name.lower().replace("_", " ") for kind in Kind},
    Kind.RELEASED: "use after release",
    Kind.READ_ONLY: "write to constant memory",
    Kind.UNINITIALIZED: "read of memory that was never written",
    Kind.ARITHMETIC: "division by zero",
    Kind.NO_RETURN: "missing return",
    Kind.DANGLING: "dangling pointer",
}
"""What a kind is called in reports."""

CHECKS: Mapping[int, str] = {
    **dict.fromkeys(Kind, "fault"),
    **{kind: "memory" for kind in Kind if Kind.OUT_OF_BOUNDS <= kind <= Kind.INDEX_OUT_OF_BOUNDS},
    Kind.RACE: "race",
    Kind.UNINITIALIZED: "init",
    **{kind: "sync" for kind in Kind if Kind.DIVERGENT_BARRIER <= kind <= Kind.NOT_COOPERATIVE},
    Kind.BANK_CONFLICT: "banks",
    Kind.NO_RETURN: "memory",
    Kind.DANGLING: "memory",
}
"""The check that finds a kind."""

ERRORS: Mapping[int, type[KernelCheckError | CapabilityError]] = {
    **dict.fromkeys(Kind, KernelFaultError),
    **{
        kind: {
            "memory": KernelMemoryError,
            "race": KernelRaceError,
            "init": KernelInitError,
            "sync": KernelSyncError,
            "banks": KernelBanksError,
        }[check]
        for kind, check in CHECKS.items()
        if check != "fault"
    },
    Kind.INVALID_ADDRESS: KernelMemoryError,
    Kind.WRONG_FREE: KernelMemoryError,
    Kind.ASSERTION: KernelAssertError,
    Kind.TIMEOUT: KernelTimeoutError,
    Kind.UNSUPPORTED: CapabilityError,
}
"""The error of a kind."""
