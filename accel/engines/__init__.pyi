# Written by ci/stubs. Do not edit.
from accel.engines.annotations import InOut as InOut
from accel.engines.annotations import Input as Input
from accel.engines.annotations import Output as Output
from accel.engines.annotations import Reduce as Reduce
from accel.engines.constraints import ImageComputationHint as ImageComputationHint
from accel.engines.constraints import align as align
from accel.engines.constraints import bloat as bloat
from accel.engines.constraints import broadcast as broadcast
from accel.engines.constraints import image as image
from accel.engines.constraints import scale as scale
from accel.engines.futures import Future as Future
from accel.engines.points import Operand as Operand
from accel.engines.points import Point as Point
from accel.engines.previews import Preview as Preview
from accel.engines.progress import Progress as Progress
from accel.engines.protocol import Engine as Engine
from accel.engines.protocol import current as current
from accel.engines.protocol import engine as engine
from accel.engines.task_launch import Launch as Launch
from accel.engines.tasks import Task as Task
from accel.engines.tasks import task as task

__all__ = [
    "Engine",
    "Future",
    "ImageComputationHint",
    "InOut",
    "Input",
    "Launch",
    "Operand",
    "Output",
    "Point",
    "Preview",
    "Progress",
    "Reduce",
    "Task",
    "align",
    "bloat",
    "broadcast",
    "current",
    "engine",
    "image",
    "scale",
    "task",
]
