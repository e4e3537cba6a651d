"""The two profiles of the tests: quick, which `ci/test` runs, and full, which `ci/test --full` and a plain pytest run.

What quick leaves out is decided here, by three rules:

* Tests marked `slow` run in full only.
* Of a test with several parameters, those combinations run that together have each value of each parameter. They are
  drawn by the name of the test, so they are the same in every process. Where code is compiled for each value, tests
  have one of them (`keep_one_value`), or those that are `drawn`.
* A property has an eighth of its examples, a test that repeats what is random a quarter of its `repeats`, one of many
  cases those that are `drawn`, a quarter too, and each at least five.
"""

import os
from random import Random

import pytest
from hypothesis import settings

__all__ = ["QUICK", "divided", "drawn", "keep_one_value", "of_each_value", "repeats", "slow"]

QUICK = os.environ.get("ACCEL_TEST_PROFILE") == "quick"
# Where Hypothesis keeps the settings of a property; it has no public way to change them after the decorator.
SETTINGS = "_hypothesis_internal_use_settings"


def repeats(count, part=4):
    """Return how often to repeat what is random, such as an order drawn by a seed: ``count`` times in full."""
    return max(5, count // part) if QUICK else count


def drawn(cases, name):
    """Return cases of a test, drawn by its name: all of them in full."""
    return Random(name).sample(cases, min(len(cases), repeats(len(cases))))


def slow(rows):
    """Return rows of a table that run in full only."""
    return [pytest.param(*row, marks=pytest.mark.slow) for row in rows]


def of_each_value(name, calls):
    """Return the combinations of parameters of a test that together have each value of each parameter."""
    chosen, values_so_far = [], set()
    for index in Random(name).sample(range(len(calls)), len(calls)):
        values = set(enumerate(calls[index]._idlist))  # pytest has no public way to tell the rows of a product
        if not values <= values_so_far:
            chosen.append(index)
            values_so_far |= values
    return [calls[index] for index in sorted(chosen)]


def keep_one_value(metafunc, fixture, key):
    """Keep the calls of a test with one value of a fixture, drawn by a key, if it has that fixture."""
    if fixture in metafunc.fixturenames:
        values = metafunc._arg2fixturedefs[fixture][-1].params  # pytest has no public way to ask for them
        if values:  # else they are those of a parameter of the test with the same name
            value = Random(f"{key} {fixture}").choice(list(values))
            metafunc._calls[:] = [call for call in metafunc._calls if call.params[fixture] == value]


def divided(items):
    """Divide tests into those of the profile quick and the others; properties of the first get fewer examples."""
    chosen, others = [], []
    for item in items:
        (others if item.get_closest_marker("slow") else chosen).append(item)
    for function in {getattr(item, "function", None) for item in chosen}:
        shorten(function)
    return chosen, others


def shorten(function):
    """Give a property an eighth of its examples."""
    now = getattr(function, SETTINGS, None)
    if now is None and getattr(function, "is_hypothesis_test", False):
        now = settings()
    if now is not None:
        setattr(function, SETTINGS, settings(now, max_examples=repeats(now.max_examples, part=8)))
