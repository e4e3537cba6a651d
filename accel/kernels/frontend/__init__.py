"""The front end of kernels: from a Python function and the types of its arguments to a `Program`."""
