"""Layouts: functions from coordinates to offsets, and their exact algebra, in integers only.

Reading order: int_tuple, notation, coordinates, slicing, composing, layout, tilers, algebra, inverse, tiling,
partitioning, swizzle, recasting, table, comparing, accesses, banks, derivations, explanation; then pictures/.
"""

from accel.layout.algebra import (
    coalesce,
    col_major,
    complement,
    composition,
    cosize,
    crd2crd,
    crd2idx,
    depth,
    dice,
    equivalent,
    filter,
    filter_zeros,
    flatten,
    idx2crd,
    make_ordered_layout,
    mode,
    ordered,
    rank,
    row_major,
    size,
    slice_layout,
)
from accel.layout.comparison import Difference, diff
from accel.layout.inverse import left_inverse, max_common_layout, max_common_vector, nullspace, right_inverse
from accel.layout.layout import Layout
from accel.layout.partitioning import local_partition, local_tile, make_layout_tv
from accel.layout.recasting import downcast, recast, upcast
from accel.layout.slicing import ALL
from accel.layout.swizzle import ComposedLayout, Swizzle
from accel.layout.table import offsets
from accel.layout.tilers import parse_tiler
from accel.layout.tiling import (
    blocked_product,
    flat_divide,
    flat_product,
    logical_divide,
    logical_product,
    overhang,
    raked_product,
    tile_to_shape,
    tiled_divide,
    tiled_product,
    zipped_divide,
    zipped_product,
)
from accel.support.lazy import LazyNames

_LAZY = {
    "BankConflicts": "accel.layout.banks",
    "Coalescing": "accel.layout.warp_accesses",
    "Conflict": "accel.layout.banks",
    "Explanation": "accel.layout.explanation",
    "Picture": "accel.layout.pictures.picture",
    "VectorWidth": "accel.layout.warp_accesses",
    "bank_conflicts": "accel.layout.banks",
    "coalescing": "accel.layout.warp_accesses",
    "explain": "accel.layout.explanation",
    "find_swizzle": "accel.layout.banks",
    "vector_width": "accel.layout.warp_accesses",
}
"""Names that are imported at their first use, with their modules."""

__all__ = [
    "ALL",
    "BankConflicts",
    "Coalescing",
    "ComposedLayout",
    "Conflict",
    "Difference",
    "Explanation",
    "Layout",
    "Picture",
    "Swizzle",
    "VectorWidth",
    "_",
    "bank_conflicts",
    "blocked_product",
    "coalesce",
    "coalescing",
    "col_major",
    "complement",
    "composition",
    "cosize",
    "crd2crd",
    "crd2idx",
    "depth",
    "dice",
    "diff",
    "downcast",
    "equivalent",
    "explain",
    "filter",
    "filter_zeros",
    "find_swizzle",
    "flat_divide",
    "flat_product",
    "flatten",
    "idx2crd",
    "left_inverse",
    "local_partition",
    "local_tile",
    "logical_divide",
    "logical_product",
    "make_layout_tv",
    "make_ordered_layout",
    "max_common_layout",
    "max_common_vector",
    "mode",
    "nullspace",
    "offsets",
    "ordered",
    "overhang",
    "parse_tiler",
    "raked_product",
    "rank",
    "recast",
    "right_inverse",
    "row_major",
    "size",
    "slice_layout",
    "tile_to_shape",
    "tiled_divide",
    "tiled_product",
    "upcast",
    "vector_width",
    "zipped_divide",
    "zipped_product",
]

_ = ALL

_names = LazyNames(__name__, _LAZY, __all__)
__getattr__, __dir__ = _names.fetch, _names.listed
