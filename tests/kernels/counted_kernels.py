"""Kernels and functions with branches, loops and returns, which Python runs too."""

import accel
from accel.kernels import AddressSpace, barrier, func, stack_allocation, thread_index

__all__ = ["KERNELS", "halves"]


@func
def steps(n):
    count = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
            count += 0
        else:
            n = 3 * n + 1
        count += 1
        if count > 1000:
            return -1
    return count


@func
def sign(x):
    if x > 0:
        return 1
    if x < 0:
        return -1
    return 0


@accel.kernel
def collatz(x, out):
    """Call a function."""
    for i in range(len(x)):
        out[i] = steps(
            x[i],
        )


@accel.kernel
def signs(x, out):
    for i in range(len(x)):
        if x[i] > 1000:
            out[i] = 5
            continue
        s = 0
        for j in range(3):
            if j == 2:
                break
            s += sign(x[i] - 3)
        out[i] = s


@accel.kernel
def twice(x, out):
    n = len(x)
    for i in range(n):
        out[i] = x[i]
    for i in range(n):
        if x[i] < 0:
            out[i] = 0
        elif x[i] < 4:
            pass
        else:
            k = 0
            while True:
                k += 1
                if k > 2:
                    break
            out[i] += k


KERNELS = collatz, signs, twice


@accel.kernel
def halves(x):
    i = thread_index.x
    part = stack_allocation("int64", 8, AddressSpace.SHARED)
    part[i] = x[i]
    barrier()
    if i < 4:
        x[i] = part[i + 4]
    elif i > 8:
        x[i] = -1
