"""All that the demo knows about one picture when it is done."""

from dataclasses import dataclass

from accel.demo.compare import Comparison
from accel.demo.findings import Detection, Findings
from accel.demo.pictures import Picture
from accel.demo.timeline import Timeline

__all__ = ["Outcome"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A picture, what was found in it, by how much the reference disagrees, and when everything happened."""

    picture: Picture
    findings: Findings
    comparison: Comparison
    timeline: Timeline
    tiles: int
    apart: int
    leading: list[Detection]

    @property
    def size(self) -> str:
        """Width and height, as people say them."""
        height, width = self.picture.shape
        return f"{width} x {height}"

    @property
    def seconds(self) -> float:
        """How long it took from the first tile to the whole result on the host."""
        return self.timeline.elapsed("cut", "copy in", "compute", "copy out")

    @property
    def verdict(self) -> str:
        """One word for a table."""
        return "agree" if self.comparison.agrees else "DIFFER"
