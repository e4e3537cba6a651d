"""How elements differ between the orders of the threads of a launch: the kind of difference, and the spread."""

from typing import Any

import numpy as np

__all__ = ["OTHER", "PERMUTATION", "SUM", "Elements", "differing_of", "kind_of", "spread_of"]

SUM, PERMUTATION, OTHER = "order-dependent sum", "order-dependent positions", "order-dependent result"
Elements = np.ndarray[Any, Any]
"""A row for each order."""


def differing_of(elements: Elements) -> Elements:
    """Return the numbers of the elements whose bits differ."""
    bits = elements.view(_unsigned(elements))
    return np.flatnonzero((bits != bits[0]).any(axis=0))


def kind_of(elements: Elements, *, atomic: bool) -> str:
    """Return which kind of difference there is, from the elements that differ and whether an atomic writes them."""
    ordered = np.sort(elements.view(_unsigned(elements)), axis=1)
    if elements.shape[1] > 1 and (ordered == ordered[0]).all():
        return PERMUTATION
    return SUM if _is_float(elements) and atomic else OTHER


def spread_of(elements: Elements, differing: Elements, *, with_ulps: bool) -> tuple[str, int]:
    """Return what to say of the element that differs most, and its number."""
    columns = elements[:, differing]
    if not _is_float(elements):
        worst = int(np.argmax(columns.max(axis=0).astype("f8") - columns.min(axis=0).astype("f8")))
        return f"is between {columns[:, worst].min()} and {columns[:, worst].max()}", int(differing[worst])
    bits = 8 * elements.itemsize
    numbers = columns.view(_unsigned(elements)).astype(object)  # differences of 64 bits do not fit
    ordered = np.where(numbers >> (bits - 1), -(numbers & ((1 << (bits - 1)) - 1)), numbers)
    ulps = ordered.max(axis=0) - ordered.min(axis=0)
    worst = int(np.argmax(ulps))
    values = columns[:, worst]
    low, high = values[np.argmin(ordered[:, worst])], values[np.argmax(ordered[:, worst])]
    apart = f", {ulps[worst]} ulps apart" if with_ulps else ""
    return f"is between {low} and {high}{apart}", int(differing[worst])


def _unsigned(elements: Elements) -> str:
    return f"u{elements.itemsize}"


def _is_float(elements: Elements) -> bool:
    return elements.dtype.kind == "f" or elements.dtype.name in {"bfloat16", "float8_e4m3fn", "float8_e5m2"}
