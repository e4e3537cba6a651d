"""How many numbers a range has: none if the step is 0."""

from .text import Text

__all__ = ["trips"]

# The distance fits in 64 bits without a sign, also from the smallest to the largest integer.
_TRIPS = """define internal i64 @trips(i64 %start, i64 %stop, i64 %step) alwaysinline {
  %up = icmp sgt i64 %step, 0
  %low = select i1 %up, i64 %start, i64 %stop
  %high = select i1 %up, i64 %stop, i64 %start
  %down = sub i64 0, %step
  %pace = select i1 %up, i64 %step, i64 %down
  %apart = icmp slt i64 %low, %high
  %distance = sub i64 %high, %low
  %before = sub i64 %distance, 1
  %zero = icmp eq i64 %pace, 0
  %some = select i1 %zero, i1 false, i1 %apart
  %divisor = select i1 %zero, i64 1, i64 %pace
  %whole = udiv i64 %before, %divisor
  %count = add i64 %whole, 1
  %result = select i1 %some, i64 %count, i64 0
  ret i64 %result
}
"""


def trips(text: Text, start: str, stop: str, step: str) -> str:
    """Return how many numbers ``range(start, stop, step)`` has."""
    return text.value(f"call i64 {text.helper('trips', _TRIPS)}(i64 {start}, i64 {stop}, i64 {step})", "trips")
