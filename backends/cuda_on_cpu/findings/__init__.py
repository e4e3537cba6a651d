"""What checked kernels did wrong: kinds, explanations and messages."""
