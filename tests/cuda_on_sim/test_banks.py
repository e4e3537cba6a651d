"""The check of banks: the passes over shared memory that a GPU would make, by line, and only on request."""

import numpy as np
import pytest
from accel.backends.cuda_on_cpu.launch.structures import Kind

import accel
from accel.errors import KernelBanksError, KernelRaceError

from .checks import ints, ran
from .gpu import launch

TURN = """
extern "C" __global__ void turn(const float* x, float* y) {
    __shared__ float tile[32][WIDTH];
    const int i = threadIdx.x, j = threadIdx.y;
    for (int k = 0; k < 32; k += 8) tile[j + k][i] = x[(j + k) * 32 + i];
    __syncthreads();
    for (int k = 0; k < 32; k += 8)
        y[(j + k) * 32 + i] = tile[i][j + k];
}
"""
SOURCE = "".join([
    f"""extern "C" __global__ void step_{kind}(int step, int lanes) {{
        extern __shared__ {kind} {kind}s[];
        volatile {kind}* const at = {kind}s;
        if (threadIdx.x < lanes) at[threadIdx.x * step % 512] = {kind}(threadIdx.x);
    }}
    """
    for kind in ("char", "short", "int", "double")
]) + """
extern "C" __global__ void loop(int rounds) {
    __shared__ volatile int all[64 * 2];
    for (int i = 0; i < rounds; ++i) all[threadIdx.x * 2] = i;
}
extern "C" __global__ void copy(int* x) { x[threadIdx.x * 32] = 1; }
"""  # fmt: skip


def passes(setup, kind, step, *, lanes=None, block=None):
    """Return the passes of the accesses of one warp, and the fewest; the latter twice if there is no finding."""
    block = block or setup.warp
    arguments = f"step_{kind}", 1, block, step, lanes or block
    outcome = ran(SOURCE, *arguments, setup=setup, checks="banks", shared=512 * 8)
    if not outcome.findings:
        return 1
    (finding,) = outcome.findings
    assert (finding.kind, finding.count) == (Kind.BANK_CONFLICT, -(-block // setup.warp))
    count, fewest = finding.passes
    return count / fewest


@pytest.mark.slow
def test_words_a_multiple_of_32_apart_are_in_one_bank(setup):
    assert [passes(setup, "int", step) for step in (0, 1, 2, 3, 4, 8, 16)] == [1, 1, 2, 1, 4, 8, 16]
    assert [passes(setup, "int", 2, lanes=lanes) for lanes in (1, 16, 17, 20, 32)] == [1, 1, 2, 2, 2]


@pytest.mark.slow
def test_narrow_items_share_words_and_wide_ones_take_parts_of_a_warp(setup):
    assert [passes(setup, "char", step) for step in (1, 3, 4, 8)] == [1, 1, 1, 2]
    assert [passes(setup, "short", step) for step in (1, 2, 4)] == [1, 1, 2]
    assert [passes(setup, "double", step) for step in (1, 2, 3, 16)] == [1, 2, 1, 16]


@pytest.mark.parametrize("seed", range(3))
def test_a_column_of_a_tile_has_conflicts_and_a_padded_one_has_none(seed):
    x = np.arange(1024, dtype="f4").reshape(32, 32)
    _, y = launch(TURN.replace("WIDTH", "33"), "turn", 1, (32, 8), x, np.zeros_like(x), checks="all,banks", seed=seed)
    np.testing.assert_array_equal(y, x.T)
    with pytest.raises(KernelBanksError) as error:
        launch(TURN.replace("WIDTH", "32"), "turn", 1, (32, 8), x, np.zeros_like(x), checks="all,banks", seed=seed)
    (report,) = error.value.reports
    assert (report.check, report.kind, report.count) == ("banks", "bank conflict", 32)
    assert report.place.frames[0].line == 8
    assert (
        "in the __shared__ variable tile of 4096 bytes; the accesses of warps at this line take 1024 passes, where 32 "
        in str(error.value)
    )


def test_results_are_right_and_nothing_is_said_unless_it_is_asked_for():
    x = np.arange(1024, dtype="f4").reshape(32, 32)
    for checks in ("all", "memory,sync", "none"):
        _, y = launch(TURN.replace("WIDTH", "32"), "turn", 1, (32, 8), x, np.zeros_like(x), checks=checks)
        np.testing.assert_array_equal(y, x.T)
    with accel.debug():
        assert "banks" not in accel.config.current().kernel_checks


def test_other_findings_come_first():
    text = TURN.replace("WIDTH", "32").replace("__syncthreads();", "")
    x = np.zeros((32, 32), "f4")
    with pytest.raises(KernelRaceError) as error:
        launch(text, "turn", 1, (32, 8), x, x.copy(), checks="all,banks")
    assert [report.check for report in error.value.reports] == ["race", "init", "banks"]


def test_a_thread_that_runs_ahead_is_compared_in_the_rounds_that_all_make(setup):
    for rounds in (1, 3, 100):
        (finding,) = ran(SOURCE, "loop", 1, setup.warp, rounds, setup=setup, checks="banks").findings
        passes, fewest = finding.passes
        assert passes == 2 * fewest
        assert finding.count <= rounds


def test_accesses_of_global_memory_have_no_banks(setup):
    assert not ran(SOURCE, "copy", 1, 32, ints(1024), setup=setup, checks="banks").findings
