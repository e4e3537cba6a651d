"""The stand-in has only names that CuPy has, and its functions take only arguments that CuPy's take.

CuPy can be imported without a driver. If it is not installed, the tests are skipped.
"""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from .standin.machine import Machine
from .standin.module import modules

# The arguments of each call that the backend makes; no driver is needed to compare them with CuPy's signatures.
_CALLS = {
    "memcpyAsync": 5,
    "memcpyPeerAsync": 6,
    "memcpy2DAsync": 8,
    "eventCreateWithFlags": 1,
    "eventElapsedTime": 2,
    "eventQuery": 1,
    "eventRecord": 2,
    "eventSynchronize": 1,
    "streamWaitEvent": 3,
    "getDeviceProperties": 1,
    "memGetInfo": 0,
    "pointerGetAttributes": 1,
}


@pytest.fixture(scope="module")
def of_cupy(python):
    """Names and signatures of the real CuPy, from a new process."""
    spec = find_spec("cupy")
    if spec is None:
        pytest.skip("CuPy is not installed here, so the stand-in cannot be compared with it: pip install cupy-cuda12x")
    return json.loads(
        python(
            f"""
        import inspect, json, warnings
        warnings.simplefilter("ignore")
        import cupy
        stream = cupy.cuda.Stream.null
        pointer = cupy.cuda.MemoryPointer(cupy.cuda.UnownedMemory(512, 100, None, 0), 16)
        names, runtime = {list(_CALLS)}, cupy.cuda.runtime
        signatures = {{name: getattr(runtime, name).__doc__ for name in names}}
        print(json.dumps({{
            "names": {{"cupy": dir(cupy), "cupy.cuda": dir(cupy.cuda), "cupy.cuda.runtime": dir(cupy.cuda.runtime),
                      "cupy.cuda.driver": dir(cupy.cuda.driver), "cupy.cuda.memory": dir(cupy.cuda.memory),
                      "cupy.cuda.compiler": dir(cupy.cuda.compiler), "cupy.cuda.device": dir(cupy.cuda.device)}},
            "members": {{"Stream": dir(cupy.cuda.Stream), "Event": dir(cupy.cuda.Event),
                        "Device": dir(cupy.cuda.Device),
                        "MemoryPointer": dir(cupy.cuda.MemoryPointer), "UnownedMemory": dir(cupy.cuda.UnownedMemory),
                        "RawModule": dir(cupy.RawModule), "ndarray": dir(cupy.ndarray)}},
            "pool": dir(cupy.get_default_memory_pool()),
            "signatures": signatures,
            "null": [stream.ptr, stream.device_id],
            "owner": cupy.cuda.UnownedMemory(512, 100, "an owner", 0)._owner,
            "pointer": [(pointer + 8).ptr, pointer.ptr, pointer.device_id, (pointer + 8).mem is pointer.mem],
        }}))
        """,
            Path(spec.origin).parents[1],
        )
    )


@pytest.fixture(scope="module")
def standin():
    """The modules of a machine."""
    return modules(Machine())


def test_every_name_of_a_module_is_one_of_cupys(of_cupy, standin):
    for name, module in standin.items():
        own = {each for each in vars(module) if not each.startswith("__")}
        assert own <= set(of_cupy["names"][name]), name


def test_every_public_member_of_a_class_is_one_of_cupys(of_cupy, standin):
    cuda = standin["cupy.cuda"]
    classes = {"RawModule": standin["cupy"].RawModule, "ndarray": standin["cupy"].ndarray}
    for name, names in of_cupy["members"].items():
        kind = classes.get(name) or getattr(cuda, name)
        own = {each for each in vars(kind) if not each.startswith("_")}
        assert own <= set(names), name


def test_the_pool_is_asked_what_cupys_can_answer(of_cupy):
    assert {"free_bytes", "free_all_blocks"} <= set(of_cupy["pool"])


@pytest.mark.parametrize("name", _CALLS)
def test_calls_have_as_many_arguments_as_cupys(of_cupy, standin, name):
    signature = of_cupy["signatures"][name].partition("(")[2].partition(")")[0]
    assert len([part for part in signature.split(",") if part.strip()]) == _CALLS[name]
    code = getattr(standin["cupy.cuda.runtime"], name).__func__.__code__
    assert code.co_argcount - 1 == _CALLS[name]


def test_arrays_have_the_conversions_that_cupys_have(of_cupy, standin):
    conversions = {"__bool__", "__int__", "__float__", "__index__", "__len__", "__array__"}
    own = conversions & set(dir(standin["cupy"].ndarray))
    assert own == conversions & set(of_cupy["members"]["ndarray"])


def test_pointers_and_the_default_stream_behave_as_cupys(of_cupy, standin):
    cuda = standin["cupy.cuda"]
    pointer = cuda.MemoryPointer(cuda.UnownedMemory(512, 100, None, 0), 16)
    moved = pointer + 8
    assert cuda.UnownedMemory(512, 100, "an owner", 0)._owner == of_cupy["owner"]
    assert [moved.ptr, pointer.ptr, pointer.device_id, moved.mem is pointer.mem] == of_cupy["pointer"]
    assert cuda.Stream.null.ptr == of_cupy["null"][0] == 0
    assert of_cupy["null"][1] == -1
