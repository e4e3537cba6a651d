"""From translated text to shared objects: compilers, their flags, and the cache on disk."""
