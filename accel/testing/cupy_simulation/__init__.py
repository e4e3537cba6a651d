"""A module that stands for CuPy: its arrays are those of `accel.xp` on a simulated device, where its kernels run."""
