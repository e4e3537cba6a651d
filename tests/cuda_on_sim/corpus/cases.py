"""The programs of the corpus: each is a function of a `Gpu`, beside the file with its kernels.

@program
def saxpy(gpu): ...         # in maps.py: its kernels are in maps.cu
"""

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

__all__ = ["OPTIONS", "Program", "every_program", "program"]

KERNEL = re.compile(r'extern "C" __global__ void (?:__launch_bounds__\(\d+\) )?(\w+)')
FOLDER = Path(__file__).parent
OPTIONS = (f"-I{FOLDER}",)
SUBJECTS = (
    "maps", "reductions", "scans", "histograms", "transposes", "products", "stencils", "sorts", "neural", "transforms",
    "sparse", "graphs", "sequences", "systems", "particles", "waiting", "warps", "halves", "groups",
)  # fmt: skip


class Program(NamedTuple):
    """A program: its name, the name of its file of kernels, and the function that runs and checks it."""

    name: str
    subject: str
    run: object

    @property
    def path(self):
        return FOLDER / f"{self.subject}.cu"

    @property
    def source(self):
        return self.path.read_text(encoding="utf-8")

    def every_kernel(self):
        """Return the names of the kernels in its file."""
        return KERNEL.findall(self.source)

    def kernels(self):
        """Return the names of the kernels that it launches."""
        text = inspect.getsource(self.run)
        return [name for name in self.every_kernel() if f'"{name}"' in text]


_programs = {}


def program(function):
    """Add a program to the corpus."""
    subject = function.__module__.rpartition(".")[2]
    _programs[function.__name__] = Program(function.__name__, subject, function)
    return function


def every_program():
    """Return the programs of the corpus, by name."""
    package = __name__.rpartition(".")[0]
    for subject in SUBJECTS:
        import_module(f"{package}.{subject}")
    return dict(_programs)
