"""Kernels on views, and memory to run them on."""

import numpy as np

import accel
from accel import BufferView
from accel.dtypes import f32, i32, i64
from accel.kernels import func, kernel


@kernel
def fill_with(v: BufferView[i32], value: i32):
    for i in range(v.size):
        v[i] = value


@kernel
def scale(v: BufferView, factor):
    for i in range(v.size):
        v[i] = v[i] * factor


@kernel
def scale_floats(v: BufferView[f32], factor: f32 = 2.0):
    for i in range(v.size):
        v[i] = v[i] * factor


@kernel
def add(into: BufferView[i32], other: BufferView[i32]):
    for i in range(into.size):
        into[i] = into[i] + other[i]


@kernel
def read_at(v: BufferView[i32], at: i64):
    return v[at]


@kernel
def write_at(v: BufferView[i32], at: i64):
    v[at] = 7


@kernel
def write_at_in_a_loop(v: BufferView[i32], at: i64):
    for i in range(1):
        v[at + i] = 7


@kernel
def shift_by_size(v: BufferView[i32]):
    for i in range(v.size):
        v[i + v.size] = 7


@func
def write_one(v, at):
    v[at] = 7


@func
def write_through(v, at):
    write_one(v, at)


@kernel
def write_nested(v: BufferView[i32], at: i64):
    for i in range(1):
        write_through(v, at + i)


@kernel
def write_in_subview(v: BufferView[i32], offset: i64, size: i64, at: i64):
    part = v.subview(offset, size)
    for i in range(1):
        part[at + i] = 7


@kernel
def write_in_nested(v: BufferView[i32], offset: i64, size: i64, at: i64):
    part = v.subview(4, 8).subview(offset, size)
    for i in range(1):
        part[at + i] = 7


@kernel
def write_in_constructed(v: BufferView[i32], start: i64, count: i64, at: i64):
    part = BufferView(v, offset=start, size=count)
    for i in range(1):
        part[at + i] = 7


@kernel
def write_in_slice(v: BufferView[i32], start: i64, stop: i64):
    part = v[start:stop]
    for i in range(part.size):
        part[i] = 7


def counted(device, size=64, dtype="int32"):
    return accel.container(np.arange(size), dtype=dtype, device=device)


def unchanged_but(memory, *places, value=7):
    """Tell whether all elements of counted memory are as they were, except some."""
    expected = np.arange(memory.size)
    expected[list(places)] = value
    return memory.to_numpy().tolist() == expected.tolist()
