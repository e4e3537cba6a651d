"""Whether debug information can be read, which reports of checks need."""

from importlib.util import find_spec

from accel.errors import CapabilityError

__all__ = ["refuse_without_reader"]


def refuse_without_reader() -> None:
    """Raise `CapabilityError` if the package that reads debug information is not installed."""
    if find_spec("elftools") is None:
        raise CapabilityError(
            "checks of CUDA and HIP kernels need pyelftools for the lines in their reports, which is not installed: "
            "write pip install 'accel-container[cuda-sim]', or accel.configure(kernel_checks='none')"
        )
