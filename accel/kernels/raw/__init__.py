"""Your own CUDA and HIP text: ``RawKernel``, its parameters, sources and launches."""
