"""A small FMU and studies of it; a system that is split."""

from __future__ import annotations

from pathlib import Path

import pytest

from fmugen.builder import ModelBuilder
from fmugen.cosim.export import export_split
from fmugen.cosim.split import split_model
from fmugen.ir.options import ExportOptions
from fmugen.pipeline import export_fmu
from tests.cosim.models import LINKS, double_pendulum

HEAD = """
[study]
subject = "pendulum.fmu"
method = "random"
runs = 120
seed = 3
chunk = 10
stop = 0.2
step = 0.05

[parameters]
length = { min = 0.5, max = 1.5 }
mass = { mean = 2.0, deviation = 0.1 }

[results]
last = "final(angle)"
fastest = "peak(rod.omega)"

[goal]
maximize = "fastest"
"""


@pytest.fixture(scope="session")
def pendulum(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pendulum whose length and mass are parameters."""
    model = (
        ModelBuilder("Pendulum", gravity=(0, "-9.81"))
        .parameter("length", 1.0, "m")
        .parameter("mass", 2.0, "kg")
        .body("rod", mass="mass", inertia="mass*length^2/12", points={"pivot": (0, "length/2")})
        .revolute("pin", "ground", "rod.pivot")
        .output("angle", "pin.angle")
        .start("pin.angle", 0.5)
        .build()
    )
    return export_fmu(model, tmp_path_factory.mktemp("study") / "pendulum.fmu", ExportOptions("aac")).path


@pytest.fixture
def study_file(pendulum: Path, tmp_path: Path) -> Path:
    """A study of the pendulum, in a folder of its own."""
    path = tmp_path / "swing.toml"
    path.write_text(HEAD.replace("pendulum.fmu", str(pendulum)))
    return path


@pytest.fixture(scope="session")
def swing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a double pendulum as one FMU, and as a package of two."""
    folder, model = tmp_path_factory.mktemp("swing"), double_pendulum()
    export_fmu(model, folder / "whole.fmu", ExportOptions("aac"))
    export_split(split_model(model, LINKS), folder / "parted.ssp", ExportOptions("aac"))
    return folder
