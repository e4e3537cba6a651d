"""Raw kernels are compiled once for each device, and errors of the compiler name the line of their source."""

import pickle
import threading
from time import sleep

import pytest
from accel.backends.cupy.compiler_options import effective
from accel.backends.cupy.platforms import CUDA, ROCM

from accel import Device, RawKernel
from accel.errors import CapabilityError, KernelSyntaxError
from accel.memory import heap_of

from .raw_kernels import NEXT, SCALE, container

pytestmark = pytest.mark.usefixtures("gpu_machine")


def test_options_are_passed_on():
    kernel = RawKernel.from_source(
        'extern "C" __global__ void set(int* target) { *target = NUMBER; }', options=["-DNUMBER=42", "-std=c++14"]
    )
    c = container([0], "int32")
    kernel(c, grid=1, block=1)
    assert c.to_numpy() == 42


OVERRIDDEN = {
    "cuda": ["-ftz=false", "--ftz=false", "-ftz", "-arch=sm_90", "--gpu-architecture=compute_90", "-dlto"],
    "hip": ["-fno-gpu-flush-denormals-to-zero", "-fno-cuda-flush-denormals-to-zero"],
}


@pytest.mark.parametrize("gpu_machine", OVERRIDDEN, indirect=True)
def test_an_option_that_cupy_overrides_is_refused_with_the_reason(gpu_machine):
    for option in OVERRIDDEN[gpu_machine.flavour]:
        kernel = RawKernel.from_source(SCALE, options=["-DX=1", option])
        with pytest.raises(CapabilityError, match=rf"the option {option} of scale has no effect: CuPy .*; "):
            kernel.compiled("gpu")


@pytest.mark.parametrize(
    ("platform", "options"),
    [
        (CUDA, ("-ftz=true", "--ftz=true", "-use_fast_math", *OVERRIDDEN["hip"])),
        (ROCM, ("-fgpu-flush-denormals-to-zero", *OVERRIDDEN["cuda"])),
    ],
)
def test_options_that_agree_with_cupys_or_that_it_does_not_know_are_left_to_the_compiler(platform, options):
    assert effective(options, "scale", platform) == ("-std=c++17", *options)
    assert effective(("--std=c++20", *options), "scale", platform) == ("--std=c++20", *options)


def test_several_kernels_of_one_file(tmp_path):
    path = tmp_path / "both.cu"
    path.write_text(SCALE + NEXT)
    c = container([1, 2])
    for name, arguments in {"scale": (c, 10), "next": (c, c, 2)}.items():
        RawKernel.from_file(path, name)(*arguments, over=2)
    assert c.to_numpy().tolist() == [11, 21]


def test_what_does_not_compile_names_file_line_and_text(tmp_path):
    path = tmp_path / 'a "kernel" (1).cu'
    path.write_text(SCALE.replace("*= factor", "*= fact"))
    with pytest.raises(KernelSyntaxError, match=r"scale does not compile: .*fact.* was not declared") as caught:
        RawKernel.from_file(path)(container([1]), 2, over=1)
    error = caught.value
    assert (error.filename, error.lineno) == (str(path), 4)
    assert error.text == "    if (i < view.size()) view(i) *= fact;"


def test_a_wrong_use_of_a_view_names_the_line_that_uses_it():
    kernel = RawKernel.from_source(SCALE.replace("view(i)", "view(i, 0)"))
    with pytest.raises(KernelSyntaxError, match="a view is indexed by one integer for each axis") as caught:
        kernel(container([1]), 2, over=1)
    assert (caught.value.filename, caught.value.lineno) == ("<source>", 4)


def test_a_write_through_const_does_not_compile():
    with pytest.raises(KernelSyntaxError, match="read-only"):
        RawKernel.from_source(NEXT.replace("target[i] = source[i]", "source[i] = target[i]")).compiled("gpu")


def test_it_is_compiled_once_for_each_device_whatever_threads_ask(monkeypatch, scale):
    backend, devices = heap_of(Device.best()).backend, []
    compile_raw = backend.compile_raw

    def watched(device, *rest):
        devices.append(device)
        sleep(0.01)  # long enough for all other threads to ask too
        return compile_raw(device, *rest)

    monkeypatch.setattr(backend, "compile_raw", watched)
    threads = [threading.Thread(target=scale.compiled, args=(device,)) for device in backend.devices() * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, devices)) == sorted(map(str, backend.devices()))


def test_each_device_has_its_own(scale):
    first, second = backends = heap_of(Device.best()).backend.devices()
    containers = [container([1, 2, 3], device=device) for device in backends]
    for c in containers:
        scale(c, 2, over=3)
    assert [c.to_numpy().tolist() for c in containers] == [[2, 4, 6]] * 2
    assert scale.compiled(first) is scale.compiled(str(first)) is not scale.compiled(second)


def test_a_pickle_has_the_source(scale):
    c = container([1, 2])
    scale(c, 2, over=2)
    again = pickle.loads(pickle.dumps(scale))
    again(c, 2, over=2)
    assert c.to_numpy().tolist() == [4, 8]
    assert str(again) == str(scale)


@pytest.mark.parametrize("options", ["-DWIDTH=4", [4], (b"-DWIDTH=4",)])
def test_options_that_are_no_sequence_of_text_are_refused(options):
    with pytest.raises(TypeError, match=r"options are a sequence of str; found .*: write options=\['-DWIDTH=4'\]"):
        RawKernel.from_source(SCALE, options=options)
