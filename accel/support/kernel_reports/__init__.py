"""What a checked CUDA or HIP kernel did wrong, as data, as text and as a picture."""

from accel.support.kernel_reports.observers import announce, observing
from accel.support.kernel_reports.report_data import Dim3, Frame, ThreadPlace
from accel.support.kernel_reports.reports import KernelReport

__all__ = ["Dim3", "Frame", "KernelReport", "ThreadPlace", "announce", "observing"]
