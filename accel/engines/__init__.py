"""Tasks on stores, and the engines that run them.

Names that few programs use are imported at first use; the stub beside this file lists all names.
"""

from accel.support.lazy import LazyNames

_LAZY = {
    "Engine": "accel.engines.protocol",
    "Future": "accel.engines.futures",
    "InOut": "accel.engines.annotations",
    "ImageComputationHint": "accel.engines.constraints",
    "Input": "accel.engines.annotations",
    "Launch": "accel.engines.task_launch",
    "Operand": "accel.engines.points",
    "Output": "accel.engines.annotations",
    "Point": "accel.engines.points",
    "Preview": "accel.engines.previews",
    "Progress": "accel.engines.progress",
    "Reduce": "accel.engines.annotations",
    "Task": "accel.engines.tasks",
    "align": "accel.engines.constraints",
    "bloat": "accel.engines.constraints",
    "broadcast": "accel.engines.constraints",
    "current": "accel.engines.protocol",
    "engine": "accel.engines.protocol",
    "image": "accel.engines.constraints",
    "scale": "accel.engines.constraints",
    "task": "accel.engines.tasks",
}

__all__ = list(_LAZY)

_names = LazyNames(__name__, _LAZY, __all__)
__getattr__, __dir__ = _names.fetch, _names.listed
