"""Kernels for the host: from the typed form to LLVM's language, and from there to machine code."""
