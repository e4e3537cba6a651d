"""Prepared launches on a real device."""

from ..kernels import launch_laws


class TestLaunches(launch_laws.LaunchLaws):
    pass


class TestRawLaunches(launch_laws.RawLaunchLaws):
    pass
