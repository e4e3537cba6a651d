"""The functions that release what is exported to Arrow libraries, in machine code.

A consumer calls them in any thread, without the GIL, also while the interpreter shuts down and Python code cannot run.
So they are no functions of Python: llvmlite compiles them once for a process. They give back one reference to the
Python object that keeps the memory alive. Once the interpreter shuts down they leave the reference: the process ends.
"""

import ctypes
import threading
from functools import cache
from typing import Any, NamedTuple

from accel.errors import CapabilityError
from accel.interchange.arrow.abi import ArrowArray, ArrowDeviceArray, ArrowSchema
from accel.support.host_compiler import explained
from accel.support.locks import open_after_fork

__all__ = ["Callbacks", "callbacks"]

# A child of a fork makes its own functions if the fork came while another thread made them.
_lock = open_after_fork(threading.RLock())

_SHARED = """
define private void @give_back(ptr %object) {{
  %alive = call i32 inttoptr (i64 {Py_IsInitialized} to ptr)()
  %ends = call i32 inttoptr (i64 {Py_IsFinalizing} to ptr)()
  %dead = icmp eq i32 %alive, 0
  %ending = icmp ne i32 %ends, 0
  %leave = or i1 %dead, %ending
  br i1 %leave, label %done, label %count
count:
  %state = call i32 inttoptr (i64 {PyGILState_Ensure} to ptr)()
  call void inttoptr (i64 {Py_DecRef} to ptr)(ptr %object)
  call void inttoptr (i64 {PyGILState_Release} to ptr)(i32 %state)
  br label %done
done:
  ret void
}}
"""

# Children that a consumer has moved are marked as released, and live on by references of their own.
_RELEASE = """
define void @release_{name}(ptr %self) {{
  %count_at = getelementptr i8, ptr %self, i64 {n_children}
  %count = load i64, ptr %count_at
  %children_at = getelementptr i8, ptr %self, i64 {children}
  %children = load ptr, ptr %children_at
  br label %next
next:
  %i = phi i64 [ 0, %0 ], [ %after, %skip ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %child, label %own
child:
  %child_at = getelementptr ptr, ptr %children, i64 %i
  %each = load ptr, ptr %child_at
  %its_at = getelementptr i8, ptr %each, i64 {release}
  %its = load ptr, ptr %its_at
  %moved = icmp eq ptr %its, null
  br i1 %moved, label %skip, label %call
call:
  call void %its(ptr %each)
  br label %skip
skip:
  %after = add i64 %i, 1
  br label %next
own:
  %release_at = getelementptr i8, ptr %self, i64 {release}
  store ptr null, ptr %release_at
  %object_at = getelementptr i8, ptr %self, i64 {private_data}
  %object = load ptr, ptr %object_at
  call void @give_back(ptr %object)
  ret void
}}
"""

_DESTROY = """
define void @destroy_{name}(ptr %capsule) {{
  %name = call ptr inttoptr (i64 {PyCapsule_GetName} to ptr)(ptr %capsule)
  %held = call ptr inttoptr (i64 {PyCapsule_GetPointer} to ptr)(ptr %capsule, ptr %name)
  %release_at = getelementptr i8, ptr %held, i64 {release}
  %release = load ptr, ptr %release_at
  %moved = icmp eq ptr %release, null
  br i1 %moved, label %free, label %call
call:
  call void %release(ptr %held)
  br label %free
free:
  call void inttoptr (i64 {PyMem_RawFree} to ptr)(ptr %held)
  ret void
}}
"""

_PYTHON = (
    "Py_IsInitialized",
    "Py_DecRef",
    "PyGILState_Ensure",
    "PyGILState_Release",
    "PyCapsule_GetName",
    "PyCapsule_GetPointer",
    "PyMem_RawFree",
)


class Callbacks(NamedTuple):
    """Addresses of functions.

    Attributes
    ----------
    release_array, release_schema : int
        What a structure names as its release callback.
    destroy_array, destroy_schema : int
        What destroys a capsule on a structure, and first releases the structure if no consumer has moved it.
    """

    release_array: int
    release_schema: int
    destroy_array: int
    destroy_schema: int


def callbacks() -> Callbacks:
    """Return the functions; they stay in memory until the process ends.

    Raises
    ------
    CapabilityError
        If llvmlite is missing or broken.
    """
    with _lock:
        return _compiled()


@cache
def _compiled() -> Callbacks:
    try:
        return Callbacks(*_linked(_text()))
    except Exception as error:  # a broken llvmlite fails in any way
        raise CapabilityError(
            f"what releases memory of Arrow arrays is compiled by llvmlite, {explained(error)}"
        ) from error


def _text() -> str:
    python = {name: _address(name) for name in _PYTHON}
    newer = hasattr(ctypes.pythonapi, "Py_IsFinalizing")  # from CPython 3.13 on
    python["Py_IsFinalizing"] = _address("Py_IsFinalizing" if newer else "_Py_IsFinalizing")
    array, schema = _places("array", ArrowArray), _places("schema", ArrowSchema)
    # The array is the first field of a device array, so one destructor serves both.
    assert ArrowDeviceArray.array.offset == 0
    each = (form.format(**python, **places) for places in (array, schema) for form in (_RELEASE, _DESTROY))
    return _SHARED.format(**python) + "".join(each)


def _places(name: str, structure: type[ctypes.Structure]) -> dict[str, Any]:
    """Return the distance in bytes of the fields that the functions use."""
    fields = ("n_children", "children", "release", "private_data")
    return {"name": name} | {field: getattr(structure, field).offset for field in fields}


def _address(name: str) -> int:
    address = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
    assert address is not None
    return address


def _linked(text: str) -> list[int]:
    import llvmlite.binding as llvm  # type: ignore[import-untyped]

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(reloc="pic", codemodel="default")
    linker = llvm.create_lljit_compiler(machine, use_jit_link=True)
    names = Callbacks._fields
    library = llvm.JITLibraryBuilder().add_ir(text)
    for name in names:
        library.export_symbol(name)
    linked = library.link(linker, "accel_arrow")
    # LLVM would unload what is garbage, and a consumer may release after this module is gone.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(linker))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(linked))
    return [linked[name] for name in names]
