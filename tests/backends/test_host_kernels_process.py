"""Compiled kernels and their process: caches on disk, forks, interrupts, and the end of the process."""

import os
import sys
from textwrap import dedent

import pytest
from accel.backends.common.host_code import machine_code

from ..children import code_for_children

PREPARED = """
    import os, signal, sys, threading, time
    from pathlib import Path
    import numpy as np
    import accel
    from accel.backends.common.host_code import machine_code, process
    from accel.backends.common.host_kernels import host_kernel
    from accel.ir import *

    i = Local("i", INDEX)
    f64 = np.dtype("float64")

    def scale(factor):
        at = Load("v", i, f64)
        body = (Store("v", i, Binary("mul", at, Const(factor, f64), f64)),)
        bounds = (Const(0, INDEX),), (Extent("v", 0),), (Const(1, INDEX),)
        return Program("scale", (View("v", f64, 1, True),), (), (Loop((i,), *bounds, body),))

    def endless():
        flag = Local("flag", f64)
        see = Atomic("add", "v", Const(0, INDEX), Const(0, f64), flag)
        count = Atomic("add", "v", Const(1, INDEX), Const(1, f64))
        body = (see, While(Compare("eq", flag, Const(0, f64)), (see, count)))
        return Program("endless", (View("v", f64, 1, True),), (), (Once(body),))

    def doubles(factor=2, size=10):
        v = np.ones(size)
        host_kernel(scale(factor)).run((v.ctypes.data, size, 1))
        return bool((v == factor).all())
"""


@pytest.fixture
def printed(python, tmp_path):
    """A function that runs PREPARED and more code in a new process, and returns what it prints."""

    def run(code, folder=tmp_path):
        return python(dedent(PREPARED) + code_for_children() + dedent(code), ACCEL_CACHE_DIR=str(folder))

    return run


def kernels_in(folder):
    """Return the files of kernels in a cache: these call what all kernels share, which has a file of its own."""
    files = [file for file in (folder / "kernels").glob("*.o") if file.is_file()]
    return [file for file in files if b"process.share" in file.read_bytes()]


