"""Pieces of programs in the typed form, written by hand."""

import numpy as np

from accel.ir import INDEX, Binary, Const, Extent, Frame, Load, Local, Loop, Program, Store, Stride, View

__all__ = ["POSITION", "at", "const", "elementwise", "index", "load", "local", "loop", "program", "store", "view"]

POSITION = Local("i", INDEX)


def const(value, dtype=INDEX):
    return Const(value, np.dtype(dtype))


def local(name, dtype=INDEX):
    return Local(name, np.dtype(dtype))


def view(name, dtype, rank=1, *, writable=True):
    return View(name, np.dtype(dtype), rank, writable)


def index(op, x, y):
    return Binary(op, x, y, INDEX)


def at(memory, *indices):
    """Return the position of an element of a view."""
    terms = [index("mul", each, Stride(memory.name, axis)) for axis, each in enumerate(indices)]
    total = terms[0]
    for term in terms[1:]:
        total = index("add", total, term)
    return total


def load(memory, *indices, guard=None):
    return Load(memory.name, at(memory, *(indices or (POSITION,))), memory.dtype, guard)


def store(memory, value, *indices, guard=None):
    return Store(memory.name, at(memory, *(indices or (POSITION,))), value, guard)


def loop(memory, *body, reductions=(), frame=None):
    """Return a parallel loop over the positions of a view of rank 1."""
    return Loop((POSITION,), (const(0),), (Extent(memory.name, 0),), (const(1),), body, reductions, frame or Frame())


def program(name, parameters, *steps, **rest):
    return Program(name, tuple(parameters), (), steps, **rest)


def elementwise(sources, expressions):
    """Return a program that stores the value of each expression, by the type of it, in a view of its own."""
    targets = [view(f"to{number}", dtype) for number, (dtype, _) in enumerate(expressions)]
    body = [store(target, x) for target, (_, x) in zip(targets, expressions, strict=True)]
    return program("each", [*sources, *targets], loop(sources[0], *body))
