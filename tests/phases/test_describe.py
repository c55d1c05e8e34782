"""The FMU description: layout, attributes, units, structure, and its XML."""

from __future__ import annotations

import math
import re
from pathlib import Path

import fmpy
import pytest
from element_views import Joint, JointType, model_of
from lxml import etree

from fmugen.errors import OutputError
from fmugen.ir.fmu import CalculatedVariable, ContinuousState, FmuDescription, Knowns, Range, SolverSettings
from fmugen.ir.formula import Call, Formula, Name, Number, constant
from fmugen.ir.model import GROUND, Attachment, Body, Experiment, Input, Parameter, Start, SystemModel
from fmugen.ir.options import FmiVersion, InterfaceType, Solver
from fmugen.phases.describe import QUANTITIES, InterfaceOptions, describe, model_description_xml
from fmugen.resources import runtime_sources

HALF_LENGTH = Formula("l/2", Call("/", (Name("l"), Number(2))))


def pendulum(**changes: object) -> SystemModel:
    values: dict[str, object] = {
        "name": "Pendulum",
        "description": "a rod",
        "parameters": (Parameter("l", 0.5, "m", "length"), Parameter("k", 1e-3, "N.m/rad")),
        "inputs": (Input("torque", 0.25, "N.m"), Input("brake", 0.0, "N.m")),
        "bodies": (Body("rod", constant(1), constant(1)),),
        "joints": (Joint("pin", JointType.REVOLUTE, Attachment(GROUND), Attachment("rod")),),
        "starts": (
            Start("pin.angle", constant(0.1), fixed=True),
            Start("pin.omega", HALF_LENGTH, fixed=True),
            Start("rod.x", constant(2), fixed=False),
        ),
        "experiment": Experiment(stop=3.0, step=0.02, tolerance=1e-7),
    }
    return model_of(**{**values, **changes})  # type: ignore[arg-type]


CALCULATED = (
    CalculatedVariable("pin.angle", "rad", "coordinate"),
    CalculatedVariable(
        "alpha", "rad/s2", "", "output", Knowns(("brake", "torque"), (0,), False, ("l", "torque"))
    ),
    CalculatedVariable("height", "m", "", "output", Knowns((), (0,), True, ("l", "start.pin.angle"))),
)
STATES = (
    ContinuousState("pin.angle", "rad", "", False, Knowns(start=("l",)), "rad/s", Knowns((), (1,))),
    ContinuousState("state[2]", "", "a rate", True, Knowns(), "", Knowns(("brake",), (0, 1), True)),
)


FACE = InterfaceOptions(states=STATES, indicators=1)
FACE_3 = InterfaceOptions(FmiVersion.THREE, states=STATES, indicators=1)


def description(face: InterfaceOptions = FACE, **changes: object) -> FmuDescription:
    return describe(pendulum(**changes), CALCULATED, "{guid}", face=face, environment={})


def xml_of(subject: FmuDescription) -> etree._Element:
    return etree.fromstring(model_description_xml(subject))


def schema(fmi: int = 2) -> etree.XMLSchema:
    folder = Path(fmpy.__file__).parent / "schema" / f"fmi{fmi}"
    return etree.XMLSchema(etree.parse(str(folder / f"fmi{fmi}ModelDescription.xsd")))


def test_value_references_are_positions_in_the_flat_array() -> None:
    subject = description()
    assert [variable.value_reference for variable in subject.variables] == list(range(len(subject.variables)))


def test_layout_is_consecutive() -> None:
    layout = description().layout
    assert layout.parameters == Range(0, 3)
    assert layout.settings == Range(3, 5)
    assert layout.inputs == Range(8, 2)
    assert layout.calculated == Range(10, 3)
    assert layout.states == Range(13, 1)
    assert layout.derivatives == Range(14, 2)
    assert layout.indicators == Range(16, 1)
    assert layout.diagnostics == Range(17, 3)
    assert layout.size == 20


def test_names_in_order() -> None:
    assert [variable.name for variable in description().variables] == [
        "l",
        "k",
        "start.pin.angle",
        "solver.step",
        "solver.relative_tolerance",
        "solver.absolute_tolerance",
        "solver.max_steps",
        "solver.method",
        "torque",
        "brake",
        "pin.angle",
        "alpha",
        "height",
        "state[2]",
        "der(pin.angle)",
        "der(state[2])",
        "event[1]",
        "closure.residual",
        "closure.iterations",
        "solver.steps",
    ]


def test_start_values() -> None:
    settings = SolverSettings(
        0.5, relative_tolerance=1e-3, absolute_tolerance=1e-4, max_steps=7, method=Solver.RK4
    )
    subject = describe(pendulum(), CALCULATED, "{guid}", face=FACE, settings=settings, environment={})
    assert subject.start_values[:10] == (0.5, 1e-3, 0.1, 0.5, 1e-3, 1e-4, 7.0, 2.0, 0.25, 0.0)
    assert set(subject.start_values[10:]) == {0.0}


