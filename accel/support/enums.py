"""`PlainEnum`: an enumeration whose pickles name nothing but its class and a value."""

import enum

__all__ = ["PlainEnum"]


class PlainEnum(enum.Enum):
    """An enumeration that is pickled the same on every Python: 3.11.0 to 3.11.3 name ``builtins.getattr``."""

    def __reduce_ex__(self, protocol: object) -> tuple[object, ...]:
        return type(self), (self.value,)
