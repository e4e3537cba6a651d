"""The devices' compilers accept the text of the kernels that all layers run."""

import pytest
from accel.backends.cupy.device_code import kernel_name, launched

from ..fuse.test_fused_functions import PROGRAMS, arrays
from ..fuse.test_layers import cases_of as cases_of_fused
from ..gpu_code import nvrtc, tools
from ..gpu_code.test_hip import CLANG, compiled
from .by_hand import cases_by_hand
from .layers import Texts
from .test_layers import cases_of, some_kernels


@pytest.fixture(scope="module")
def texts(run_page, root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernels")
    cases = cases_by_hand(run_page, root)
    cases += [case for generated in some_kernels(10) for case in cases_of(generated, folder)]
    cases += [case for program in PROGRAMS.values() for case, *_ in cases_of_fused(program, arrays("cpu"))]
    return Texts([case.program for case in cases])


@pytest.mark.slow
@pytest.mark.parametrize(("architecture", "bits"), [("sm_75", 64), ("sm_120", 32)])
def test_nvrtc_makes_code_of_all_kernels(texts, architecture, bits):
    tools.need(nvrtc.library(), "NVRTC (nvidia-cuda-nvrtc)")
    result = nvrtc.compile(texts.text, (f"-DACCEL_INDEX={bits}", "--fmad=false"), architecture)
    assert {kernel_name(program, launched(program)[0]) for program in texts.programs.values()} <= result.kernels.keys()


@pytest.mark.slow
@pytest.mark.parametrize(("architecture", "warp", "bits"), [("gfx90a", 64, 64), ("gfx1100", 32, 32)])
def test_clang_makes_code_of_all_kernels_for_amd(texts, architecture, warp, bits):
    tools.need(CLANG, "clang (clang-19, or ziglang)")
    code = compiled(texts.text, architecture, f"-DACCEL_INDEX={bits}", f"-DACCEL_WARP={warp}")
    assert all(
        f".amdhsa_kernel {kernel_name(program, launched(program)[0])}" in code for program in texts.programs.values()
    )
