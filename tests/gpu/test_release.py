"""Memory that is released while a foreign stream uses it is given to nobody before that stream is done."""

from concurrent.futures import ThreadPoolExecutor
from itertools import count
from random import Random

import pytest

import accel

from .effort import EXAMPLES

THREADS = 8
SIZES = (1, 100, 1000, 40_000, 300_000)
AT_ONCE = 4


@pytest.fixture
def streams(device):
    """Streams that all threads use."""
    made = [accel.new_stream(device) for _ in range(THREADS)]
    yield made
    for stream in made:
        stream.close()


def used_and_released(device, random, streams, value):
    """Fill memory on one stream, let another copy it, release it at once, and let others write what they are given."""
    home, foreign, next_owner = random.sample(streams, 3)
    size = random.choice(SIZES)
    with home:
        source = accel.full(size, value, "uint32", device)
    target = accel.empty(size, "uint32", device)
    transfer = target.copy_from_async(source, stream=foreign)
    source.release()
    with random.choice([home, next_owner]):
        accel.full(size, 0xDEAD, "uint32", device).release()
    return target, transfer, value


def check(target, transfer, value):
    transfer.wait()
    found = target.to_numpy()
    target.release()
    assert (found == value).all()


def churn(device, streams, seed):
    """Have several copies under way at any time, which are checked in any order."""
    random, pending, values = Random(seed), [], count(seed << 20)
    for _ in range(10 * EXAMPLES):
        pending.append(used_and_released(device, random, streams, next(values)))
        if len(pending) == AT_ONCE:
            check(*pending.pop(random.randrange(AT_ONCE)))
    for each in pending:
        check(*each)


def test_threads_that_release_what_other_streams_use_find_what_they_wrote(device, streams, no_leaks):
    with ThreadPoolExecutor(THREADS) as pool:
        done = [pool.submit(churn, device, streams, seed) for seed in range(THREADS)]
    for each in done:
        each.result()
