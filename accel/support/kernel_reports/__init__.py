"""What a checked CUDA or HIP kernel did wrong, as data, as text and as a picture."""

from accel.support.kernel_reports.reports import Dim3, Frame, KernelReport, ThreadPlace

__all__ = ["Dim3", "Frame", "KernelReport", "ThreadPlace"]
