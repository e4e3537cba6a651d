"""Whether a mutation makes a race or a wrong access, decided without the checks.

A program without races and wrong accesses computes the same in every order of its threads, and whatever is in memory
that is not its own or that it never wrote. So it runs without checks, with the same numbers, in several orders; each
time the memory around its arrays, and in arrays that were not written, has other contents. The mutation does harm if
results differ, if memory around an array changed, or if the kernel is stopped by a fault. For a first value that is
dropped, the program runs with another value instead: it does harm if a result is wrong.
"""

import hashlib

import numpy as np

from accel import xp
from accel.errors import KernelCheckError, KernelTimeoutError

from .corpus.cases import OPTIONS
from .gpu import Gpu
from .mutations import Altered

__all__ = ["ENDLESS", "HARMLESS", "ORDERS", "verdict"]

GUARD = 2048  # elements before and behind each array
ORDERS = 20
RIGHT = "right"
HARMLESS, ENDLESS = "", "does not end"


class Surrounded(Altered):
    """A simulated GPU without checks, whose arrays have other memory around them."""

    def __init__(self, *arguments, order, **settings):
        super().__init__(*arguments, seed=order, checks="none", limit=2, **settings)
        self.random = np.random.default_rng(0)
        self.noise = np.random.default_rng(order)
        self.results = []
        self._around = []

    def allocate(self, shape, dtype):
        size = int(np.prod(shape))
        noise = self.noise.integers(0, 256, (2 * GUARD + size) * dtype.itemsize, "u1").view(dtype)
        whole = Gpu.array(self, noise)
        self._around.append((whole, noise, size))
        return xp.reshape(whole[GUARD : GUARD + size], shape, copy=False)

    def expect(self, array, value, rtol=0.0, atol=0.0):
        """Note whether the values are right, and if not, which they are."""
        try:
            super().expect(array, value, rtol, atol)
            self.results.append(RIGHT)
        except AssertionError:
            values = np.asarray(array if isinstance(array, np.ndarray) else self.numpy(array))
            self.results.append(digest(values))

    def damaged(self):
        """Return whether memory around an array changed."""
        for whole, noise, size in self._around:
            values = super().numpy(whole)
            for part in (slice(None, GUARD), slice(GUARD + size, None)):
                if values[part].tobytes() != noise[part].tobytes():
                    return True
        return False


def digest(values):
    """Return a name for values; floats that are nearly equal have the same."""
    if values.dtype.kind in "fc":
        values = np.array([f"{each:.2e}" for each in values.ravel()])
    return hashlib.sha256(values.tobytes()).hexdigest()[:12]


def verdict(program, mutation):
    """Return why a mutation does harm; `HARMLESS`, or `ENDLESS`, if it makes neither a race nor a wrong access."""
    outcomes = set()
    for order in range(ORDERS):
        gpu = _run(program, mutation, order)
        if isinstance(gpu, str):
            return gpu
        if gpu.damaged():
            return "memory around an array changed"
        outcomes.add(" ".join(gpu.results))
        if mutation.kind.startswith("first") and {*gpu.results} != {RIGHT}:
            return "the result depends on the value"
        if len(outcomes) > 1:
            return "the results differ"
    return HARMLESS


def _run(program, mutation, order):
    """Return the simulated GPU after a run, or a verdict."""
    kind = mutation.kind if mutation.number >= 0 else ""
    gpu = Surrounded(mutation.shown, order=order, kind=kind, number=mutation.number, options=OPTIONS)
    try:
        program.run(gpu)
    except KernelTimeoutError:
        return ENDLESS
    except KernelCheckError as error:
        return f"stopped: {error.reports[0].kind}"
    except (
        AssertionError,
        IndexError,
        ValueError,
        OverflowError,
    ) as error:  # a size or number from the kernel is wrong
        gpu.results.append(type(error).__name__)
    return gpu
