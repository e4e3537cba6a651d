"""The docstrings of functions that are compiled, made, or share sections: composed from tables."""
