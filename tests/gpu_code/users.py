"""Kernels as users write them, with `accel::View` parameters."""

from accel.kernels.raw.sources import KernelSource

__all__ = ["ADD", "WRONG", "sizes"]

ADD = KernelSource(
    """
extern "C" __global__ void add(accel::View<const float, 2> a, accel::View<const float, 4> b, accel::View<float, 2> s) {
    for (long long n = blockIdx.x * (long long)blockDim.x + threadIdx.x; n < s.size(); n += blockDim.x) {
        const long long i = n / s.extents[1], j = n % s.extents[1];
        s(i, j) = a(i, j) + b(0, i, 0, j);
    }
}
""",
    'my "add".cu',
)
WRONG = {
    "in the text": KernelSource(ADD.text.replace("a(i, j)", "nothing"), ADD.file),
    "in the view": KernelSource(ADD.text.replace("a(i, j)", "a(i)"), ADD.file),
    "through const": KernelSource(ADD.text.replace("s(i, j) =", "a(i, j) ="), ADD.file),
}
"""The same source with an error in line 5."""


def sizes():
    """Return the size in bytes of each parameter of `ADD`: an address, and two integers for each axis."""
    return [8 + 16 * rank for rank in (2, 4, 2)]
