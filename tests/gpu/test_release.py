"""Memory released while another stream uses it is not reused before that stream is done."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from random import Random

import numpy as np
import pytest

import accel
from accel import xp
from accel.abc import Operand, Span
from accel.memory import heap_of
from accel.testing.blocks import give_back, read

from .effort import EXAMPLES

THREADS = 8
SIZES = (1, 100, 1000, 40_000, 300_000)
AT_ONCE = 4
DTYPE = np.dtype(np.uint32)


@pytest.fixture
def streams(device):
    """Streams that all threads use."""
    result = [accel.new_stream(device) for _ in range(THREADS)]
    yield result
    for stream in result:
        stream.close()


def containers(device, random, streams, value):
    """Fill a container on one stream, copy it on another, release it at once, and write to new memory."""
    producer, consumer, next_owner = random.sample(streams, 3)
    size = random.choice(SIZES)
    with producer:
        source = accel.full(size, value, DTYPE, device)
    target = accel.empty(size, DTYPE, device)
    target.copy_from_async(source, stream=consumer)
    source.release()
    with random.choice([producer, next_owner]):
        accel.full(size, 0xDEAD, DTYPE, device).release()
    return partial(released_container, target)


def released_container(target):
    with target:
        return target.to_numpy()


def blocks(device, random, streams, value):
    """Do the same with blocks, whose reuse only the backend prevents."""
    heap, (producer, consumer) = heap_of(device), random.sample(streams, 2)
    nbytes = random.choice(SIZES) * DTYPE.itemsize
    source = filled(heap, nbytes, value, producer)
    consumer.wait_for(producer.record())
    target = heap.allocate(nbytes, stream=consumer)
    heap.backend.copy(Span(target, 0, nbytes), Span(source, 0, nbytes), stream=consumer)
    give_back(heap, source)
    give_back(heap, filled(heap, nbytes, 0xDEAD, producer))
    return partial(released_block, heap, target, nbytes)


def filled(heap, nbytes, value, stream):
    block = heap.allocate(nbytes, stream=stream)
    operand = Operand(Span(block, 0, nbytes), 0, DTYPE, (nbytes // DTYPE.itemsize,), (DTYPE.itemsize,))
    heap.backend.fill(operand, DTYPE.type(value), stream=stream)
    return block


def released_block(heap, block, nbytes):
    heap.synchronize()
    result = read(heap, block, nbytes).view(DTYPE)
    give_back(heap, block)
    return result


def results(device, random, streams, value):
    """Compute on one stream with a result of another, drop the result at once, and compute more on its stream."""
    producer, consumer = random.sample(streams, 2)
    size = random.choice(SIZES)
    with producer:
        source = xp.full(size, value, dtype=DTYPE, device=device)
    consumer.wait_for(producer.record())
    with consumer:
        target = source + 0
    del source
    with producer:
        xp.full(size, 0xDEAD, dtype=DTYPE, device=device)
    return partial(dropped_result, target, consumer)


def dropped_result(target, stream):
    with stream:
        return np.asarray(target.to_device("cpu"))


def churn(use, device, streams, seed):
    """Keep several copies in flight, and check them in random order."""
    random, pending, values = Random(seed), [], count(seed << 20)
    for _ in range(5 * EXAMPLES):
        value = next(values)
        pending.append((use(device, random, streams, value), value))
        if len(pending) == AT_ONCE:
            check(*pending.pop(random.randrange(AT_ONCE)))
    for each in pending:
        check(*each)


def check(found, value):
    assert (found() == value).all()


@pytest.mark.parametrize("use", [containers, blocks, pytest.param(results, marks=pytest.mark.cupy_kernels)])
def test_threads_that_release_what_other_streams_use_find_what_they_wrote(device, streams, no_leaks, use):
    with ThreadPoolExecutor(THREADS) as pool:
        done = [pool.submit(churn, use, device, streams, seed) for seed in range(THREADS)]
    for each in done:
        each.result()
