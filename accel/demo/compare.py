"""Whether the pipeline and the reference say the same."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from accel.demo.findings import Findings
from accel.demo.reference import Reference

__all__ = ["Comparison", "Difference", "compare_findings"]

# In units of luminance, of which 255 is white. Different orders of summation change a response by some 1e-13.
_RESPONSE_TOLERANCE = 1e-10
_DECISION_TOLERANCE = 1e-9
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Difference:
    """A pixel that only one of the two marked, though the reference decided it clearly."""

    row: int
    column: int
    marked: bool
    margin: float

    def __str__(self) -> str:
        by = "the pipeline, not by the reference" if self.marked else "the reference, not by the pipeline"
        return f"row {self.row}, column {self.column} is marked by {by} (by a margin of {self.margin:.3g})"


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two results differ.

    Attributes
    ----------
    largest : float
        The largest difference of responses; infinite if one shows something where the other shows nothing.
    row, column : int
        Where that is.
    allowed : float
        How large it may be.
    differences : tuple of Difference
        Detections that differ for no good reason.
    close_calls : int
        Pixels so near to a decision's boundary that rounding may tip them; they are not compared.
    """

    largest: float
    row: int
    column: int
    allowed: float
    differences: tuple[Difference, ...]
    close_calls: int

    @property
    def agrees(self) -> bool:
        """Whether the results are the same up to rounding."""
        return self.largest <= self.allowed and not self.differences

    def complaints(self) -> list[str]:
        """Return a sentence for each thing that differs: the responses, then the first few detections."""
        found = [str(difference) for difference in self.differences[:_NAMED]]
        if not self.largest <= self.allowed:  # also if it is not a number
            where = f"row {self.row}, column {self.column}"
            found.insert(0, f"the responses differ by {self.largest:.3g} at {where}; {self.allowed:.3g} is allowed")
        if len(self.differences) > _NAMED:
            found.append(f"and {len(self.differences) - _NAMED} more detections differ")
        return found


def compare_findings(findings: Findings, reference: Reference) -> Comparison:
    """Compare responses and detections, allowing for rounding and nothing else.

    Parameters
    ----------
    findings : Findings
        The pipeline's result.
    reference : Reference
        The other computation's.
    """
    # Both are minus infinity where the picture shows nothing, and one may be wrongly so.
    same = findings.response == reference.response
    gap = np.abs(np.subtract(findings.response, reference.response, out=np.zeros_like(reference.response), where=~same))
    row, column = np.unravel_index(int(np.argmax(gap)), gap.shape)
    clear = reference.margin > _DECISION_TOLERANCE
    return Comparison(
        largest=float(gap[row, column]),
        row=int(row),
        column=int(column),
        allowed=_RESPONSE_TOLERANCE,
        differences=_differences(findings, reference, clear),
        close_calls=int(np.count_nonzero(~clear)),
    )


def _differences(findings: Findings, reference: Reference, clear: NDArray[np.bool_]) -> tuple[Difference, ...]:
    rows, columns = np.nonzero((findings.found != reference.found) & clear)
    return tuple(
        Difference(int(row), int(column), bool(findings.found[row, column]), float(reference.margin[row, column]))
        for row, column in zip(rows, columns, strict=True)
    )
