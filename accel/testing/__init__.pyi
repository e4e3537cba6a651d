from accel.testing.conformance import BackendConformance as BackendConformance
from accel.testing.faults import fail_allocation as fail_allocation
from accel.testing.faults import fail_copy as fail_copy
from accel.testing.faults import limit_memory as limit_memory
from accel.testing.leaks import no_leaks as no_leaks
from accel.testing.stream_conformance import StreamConformance as StreamConformance
