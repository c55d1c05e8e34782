"""Planar mechanisms of the corpus: chains of bars, manipulators, and windows side by side."""

from __future__ import annotations

import math

from closures.description import Mechanism

__all__ = ["PLANAR"]

_CHAINS = {
    "FourBar": "ground-crank R 0 0; crank-rod R 0 0.3; rod-rocker R 0.8 0.6; rocker-ground R 0.7 0",
    "Parallelogram": "ground-arm1 R 0 0; arm1-rod R 0.1 0.4; rod-arm2 R 0.9 0.4; arm2-ground R 0.8 0",
    "SliderCrank": "ground-crank R 0 0; crank-rod R 0.1 0.3; rod-slider R 0.9 0; slider-ground P 0.9 0 | 1 0",
    "SlottedCrank": "ground-crank R 0 0; crank-stone R 0.1 0.3; stone-rocker P 0.1 0.3 | 1 2;"
    "rocker-ground R -0.1 -0.5",
    "ScotchYoke": "ground-crank R 0 0; crank-stone R 0.2 0.3; stone-yoke P 0.2 0.3 | 0 1;"
    "yoke-ground P 0.2 0 | 1 0",
    "EllipticTrammel": "ground-left P 0.4 0 | 1 0; left-bar R 0.4 0; bar-right R 0 0.6;"
    "right-ground P 0 0.6 | 0 1",
    "Oldham": "ground-hub1 R 0 0; hub1-disc P 0.1 0.1 | 1 1; disc-hub2 P 0.1 0.1 | -1 1;"
    "hub2-ground R 0.2 0.05",
    "FiveBar": "ground-crank1 R 0 0; crank1-rod1 R -0.2 0.4; rod1-rod2 R 0.3 0.9; rod2-crank2 R 0.9 0.5;"
    "crank2-ground R 0.7 0",
    "WattI": "ground-crank R 0 0; crank-rod R 0.1 0.3; rod-rocker R 0.7 0.6; rocker-ground R 0.6 0;"
    "rod-upper R 0.6 0.9; upper-end R 1.1 1.0; end-rocker R 1.0 0.5",
    "WattII": "ground-crank R 0 0; crank-rod R 0.1 0.3; rod-rocker R 0.7 0.6; rocker-ground R 0.6 0;"
    "rocker-second R 0.9 0.4; second-last R 1.5 0.6; last-ground R 1.4 0",
    "StephensonI": "ground-crank R 0 0; crank-upper R 0.2 0.5; crank-lower R 0.3 0.2; upper-cap R 0.8 0.9;"
    "cap-rocker R 1.0 0.6; lower-rocker R 0.9 0.3; rocker-ground R 0.8 0",
    "StephensonII": "ground-crank R 0 0; crank-rod R 0.1 0.3; rod-left R 0.4 0.8; rod-right R 0.7 0.5;"
    "left-rocker R 0.9 1.0; right-rocker R 1.0 0.5; rocker-ground R 1.1 0",
    "StephensonIII": "ground-crank R 0 0; crank-rod R 0.1 0.2; rod-rocker R 0.5 0.7; rocker-ground R 0.6 0;"
    "rod-link R 0.6 0.9; link-arm R 1.1 0.7; arm-ground R 1.2 -0.1",
    "SixBarDwell": "ground-crank R 0 0; crank-rod R 0.1 0.2; rod-rocker R 0.6 0.6; rocker-ground R 0.7 0;"
    "rod-arm R 0.4 0.8; arm-slider R 1.2 0.9; slider-ground P 1.2 0.9 | 1 0",
    "Shaper": "ground-crank R 0 0; crank-stone R 0.2 0.1; stone-lever P 0.2 0.1 | 1 3; lever-ground R 0 -0.5;"
    "lever-rod R 0.4 0.7; rod-ram R 0.9 0.8; ram-ground P 0.9 0.8 | 1 0",
    "Triad": "ground-crank R 0 0; crank-link1 R 0.2 0.3; link1-plate R 0.5 0.9; plate-link2 R 0.9 0.9;"
    "link2-ground R 1.0 0.1; plate-link3 R 0.7 1.2; link3-ground R 0.5 1.8",
    "TriadWithSlide": "ground-crank R 0 0; crank-link1 R 0.2 0.3; link1-plate R 0.5 0.9;"
    "plate-link2 R 0.9 0.9;"
    "link2-ground R 1.0 0.1; plate-link3 R 0.7 1.2; link3-ground P 0.7 1.6 | 1 0.3",
    "Jansen": "ground-crank R 0 0; crank-rod R 0.15 0; rod-upper R -0.283 0.296; upper-ground R -0.38 -0.078;"
    "crank-lower R 0.15 0; lower-hip R -0.268 -0.455; hip-ground R -0.38 -0.078;"
    "upper-link R -0.757 0.062; link-foot R -0.639 -0.314; hip-foot R -0.268 -0.455",
    "Klann": "ground-crank R 0 0; crank-rod R 0.11 0.05; rod-rocker R 0.4 0.13; rocker-ground R 0.27 -0.27;"
    "rod-leg R 0.72 0.32; leg-upper R 0.55 0.62; upper-ground R 0.3 0.4",
    "Peaucellier": "ground-crank R 0.3 0; ground-long1 R 0 0; ground-long2 R 0 0; crank-short1 R 0.6 0;"
    "crank-short2 R 0.6 0; long1-short1 R 0.9 0.4; long2-short2 R 0.9 -0.4; long1-short3 R 0.9 0.4;"
    "long2-short4 R 0.9 -0.4; short3-short4 R 1.2 0",
    "Pantograph": "ground-first R 0 0; first-second R 0.3 0.6; first-third R 0.15 0.3; third-fourth R 0.45 0;"
    "fourth-second R 0.6 0.3; second-slider R 0.9 0.9; slider-ground P 0.9 0.9 | 1 0",
    "ScissorLift": "ground-bar1 R 0 0; bar1-bar2 R 0.4 0.25; bar2-shoe R 0.8 0; shoe-ground P 0.8 0 | 1 0;"
    "bar1-bar3 R 0.8 0.5; bar2-bar4 R 0 0.5; bar3-bar4 R 0.4 0.75; bar4-table R 0.8 1.0;"
    "table-roller P 0 1.0 | 1 0; roller-bar3 R 0 1.0",
    "ExcavatorBoom": "ground-boom R 0 0; ground-tube1 R 0.3 -0.1; tube1-piston1 P 0.5 0.2 | 2 3;"
    "piston1-boom R 0.7 0.5; boom-stick R 1.4 0.9; boom-tube2 R 0.7 0.8; tube2-piston2 P 1.0 0.95 | 6 3;"
    "piston2-stick R 1.3 1.1; stick-bucket R 1.9 0.2; stick-lever R 1.8 0.4; lever-link R 2.05 0.5;"
    "link-bucket R 2.1 0.2; stick-tube3 R 1.5 1.0; tube3-piston3 P 1.8 0.72 | 11 -10;"
    "piston3-lever R 2.05 0.5",
    "DoubleSlider": "ground-shoe1 P 0 0 | 1 0; shoe1-rod1 R 0 0; rod1-plate R 0.3 0.5; plate-rod2 R 0.7 0.5;"
    "rod2-shoe2 R 1.0 0; shoe2-ground P 1.0 0 | 1 0; plate-rod3 R 0.5 0.8; rod3-ground R 0.6 1.4",
}


