"""The built-in backends. `accel.registry` loads them by their entry points; no module of `accel` imports them."""