def test_only_plain_fixed_start_values_are_parameters() -> None:
    names = {variable.name for variable in description().parameters if variable.name.startswith("start.")}
    assert names == {"start.pin.angle"}
    (start,) = (v for v in description().parameters if v.name == "start.pin.angle")
    assert start.unit == "rad"


def test_attributes_of_each_kind() -> None:
    kinds = {
        variable.name: (
            variable.causality,
            variable.variability,
            variable.initial,
            variable.start is not None,
        )
        for variable in description().variables
    }
    assert kinds["l"] == ("parameter", "tunable", "exact", True)
    assert kinds["start.pin.angle"] == kinds["solver.step"] == ("parameter", "fixed", "exact", True)
    assert kinds["torque"] == ("input", "continuous", None, True)
    assert kinds["alpha"] == ("output", "continuous", "calculated", False)
    assert (
        kinds["pin.angle"]
        == kinds["der(pin.angle)"]
        == kinds["solver.steps"]
        == ("local", "continuous", "calculated", False)
    )


def test_repeated_names_are_refused() -> None:
    with pytest.raises(OutputError, match="same name: l;"):
        describe(pendulum(), (CalculatedVariable("l"),), "{guid}", environment={})


@pytest.mark.parametrize("face", [FACE, FACE_3])
def test_xml_is_valid(face: InterfaceOptions) -> None:
    schema(face.fmi.value).assertValid(xml_of(description(face)))


@pytest.mark.parametrize("fmi", list(FmiVersion))
def test_xml_without_outputs_and_inputs_is_valid(fmi: FmiVersion) -> None:
    bare = describe(
        pendulum(inputs=(), parameters=()), (), "{guid}", face=InterfaceOptions(fmi), environment={}
    )
    schema(fmi.value).assertValid(xml_of(bare))


@pytest.mark.parametrize("fmi", list(FmiVersion))
@pytest.mark.parametrize("interface", list(InterfaceType))
def test_only_the_interfaces_that_were_asked_for(fmi: FmiVersion, interface: InterfaceType) -> None:
    root = xml_of(description(InterfaceOptions(fmi, (interface,), STATES)))
    found = {tag for tag in ("CoSimulation", "ModelExchange") if root.find(tag) is not None}
    assert found == {"CoSimulation" if interface is InterfaceType.CO_SIMULATION else "ModelExchange"}
    schema(fmi.value).assertValid(root)


def test_xml_is_the_same_every_time() -> None:
    assert model_description_xml(description()) == model_description_xml(description())


def listed(root: etree._Element, tag: str) -> list[tuple[str, ...]]:
    return [
        tuple(unknown.get(key, "") for key in ("index", "valueReference", "dependencies"))
        for unknown in root.findall(f"ModelStructure/{tag}")
    ]


def test_structure_of_fmi_2_counts_variables_from_one() -> None:
    root = xml_of(description())
    assert listed(root, "Outputs/Unknown") == [("12", "", "9 10 11"), ("13", "", "11")]
    assert listed(root, "Derivatives/Unknown") == [("15", "", "14"), ("16", "", "10 11 14")]
    assert listed(root, "InitialUnknowns/Unknown") == [
        ("11", "", "1"),
        ("12", "", "1 9"),
        ("13", "", "1 3"),
        ("14", "", ""),
        ("15", "", ""),
        ("16", "", ""),
    ]


def test_structure_of_fmi_3_names_value_references_and_time() -> None:
    root = xml_of(description(FACE_3))
    assert listed(root, "Output") == [("", "11", "8 9 10"), ("", "12", "10 20")]
    assert listed(root, "ContinuousStateDerivative") == [("", "14", "13"), ("", "15", "9 10 13 20")]
    assert [reference for _, reference, _ in listed(root, "EventIndicator")] == ["16"]
    time = root.findall("ModelVariables/Float64")[-1]
    assert (time.get("causality"), time.get("valueReference")) == ("independent", "20")


def test_derivatives_name_their_states() -> None:
    two, three = xml_of(description()), xml_of(description(FACE_3))
    reals = {v.get("name"): v[0].get("derivative") for v in two.findall("ModelVariables/ScalarVariable")}
    floats = {v.get("name"): v.get("derivative") for v in three.findall("ModelVariables/Float64")}
    assert (reals["der(pin.angle)"], reals["der(state[2])"]) == ("11", "14")
    assert (floats["der(pin.angle)"], floats["der(state[2])"]) == ("10", "13")


