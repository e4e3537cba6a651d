"""Explains in words and pictures how a copy would be done, without copying anything."""

from accel.copies.explain.explainer import explain_copy
from accel.copies.explain.explanation import CopyExplanation

__all__ = ["CopyExplanation", "explain_copy"]
