"""The source of a kernel: found, compared with what was imported, and quoted in errors."""

import ast
import importlib.util
import linecache
import sys
from functools import partial, wraps
from pathlib import Path

import numpy as np
import pytest

from accel.errors import KernelSyntaxError
from accel.kernels import func, kernel
from accel.kernels.frontend.function_source import FunctionSource

LIMIT = 3


def sample(a, b: "np.float32" = 2.0):
    """Use a global, and a builtin."""
    return len(a) * b + LIMIT  # é


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a module, imports it, and returns it."""

    def write(text, name="written"):
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return write


def test_a_source_has_the_tree_with_the_line_numbers_of_the_file():
    source = FunctionSource.of(sample)
    assert isinstance(source.tree, ast.FunctionDef)
    assert (source.name, source.tree.lineno) == ("sample", sample.__code__.co_firstlineno)
    assert Path(source.file).samefile(__file__)


def test_a_source_is_read_once():
    assert FunctionSource.of(sample) is FunctionSource.of(sample)


def test_a_function_that_copies_the_attributes_of_another_has_its_own_source():
    FunctionSource.of(sample)

    @wraps(sample)
    def other(a, b):
        return a

    assert FunctionSource.of(other).tree.name == "other"


def test_annotations_that_are_text_are_resolved_in_globals_then_in_the_closure():
    local = np.int32

    def inner(a: "local", b: "np.float32"):
        return local(a)

    result = FunctionSource.of(inner).parameters
    assert [each.annotation for each in result] == [np.int32, np.float32]


def test_an_annotation_that_cannot_be_evaluated_is_named():
    def broken(a: "1 +"):  # noqa: F722
        return a

    with pytest.raises(TypeError, match=r"'1 \+' of the parameter a of broken"):
        _ = FunctionSource.of(broken).parameters


def test_names_are_resolved_in_the_closure_the_globals_and_the_builtins():
    local = 5

    def inner():
        return local + LIMIT + len("")

    source = FunctionSource.of(inner)
    assert (source.resolve("local"), source.resolve("LIMIT"), source.resolve("len")) == (5, 3, len)
    with pytest.raises(KeyError):
        source.resolve("nowhere")


def test_a_name_of_the_closure_without_a_value_yet_is_a_key_error():
    def inner():
        return later

    with pytest.raises(KeyError):
        FunctionSource.of(inner).resolve("later")
    later = 1
    assert FunctionSource.of(inner).resolve("later") == later


def test_an_error_has_file_line_column_and_the_text_of_the_line():
    source = FunctionSource.of(sample)
    node = source.tree.body[-1].value
    error = source.error(node, "this cannot be")
    line = sample.__code__.co_firstlineno + 2
    assert (error.msg, error.lineno, error.offset) == ("this cannot be", line, 12)
    assert error.text == linecache.getline(__file__, line)


class Holder:
    def method(self):
        return self

    @staticmethod
    def static(a):
        return a


def generator():
    yield 1


async def asynchronous():
    return 1


def variadic(*values):
    return values


def named(**values):
    return values


@pytest.mark.parametrize("make", [kernel, func])
@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x, r"a lambda \(.*write it with def in a file"),
        (Holder.method, r"method .*is defined in the class Holder; move it out"),
        (Holder.static, r"static .*is defined in the class Holder; move it out"),
        (Holder().method, r"found method"),
        (generator, r"generator .*write results to a view"),
        (asynchronous, r"asynchronous .*write results to a view"),
        (variadic, r"the parameter \*values; .*write each"),
        (named, r"the parameter \*\*values; .*write each"),
        (len, r"found builtin_function_or_method <built-in function len>: write it with def"),
        (partial(sample, 1), r"found partial"),
        (Holder, r"found type"),
        (3, r"found int 3"),
    ],
)
def test_what_is_no_plain_function_is_refused_with_the_remedy(make, function, message):
    with pytest.raises(KernelSyntaxError, match=message):
        make(function)


def test_a_function_without_source_is_refused_with_the_remedy():
    scope = {}
    exec("def typed(x):\n    return x\n", scope)
    with pytest.raises(KernelSyntaxError, match=r"source of typed is not available \(<string>\); write it with def in"):
        kernel(scope["typed"])


@pytest.mark.parametrize(("before", "after"), [("x + 1", "x - 1"), ("x + 1", "x + 2"), ("def f", "\ndef f")])
def test_a_source_that_changed_since_the_import_is_refused(written, before, after):
    text = "def f(x):\n    return x + 1\n"
    module = written(text)
    written(text.replace(before, after), "other")
    Path(module.__file__).write_text(text.replace(before, after) + "\n")
    with pytest.raises(KernelSyntaxError, match=r"source of f \(.*:1\) changed since it was imported; import it again"):
        FunctionSource.of(module.f)


def test_a_file_that_is_no_python_any_more_has_changed(written):
    module = written("def f(x):\n    return x + 1\n")
    Path(module.__file__).write_text("def f(x:\n")
    with pytest.raises(KernelSyntaxError, match="changed since it was imported"):
        FunctionSource.of(module.f)


def test_a_change_after_the_decoration_does_not_matter(written):
    module = written("from accel import kernel\n@kernel\ndef f(x):\n    x[0] = 1\n")
    Path(module.__file__).write_text("\n\n\n")
    assert FunctionSource.of(module.f.__wrapped__).tree.lineno == 3


def test_decorators_nested_functions_and_futures_do_not_hide_the_source(written):
    text = "from __future__ import annotations\ndef outer(k):\n    @str.strip and (lambda f: f)\n    def f(x: int):\n"
    module = written(text + "        return x + k\n    return f\n")
    assert FunctionSource.of(module.outer(2)).tree.lineno == 4


def test_a_function_with_an_assert_that_pytest_rewrote_is_found():
    def checked(a):
        assert a > 0
        return a

    assert any(name.startswith("@") for name in (*checked.__code__.co_names, *checked.__code__.co_varnames))
    assert FunctionSource.of(checked).tree.name == "checked"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax is new in Python 3.12")
def test_a_generic_function_is_found(written):
    module = written("def f[T](x: T) -> T:\n    return x\n")
    assert FunctionSource.of(module.f).tree.name == "f"
