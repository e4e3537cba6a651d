"""What a checked CUDA or HIP kernel did wrong, as data, as text and as a picture."""

from accel.kernel_reports.reports import Frame, KernelReport, ThreadPlace

__all__ = ["Frame", "KernelReport", "ThreadPlace"]
