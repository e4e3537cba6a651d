"""The two profiles of the tests: quick, which `ci/test` runs, and full, which `ci/test --full` and a plain pytest run.

What quick leaves out is decided here, by three rules:

* Tests marked `slow` run in full only.
* Of a test with more than a dozen combinations of parameters, those run that together have each value of each
  parameter. They are drawn by the name of the test, so they are the same in every process.
* A property has a quarter of its examples, and at least five.
"""

import os
from random import Random

from hypothesis import settings

__all__ = ["QUICK", "divided"]

QUICK = os.environ.get("ACCEL_TEST_PROFILE") == "quick"
DOZEN = 12
# Where Hypothesis keeps the settings of a property; it has no public way to change them after the decorator.
SETTINGS = "_hypothesis_internal_use_settings"


def divided(items):
    """Divide tests into those of the profile quick and the others; properties of the first get fewer examples."""
    families = {}
    for item in items:
        families.setdefault(family(item), []).append(item)
    kept = {id(item) for name, members in families.items() for item in of_each_value(name, members)}
    kept -= {id(item) for item in items if item.get_closest_marker("slow")}
    chosen = [item for item in items if id(item) in kept]
    for function in {getattr(item, "function", None) for item in chosen}:
        shorten(function)
    return chosen, [item for item in items if id(item) not in kept]


def family(item):
    """Return what the combinations of parameters of one test have in common."""
    return item.nodeid.partition("[")[0]


def of_each_value(name, members):
    """Return the members of a family that together have each value of each parameter."""
    if len(members) <= DOZEN:
        return members
    chosen, seen = [], set()
    for item in Random(name).sample(members, len(members)):
        values = set(enumerate(item.callspec._idlist))  # pytest has no public way to tell the rows of a product
        if not values <= seen:
            chosen.append(item)
            seen |= values
    return chosen


def shorten(function):
    """Give a property a quarter of its examples."""
    now = getattr(function, SETTINGS, None)
    if now is None and getattr(function, "is_hypothesis_test", False):
        now = settings()
    if now is not None:
        setattr(function, SETTINGS, settings(now, max_examples=max(5, now.max_examples // 4)))
