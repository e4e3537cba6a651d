"""Kernels at a prompt and in `exec`: Python keeps their source, or the error says what to do."""

import linecache
import os
import pty
import subprocess
import sys

import pytest

import accel
from accel.errors import KernelSyntaxError
from accel.kernels import kernel

TEXT = """import accel
from accel.kernels import kernel
@kernel
def twice(v):
    for i in range(v.size):
        v[i] *= 2

c = accel.full(3, 4.0)
event = twice(c[:])
print("elements", c.to_numpy().tolist())
"""


def at_a_prompt(root, **environment):
    """Return what an interactive Python prints after the text, of which the last line ends it."""
    ours, its = pty.openpty()
    started = subprocess.Popen(
        [sys.executable, "-i", "-q"],
        stdin=its,
        stdout=its,
        stderr=its,
        env={**os.environ, "PYTHONPATH": str(root), "TERM": "dumb", **environment},
        start_new_session=True,
    )
    os.close(its)
    os.write(ours, (TEXT + "exit()\n").encode())
    said = b""
    try:
        while part := os.read(ours, 4096):
            said += part
    except OSError:  # the prompt has ended
        pass
    assert started.wait(120) == 0
    os.close(ours)
    return said.decode()


@pytest.mark.slow
def test_a_prompt_runs_a_kernel_or_says_where_to_write_it(root):
    said = at_a_prompt(root)
    if sys.version_info < (3, 13):
        assert "KernelSyntaxError: the source of twice is not available (<stdin>); write it with def in a file" in said
        assert "IPython or Jupyter: Python's prompt keeps none before version 3.13" in said
    else:
        assert "elements [8.0, 8.0, 8.0]" in said


def function_of(text, file, name="twice"):
    scope = {}
    exec(compile(text, file, "exec"), scope)
    return scope[name]


FUNCTION = "def twice(v):\n    for i in range(v.size):\n        v[i] *= 2\n"


@pytest.mark.parametrize(
    "file", ["<ipython-input-3-abc>", "/tmp/ipykernel_7/1.py", "<python-input-4>", "<doctest a[0]>"]
)
def test_a_source_that_is_kept_is_used(file, monkeypatch):
    monkeypatch.setitem(linecache.cache, file, (len(FUNCTION), None, FUNCTION.splitlines(keepends=True), file))
    c = accel.full(3, 4.0)
    kernel(function_of(FUNCTION, file))(c[:])
    assert c.to_numpy().tolist() == [8, 8, 8]


def test_a_source_that_inspect_alone_finds_is_used(monkeypatch):
    lines = FUNCTION.splitlines(keepends=True)
    monkeypatch.setattr("inspect.findsource", lambda function: (lines, function.__code__.co_firstlineno - 1))
    c = accel.full(3, 4.0)
    kernel(function_of(FUNCTION, "<python-input-9>"))(c[:])
    assert c.to_numpy().tolist() == [8, 8, 8]


@pytest.mark.parametrize(
    ("file", "why"), [("<stdin>", "before version 3.13"), ("<string>", "exec and python -c"), ("<made>", "interpreter")]
)
def test_a_source_that_is_not_kept_is_an_error_that_says_what_to_do(file, why):
    with pytest.raises(KernelSyntaxError) as caught:
        kernel(function_of(FUNCTION, file))
    message = f"the source of twice is not available ({file}); write it with def in a file, and import it, or write it"
    assert caught.value.msg.startswith(message)
    assert "IPython or Jupyter" in caught.value.msg
    assert why in caught.value.msg
