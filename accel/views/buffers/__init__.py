"""Strided views without a layout: Mojo's buffers, and Quadrants' `BufferView`."""

from accel.views.buffers.buffer import Buffer, NDBuffer
from accel.views.buffers.buffer_view import BufferView
from accel.views.buffers.dims import prod_dims
from accel.views.buffers.dynamic_rank import DynamicRankBuffer
from accel.views.buffers.simd import PrefetchOptions, partial_simd_load, partial_simd_store

__all__ = [
    "Buffer",
    "BufferView",
    "DynamicRankBuffer",
    "NDBuffer",
    "PrefetchOptions",
    "partial_simd_load",
    "partial_simd_store",
    "prod_dims",
]
