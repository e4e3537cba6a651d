"""The names of `accel.layout`: all exist, the stub types them, and slow imports are deferred."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

from accel import layout


def test_every_name_is_there():
    assert all(getattr(layout, name) is not None for name in layout.__all__)
    assert set(layout.__all__) <= set(dir(layout))
    with pytest.raises(AttributeError, match="no attribute 'compose_all'"):
        layout.compose_all  # noqa: B018 - the access is the test


def test_the_stub_offers_the_same_names_from_the_same_homes():
    stub = ast.parse(Path(layout.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    homes = {
        alias.asname: line.module for line in stub.body if isinstance(line, ast.ImportFrom) for alias in line.names
    }
    assert {*homes, "_"} == set(layout.__all__)
    assert all(getattr(import_module(home), name) is getattr(layout, name) for name, home in homes.items())


def test_pictures_and_explanations_are_loaded_at_their_first_use(python):
    loaded = python("""
        import sys
        import accel.layout

        late = "numpy", "html", "accel.layout.pictures.picture", "accel.layout.explanation"
        print([name for name in late if name in sys.modules])
    """)
    assert loaded == "[]"
