"""Runs a command under ncu, and prints what ncu measured of each kernel, as JSON.

python ci/gpu_ncu.py COMMAND ...
"""

import csv
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping

__all__: list[str] = []

_METRICS: Mapping[str, str] = {
    "gpu__time_duration.sum": "duration",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": "memory's peak",
    "dram__bytes_read.sum": "read",
    "dram__bytes_write.sum": "written",
    "launch__registers_per_thread": "registers",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "warps active",
    "smsp__inst_executed.sum": "instructions",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": "bank conflicts",
    "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio": "sectors per load",
    "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio": "sectors per store",
}


def main() -> int:
    """Run the command and return the exit status: 1 also if no kernel was measured."""
    options = ("--csv", "--clock-control", "none", "--metrics", ",".join(_METRICS))
    done = subprocess.run(["ncu", *options, *sys.argv[1:]], check=False, stdout=subprocess.PIPE, text=True)
    kernels = _kernels(done.stdout.splitlines())
    if done.returncode or not kernels:
        print(done.stdout, file=sys.stderr)
        print(f"ncu ended with {done.returncode} and measured {len(kernels)} kernels", file=sys.stderr)
        return 1
    print(json.dumps({"results": kernels}))
    return 0


def _kernels(lines: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the metrics of each launch. ncu writes one in a line, after what it and the program say."""
    result: dict[str, dict[str, str]] = {}
    for row in csv.DictReader(line for line in lines if line.startswith('"')):
        launch = result.setdefault(f"{row['ID']} {row['Kernel Name']}", {})
        metric = _METRICS.get(row["Metric Name"], row["Metric Name"])
        launch[metric] = f"{row['Metric Value']} {row['Metric Unit']}".strip()
    return result


if __name__ == "__main__":
    sys.exit(main())
