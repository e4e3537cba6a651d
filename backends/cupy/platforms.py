"""`Platform`: all differences between CUDA and ROCm."""

from typing import NamedTuple

from accel.errors import InterchangeError

__all__ = ["CUDA", "ROCM", "Platform"]


class Platform(NamedTuple):
    """A platform that CuPy can be built for.

    Attributes
    ----------
    type : str
        Type of its devices.
    name : str
        Its name in messages.
    version_parts : tuple of two ints
        Divisors of the platform's version number that give its major and its minor part.
    default_stream : int
        DLPack's number of the default stream; None means the same.
    refused : Mapping
        The numbers that DLPack forbids, and the reasons.
    threads : int
        Maximum threads of a launch along each axis, all blocks together.
    shared : int
        Bytes of shared memory that a block of any kernel may use; for more, an attribute of the kernel must be set.
    """

    type: str
    name: str
    version_parts: tuple[int, int]
    default_stream: int
    refused: dict[int, str]
    threads: int
    shared: int

    def version(self, number: int) -> str:
        """Write a version of a driver or a runtime, as in ``12.9``."""
        major, minor = self.version_parts
        return f"{number // major}.{number % major // minor}"

    def stream_handle(self, number: object) -> int:
        """Return the driver's handle of a stream, given DLPack's number of it, or None.

        The handle equals the number: CUDA's own functions take 1 and 2 for its two default streams.

        Raises
        ------
        InterchangeError
            If DLPack forbids the number on this platform.
        """
        if number is None:
            return self.default_stream
        if type(number) is not int:  # which also refuses True
            reason = "it is not an int"
        elif number < 0:
            reason = "it is negative"
        elif number in self.refused:
            reason = self.refused[number]
        else:
            return number
        raise InterchangeError(
            f"{number!r} is not a stream of {self.name}: {reason}; write stream=None or {self.default_stream} for the "
            f"default stream, -1 for no synchronization, or a handle"
        )


CUDA = Platform(
    type="cuda",
    name="CUDA",
    version_parts=(1000, 10),
    default_stream=1,
    refused={0: "it could mean the legacy stream (1) or the per-thread stream (2)"},
    threads=1 << 41,  # the maximum of blocks times the maximum of threads per block
    shared=48 << 10,
)
ROCM = Platform(
    type="rocm",
    name="ROCm",
    version_parts=(10_000_000, 100_000),
    default_stream=0,
    refused={1: "CUDA uses this number", 2: "CUDA uses this number"},
    threads=(1 << 32) - 1,  # HIP counts them in 32 bits
    shared=64 << 10,  # all that a block can have
)
