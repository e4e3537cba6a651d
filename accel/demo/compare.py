"""Compare the results of the pipeline and of the reference."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from accel.demo.findings import Findings
from accel.demo.reference import Reference

__all__ = ["Comparison", "Difference", "compare_findings"]

# In units of luminance, where 255 is white. A different order of summation changes a response by about 1e-13.
_RESPONSE_TOLERANCE = 1e-10
_DECISION_TOLERANCE = 1e-9
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Difference:
    """A pixel that only one of the two marked, although rounding cannot explain it."""

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
        The largest difference of responses; infinite if only one is defined at a pixel.
    row, column : int
        The pixel with this difference.
    allowed : float
        The largest difference that rounding may cause.
    differences : tuple of Difference
        Pixels that only one of the two marked and rounding does not explain.
    close_calls : int
        Pixels so close to a decision boundary that rounding may change the decision; they are not compared.
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
        """Return a sentence for each difference: of the responses, then of the first few detections."""
        sentences = [str(difference) for difference in self.differences[:_NAMED]]
        if not self.largest <= self.allowed:  # also true for nan
            where = f"row {self.row}, column {self.column}"
            sentences.insert(0, f"the responses differ by {self.largest:.3g} at {where}; {self.allowed:.3g} is allowed")
        if len(self.differences) > _NAMED:
            sentences.append(f"and {len(self.differences) - _NAMED} more detections differ")
        return sentences


def compare_findings(findings: Findings, reference: Reference) -> Comparison:
    """Compare responses and detections, allowing only for rounding.

    Parameters
    ----------
    findings : Findings
        The result of the pipeline.
    reference : Reference
        The result of the reference.
    """
    # Equal values are skipped because minus infinity minus itself is nan.
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
    rows, columns = np.nonzero((findings.marked != reference.marked) & clear)
    return tuple(
        Difference(int(row), int(column), bool(findings.marked[row, column]), float(reference.margin[row, column]))
        for row, column in zip(rows, columns, strict=True)
    )
