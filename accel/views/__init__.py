"""Views: windows on somebody's memory, and how coordinates find elements in it."""

from accel.views.buffer import Buffer, NDBuffer
from accel.views.buffer_view import BufferView
from accel.views.core import AddressSpace
from accel.views.dims import prod_dims
from accel.views.dynamic_rank import DynamicRankBuffer
from accel.views.iterator import LayoutTensorIter
from accel.views.layout_tensor import LayoutTensor
from accel.views.simd import PrefetchOptions, partial_simd_load, partial_simd_store

__all__ = [
    "AddressSpace",
    "Buffer",
    "BufferView",
    "DynamicRankBuffer",
    "LayoutTensor",
    "LayoutTensorIter",
    "NDBuffer",
    "PrefetchOptions",
    "partial_simd_load",
    "partial_simd_store",
    "prod_dims",
]
