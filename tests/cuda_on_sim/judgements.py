"""Mutations whose harm was judged by reading them, with the reason: what the oracle cannot see, or sees wrongly."""

from typing import NamedTuple

__all__ = ["JUDGED", "Judged"]


class Judged(NamedTuple):
    """Whether a mutation makes a race or a wrong access, and why."""

    harm: bool
    why: str


_ACQUIRE = Judged(
    True, "what another block wrote before its flag may be read as it was: no fence after the flag is seen"
)
_RELEASE = Judged(True, "the flag may be seen before what was written before it")
_HOST = Judged(False, "only the host reads what was never written")

JUDGED = {
    "last_block_sum: fence 2 of last_block_sum, line 80": _ACQUIRE,
    "look_back: fence 2 of look_back, line 143": _ACQUIRE,
    "spin_lock: fence 1 of spin_lock, line 9": _ACQUIRE,
    "ticket_lock: fence 1 of ticket_lock, line 28": _ACQUIRE,
    "producer_consumer: fence 1 of producer_consumer, line 47": _ACQUIRE,
    "last_block_sum: fence 1 of last_block_sum, line 74": _RELEASE,
    "look_back: fence 1 of look_back, line 137": _RELEASE,
    "look_back: fence 3 of look_back, line 152": _RELEASE,
    "spin_lock: fence 2 of spin_lock, line 12": _RELEASE,
    "ticket_lock: fence 2 of ticket_lock, line 30": _RELEASE,
    "producer_consumer: fence 2 of producer_consumer, line 54": _RELEASE,
    "pipeline: fence 1 of pipeline, line 110": _ACQUIRE,
    "pipeline: fence 2 of pipeline, line 114": _RELEASE,
    "pipeline: memset of array 1": Judged(True, "a block may read the flag before the one that sets it starts"),
    "steps_in_shared: bound 6 of steps_in_shared, line 125": _HOST,
    "tridiagonal: bound 3 of tridiagonal, line 80": _HOST,
    "five_points: memset of array 1": _HOST,
    "blelloch_without_conflicts: first write 1 of blelloch_without_conflicts, line 79": Judged(
        False, "the element has an earlier value: the result is wrong, but nothing is read that was never written"
    ),
    "layer_norm: guard 2 of layer_norm, line 96": Judged(
        False, "all lanes add, atomically: too much, and rounded by the order"
    ),
    "union_find: guard 1 of unite, line 39": Judged(
        False, "all accesses are atomic; the wrong roots depend on their order"
    ),
    "find: early return 2 of find, line 72": Judged(
        False, "all places are found, in the order of the atomic increments"
    ),
}
