"""On which device a point runs: that of its stores, or that which the engine was told."""

from accel.device import Device
from accel.engines.points import Point
from accel.engines.task_definition import TaskDefinition
from accel.errors import CapabilityError
from accel.store.root import HOST
from accel.store.store_targets import Place, place_of

__all__ = ["place_of_point", "refuse_without_body"]


def place_of_point(point: Point, device: Device | None) -> Place:
    """Return where a point runs: on the first device of its stores that the task has a body for, else on the CPU."""
    if device is not None:
        return place_of(device)
    for operand in point.operands:
        assert operand.root is not None, "the point is of this process"
        place = operand.root.place
        if place is not HOST and place.device is not Device.CPU and place.device.type in point.task.bodies:
            return place
    return HOST


def refuse_without_body(task: TaskDefinition, device: Device) -> None:
    """Raise `CapabilityError` if a task has no body for a device."""
    if device.type not in task.bodies:
        raise CapabilityError(
            f"task {task.name} has no body for {device}; write one: @{task.name}.variant({device.type!r}), or choose "
            f"another device: engine.using(device=...)"
        )
