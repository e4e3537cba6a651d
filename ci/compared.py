"""Write the tables of docs/guide/compared.md: ``python ci/compared.py``.

Features are what the documentation of each library said on the day in `READ`; a cell without a word there is empty.
Numbers are those that ``ci/gpu speed`` wrote on a machine with a GPU.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

READ = "2026-11-28"
_ROOT = Path(__file__).resolve().parents[1]
_PAGE = _ROOT / "docs/guide/compared.md"
_RESULTS = "benchmarks/results/gpu-nvidia-h100-80gb-hbm3-speed.json"

_CUPY = "https://docs.cupy.dev/en/v13.5.1/reference/array_api.html"
_JAX = "https://github.com/jax-ml/jax/blob/main/README.md"
_JAX_NUMPY = "https://docs.jax.dev/en/latest/jax.numpy.html"
_SIMULATOR = "https://nvidia.github.io/numba-cuda/user/simulator.html"
_TORCH = "https://docs.pytorch.org/docs/stable"
_WARP = "https://nvidia.github.io/warp/stable/user_guide/faq.html"
_WARP_CHECKS = "https://nvidia.github.io/warp/debugging.html"

_LIBRARIES = ("accel", "CuPy", "PyTorch", "JAX", "numba-cuda", "Warp")
_FEATURES: tuple[tuple[str, dict[str, tuple[str, str]]], ...] = (
    ("gradients", {"accel": ("no", ""), "PyTorch": ("yes", _TORCH), "JAX": ("yes", _JAX), "Warp": ("yes", _WARP)}),
    ("arrays and models across GPUs", {"accel": ("no", ""), "PyTorch": ("yes", _TORCH), "JAX": ("yes", _JAX)}),
    ("Apple's GPUs, or TPUs", {"accel": ("no", ""), "PyTorch": ("Apple", _TORCH), "JAX": ("TPU", _JAX)}),
    (
        "functions of arrays",
        {
            "accel": ("the standard, 340 of NumPy", "arrays.md"),
            "CuPy": ("NumPy's", _CUPY),
            "PyTorch": ("its own", _TORCH),
            "JAX": ("nearly all of NumPy's", _JAX_NUMPY),
            "Warp": ("few: no tensor model", _WARP),
        },
    ),
    ("writes to slices of arrays", {"accel": ("yes", "arrays.md"), "JAX": ("no: immutable", _JAX_NUMPY)}),
    (
        "without a GPU",
        {
            "accel": ("yes, on `sim` and the CPU", "testing.md"),
            "CuPy": ("no", _CUPY),
            "PyTorch": ("yes", _TORCH),
            "JAX": ("yes", _JAX_NUMPY),
            "numba-cuda": ("a simulator in Python", _SIMULATOR),
            "Warp": ("yes", _WARP),
        },
    ),
    (
        "indices in kernels are checked",
        {"accel": ("in debug mode", "kernels_out_of_bounds.md"), "Warp": ("in debug mode", _WARP_CHECKS)},
    ),
    (
        "races between streams are found",
        {
            "accel": ("on `sim`", "testing.md"),
            "PyTorch": ("on a GPU (prototype)", f"{_TORCH}/cuda._sanitizer.html"),
        },
    ),
    ("races within a kernel are found", {"accel": ("on `sim`", "debug_cuda_without_a_gpu.md")}),
)

_TOOLS = (
    ("tool", "what it is for", "what it does not do"),
    (
        "[array-api-strict](https://data-apis.org/array-api-strict/)",
        "tests of code for the array standard: what the standard does not have is an error",
        "it is not for users, and has no GPU and no late streams; `sim` has both, and more names than the standard",
    ),
    (
        "[array-api-compat](https://data-apis.org/array-api-compat/)",
        "the standard's names for NumPy, CuPy, PyTorch, Dask, JAX, ndonnx and sparse; `accel` uses it",
        "it is a wrapper: arrays and devices are those of the library",
    ),
    (
        f"[numba-cuda's simulator]({_SIMULATOR})",
        "kernels of `numba.cuda` in Python, one block at a time, with Python's debugger in a thread",
        "it compiles nothing, so Python that does not compile runs too; [tests ran on it and on `sim`](numba_tests.md)",
    ),
    (
        "[Compute Sanitizer](https://docs.nvidia.com/compute-sanitizer/ComputeSanitizer)",
        "programs on an NVIDIA GPU: accesses out of bounds, memory that was never written, barriers, races",
        "it needs the GPU; its races are those of shared memory, `sim` finds those of global memory too",
    ),
)


def _features() -> str:
    rows = [["", *_LIBRARIES], ["---"] * (len(_LIBRARIES) + 1)]
    rows += [
        [feature, *(_cell(*cells.get(library, ("", ""))) for library in _LIBRARIES)] for feature, cells in _FEATURES
    ]
    return _table(rows)


def _cell(text: str, source: str) -> str:
    return f"[{text}]({source})" if source else text


def _tools() -> str:
    head, *rows = map(list, _TOOLS)
    return _table([head, ["---"] * len(head), *rows])


def _numbers() -> str:
    measured = json.loads((_ROOT / _RESULTS).read_text("utf-8"))
    found: dict[str, dict[str, float]] = {}
    for part in ("kernels in Python", "copies, 512 MiB", "link"):
        for name, beside, ratio in _ratios(measured["results"][part]["results"]):
            found.setdefault(f"{part}: {name}", {})[beside] = ratio
    rows = [
        [name, *(f"{ratios[beside]:.2f}" if beside in ratios else "" for beside in ("CuPy", "PyTorch"))]
        for name, ratios in sorted(found.items(), key=lambda row: min(row[1].values()))
    ]
    return _table([["rate on an H100", "times CuPy's", "times PyTorch's"], ["---"] * 3, *rows])


def _ratios(results: dict[str, Any], name: str = "") -> Iterator[tuple[str, str, float]]:
    for key, value in results.items():
        if isinstance(value, dict) and key != "goals":
            yield from _ratios(value, f"{name}, {key}".strip(", "))
        elif beside := re.fullmatch(r"of (CuPy|PyTorch)'s.*", key):
            yield name, beside[1], value


def _table(rows: list[list[str]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in rows).replace("| --- ", "|---").replace("--- |\n", "---|\n")


def written(text: str) -> str:
    """Return the page with the tables of today between their marks."""
    for name, table in (("features", _features()), ("tools", _tools()), ("numbers", _numbers())):
        mark = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        text = mark.sub(lambda found, table=table: f"{found[1]}\n{table}\n{found[2]}", text)
    return re.sub(r"on \d{4}-\d\d-\d\d, each cell", f"on {READ}, each cell", text)


if __name__ == "__main__":
    _PAGE.write_text(written(_PAGE.read_text("utf-8")), "utf-8")
