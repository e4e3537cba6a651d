"""`build_program`: from the sources of a program with `main` to a shared object, which the cache on disk keeps."""

import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from .. import building, caching, options as compiler_options
from ..building import Built
from ..compilers import Compiler, find_compiler
from ..translation import constants
from .files import included, is_device_code, mirror, mirrored

__all__ = ["build_program"]

# Host code uses all of C++, and its functions may be found by name, as `main` is.
_WHOLE = ("-fexceptions", "-frtti", "-fthreadsafe-statics", "-fvisibility=default", "-DACCEL_SIM_PROGRAM=1")
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
        If there is no compiler, or an option or a construct is not simulated.
    """
    compiler = find_compiler()
    paths = [path.resolve() for path in sources]
    around = [folder.resolve() for folder in folders]
    texts = included(paths, around)
    flags = (*compiler_options.accepted(options), *host_options)
    runtime = building._runtime_file(compiler)
    building._make_runtime(compiler, runtime)
    key = building._digest(*map(str, paths), texts, flags, warp, checked, compiler, runtime.name)
    target = caching.folder() / f"{key}.so"
    if not target.exists():
        with caching.only_one(key), TemporaryDirectory(dir=caching.folder()) as made:
            mirror(texts, Path(made), checked=checked)
            program = _Program(compiler, flags, tuple(host_options), around, Path(made), texts, warp, checked)
            program.link([program.compiled(path) for path in paths], runtime, target)
        caching.drop_oldest()
    return Built(target, runtime)


class _Program:
    """A program that is being built in a temporary folder."""

    def __init__(
        self,
        compiler: Compiler,
        flags: tuple[str, ...],
        host_options: tuple[str, ...],
        folders: list[Path],
        made: Path,
        texts: dict[Path, str],
        warp: int,
        checked: bool,
    ) -> None:
        self.compiler, self.host_options, self.folders, self.made, self.texts = compiler, host_options, folders, made, texts
        kernels = compiler_options.for_kernels(compiler.kind, checked=checked, warp=warp)
        places = [place for folder in folders for place in (f"-I{mirrored(folder, made)}", f"-I{folder}")]
        headers = (f"-I{building._HEADERS}", "-include", "accel_sim/host.h")
        self.device = (*kernels, *_WHOLE, *places, *headers, *flags)
        self.host = (*_HOST, *[f"-I{folder}" for folder in folders], *flags)
        self.first = True

    def compiled(self, path: Path) -> Path:
        """Compile one source, and return the object file."""
        text = mirrored(path, self.made)
        target = text.with_name(f"{text.name}.o")
        target.parent.mkdir(parents=True, exist_ok=True)
        if is_device_code(path, self.texts, self.folders):
            self._add_module(text)
            flags = (*self.device, "-x", "c++")
        else:  # as it is
            flags, text = self._host_flags(path), path
        building._run([*self.compiler.command, *flags, "-c", str(text), "-o", str(target)])
        return target

    def _add_module(self, text: Path) -> None:
        """Add what each module has to the first source."""
        if self.first:
            names = building._strings(constants("\n".join(self.texts.values())))
            with text.open("a") as unit:
                unit.write('\n#include "accel_sim/module.h"\nACCEL_SIM_NAMES(accel_sim_kernels, "")\n')
                unit.write(f"ACCEL_SIM_NAMES(accel_sim_constants, {names})\n")
        self.first = False

    def _host_flags(self, path: Path) -> tuple[str, ...]:
        if path.suffix != ".c":
            return ("-std=c++17", *self.host, "-x", "c++")
        return (*[flag for flag in self.host if not flag.startswith("-std=")], "-x", "c")

    def link(self, objects: Sequence[Path], runtime: Path, target: Path) -> None:
        """Link object files to a shared object in which a call of a function that does not exist is an error."""
        whole = self.made / "whole.so"
        strict = () if sys.platform == "darwin" else ("-Wl,-Bsymbolic", "-Wl,--no-undefined", f"-Wl,-soname,{target.name}")
        building._run([*self.compiler.command, "-shared", *strict, "-pthread", *self.host_options, "-o", str(whole),
                      *map(str, objects), str(runtime), "-lm"])  # fmt: skip
        whole.replace(target)
