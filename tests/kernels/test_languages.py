"""Languages of kernels are those of the backends: tested with real packages in separate processes."""

import pytest

import accel

BACKEND = """
class Fake:
    name = "fake"
    languages = ("metal", "host")
    def devices(self):
        return []
    def why_unavailable(self):
        return {}
    def compile_kernel(self, device, program):
        raise NotImplementedError
    def kernel_source(self, program, language):
        return f"{language}: {program.name} of {len(program.parameters)} parameters"

BACKEND = Fake()
"""
KERNEL = """
import accel
from accel import kernel

@kernel
def scale(v, factor):
    for i in range(v.size):
        v[i] *= factor

def inspected(language):
    try:
        return scale.inspect(language, accel.zeros(3)[:], 2.0)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
"""


@pytest.fixture
def inspect(tmp_path, python):
    """Return a function that installs a package with a backend for MPS, and returns a kernel in a language."""
    record = tmp_path / "fake-1.0.dist-info"
    record.mkdir()
    (tmp_path / "kernel_text.py").write_text(KERNEL)
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: fake\nVersion: 1.0\n")
    (record / "entry_points.txt").write_text("[accel.backends]\nmps = fake:BACKEND\n")

    def run(language, source=BACKEND):
        (tmp_path / "fake.py").write_text(source)
        return python(f"import kernel_text; print(kernel_text.inspected({language!r}))", tmp_path)

    return run


def test_a_backend_of_another_package_brings_its_language(inspect):
    assert inspect("metal") == "metal: scale of 2 parameters"


def test_the_first_backend_that_writes_a_language_is_asked(inspect):
    assert "define internal" in inspect("host")


def test_an_unknown_language_is_an_error_with_those_of_all_backends(inspect):
    assert inspect("banana") == (
        "ValueError: no backend writes kernels in 'banana'; "
        "the languages are 'ir', 'host', 'cuda', 'hip', 'metal', 'python'"
    )


def test_a_backend_that_cannot_be_loaded_is_named(inspect):
    text = inspect("metal", "raise OSError('no such library')")
    assert text.startswith("CapabilityError: no backend writes kernels in 'metal'; the languages are 'ir', 'host'")
    assert "mps: its backend fake:BACKEND could not be loaded: OSError: no such library" in text


def test_a_backend_without_kernels_is_passed_over(inspect):
    assert inspect("metal", BACKEND.replace("kernel_source", "other")).startswith("ValueError: no backend writes")


@accel.kernel
def scale(v: accel.BufferView, factor: float):
    for i in range(v.size):
        v[i] *= factor


@pytest.mark.parametrize(
    ("language", "word"), [("ir", "parallel i"), ("host", "define"), ("cuda", "__global__"), ("hip", "__global__")]
)
def test_a_kernel_is_shown_in_each_language_without_its_device(language, word):
    assert word in scale.inspect(language, accel.zeros(3)[:], 2.0)


def test_python_is_the_text_that_simulated_devices_interpret():
    text = scale.inspect("python", accel.zeros(3)[:], 2.0)
    compile(text, "scale", "exec")
    assert "m_v" in text
