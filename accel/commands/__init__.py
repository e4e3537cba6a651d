"""The commands of the terminal: ``accel info``, ``accel demo``, ``accel layout`` and ``accel run-kernel``."""
