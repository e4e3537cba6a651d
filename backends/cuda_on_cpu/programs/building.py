"""`build_program`: from the sources of a program with `main` to a shared object, which the cache on disk keeps."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from ...common.cache_files import is_whole, put
from ..build import disk_cache, flags, libraries
from ..build.building import Built
from ..build.compiler_process import run
from ..build.compilers import Compiler, find_compiler
from ..build.interruption import interruptible
from ..build.linker import link
from ..build.machine_files import HEADERS, runtime_file
from ..build.machine_library import make_runtime
from ..build.report_reader import refuse_without_reader
from ..build.units import literal
from ..text.options import accepted, apart
from ..text.translation import constants
from .files import ENCODING, included, is_device_code, mirror, mirrored
from .hip_names import hip_names
from .host_code import KNOWN, without_calls

__all__ = ["build_program"]

# Host code uses all of C++, and its functions may be found by name, as `main` is.
# They are those of the program all the same, so that they may be inlined.
_WHOLE = (
    "-fexceptions", "-frtti", "-fthreadsafe-statics", "-fvisibility=default", "-fno-semantic-interposition",
    "-DACCEL_SIM_PROGRAM=1",
)  # fmt: skip
_HOST = ("-O2", "-g1", "-fPIC", "-w", "-fwrapv", "-pthread")


def build_program(
    sources: Sequence[Path],
    *,
    options: Sequence[str] = (),
    folders: Sequence[Path] = (),
    host_options: Sequence[str] = (),
    warp: int,
    checked: bool,
) -> Built:
    """Compile a program, or find what it was compiled to.

    Parameters
    ----------
    sources : sequence of Path
        CUDA, HIP, C++ and C.
    options : sequence of str
        As for nvcc, but not the folders; ``options.accepted`` has which.
    folders : sequence of Path
        Where files are that the sources include, besides their own folders.
    host_options : sequence of str
        For the C++ compiler as they are, also when it links, as in ``-fopenmp``.
    warp : int
        Threads of a warp.
    checked : bool
        Kernels call the checks of the runtime.

    Raises
    ------
    KernelSyntaxError
        If it does not compile; the message has all that the compiler said.
    CapabilityError
        If there is no compiler, or an option or a construct is not simulated, or the checks have no reader of debug
        information.
    """
    if checked:
        refuse_without_reader()
    compiler = find_compiler()
    paths = [path.resolve() for path in sources]
    around = [folder.resolve() for folder in folders]
    texts = included(paths, around)
    headers = libraries.flags("\n".join(texts.values()), kind=compiler.kind, warp=warp)
    words = (*accepted(options), *host_options, *headers)
    runtime = runtime_file(compiler)
    key = sha256(repr((paths, texts, words, warp, checked, runtime.name)).encode(errors="surrogateescape")).hexdigest()
    target = disk_cache.folder() / f"{key}.so"

    def compile_all() -> None:
        make_runtime(compiler, runtime)
        with TemporaryDirectory(dir=disk_cache.folder()) as scratch:
            mirror(texts, Path(scratch), checked=checked)
            kernels = flags.for_kernels(compiler.kind, checked=checked, warp=warp)
            program = _Program(compiler, (*kernels, *_WHOLE), words, around, Path(scratch), texts)
            objects = program.objects(paths, checked=checked)
            link(compiler, Path(scratch, target.name), ["-pthread", *host_options, *objects, "-lm"], runtime)
            put(Path(scratch, target.name), target)

    if not (is_whole(target) and is_whole(runtime)):
        with disk_cache.failures_named(), disk_cache.only_one(key):
            if not (is_whole(target) and is_whole(runtime)):  # another process may have built it meanwhile
                interruptible(compile_all)
        disk_cache.keep_within_limit()
    return Built(target, runtime)


class _Program:
    """A program that is being built in a temporary folder."""

    def __init__(
        self,
        compiler: Compiler,
        kernels: tuple[str, ...],
        words: tuple[str, ...],
        folders: list[Path],
        scratch: Path,
        texts: dict[Path, str],
    ) -> None:
        self.compiler, self.folders, self.scratch, self.texts = compiler, folders, scratch, texts
        places = [place for folder in folders for place in (f"-I{mirrored(folder, scratch)}", f"-I{folder}")]
        rest, macros = apart(words)
        (scratch / "macros.h").write_text(hip_names() + macros, encoding="utf-8")
        headers = (f"-I{HEADERS}", "-include", "accel_sim/host.h", "-include", str(scratch / "macros.h"))
        self.device = (*kernels, *places, *headers, *rest)
        self.host = (*_HOST, *[f"-I{folder}" for folder in folders], *words)
        self.first = True

    def objects(self, paths: Sequence[Path], *, checked: bool) -> list[str]:
        """Compile the sources, and return the object files."""
        if not (checked and KNOWN):
            return [str(self._compiled(path)) for path in paths]
        files = [self._compiled(path, "-S") for path in paths]
        for file, text in zip(files, without_calls([file.read_text(**ENCODING) for file in files]), strict=True):
            file.write_text(text, **ENCODING)
        return [self._assembled(file) for file in files]

    def _assembled(self, path: Path) -> str:
        target = str(path.with_suffix(".o"))
        run([*self.compiler.command, "-c", str(path), "-o", target], self.scratch)
        return target

    def _compiled(self, path: Path, what: str = "-c") -> Path:
        """Compile one source to an object file, or to assembly."""
        text = mirrored(path, self.scratch)
        target = text.with_name(f"{text.name}{'.s' if what == '-S' else '.o'}")
        target.parent.mkdir(parents=True, exist_ok=True)
        if is_device_code(path, self.texts, self.folders):
            self._add_module(text)
            words = (*self.device, "-x", "c++")
        else:  # as it is
            words, text = self._host_words(path), path
        run([*self.compiler.command, *words, what, str(text), "-o", str(target)], self.scratch)
        return target

    def _add_module(self, text: Path) -> None:
        """Add what each module has to the first source."""
        if self.first:
            names = literal(constants("\n".join(self.texts.values())))
            with text.open("a") as unit:
                unit.write('\n#include "accel_sim/module.h"\nACCEL_SIM_NAMES(accel_sim_kernels, "")\n')
                unit.write(f"ACCEL_SIM_NAMES(accel_sim_constants, {names})\n")
        self.first = False

    def _host_words(self, path: Path) -> tuple[str, ...]:
        if path.suffix != ".c":
            return ("-std=c++17", *self.host, "-x", "c++")
        return (*[flag for flag in self.host if not flag.startswith("-std=")], "-x", "c")
