"""A bound on the bytes in memory: the account of bytes, the file for values that wait, and when work begins.

`Admission` has the lock and the proof. Tasks (`accel.engines.budget`), graphs (`accel.engines.graph.job_admission`) and
the workers of a cluster (`accel.engines.dask.worker_memory`) say what they count.
"""