def test_limits_of_the_model_are_told() -> None:
    limited = Parameter("l", 0.5, "m", minimum=0.1, maximum=2.0, nominal=1.0)
    root = xml_of(describe(pendulum(parameters=(limited,)), (), "{guid}", environment={}))
    real = root.findall("ModelVariables/ScalarVariable")[0][0]
    assert [real.get(key) for key in ("min", "max", "nominal")] == ["0.1", "2.0", "1.0"]


def test_sources_are_listed_for_both_interfaces() -> None:
    root = etree.fromstring(model_description_xml(description(), ("a.c", "b.c")))
    for interface in ("CoSimulation", "ModelExchange"):
        files = root.findall(f"{interface}/SourceFiles/File")
        assert [file.get("name") for file in files] == ["a.c", "b.c"]
    schema().assertValid(root)


def test_units_are_declared_with_their_base_units() -> None:
    units = {unit.get("name"): unit for unit in xml_of(description()).findall("UnitDefinitions/Unit")}
    assert set(units) == {"1", "m", "s", "rad", "rad/s", "rad/s2", "N.m", "N.m/rad"}
    assert dict(units["N.m/rad"][0].attrib) == {"kg": "1", "m": "2", "s": "-2", "rad": "-1"}
    assert dict(units["1"][0].attrib) == {}
    display = units["rad"].find("DisplayUnit")
    assert display is not None and display.get("name") == "deg"
    assert math.radians(float(display.get("factor", ""))) == pytest.approx(1.0, rel=1e-15)


def test_every_variable_declares_a_type_of_its_unit() -> None:
    root = xml_of(description())
    unit_of = {kind.get("name"): kind[0].get("unit") for kind in root.findall("TypeDefinitions/SimpleType")}
    reals = [real for real in root.findall("ModelVariables/ScalarVariable/Real") if real.get("unit")]
    assert reals
    assert all(unit_of[real.get("declaredType")] == real.get("unit") for real in reals)


def test_types_of_unusual_units_have_names_of_their_own() -> None:
    model = pendulum(parameters=(Parameter("rho", 1.0, "kg/m"), Parameter("c", 1.0, "kg/m3")))
    subject = describe(model, (), "{guid}", environment={})
    names = [kind.name for kind in subject.types]
    assert {"SI.'kg/m'", "SI.'kg/m3'"} <= set(names)
    assert len(names) == len(set(names))


def test_each_quantity_is_measured_in_one_unit() -> None:
    assert len(set(QUANTITIES.values())) == len(QUANTITIES)


def test_text_is_escaped_and_cleaned() -> None:
    model = pendulum(description='a < b & "c"\n\x00 é 机')
    root = xml_of(describe(model, CALCULATED, "{guid}", face=FACE, environment={}))
    assert root.get("description") == 'a < b & "c"   é 机'
    schema().assertValid(root)


def test_capabilities_and_experiment() -> None:
    root = xml_of(description())
    slave = root.find("CoSimulation")
    assert slave is not None
    assert slave.get("modelIdentifier") == "Pendulum"
    assert slave.get("canHandleVariableCommunicationStepSize") == "true"
    assert slave.get("canGetAndSetFMUstate") == slave.get("canSerializeFMUstate") == "true"
    assert slave.get("canNotUseMemoryManagementFunctions") == "false"
    assert slave.get("providesDirectionalDerivative") == slave.get("canInterpolateInputs") == "true"
    experiment = root.find("DefaultExperiment")
    assert experiment is not None
    assert dict(experiment.attrib) == {
        "startTime": "0.0",
        "stopTime": "3.0",
        "tolerance": "1e-07",
        "stepSize": "0.02",
    }


def test_log_categories_are_those_of_the_runtime() -> None:
    texts = [path.read_text(encoding="utf-8") for path in runtime_sources()]
    used = {category for text in texts for category in re.findall(r'"(log[A-Z]\w+)"', text)}
    declared = xml_of(description()).findall("LogCategories/Category")
    assert {category.get("name") for category in declared} == used


def test_date_is_written_only_when_the_build_fixes_it() -> None:
    assert xml_of(description()).get("generationDateAndTime") is None
    dated = describe(pendulum(), CALCULATED, "{guid}", face=FACE, environment={"SOURCE_DATE_EPOCH": "86400"})
    root = xml_of(dated)
    assert root.get("generationDateAndTime") == "1970-01-02T00:00:00Z"
    schema().assertValid(root)


def test_a_date_that_is_none_is_refused() -> None:
    with pytest.raises(OutputError, match="SOURCE_DATE_EPOCH is 'yesterday'"):
        describe(pendulum(), CALCULATED, "{guid}", face=FACE, environment={"SOURCE_DATE_EPOCH": "yesterday"})
