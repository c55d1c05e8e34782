"""The motion of a mechanism as something to play: a canvas, its controls and the data they show."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fmugen.ir.model import SystemModel
from fmugen.verify.rotations import Array
from fmugen.view.report.drawing import COLOURS
from fmugen.view.report.markup import ReportSection, data, packed, section
from fmugen.view.report.poses import Poses, recorded_poses
from fmugen.view.report.scene import Connector, Marker, Outline, Scene, Spot, Station, scene_of

__all__ = ["motion_section"]

_FACTORS = (1, 2, 5, 10, 20, 50, 100)
_PACES = (("0.1", "¹⁄₁₀"), ("0.25", "¼"), ("0.5", "½"), ("1", "1"), ("2", "2"), ("4", "4"))


def motion_section(model: SystemModel, times: Array, values: Mapping[str, Array]) -> ReportSection | None:
    """The recorded motion; nothing where there are no bodies."""
    if not model.bodies:
        return None
    poses = recorded_poses(model, times, values)
    scene = scene_of(model, poses)
    if scene is None:
        return None
    hint = "Drag to move" if scene.planar else "Drag to turn, shift-drag to move"
    return section(
        "Motion",
        f'<canvas id="animation" tabindex="0" aria-label="motion of {model.name}"></canvas>',
        _controls(bends=bool(scene.stations)),
        f'<p class="quiet">As the FMU moves it. {hint}, scroll to zoom, space to play.{_told(scene)}</p>',
        data("animation-data", _document(scene, poses)),
    )


def _told(scene: Scene) -> str:
    """What colours and factors of deflections mean."""
    if not scene.stations:
        return ""
    told = " With a factor of deflections, what is fastened to a body stays where it is."
    if scene.strain > 0.0:
        told += f" Yellow is a strain of bending of {scene.strain:.2g} at the surface, the largest one."
    return told


def _controls(*, bends: bool) -> str:
    paces = "".join(
        f'<option value="{value}"{" selected" if value == "1" else ""}>{text} ×</option>'
        for value, text in _PACES
    )
    return (
        '<div class="controls"><button type="button" id="animation-play">Play</button>'
        '<input type="range" id="animation-time" min="0" max="1" step="any" value="0" aria-label="time">'
        '<output id="animation-clock"></output>'
        f'<label>speed <select id="animation-speed">{paces}</select></label>'
        '<output id="animation-rate"></output>'
        f"{_factors() if bends else ''}"
        '<label><input type="checkbox" id="animation-names"> names</label>'
        '<label><input type="checkbox" id="animation-paths"> paths of mass centres</label>'
        '<button type="button" id="animation-reset">Reset view</button></div>'
    )


def _factors() -> str:
    options = "".join(f'<option value="{factor}">{factor} ×</option>' for factor in _FACTORS)
    return f'<label>deflections <select id="animation-bend">{options}</select></label>'


def _document(scene: Scene, poses: Poses) -> dict[str, object]:
    return {
        "bodies": scene.bodies,
        "colours": COLOURS,
        "planar": scene.planar,
        "camera": _rounded(scene.camera),
        "up": _rounded(scene.up),
        "center": _rounded(scene.center),
        "reach": [max(part, 1e-3 * scene.radius) for part in scene.reach],
        "floor": [_outline(line) for line in scene.floor],
        "outlines": [_outline(outline) for outline in scene.outlines],
        "rails": [_outline(rail) for rail in scene.rails],
        "connectors": [_connector(connector) for connector in scene.connectors],
        "markers": [_marker(marker) for marker in scene.markers],
        "labels": [_marker(label) for label in scene.labels],
        "stations": [_station(station) for station in scene.stations],
        "strain": scene.strain,
        "coordinates": {
            body: {"count": q.shape[1], "values": packed(q)} for body, q in poses.coordinates.items()
        },
        "times": packed(poses.times),
        "poses": packed(np.concatenate((poses.origins, poses.attitudes), axis=2)),
    }


def _outline(outline: Outline) -> dict[str, object]:
    corners = [_rounded(np.array(corner)) for corner in outline.corners]
    drawn = {"body": outline.body, "corners": corners, "filled": outline.filled, "thick": outline.thick}
    return drawn | ({"stations": list(outline.stations)} if outline.stations else {})


def _station(station: Station) -> dict[str, object]:
    second = None if station.second is None else _rounded(station.second)
    first, strains = _rounded(station.first), _rounded(station.strains)
    at = _rounded(np.array(station.position))
    return {"body": station.body, "at": at, "first": first, "second": second, "strains": strains}


def _connector(connector: Connector) -> dict[str, object]:
    return {"kind": connector.symbol.value, "tail": _spot(connector.tail), "head": _spot(connector.head)}


def _marker(marker: Marker) -> dict[str, object]:
    return {"symbol": marker.symbol.value, "name": marker.name, "spot": _spot(marker.spot)}


def _spot(spot: Spot) -> dict[str, object]:
    drawn: dict[str, object] = {"body": spot.body, "position": _rounded(np.array(spot.position))}
    return drawn if spot.station is None else drawn | {"station": spot.station}


def _rounded(values: Array) -> object:
    """Numbers with as many digits as a screen can show."""
    if not values.size:
        return values.tolist()
    return np.vectorize(lambda value: float(f"{value:.6g}"))(values).tolist()
