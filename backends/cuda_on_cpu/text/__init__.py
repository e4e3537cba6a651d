"""CUDA and HIP as text: tokens, scopes, and the translation to C++."""
