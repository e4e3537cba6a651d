"""`compiled`: the machine code of a kernel, by LLVM, with calls of the checks if they are on."""

import re
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from accel.errors import KernelSyntaxError

from .counted import counted_modules, counter_text
from .entries import EXPORTED, entry_text
from .instrumentation import instrumented
from .intrinsics import MEETING, definitions
from .modules import Source
from .passing import functions_that_meet, marked

__all__ = ["compiled", "identity"]

_ONCE = re.compile(r"^define linkonce_odr ", re.MULTILINE)
_CALLED = re.compile(r'^declare [^@]*@"?([^"(\s]+)"?\(', re.MULTILINE)


@cache
def _machine() -> Any:
    """Return LLVM, and its description of this processor."""
    import llvmlite.binding as llvm  # type: ignore[import-untyped]

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=2,
        reloc="pic",
        codemodel="default",
    )
    return llvm, machine


def identity() -> str:
    """Return what tells processors and versions of LLVM apart."""
    llvm, machine = _machine()
    return repr(
        (llvm.llvm_version_info, machine.triple, llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    )


def compiled(source: Source, name: str, *, checked: bool, counts: bool = False) -> bytes:
    """Return the object file of a kernel, which the machine calls under a name.

    Raises
    ------
    KernelSyntaxError
        If LLVM does not take a module.
    """
    llvm, machine = _machine()
    context = llvm.create_context()
    try:
        module = _linked(llvm, source, name, context, checked=checked, counts=counts)
    except RuntimeError as error:
        raise KernelSyntaxError(f"LLVM does not take the code of the kernel {name}: {error}") from None
    _optimise(llvm, machine, module, checked=checked)
    if checked:
        module = llvm.parse_assembly(instrumented(str(module)), context)
    code: bytes = machine.emit_object(module)
    return code


def _linked(llvm: Any, source: Source, name: str, context: Any, *, checked: bool, counts: bool) -> Any:
    machine = _machine()[1]
    meeting = functions_that_meet(source.texts)
    texts: Sequence[str] = source.texts
    if counts:
        texts, points = counted_modules(texts)
        texts = (*texts, counter_text(points))
    texts = marked(texts, source.entry, meeting) if checked else texts
    # A function that is linked once is left out if what calls it comes later.
    modules = [llvm.parse_assembly(_ONCE.sub("define weak_odr ", text), context) for text in texts]
    module = modules[0]
    for other in modules[1:]:
        module.link_in(other)
    called = [function.name for function in module.functions if function.is_declaration]
    module.link_in(llvm.parse_assembly(definitions(called), context))
    module.link_in(llvm.parse_assembly(entry_text(module.get_function(source.entry), name), context))
    for function in module.functions:
        if not function.is_declaration and not function.name.startswith(EXPORTED):
            function.linkage = "internal"
    for each in meeting | MEETING:
        _forbid_copies(module, each)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    return module


def _forbid_copies(module: Any, name: str) -> None:
    """Let LLVM neither copy nor merge calls of a function: threads meet at one of them, and not at its copy."""
    with suppress(NameError):  # another module has no such function
        function = module.get_function(name)
        for attribute in ("convergent", "nomerge"):
            function.add_function_attribute(attribute)


def _optimise(llvm: Any, machine: Any, module: Any, *, checked: bool) -> None:
    options = llvm.create_pipeline_tuning_options(speed_level=1 if checked else 2)
    options.loop_vectorization = options.slp_vectorization = options.loop_interleaving = False
    options.loop_unrolling = not checked
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
