"""`Platform`: everything in which CUDA and ROCm differ; whatever is not here is the same for both."""

from typing import NamedTuple

from accel.errors import InterchangeError

__all__ = ["CUDA", "ROCM", "Platform"]


class Platform(NamedTuple):
    """One platform that CuPy is built for.

    Attributes
    ----------
    type : str
        Type of its devices.
    name : str
        What people call it.
    version_parts : tuple of two ints
        What the platform's version number must be divided by for its major and its minor part.
    default_stream : int
        DLPack's number of the default stream, which None means too.
    refused : Mapping
        The numbers that DLPack forbids, and why.
    threads : int
        Most threads that a launch may have along each axis, all blocks together.
    shared : int
        Bytes of shared memory that a block may have of any kernel; for more, the driver must be told before.
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
        """Return the handle of the stream that DLPack calls by a number, or by None.

        That is the number itself: 1 and 2 are what CUDA's own calls take for its two default streams.

        Raises
        ------
        InterchangeError
            If DLPack forbids the number on this platform.
        """
        if number is None:
            return self.default_stream
        if type(number) is not int:  # True is another's 1
            reason = "it is no int"
        elif number < 0:
            reason = "it is negative"
        elif number in self.refused:
            reason = self.refused[number]
        else:
            return number
        raise InterchangeError(
            f"{number!r} is no stream of {self.name}: {reason}; write stream=None or {self.default_stream} for the "
            f"default one, -1 for no order, or a handle"
        )


CUDA = Platform(
    type="cuda",
    name="CUDA",
    version_parts=(1000, 10),
    default_stream=1,
    refused={0: "it could mean the legacy stream (1) or that of the thread (2)"},
    threads=1 << 41,  # what the most blocks of the most threads have
    shared=48 << 10,
)
ROCM = Platform(
    type="rocm",
    name="ROCm",
    version_parts=(10_000_000, 100_000),
    default_stream=0,
    refused={1: "that is a number of CUDA's", 2: "that is a number of CUDA's"},
    threads=(1 << 32) - 1,  # HIP counts them in 32 bits
    shared=64 << 10,  # which is all that there is
)
