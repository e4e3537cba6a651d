"""Threads that wait for each other by memory: locks, flags, queues, tables."""

import numpy as np

from .cases import program


@program
def spin_lock(gpu):
    lock, numbers, count = gpu.zeros(1, "i4"), gpu.empty(8, "i4"), gpu.zeros(1, "i4")
    gpu.launch("spin_lock", 8, 32, lock, numbers, count)
    gpu.expect(np.sort(gpu.numpy(numbers)), np.arange(8))
    gpu.expect(count, [8])


@program
def ticket_lock(gpu):
    values, total = np.ones((4, 64), "i4"), gpu.zeros(1, "i4")
    gpu.launch("ticket_lock", 4, 64, gpu.zeros(1, "u4"), gpu.zeros(1, "u4"), total, gpu.array(values))
    gpu.expect(total, 64 * 15)


@program
def producer_consumer(gpu):
    values = gpu.random.integers(0, 100, (7, gpu.warp), "i4")
    out = gpu.empty(values.shape, "i4")
    gpu.launch("producer_consumer", 1, 2 * gpu.warp, gpu.array(values), out, 7)
    gpu.expect(out, 2 * values + 1)


@program
def hash_table(gpu):
    keys = gpu.random.integers(1, 40, 150, "u4")
    table, counts = gpu.zeros(64, "u4"), gpu.zeros(64, "u4")
    gpu.launch("insert", 3, 64, gpu.array(keys), table, counts, 150, 64)
    result, expected = np.zeros(40), np.bincount(keys, minlength=40)
    np.add.at(result, gpu.numpy(table), gpu.numpy(counts))
    gpu.expect(result, expected)


@program
def work_queue(gpu):
    work, results = gpu.random.integers(0, 100, 9, "i4"), gpu.empty((9, 32), "i4")
    gpu.launch("work_queue", 3, 32, gpu.array(work), results, gpu.zeros(1, "i4"), 9)
    gpu.expect(results, work[:, None] * np.arange(32))


@program
def atomic_by_cas(gpu):
    values = gpu.random.random(150, "f4")
    best = gpu.array(np.full(1, 0x7F000000 << 32, "u8"))
    gpu.launch("atomic_by_cas", 3, 64, gpu.array(values), best, 150)
    gpu.expect(best, [int(values.min().view("u4")) << 32 | int(values.argmin())])


@program
def pipeline(gpu):
    values, out = gpu.random.integers(0, 100, (4, 32), "i4"), gpu.empty((4, 32), "i4")
    gpu.launch("pipeline", 4, 32, gpu.array(values), out, gpu.empty(4, "i4"), gpu.zeros(4, "i4"), gpu.zeros(1, "i4"))
    gpu.expect(out, values + np.array([[1], [3], [9], [27]]))


@program
def push_to_list(gpu):
    values = gpu.random.integers(0, 100, 90, "i4")
    of_node, following, head = gpu.empty(90, "i4"), gpu.empty(90, "i4"), gpu.array(np.full(1, -1, "i4"))
    gpu.launch("push_to_list", 2, 64, gpu.array(values), of_node, following, head, 90)
    gpu.expect(of_node, values)
    node, links, visited = int(gpu.numpy(head)[0]), gpu.numpy(following), []
    while node >= 0:
        visited.append(node)
        node = int(links[node])
    assert sorted(visited) == list(range(90))
