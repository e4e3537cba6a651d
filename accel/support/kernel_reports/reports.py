"""`KernelReport`: the data of a report with its text and its picture."""

from dataclasses import dataclass

from accel.support.kernel_reports.drawing import drawn_report
from accel.support.kernel_reports.report_data import ReportData
from accel.support.kernel_reports.texts import written_report

__all__ = ["KernelReport"]


@dataclass(frozen=True, slots=True)
class KernelReport(ReportData):
    """One distinct finding in a launch. Its text, by ``str``, is the message and the details."""

    def svg(self) -> str:
        """Return a picture of the blocks as an SVG document: the threads of a warp in a row, and the memory."""
        return drawn_report(self)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return written_report(self)
