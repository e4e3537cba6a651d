"""numba-cuda on simulated devices: its own classes on a driver of ours; see `accel.testing.numba_cuda_on_sim`."""
