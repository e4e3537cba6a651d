"""The page with the outcomes of `harness.py`; as a program, runs all consumers and prints it."""

import ast
import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from textwrap import fill

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs/guide/drop_in_table.md"

# Consumers of one group share a process, because they import the same libraries.
GROUPS = {
    "scipy": "scipy_fft scipy_others scipy_signal scipy_special scipy_stats",
    "scikit-learn": "scikit_learn",
    "files": "numba pillow pyarrow zarr",
    "lazy": "dask xarray",
    "data": "matplotlib pandas statsmodels",
    "others": "array_api_compat array_api_extra einops numpy_programs pint python sparse",
}
VERSIONS = (
    "numpy scipy scikit-learn array-api-extra array-api-compat dask einops matplotlib numba pandas pillow pint pyarrow "
    "sparse statsmodels xarray zarr"
)
HEAD = """\
# Libraries that take our arrays

`ci/drop_in` writes this page, and the tests compare it with what they see. Each function of another library was called
with arrays of `accel.xp`, and the result was compared with that for NumPy's arrays. SciPy ran with `SCIPY_ARRAY_API=1`,
and scikit-learn with `array_api_dispatch=True`. The columns:

- **cpu**: arrays on the host.
- **sim**: arrays on the simulated accelerator, whose memory the host cannot read, with the default setting
  `host_copies="never"`. *native*: computed without any copy to the host. *refused*: the library computes on the host; a
  `DeviceMismatchError` says what to write.
- **sim, host copies**: the same with `accel.using(host_copies="allow")`.

Names in *italics* return what the library chooses, such as a number or an array of NumPy; all others return arrays of
`accel.xp` on the device of their operands.
"""


def outcomes(consumers):
    """Run consumers in a process of their own; return what `harness.py` prints."""
    command = [sys.executable, HERE / "harness.py", *consumers]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def text(found):
    """Return the page for the outcomes of all consumers."""
    versions = ", ".join(f"{name} {version(name)}" for name in VERSIONS.split())
    sections = [section(consumer, found[consumer]) for consumer in sorted(found, key=title)]
    return f"{HEAD}\n{fill(f'The versions: {versions}.', 120)}\n{''.join(sections)}"


def title(consumer):
    source = (HERE / f"consumers/{consumer}.py").read_text(encoding="utf-8")
    return ast.get_docstring(ast.parse(source)).partition("\n")[0].rstrip(".")


def section(consumer, rows):
    lines = [f"\n## {title(consumer)}\n", "| function | cpu | sim | sim, host copies |", "|---|---|---|---|"]
    return "\n".join([*lines, *(row(name, found) for name, found in rows.items())]) + "\n"


def row(name, found):
    return "| " + " | ".join([name if found["ours"] else f"*{name}*", *found["modes"].values()]) + " |"


def rows_on_page():
    """Return the rows of the page, by the title of their section."""
    _, *sections = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {part.partition("\n")[0]: re.findall(r"^\| (?!function).+$", part, re.MULTILINE) for part in sections}


if __name__ == "__main__":
    sys.stdout.write(text({name: rows for group in GROUPS.values() for name, rows in outcomes(group.split()).items()}))
