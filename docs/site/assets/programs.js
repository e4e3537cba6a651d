// The Python of the page "In the browser". `wanted` has what the reader chose.

export const DRAW = `
from html import escape
from accel.errors import AccelError
from accel.layout import Layout, Picture, Swizzle

def drawn(text, swizzle, color, itemsize):
    try:
        layout = Layout.parse(text)
        if swizzle.strip():
            layout = Swizzle(*(int(bits) for bits in swizzle.split(","))) @ layout
        return Picture(layout, color, itemsize=itemsize).svg()
    except (AccelError, TypeError, ValueError) as error:
        return f"<pre>{escape(str(error))}</pre>"

drawn(**wanted)
`;

export const PREPARE = `
import linecache

def executed(code, name, namespace):
    # Kernels are compiled from the source of their file.
    linecache.cache[name] = len(code), None, code.splitlines(keepends=True), name
    exec(compile(code, name, "exec"), namespace)

namespace = {"__name__": "puzzle"}
executed(wanted["head"], "head.py", namespace)
executed(wanted["check"], "check.py", namespace)
`;

export const CHECK = `
import accel

def judged(code, call):
    try:
        executed(code, "kernel.py", namespace)
        with accel.debug():
            executed(call, "call.py", namespace)
    except AssertionError:
        return "The result differs from NumPy's."
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "Right."

judged(wanted["code"], wanted["call"])
`;
