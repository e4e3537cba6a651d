"""`DeclaredMethods`: for type checkers, the methods of tensors that are functions of other modules."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self, SupportsIndex

import numpy as np

from accel.abc import CacheEviction, Fill, Stream
from accel.copies import Transfer
from accel.dtypes import DTypeLike
from accel.layout import Swizzle
from accel.memory.writer import Writer
from accel.views.contents import TensorContents
from accel.views.core import TensorCore

__all__ = ["DeclaredMethods"]


class DeclaredMethods(TensorContents):
    """The base of `LayoutTensor` for type checkers; while a program runs it is `TensorContents`."""

    if TYPE_CHECKING:

        def __setitem__(self, key: Any, value: Any) -> None: ...
        def __len__(self) -> int: ...
        def __iter__(self) -> Iterator[Any]: ...
        def load(self, *index: Any, width: SupportsIndex | None = None, alignment: SupportsIndex | None = None) -> Any:
            """Return numbers from a coordinate on: one, or a vector of ``width``."""

        def store(
            self,
            *index: Any,
            values: Any = None,
            width: SupportsIndex | None = None,
            alignment: SupportsIndex | None = None,
        ) -> None:
            """Write numbers from a coordinate on."""

        def aligned_load(self, *index: Any, width: SupportsIndex | None = None) -> Any:
            """Return numbers from an aligned address on."""

        def aligned_store(self, *index: Any, values: Any = None, width: SupportsIndex | None = None) -> None:
            """Write numbers from an aligned address on."""

        def prefetch(self, *index: Any) -> None:
            """Check that an element exists; the processor fetches it by itself."""

        def copy_from_async(
            self,
            src: TensorCore,
            src_idx_bound: SupportsIndex | None = None,
            base_offset: SupportsIndex = 0,
            *,
            stream: Stream,
            is_masked: bool = False,
            swizzle: Swizzle | None = None,
            fill: Fill = Fill.NONE,
            eviction_policy: CacheEviction = CacheEviction.NORMAL,
        ) -> Transfer:
            """Copy the elements of another tensor on a stream, and return at once."""

        def add(self, other: Any, axis: SupportsIndex | None = None) -> Self:
            """Return a new compact tensor of the sums."""

        def sub(self, other: Any, axis: SupportsIndex | None = None) -> Self:
            """Return a new compact tensor of the differences."""

        def mul(self, other: Any, axis: SupportsIndex | None = None) -> Self:
            """Return a new compact tensor of the elementwise products."""

        def truediv(self, other: Any, axis: SupportsIndex | None = None) -> Self:
            """Return a new compact tensor of the quotients."""

        def text(self, limit: SupportsIndex = 1000, edge: SupportsIndex = 3) -> str:
            """Return the elements as text."""

        def write_to(self, file: Writer) -> None:
            """Write the elements as text to a file."""

        def bitcast(self, dtype: DTypeLike, element_layout: Any = None, allow_resize: bool = False) -> Self:
            """Return a view of the same memory with another dtype."""

        def __add__(self, other: Any, /) -> Self: ...
        def __radd__(self, other: Any, /) -> Any: ...
        def __iadd__(self, other: Any, /) -> Self: ...
        def __sub__(self, other: Any, /) -> Self: ...
        def __rsub__(self, other: Any, /) -> Any: ...
        def __isub__(self, other: Any, /) -> Self: ...
        def __mul__(self, other: Any, /) -> Self: ...
        def __rmul__(self, other: Any, /) -> Any: ...
        def __imul__(self, other: Any, /) -> Self: ...
        def __truediv__(self, other: Any, /) -> Self: ...
        def __rtruediv__(self, other: Any, /) -> Any: ...
        def __itruediv__(self, other: Any, /) -> Self: ...
        def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any: ...
