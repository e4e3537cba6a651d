"""`entry_text`: what the machine finds in a module: how it calls the kernel, and where its shared memory begins."""

from typing import Any

from .kinds import size_and_alignment

__all__ = ["EXPORTED", "entry_text"]

EXPORTED = "accel_sim_"
"""Begins the names of what the machine finds."""


def entry_text(kernel: Any, name: str) -> str:
    """Return a module that calls a kernel, a function of LLVM's, as ``entry.h`` has it for kernels in CUDA."""
    kinds = [str(argument.type) for argument in kernel.arguments]
    pairs = [number for kind in kinds for number in size_and_alignment(kind)] + [0, 0]
    loads = [
        f"  %p{i} = getelementptr ptr, ptr %arguments, i64 {i}\n  %a{i} = load ptr, ptr %p{i}\n"
        f"  %v{i} = load {kind}, ptr %a{i}"
        for i, kind in enumerate(kinds)
    ]
    passed = ", ".join([f"{kind} %v{i}" for i, kind in enumerate(kinds)])
    table = ", ".join([f"i64 {number}" for number in pairs])
    return "\n".join(
        [
            f'declare void @"{kernel.name}"({", ".join(kinds)})',
            "define void @accel_sim_entry_0(ptr %arguments) {",
            *loads,
            f'  notail call void @"{kernel.name}"({passed}) noinline',
            "  ret void\n}",
            f"@sizes = private constant [{len(pairs)} x i64] [{table}]",
            "define ptr @accel_sim_sizes_0() {\n  ret ptr @sizes\n}",
            "@_ZL14accel_sim_mark = internal thread_local global i8 0",
            "@accel_sim_mark_offset = global i64 0",
            "declare ptr @llvm.threadlocal.address.p0(ptr)",
            "define ptr @accel_sim_shared_begin() {",
            "  %mark = call ptr @llvm.threadlocal.address.p0(ptr @_ZL14accel_sim_mark)",
            "  %offset = load i64, ptr @accel_sim_mark_offset\n  %negative = sub i64 0, %offset",
            "  %begin = getelementptr i8, ptr %mark, i64 %negative\n  ret ptr %begin\n}",
            f'@accel_sim_kernels = constant [{len(name.encode()) + 2} x i8] c"{_escaped(name)}\\00\\00"',
            '@accel_sim_constants = constant [2 x i8] c"\\00\\00"',
            "",
        ]
    )


def _escaped(name: str) -> str:
    return "".join(
        [chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\' else f"\\{byte:02x}" for byte in name.encode()]
    )
