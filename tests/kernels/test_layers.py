"""Random kernels do the same in all layers: interpreted, as code of the host, and as the text for GPUs.

``ACCEL_KERNEL_EXAMPLES`` is the number of kernels that are compared on the host; a third as many are compared as text
for GPUs.
"""

import os

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ..profiles import QUICK
from .frontend.execution import lowered, module_of
from .layers import Texts, agree, by_host, by_interpreter, case_of
from .random_kernels import kernels

EXAMPLES = int(os.environ.get("ACCEL_KERNEL_EXAMPLES", "30"))
AT_ONCE = 10
MANY = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))


def cases_of(generated, folder):
    """Return launches of a kernel: in release mode, in debug mode, and in debug mode with arrays that are too short."""
    function = module_of(generated.text, folder).kernel
    for debug, size in ((False, None), (True, None), (True, 5)):
        result, leaves = lowered(function, *[shortened(each, size) for each in generated.arguments()], debug=debug)
        yield case_of(result.program, leaves)


def shortened(argument, size):
    return argument[:size].copy() if isinstance(argument, np.ndarray) and argument.ndim == 1 else argument


@MANY
@given(kernels(), st.integers(0, 3))
def test_code_of_the_host_does_what_the_interpreter_does(tmp_path_factory, generated, seed):
    for case in cases_of(generated, tmp_path_factory.getbasetemp()):
        agree(by_host(case), by_interpreter(case, seed))


def some_kernels(count):
    """Return random kernels: a run of g++ is slow, so that it takes many of them."""
    result = []

    @settings(MANY, max_examples=count, database=None)
    @given(kernels())
    def find(generated):
        result.append(generated)

    find()
    return result


def test_the_text_for_gpus_does_what_the_interpreter_does(tmp_path):
    for several in batched(some_kernels(EXAMPLES // (12 if QUICK else 3))):
        cases = [(generated, case) for generated in several for case in cases_of(generated, tmp_path)]
        texts = Texts([case.program for _, case in cases])
        for seed, (generated, case) in enumerate(cases):
            expected = by_interpreter(case, seed)
            for bits in (32, 64):
                agree(texts.run(case, bits, seed), expected, what=generated.text)


def batched(kernels):
    return [kernels[start : start + AT_ONCE] for start in range(0, len(kernels), AT_ONCE)]
