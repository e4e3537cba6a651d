"""The modules of ``consumers/`` set options of other libraries, and are imported by `harness.py` in its own process."""

collect_ignore = ["consumers", "harness.py"]