class TestTheCache:
    def test_spares_the_next_process_the_compiler(self, printed):
        code = """
            compiled = []
            class Spy(machine_code._Machine):
                def compiled(self, text):
                    compiled.append("@run(" in text)
                    return super().compiled(text)
            machine_code._Machine = Spy
            print(doubles(), sum(compiled))
        """
        assert [printed(code), printed(code)] == ["True 1", "True 0"]

    @pytest.mark.parametrize("damage", ["b''", "b'no code'", "content[:-1]", "content[:32] + bytes(len(content) - 32)"])
    def test_whose_files_are_damaged_is_repaired(self, printed, tmp_path, damage):
        assert printed("print(doubles())") == "True"
        (file,) = kernels_in(tmp_path)
        content = file.read_bytes()
        file.write_bytes(eval(damage))
        assert printed("print(doubles())") == "True"
        assert file.read_bytes() == content

    def test_in_which_a_folder_is_in_the_place_of_a_file_is_repaired(self, printed, tmp_path):
        assert printed("print(doubles())") == "True"
        (file,) = kernels_in(tmp_path)
        file.unlink()
        (file / "within").mkdir(parents=True)
        assert printed("print(doubles())") == "True"
        assert kernels_in(tmp_path) == [file]

    @pytest.mark.parametrize("place", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")])
    def test_in_which_a_file_is_no_file_is_done_without_or_repaired(self, printed, tmp_path, place):
        assert printed("print(doubles())") == "True"
        (file,) = kernels_in(tmp_path)
        file.unlink()
        place(file)
        assert printed("print(doubles())") == "True"

    @pytest.mark.slow
    def test_that_cannot_be_written_is_done_without(self, printed, tmp_path):
        file = tmp_path / "file"
        file.touch()
        for folder in (file, file / "below", "/proc/nothing", "~nobody-of-this-name/cache"):
            assert printed("print(doubles())", folder) == "True"

    def test_holds_whole_files_only(self, printed, tmp_path):
        assert printed("print(all(doubles(factor) for factor in range(2, 6)))") == "True"
        assert len(kernels_in(tmp_path)) == 4
        assert {file.suffix for file in (tmp_path / "kernels").iterdir() if file.name != "last_look"} == {".o"}

    def test_drops_what_was_used_least_recently_when_it_is_too_large(self, printed, tmp_path):
        code = """
            machine_code.LIMIT = 0
            Path(os.environ["ACCEL_CACHE_DIR"], "kernels", "last_look").unlink()
            print(doubles(9))
        """
        assert printed("print(all(doubles(factor) for factor in range(2, 6)))") == "True"
        assert len(kernels_in(tmp_path)) == 4
        assert printed(code) == "True"
        assert len(kernels_in(tmp_path)) == 0
        assert printed("print(doubles(9))") == "True"

    def test_knows_which_files_were_used(self, printed, tmp_path):
        assert printed("print(doubles(2), doubles(3))") == "True True"
        for file in kernels_in(tmp_path):
            os.utime(file, (1000, 1000))
        assert printed("print(doubles(2))") == "True"
        assert sorted(file.stat().st_mtime > 1000 for file in kernels_in(tmp_path)) == [False, True]


class TestForks:
    def test_a_child_runs_what_its_parent_ran_in_several_threads(self, printed):
        code = """
            with accel.using(threads=3):
                size = 3_000_000
                assert doubles(2, size)
                print([in_child(lambda: doubles(factor, size) and doubles(factor, size)) for factor in (2, 3)])
                print(doubles(2, size))
        """
        assert printed(code) == "[0, 0]\nTrue"

    def test_a_child_of_a_fork_during_a_compilation_ends_in_time(self, printed):
        code = """
            import llvmlite.binding as llvm
            assert doubles()
            held, done = threading.Event(), threading.Event()
            def hold():
                with llvm.ffi.lib._lock:
                    held.set()
                    done.wait()
            thread = threading.Thread(target=hold)
            thread.start()
            held.wait()
            def work():
                assert doubles(), "a kernel from before runs"
                try:
                    doubles(3)
                except accel.errors.CapabilityError as error:
                    return "forked while another thread compiled" in str(error)
            print(in_child(work))
            done.set()
            thread.join()
            print(doubles(3))
        """
        assert printed(code) == "0\nTrue"


def test_an_interrupted_compilation_is_done_by_the_next_call(printed):
    code = """
        class Interrupted(machine_code._Machine):
            times = 0
            def compiled(self, text):
                code = super().compiled(text)
                Interrupted.times += "@run(" in text
                if Interrupted.times == 1:
                    raise KeyboardInterrupt
                return code
        machine_code._Machine = Interrupted
        try:
            doubles()
        except KeyboardInterrupt:
            print("interrupted")
        print(doubles(), Interrupted.times)
    """
    assert printed(code) == "interrupted\nTrue 2"


def test_other_threads_run_while_a_long_kernel_does(printed):
    code = """
        v = np.zeros(2)
        thread = threading.Thread(target=host_kernel(endless()).run, args=((v.ctypes.data, 2, 1),))
        thread.start()
        while not v[1]:
            pass
        v[0] = 1
        thread.join()
        print("ended")
    """
    assert printed(code) == "ended"


def test_a_process_ends_after_the_kernels_that_run_in_threads_which_it_does_not_wait_for(printed):
    code = """
        import atexit
        v = np.zeros(2)
        kernel = host_kernel(endless())
        thread = threading.Thread(target=kernel.run, args=((v.ctypes.data, 2, 1),), daemon=True)
        thread.start()
        while not v[1]:
            pass
        def end():
            time.sleep(0.2)
            v[0] = 1
        timer = threading.Thread(target=end, daemon=True)
        atexit.register(timer.start)
        atexit.register(print, "ends")
    """
    assert printed(code) == "ends"


@pytest.mark.parametrize(
    "broken", ["sys.modules['llvmlite.binding'] = None", "import llvmlite.binding as b; b.parse_assembly = None"]
)
def test_a_broken_compiler_is_named(printed, broken):
    code = f"""
        {broken}
        try:
            doubles()
        except accel.errors.CapabilityError as error:
            print(error)
    """
    message = printed(code)
    assert message.startswith("kernels on the host are compiled by llvmlite, which failed: ")
    assert "install it anew, with pip install --force-reinstall llvmlite, or launch them on device='sim'" in message


def test_too_little_memory_for_the_compiler_is_an_error(printed):
    code = """
        import resource
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 28), used + (1 << 28)))
        try:
            doubles()
        except accel.errors.OutOfMemoryError as error:
            print(error)
    """
    assert printed(code).startswith("the compiler needs 512 MiB of address space, which is not free; release memory")


def test_a_large_text_is_compiled_with_few_optimisations_and_computes_the_same(printed):
    code = """
        import llvmlite.binding as llvm
        levels, make = [], llvm.create_pipeline_tuning_options
        def spy(speed_level):
            levels.append(speed_level)
            return make(speed_level=speed_level)
        llvm.create_pipeline_tuning_options = spy
        process.symbols()
        right = doubles(2, 1000)
        machine_code.LARGE = 1000
        print(right, doubles(3, 1000), levels)
    """
    assert printed(code) == "True True [3, 3, 1]"


def test_equal_texts_are_compiled_once():
    text = "define i64 @seven() {\n ret i64 7\n}\n"
    first = machine_code.function_of(text, "seven", {})
    assert machine_code.function_of(text, "seven", {}) == first


@pytest.mark.skipif(sys.platform != "linux", reason="the test fills the address space of Linux")
def test_sections_of_a_kernel_that_get_memory_far_apart_are_linked(python):
    code = """
        import ctypes, mmap
        from accel.backends.common.host_code import machine_code

        PAGE, GIB = mmap.PAGESIZE, 1 << 30
        LAZY = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000  # MAP_NORESERVE
        libc = ctypes.CDLL(None)
        libc.mmap.restype = ctypes.c_size_t
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *3 * [ctypes.c_int], ctypes.c_long]
        libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]

        def taken(nbytes):
            return libc.mmap(None, nbytes, 0, LAZY, -1, 0)

        llvm, machine = machine_code._llvm()
        machine_code._linker()
        text = '''
        @table = private unnamed_addr constant [2 x double] [double 1.5, double 4.5], align 32
        define double @second() {
          %index = add i64 0, 1
          %place = getelementptr [2 x double], ptr @table, i64 0, i64 %index
          %value = load volatile double, ptr %place
          ret double %value
        }
        '''
        compiled = machine.compiled(text)
        large = taken(30 * GIB)
        for _ in range(60_000):  # every hole above
            if taken(PAGE) < large:
                break
        for place in range(8):
            libc.munmap(large + 3 * place * GIB, PAGE)
        address = machine_code._linked(llvm, compiled, "second", {})
        print(ctypes.CFUNCTYPE(ctypes.c_double)(address)())
    """
    assert python(code) == "4.5"
