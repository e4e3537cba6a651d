"""`Dialect`: everything in which CUDA and ROCm differ; whatever is not here is the same for both."""

from typing import NamedTuple

from accel.errors import InterchangeError

__all__ = ["CUDA", "ROCM", "Dialect"]


class Dialect(NamedTuple):
    """One platform that CuPy is built for.

    Attributes
    ----------
    type : str
        Type of its devices.
    name : str
        What people call it.
    version_parts : tuple of two ints
        What the platform's version number must be divided by for its major and its minor part.
    streams : Mapping
        The streams that DLPack names by numbers of its own, and the handles they have.
    refused : Mapping
        The numbers that DLPack forbids, and why.
    """

    type: str
    name: str
    version_parts: tuple[int, int]
    streams: dict[int, int]
    refused: dict[int, str]

    def version(self, number: int) -> str:
        """Write a version of a driver or a runtime, as in ``12.9``."""
        major, minor = self.version_parts
        return f"{number // major}.{number % major // minor}"

    def handle_of(self, number: int) -> int:
        """Return the handle of the stream that DLPack calls by a number.

        Raises
        ------
        InterchangeError
            If DLPack forbids the number on this platform.
        """
        if number in self.refused or number < 0:
            reason = self.refused.get(number, "it is negative")
            allowed = ", ".join(map(str, sorted(self.streams)))
            raise InterchangeError(f"{number} is no stream of {self.name}: {reason}; write {allowed}, or a handle")
        return self.streams.get(number, number)

    def number_of(self, handle: int) -> int:
        """Return what DLPack calls the stream with a handle."""
        return next((number for number, known in self.streams.items() if known == handle), handle)


CUDA = Dialect(
    type="cuda",
    name="CUDA",
    version_parts=(1000, 10),
    # The handle 0 is the legacy stream where CuPy is not told otherwise; 1 and 2 are CUDA's own names for the two.
    streams={1: 0, 2: 2},
    refused={0: "it could mean the legacy stream (1) or that of the thread (2)"},
)
ROCM = Dialect(
    type="rocm",
    name="ROCm",
    version_parts=(10_000_000, 100_000),
    streams={0: 0},
    refused={1: "that is a number of CUDA's", 2: "that is a number of CUDA's"},
)
