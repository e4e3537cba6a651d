# Written by ci/stubs. Do not edit.
from accel.layout.algebra import coalesce as coalesce
from accel.layout.algebra import col_major as col_major
from accel.layout.algebra import complement as complement
from accel.layout.algebra import composition as composition
from accel.layout.algebra import cosize as cosize
from accel.layout.algebra import crd2crd as crd2crd
from accel.layout.algebra import crd2idx as crd2idx
from accel.layout.algebra import depth as depth
from accel.layout.algebra import dice as dice
from accel.layout.algebra import equivalent as equivalent
from accel.layout.algebra import filter as filter
from accel.layout.algebra import filter_zeros as filter_zeros
from accel.layout.algebra import flatten as flatten
from accel.layout.algebra import idx2crd as idx2crd
from accel.layout.algebra import make_ordered_layout as make_ordered_layout
from accel.layout.algebra import mode as mode
from accel.layout.algebra import ordered as ordered
from accel.layout.algebra import rank as rank
from accel.layout.algebra import row_major as row_major
from accel.layout.algebra import size as size
from accel.layout.algebra import slice_layout as slice_layout
from accel.layout.banks import BankConflicts as BankConflicts
from accel.layout.banks import Conflict as Conflict
from accel.layout.banks import bank_conflicts as bank_conflicts
from accel.layout.banks import find_swizzle as find_swizzle
from accel.layout.comparison import Difference as Difference
from accel.layout.comparison import diff as diff
from accel.layout.explanation import Explanation as Explanation
from accel.layout.explanation import explain as explain
from accel.layout.inverse import left_inverse as left_inverse
from accel.layout.inverse import max_common_layout as max_common_layout
from accel.layout.inverse import max_common_vector as max_common_vector
from accel.layout.inverse import nullspace as nullspace
from accel.layout.inverse import right_inverse as right_inverse
from accel.layout.layout import Layout as Layout
from accel.layout.partitioning import local_partition as local_partition
from accel.layout.partitioning import local_tile as local_tile
from accel.layout.partitioning import make_layout_tv as make_layout_tv
from accel.layout.pictures.picture import Picture as Picture
from accel.layout.recasting import downcast as downcast
from accel.layout.recasting import recast as recast
from accel.layout.recasting import upcast as upcast
from accel.layout.slicing import ALL as ALL
from accel.layout.swizzle import ComposedLayout as ComposedLayout
from accel.layout.swizzle import Swizzle as Swizzle
from accel.layout.table import offsets as offsets
from accel.layout.tilers import parse_tiler as parse_tiler
from accel.layout.tiling import blocked_product as blocked_product
from accel.layout.tiling import flat_divide as flat_divide
from accel.layout.tiling import flat_product as flat_product
from accel.layout.tiling import logical_divide as logical_divide
from accel.layout.tiling import logical_product as logical_product
from accel.layout.tiling import overhang as overhang
from accel.layout.tiling import raked_product as raked_product
from accel.layout.tiling import tile_to_shape as tile_to_shape
from accel.layout.tiling import tiled_divide as tiled_divide
from accel.layout.tiling import tiled_product as tiled_product
from accel.layout.tiling import zipped_divide as zipped_divide
from accel.layout.tiling import zipped_product as zipped_product
from accel.layout.warp_accesses import Coalescing as Coalescing
from accel.layout.warp_accesses import VectorWidth as VectorWidth
from accel.layout.warp_accesses import coalescing as coalescing
from accel.layout.warp_accesses import vector_width as vector_width

_ = ALL
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
