"""`Platform`: all differences between CUDA and ROCm.

CuPy's header for HIP answers ``hipErrorUnknown`` in place of the functions that it does not have. Of those that this
backend calls these are ``cudaMemcpy2DAsync``, ``cuFuncSetAttribute`` and ``cuLaunchCooperativeKernel``.
"""

from collections.abc import Mapping
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
    parameters : tuple of two ints
        Bytes of the parameters of a kernel, at most; and those on newer devices with newer drivers and compilers.
    more_shared : bool
        Whether a kernel may use more shared memory than a block usually has, after an attribute of it is set.
    contexts : bool
        Whether a device has a context, of some hundred megabytes, from when it is first made current.
    cooperative : bool
        Whether CuPy launches cooperative kernels.
    pitched : bool
        Whether CuPy passes copies of rows with pitches (memcpy2D) on to the driver.
    appended : frozenset of str
        Compiler options that CuPy appends to those of each kernel, without their hyphens.
    overridden : Mapping
        Names of the compiler options that have no effect with CuPy, and the reasons.
    no_contraction : str
        The compiler option that keeps ``x * y + z`` two operations.
    libraries : tuple of str
        The names of the driver's library, of several versions.
    exchange_mode : str
        Its function that exchanges the mode of a thread beside captured streams.
    compiler : str
        How to install the compiler that CuPy uses; ``{major}`` is the major version of the runtime.
    """

    type: str
    name: str
    version_parts: tuple[int, int]
    default_stream: int
    refused: dict[int, str]
    threads: int
    parameters: tuple[int, int]
    more_shared: bool
    contexts: bool
    cooperative: bool
    pitched: bool
    appended: frozenset[str]
    overridden: Mapping[str, str]
    no_contraction: str
    libraries: tuple[str, ...]
    exchange_mode: str
    compiler: str

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


_ONE_TARGET = "CuPy compiles for the device that runs the kernel; leave the option out"
_NOT_LINKED = "CuPy loads the code as it is compiled, and links nothing to it; leave the option out"
_FLUSHED = "CuPy compiles every kernel with {}, so that denormal float32 become zero; compute those values as double"

CUDA = Platform(
    type="cuda",
    name="CUDA",
    version_parts=(1000, 10),
    default_stream=1,
    refused={0: "it could mean the legacy stream (1) or the per-thread stream (2)"},
    threads=1 << 41,  # the maximum of blocks times the maximum of threads per block
    parameters=(4096, 32764),
    more_shared=True,
    contexts=True,
    cooperative=True,
    pitched=True,
    appended=frozenset({"ftz=true"}),
    overridden={
        "ftz": _FLUSHED.format("-ftz=true"),
        "arch": _ONE_TARGET,
        "gpu-architecture": _ONE_TARGET,
        "dlto": _NOT_LINKED,
        "dlink-time-opt": _NOT_LINKED,
    },
    no_contraction="--fmad=false",
    libraries=("libcuda.so.1",),
    exchange_mode="cuThreadExchangeStreamCaptureMode",
    compiler="pip install 'cupy-cuda{major}x[ctk]'",
)
ROCM = Platform(
    type="rocm",
    name="ROCm",
    version_parts=(10_000_000, 100_000),
    default_stream=0,
    refused={1: "CUDA uses this number", 2: "CUDA uses this number"},
    threads=(1 << 32) - 1,  # HIP counts them in 32 bits
    parameters=(4096, 4096),  # not documented; CUDA's older limit
    more_shared=False,
    contexts=False,
    cooperative=False,
    pitched=False,
    appended=frozenset(),
    overridden=dict.fromkeys(
        ("fno-cuda-flush-denormals-to-zero", "fno-gpu-flush-denormals-to-zero"),
        _FLUSHED.format("-fcuda-flush-denormals-to-zero"),
    ),
    no_contraction="-ffp-contract=off",
    libraries=("libamdhip64.so.7", "libamdhip64.so.6"),
    exchange_mode="hipThreadExchangeStreamCaptureMode",
    compiler="ROCm's own packages, with hiprtc",
)
