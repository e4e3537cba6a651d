"""Functions that run as bodies of kernels and as Python, of which the arcs from line to line are compared."""

__all__ = ["BODIES"]


def one_branch(i, x, out):
    if x[i] > 3:
        out[i] = 1
    out[i] += 1


def branches(i, x, out):
    if x[i] > 6:
        out[i] = 1
    elif x[i] > 4 and x[i] % 2 == 0:
        out[i] = 2
    elif x[i] == 1:
        pass
    else:
        out[i] = 3
    out[i] += 4


def early(i, x, out):
    if x[i] == 2:
        return
    if x[i] < 2 or x[i] == 5:
        out[i] = x[i]
        return
    out[i] = 7


def loop(i, x, out):
    for j in range(x[i]):
        if j == 3:
            continue
        if x[j] > 8:
            break
        out[i] += j
    out[i] += 1


def unbroken(i, x, out):
    for j in range(x[i]):
        if j == 4:
            out[i] = 5
            break
    else:
        out[i] = 6


def nested(i, x, out):
    for j in range(2):
        k = x[i]
        while k > 0:
            k -= 2
            if k == 3:
                out[i] += 1
        out[i] += j + k


def until(i, x, out):
    k = x[i]
    while True:
        k -= 1
        if k < 2:
            break
    out[i] = k


def one_line(i, x, out):
    out[i] = 1 if x[i] > 4 else 2
    out[i] += (
        x[i]
        + 3
    )  # fmt: skip
    for j in range(x[i]):
        out[i] += j


def nothing_after(i, x, out):
    if x[i] > 5:
        if x[i] > 7:
            out[i] = 1
    else:
        out[i] = 2


BODIES = [one_branch, branches, early, loop, unbroken, nested, until, one_line, nothing_after]
