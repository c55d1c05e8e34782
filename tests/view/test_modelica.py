"""The Modelica model: it parses, it compiles, and it moves as the FMU does."""

from __future__ import annotations

from pathlib import Path

import fmpy
import numpy as np
import pymoca.parser
import pytest
import rumoca

from fmugen.errors import OutputError
from fmugen.ir.flow import Closure
from fmugen.ir.model import Input, Parameter, SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import parse_model
from fmugen.pipeline import Compilation, export_fmu
from fmugen.view.modelica import import_script, modelica_files
from tests.models.overconstrained import third_crank
from tests.support import example


def driven(text: str, model: SystemModel) -> str:
    """The model with its inputs at their start values."""
    values = ", ".join(f"{item.name} = {item.start!r}" for item in model.inputs)
    return f"{text}\nmodel Driven\n  extends {model.name}({values});\nend Driven;\n"


def simulated(text: str, model: SystemModel, stop: float) -> rumoca.Result:
    tolerance = model.experiment.tolerance * 1e-2
    settings = rumoca.SimConfig(
        solver="rk-like", rtol=tolerance, atol=tolerance * 1e-2, dt=stop / 100, max_wall_seconds=60
    )
    session = rumoca.Session().loads(driven(text, model), model="Driven")
    return session.simulate(t=(0.0, stop), config=settings)


@pytest.mark.parametrize(
    ("name", "stop"),
    [
        ("pendulum", 2.0),  # no loop
        ("slider_crank", 2.0),  # an angle with two assembly modes
        ("tumbling_body", 0.5),  # quaternions: a length with two assembly modes
        ("motor_slider_crank", 1.0),  # with a network
        ("stephenson_iii", 2.0),  # a polynomial, and motion in matrix form, left to the tool
    ],
)
def test_moves_as_the_fmu_does(name: str, stop: float, tmp_path: Path) -> None:
    model = example(name)
    export = export_fmu(model, tmp_path / "model.fmu", ExportOptions("aac"))
    text = modelica_files(export.compilation, "model.fmu")[f"{model.name}.mo"]
    assert model.name in pymoca.parser.parse(text).classes
    result = simulated(text, model, stop)
    outputs = [output.name for output in model.outputs]
    reference = fmpy.simulate_fmu(
        str(export.path), stop_time=stop, output_interval=stop / 100, output=outputs, fmi_type="CoSimulation"
    )
    for output in outputs:
        expected = reference[output]
        scale = np.abs(expected).max() + 1e-6
        assert np.abs(np.array(result[output]) - expected).max() < 1e-6 * scale, output


def test_leaving_the_start_coordinates_ends_with_a_sentence() -> None:
    model = example("five_bar")
    options = ExportOptions("aac", independent=("m1.angle", "m4.angle"))
    text = modelica_files(Compilation(model, options), "model.fmu")["FiveBar.mo"]
    with pytest.raises(rumoca.SimulationError, match="no longer determine the motion"):
        simulated(text, model, 2.0)


def test_parameters_that_break_a_redundancy_end_with_the_name_of_the_joint() -> None:
    model = third_crank().model
    text = modelica_files(Compilation(model, ExportOptions("aac")), "model.fmu")["ThirdCrank.mo"]
    assert simulated(text, model, 0.2)
    with pytest.raises(rumoca.SimulationError, match="pin3 is open"):
        simulated(text.replace('Real r2(unit="m") = 0.3', 'Real r2(unit="m") = 0.33'), model, 0.2)


def test_names_that_modelica_reserves_or_shares() -> None:
    model = parse_model(
        """
        [model]
        name = "Names"
        [parameters]
        end = { value = 2.0, unit = "kg" }
        pin_angle = 1.0
        [bodies.rod]
        mass = "end"
        inertia = "pin_angle"
        [joints.pin]
        type = "revolute"
        from = "ground"
        to = "rod"
        [outputs]
        equation = { value = "pin.angle", description = 'says "angle"' }
        """,
        "names.toml",
    )
    text = modelica_files(Compilation(model, ExportOptions(trees="jc")), "Names.fmu")["Names.mo"]
    assert 'parameter Real end_(unit="kg") = 2.0;' in text
    assert 'output Real equation_(unit="rad") "says \\"angle\\"";' in text
    assert "equation_ = pin_angle_;" in text
    assert rumoca.Session().loads(text, model="Names").simulate(t=(0.0, 1.0), dt=0.5)["equation_"][-1] == 0


def test_stabilized_closures_are_refused() -> None:
    generated = Compilation(example("slider_crank"), ExportOptions("aac", closure=Closure.BAUMGARTE))
    with pytest.raises(OutputError, match="baumgarte cannot be written in Modelica: use triangular, newton"):
        modelica_files(generated, "SliderCrank.fmu")


def test_import_script_feeds_every_input() -> None:
    model = SystemModel("Swing", parameters=(Parameter("m", 1.0),), inputs=(Input("torque", 0.5, "N.m"),))
    script = import_script(model, "Swing.fmu")
    assert 'importFMU("Swing.fmu");' in script
    assert "  Swing_me_FMU fmu;\nequation\n  fmu.torque = 0.5;\nend SwingImported;" in script


def test_laws_that_switch_have_their_signs_as_variables() -> None:
    """Generated code holds signs between events; the Modelica model computes them."""
    text = """
    [model]
    name = "Rubbing"
    [parameters]
    friction = 0.3
    [ground.points]
    O = [0, 0]
    [bodies.rod]
    mass = 1.0
    inertia = 0.1
    points.A = [0, 0.5]
    [joints.pin]
    type = "revolute"
    from = "ground.O"
    to = "rod.A"
    [forces.rub]
    type = "torque"
    on = "rod"
    value = "-friction*sign(rod.omega)"
    """
    model = parse_model(text, "Rubbing.toml")
    written = modelica_files(Compilation(model, ExportOptions("aac")), "Rubbing.fmu")["Rubbing.mo"]
    assert "sign_0 = sign(" in written
    assert "Rubbing" in pymoca.parser.parse(written).classes
