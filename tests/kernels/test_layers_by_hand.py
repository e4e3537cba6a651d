"""Kernels that are written by hand do the same in all layers."""

import pytest

from .by_hand import cases_by_hand
from .layers import Texts, agree, by_host, by_interpreter

CLOSE = 1e-5  # sums in another order, and functions of other libraries


@pytest.fixture(scope="module")
def cases(run_page, root):
    return cases_by_hand(run_page, root)


@pytest.mark.slow
def test_code_of_the_host_does_what_the_interpreter_does(cases):
    for case in cases:
        agree(by_host(case), by_interpreter(case), CLOSE)


@pytest.mark.slow
@pytest.mark.parametrize("warp", [32, 64])
def test_the_text_for_gpus_does_what_the_interpreter_does(cases, warp):
    chosen = [case for case in cases if warp == 32 or case.program.explicit]
    texts = Texts([case.program for case in chosen], warp)
    for case in chosen:
        expected = by_interpreter(case, warp=warp)
        for bits in (32, 64):
            agree(texts.run(case, bits), expected, CLOSE)
