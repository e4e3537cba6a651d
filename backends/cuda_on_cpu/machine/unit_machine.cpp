// The half of the runtime that runs blocks and threads.
#include "fibers.cpp"
#include "findings.cpp"
#include "printing.cpp"
#include "heap.cpp"
#include "blocks.cpp"
#include "waiting.cpp"
#include "faults.cpp"
#include "machine.cpp"
