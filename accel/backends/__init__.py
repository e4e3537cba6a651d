"""Backends, as Python finds them in the root of a clone; what is installed is the folder ``backends`` there."""

__path__ = [f"{__file__.rsplit('/', 3)[0]}/backends"]
