"""`seeded`: a ``with`` block with one interleaving of the streams of simulated devices."""

from collections.abc import Iterator
from contextlib import contextmanager

from accel.config import using
from accel.testing.simulation import finish, simulators

__all__ = ["seeded"]


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Run a block with the interleaving of a seed, whatever ran before; a note on an error names the seed.

    Work in flight on simulated devices is run before the block and at its end.

    Parameters
    ----------
    seed : int
        0 or more.

    Returns
    -------
    iterator of None
        A context manager.

    Raises
    ------
    ValueError
        If it is negative.

    Examples
    --------
    >>> import accel
    >>> from accel.testing import seeded
    >>> for seed in range(20):
    ...     with seeded(seed):
    ...         c = accel.zeros(4, device="sim")
    ...         transfer = c.copy_from_async(accel.zeros(4), stream=accel.new_stream("sim"))
    """
    finish()
    with using(sim_seed=seed):
        for simulator in simulators():
            simulator.reseed(seed)
        try:
            yield
            finish()
        except BaseException as error:
            error.add_note(f"with seed {seed} of the simulated devices; run it alone by `with seeded({seed}):`")
            raise
