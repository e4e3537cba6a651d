"""`numba.cuda` without a GPU: the classes of numba-cuda on a simulated device."""
