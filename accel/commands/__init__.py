"""The commands of the terminal: ``accel info``, ``demo``, ``layout``, ``run-kernel`` and ``grade``."""
