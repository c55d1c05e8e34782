"""The spin-up of a beam in Exudyn, by beams of absolute nodal coordinates."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from itertools import pairwise
from math import cos, pi, sin
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from bench.peers.skeleton import Array

__all__ = ["SpinUp", "SpunUp", "exudyn_spin_up"]


@dataclass(frozen=True)
class SpinUp:
    """The beam of Kane, Ryan and Banerjee (1987), in SI."""

    length: float = 8.0
    density: float = 2766.67
    modulus: float = 6.8952e10
    area: float = 7.2968e-5
    second_moment: float = 8.2189e-9
    speed: float = 6.0
    rise: float = 15.0

    def angle(self, time: float) -> float:
        turn = 2.0 * pi / self.rise
        return self.speed / self.rise * (time**2 / 2.0 + (cos(turn * time) - 1.0) / turn**2)


class SpunUp(NamedTuple):
    """CPU seconds of all steps, and the deflection of the tip across the axes of the hub."""

    seconds: float
    deflection: Array


def exudyn_spin_up(case: SpinUp, elements: int, steps: int, times: Array) -> SpunUp | None:
    """The motion up to the last of ``times``; ``None`` where Exudyn is not installed."""
    if importlib.util.find_spec("exudyn") is None:
        return None
    import exudyn
    from exudyn import itemInterface

    container = exudyn.SystemContainer()
    system = container.AddSystem()
    ground = system.AddNode(itemInterface.NodePointGround(referenceCoordinates=[0.0, 0.0, 0.0]))
    held = system.AddMarker(itemInterface.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
    step = case.length / elements
    nodes = [
        system.AddNode(itemInterface.NodePoint2DSlope1(referenceCoordinates=[step * number, 0.0, 1.0, 0.0]))
        for number in range(elements + 1)
    ]
    for pair in pairwise(nodes):
        cable = itemInterface.ObjectANCFCable2D(
            nodeNumbers=list(pair),
            physicsLength=step,
            physicsMassPerLength=case.density * case.area,
            physicsBendingStiffness=case.modulus * case.second_moment,
            physicsAxialStiffness=case.modulus * case.area,
        )
        system.AddObject(cable)

    def turned(function: Any) -> Any:
        """The coordinate of a slope of the base, from its value at rest."""
        return lambda _system, time, _item, _offset: function(case.angle(time)) - function(0.0)

    for number, offset in enumerate((None, None, turned(cos), turned(sin))):
        moved = system.AddMarker(itemInterface.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=number))
        constraint = {} if offset is None else {"offsetUserFunction": offset}
        system.AddObject(itemInterface.ObjectConnectorCoordinate(markerNumbers=[held, moved], **constraint))
    tip = system.AddSensor(
        itemInterface.SensorNode(
            nodeNumber=nodes[-1],
            storeInternal=True,
            writeToFile=False,
            outputVariableType=exudyn.OutputVariableType.Position,
        )
    )
    system.Assemble()
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.endTime = float(times[-1])
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = float(times[1] - times[0])
    begin = process_time()
    system.SolveDynamic(settings)
    seconds = process_time() - begin
    stored = np.array(system.GetSensorStoredData(tip))
    angles = np.array([case.angle(time) for time in stored[:, 0].tolist()])
    across = stored[:, 2] * np.cos(angles) - stored[:, 1] * np.sin(angles)
    return SpunUp(seconds, np.interp(times, stored[:, 0], across))
