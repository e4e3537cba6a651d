"""The protocols that a backend implements, and the types of the values that accel passes to it."""

from accel.abc.arrays import (
    ComputesDirectly,
    ComputesWithin,
    OrdersArrays,
    ReusesMemory,
    SupportsArrays,
    SupportsSpecial,
)
from accel.abc.backend import Backend, Limits
from accel.abc.block import Block, Span
from accel.abc.direct import (
    DirectAllocator,
    DirectStream,
    PreparedCopy,
    PreparedFill,
    PreparesAllocation,
    PreparesCopies,
    PreparesFills,
)
from accel.abc.external import Deleter, ExternalAllocation
from accel.abc.graphs import CapturedEvent, DeviceGraph, Recording, SupportsGraphs, refuse_captured
from accel.abc.kernels import (
    ChecksThreads,
    CompiledKernel,
    ComputesArrays,
    Failure,
    NeedsCompiler,
    PreparesCalls,
    PreparesForms,
    SupportsKernels,
)
from accel.abc.operand import OffsetTable, Operand, Swizzling
from accel.abc.optional import (
    AllocatesCleared,
    FreesInOrder,
    KnowsAddresses,
    ReportsRaces,
    ReportsRoom,
    Room,
    SharesWork,
    SupportsPinning,
    SupportsStreamNumbers,
    SupportsStreams,
    Trims,
)
from accel.abc.plan import CacheEviction, Fill, Kind, Leaf, Plan
from accel.abc.raw_kernels import Executable, PreparedLaunches, PreparesLaunches, SupportsRawKernels
from accel.abc.raw_parameters import Pointer, RawParameter
from accel.abc.stream import (
    CurrentStream,
    DeferredEvent,
    Event,
    Stream,
    current_stream,
    current_streams,
    is_stream,
    raise_again,
)
from accel.abc.watch import Watch
from accel.support.lazy import listing

__all__ = [
    "AllocatesCleared",
    "Backend",
    "Block",
    "CacheEviction",
    "CapturedEvent",
    "ChecksThreads",
    "CompiledKernel",
    "ComputesArrays",
    "ComputesDirectly",
    "ComputesWithin",
    "CurrentStream",
    "DeferredEvent",
    "Deleter",
    "DeviceGraph",
    "DirectAllocator",
    "DirectStream",
    "Event",
    "Executable",
    "ExternalAllocation",
    "Failure",
    "Fill",
    "FreesInOrder",
    "Kind",
    "KnowsAddresses",
    "Leaf",
    "Limits",
    "NeedsCompiler",
    "OffsetTable",
    "Operand",
    "OrdersArrays",
    "Plan",
    "Pointer",
    "PreparedCopy",
    "PreparedFill",
    "PreparedLaunches",
    "PreparesAllocation",
    "PreparesCalls",
    "PreparesCopies",
    "PreparesFills",
    "PreparesForms",
    "PreparesLaunches",
    "RawParameter",
    "Recording",
    "ReportsRaces",
    "ReportsRoom",
    "ReusesMemory",
    "Room",
    "SharesWork",
    "Span",
    "Stream",
    "SupportsArrays",
    "SupportsGraphs",
    "SupportsKernels",
    "SupportsPinning",
    "SupportsRawKernels",
    "SupportsSpecial",
    "SupportsStreamNumbers",
    "SupportsStreams",
    "Swizzling",
    "Trims",
    "Watch",
    "current_stream",
    "current_streams",
    "is_stream",
    "raise_again",
    "refuse_captured",
]

__dir__ = listing(__name__, __all__)
