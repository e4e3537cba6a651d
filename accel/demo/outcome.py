"""`Outcome`: all results of the demo for one picture."""

from dataclasses import dataclass

from accel.demo.compare import Comparison
from accel.demo.findings import Detection, Findings
from accel.demo.pictures import Picture
from accel.demo.timeline import Timeline

__all__ = ["Outcome"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A picture, its findings, their comparison with the reference, and the timeline of the steps.

    ``leading`` has the strongest detections, at least ``apart`` pixels apart.
    """

    picture: Picture
    findings: Findings
    comparison: Comparison
    timeline: Timeline
    tiles: int
    apart: int
    leading: list[Detection]

    @property
    def size(self) -> str:
        """Width and height as text."""
        height, width = self.picture.shape
        return f"{width} x {height}"

    @property
    def seconds(self) -> float:
        """The seconds from the first tile to the whole result on the host."""
        return self.timeline.elapsed("cut", "copy in", "compute", "copy out")

    @property
    def verdict(self) -> str:
        """``agree`` or ``DIFFER``, for a table."""
        return "agree" if self.comparison.agrees else "DIFFER"
