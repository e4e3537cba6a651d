"""Backends: what serves each kind of device. They are found by entry points; nothing in the house imports them."""
