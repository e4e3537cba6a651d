"""Where in the user's code something was asked for, for backends."""

from accel.sites import call_site

__all__ = ["call_site"]
