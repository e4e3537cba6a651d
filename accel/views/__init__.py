"""Views: tensors and buffers on memory that something else owns, indexed by coordinates."""

from accel.support.lazy import listing
from accel.views.buffers.buffer import Buffer, NDBuffer
from accel.views.buffers.buffer_view import BufferView
from accel.views.buffers.dims import prod_dims
from accel.views.buffers.dynamic_rank import DynamicRankBuffer
from accel.views.buffers.simd import PrefetchOptions, partial_simd_load, partial_simd_store
from accel.views.core import AddressSpace
from accel.views.iterator import LayoutTensorIter
from accel.views.layout_tensor import LayoutTensor

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

__dir__ = listing(__name__, __all__)
