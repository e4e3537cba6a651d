"""Backends, as Python finds them in the root of a clone; what is installed is the folder ``backends`` there."""

from pathlib import Path

__path__ = [str(Path(__file__).parents[2] / "backends")]
