"""Graphs of array operations, and the few kernels that compute them.

Nothing here has memory or a device: a graph becomes regions, and each region a program and the accesses of its loop.
"""