def _platform(letters: str) -> str:
    """A platform on three legs of three joints each, in the order of ``letters``."""
    joints = []
    for number in range(3):
        turn = 2 * math.pi * number / 3 + 0.1 * number
        out, across = (math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn))
        foot = tuple(1.2 * x for x in out)
        head = tuple(0.35 * x for x in out)
        knee = tuple((a + b) / 2 + 0.3 * c for a, b, c in zip(foot, head, across, strict=True))
        along = tuple(b - a for a, b in zip(foot, head, strict=True))
        pairs = (f"ground-shank{number}", f"shank{number}-thigh{number}", f"thigh{number}-platform")
        for pair, letter, (x, y) in zip(pairs, letters, (foot, knee, head), strict=True):
            axis = f" | {along[0]:.3f} {along[1]:.3f}" if letter == "P" else ""
            if letter == "P" and pair.startswith("ground"):
                axis = f" | {across[0]:.3f} {across[1]:.3f}"
            joints.append(f"{pair} {letter} {x:.4f} {y:.4f}{axis}")
    return ";".join(joints)


def _windows(columns: int, rows: int) -> str:
    """Windows of bars side by side on the ground: columns of beams, joined by struts.

    Beams stand on pins; struts between neighbouring beams at as many heights as there are rows.
    """
    joints = [f"ground-beam{k} R {k * 0.8:.2f} {0.05 * (k % 2)}" for k in range(columns + 1)]
    for k in range(columns):
        for level in range(rows):
            near = (k * 0.8 + 0.05 * (level + 1) + 0.03 * k, 0.5 * (level + 1) + 0.04 * k)
            far = ((k + 1) * 0.8 + 0.07 * (level + 1), 0.45 * (level + 1) + 0.06 * (k + 1))
            strut = f"strut{k}_{level}_{k}"
            joints.append(f"beam{k}-{strut} R {near[0]:.3f} {near[1]:.3f}")
            joints.append(f"{strut}-beam{k + 1} R {far[0]:.3f} {far[1]:.3f}")
    return ";".join(joints)


#: Bars in a frame of cells, all pinned: each cell leans; two cells share a bar that bends in its middle.
_COUPLED = {
    "ThreeLoopsStar": "ground-crank R 0 0; crank-link1 R 0.1 0.4; link1-plate R 0.4 1.0;"
    "plate-link2 R 0.9 1.1;"
    "link2-arm R 1.2 0.6; arm-ground R 1.4 0; plate-link3 R 0.6 1.3; link3-arm R 1.6 0.9;"
    "plate-link4 R 0.5 1.4; link4-ground R -0.3 1.8",
    "ThreeLoopsPath": "ground-crank R 0 0; crank-link1 R 0.1 0.3; link1-plate1 R 0.5 0.9;"
    "plate1-ground2 R 0.8 0.5;"
    "ground2-ground R 0.7 -0.1; plate1-link2 R 0.8 1.1; link2-plate2 R 1.3 1.0; plate2-arm R 1.5 0.6;"
    "arm-ground R 1.6 0; plate2-top R 1.6 1.2; top-ground R 1.5 1.9",
    "FourWindows": "ground-crank R 0 0; crank-bar1 R 0.05 0.5; bar1-post1 R 0.7 0.55; post1-ground R 0.8 0;"
    "post1-bar2 R 0.75 0.3; bar2-post2 R 1.5 0.5; post2-ground R 1.6 0; bar1-post3 R 0.4 0.6;"
    "post3-bar3 R 0.3 1.1; bar3-post4 R 1.1 1.2; post4-bar2 R 1.1 0.5",
}

PLANAR = (
    *(Mechanism(name, "planar chains", joints) for name, joints in (_CHAINS | _COUPLED).items()),
    *(
        Mechanism(f"Planar3{letters}", "planar platforms", _platform(letters))
        for letters in ("RRR", "RPR", "PRR")
    ),
    Mechanism("Windows2", "planar chains", _windows(2, 1)),
    Mechanism("Windows4", "planar chains", _windows(4, 1)),
)
