"""Raw kernels of users, and their arguments."""

import numpy as np

import accel

__all__ = ["NEXT", "SCALE", "SIZE", "container"]

SIZE = 1000
INDEX = "const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;"
SCALE = f"""
extern "C" __global__ void scale(accel::View<float, 1> view, float factor) {{
    {INDEX}
    if (i < view.size()) view(i) *= factor;
}}
"""
NEXT = f"""
extern "C" __global__ void next(const float* source, float* target, long long count) {{
    {INDEX}
    if (i < count) target[i] = source[i] + 1;
}}
"""


def container(values, dtype="float32", device="gpu"):
    return accel.container(np.asarray(values, dtype), device=device)
