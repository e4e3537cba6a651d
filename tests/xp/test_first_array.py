"""A program that only computes with arrays does not import what copies, exchanges and compiles."""

import json

import pytest

LATER = [
    "accel.backends.common.host_copies",
    "accel.containers",
    "accel.copies",
    "accel.interchange.from_dlpack",
    "accel.ir",
    "accel.kernels",
    "accel.memory.reports",
    "accel.memory.thread_stream",
    "accel.views",
    "html",
    "importlib.abc",
    "tempfile",
]


def imported_after(python, statement):
    code = f"""
        import json, sys
        import numpy
        before = set(sys.modules)
        import accel.xp as xp
        x = xp.ones(3)
        {statement}
        print(json.dumps(sorted(set(sys.modules) - before)))
    """
    return set(json.loads(python(code)))


def test_the_first_array_imports_what_it_needs_only(python):
    assert imported_after(python, "float(xp.sum(x + x))") & set(LATER) == set()


@pytest.mark.parametrize(
    ("statement", "module"),
    [
        ("x.container().deep_copy()", "accel.backends.common.host_copies"),
        ("xp.from_dlpack(x.container())", "accel.interchange.from_dlpack"),
        ("import accel; accel.new_stream('cpu')", "accel.memory.thread_stream"),
        ("x._repr_html_()", "html"),
    ],
)
def test_the_rest_is_imported_at_its_first_use(python, statement, module):
    assert module in imported_after(python, statement)
