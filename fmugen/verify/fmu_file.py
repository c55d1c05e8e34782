"""The description of an FMU, as far as it is needed to run it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from fmugen.archives import fmu_description
from fmugen.errors import SimulationError
from fmugen.ir.model import SystemModel, start_parameter
from fmugen.signals import Chain, chains_of

__all__ = ["FmuFile", "FmuVariable", "read_fmu", "require_fit"]

#: Variables of an FMU in addition to those of its model.
_OWN = ("closure.", "solver.")
#: At most so many differences are listed.
_MOST_MISFITS = 8


@dataclass(frozen=True)
class FmuVariable:
    name: str
    causality: str
    unit: str
    start: float = 0.0
    derivative_of: str = ""


@dataclass(frozen=True)
class FmuFile:
    """The variables of an FMU, and the experiment it proposes (``None`` where it proposes nothing)."""

    path: Path
    name: str
    variables: tuple[FmuVariable, ...]
    stop: float | None
    step: float | None
    #: The integrator of co-simulation, if the FMU names it.
    method: str = ""

    def names(self, causality: str) -> list[str]:
        """The real variables of one causality, in declared order."""
        return [variable.name for variable in self.variables if variable.causality == causality]

    def chains(self) -> tuple[Chain, ...]:
        """The inputs whose derivatives are inputs."""
        inputs = [variable for variable in self.variables if variable.causality == "input"]
        starts = {variable.name: variable.start for variable in inputs}
        rates = {each.derivative_of: each.name for each in inputs if each.derivative_of in starts}
        return chains_of(rates, starts)

    def unit(self, name: str) -> str:
        return next(variable.unit for variable in self.variables if variable.name == name)


def read_fmu(path: Path) -> FmuFile:
    """Read the description of an FMU of FMI 2.0 or 3.0.

    Raises
    ------
    SimulationError
        If the file is not such an FMU.
    """
    root = fmu_description(path)
    version = root.get("fmiVersion", "")
    if version != "2.0" and not version.startswith("3."):
        raise SimulationError(f"{path} is of FMI version {version or 'unknown'}: only 2.0 and 3.0 can be run")
    experiment = root.find("DefaultExperiment")
    return FmuFile(
        path,
        root.get("modelName", path.stem),
        tuple(_variables(root) if version == "2.0" else _float_variables(root)),
        _number(experiment, "stopTime"),
        _number(experiment, "stepSize"),
        _method(root),
    )


def require_fit(fmu: FmuFile, model: SystemModel) -> None:
    """Whether an FMU may be judged by the reference of a model.

    Raises
    ------
    SimulationError
        With the names of inputs, outputs, parameters or bodies that only one of them has, and of parameters
        with other values.
    """
    misfits = list(_misfits(fmu, model))
    if misfits:
        shown = "; ".join(misfits[:_MOST_MISFITS]) + ("; ..." if len(misfits) > _MOST_MISFITS else "")
        raise SimulationError(f"{fmu.path} is not an FMU of {model.name}: {shown}")


def _parameters(model: SystemModel) -> dict[str, float]:
    """The parameters of a model and its adjustable start values."""
    parameters = {parameter.name: parameter.value for parameter in model.parameters}
    for start in model.starts:
        value = start.value.number
        if start.adjustable and value is not None:
            parameters[start_parameter(start)] = value
    return parameters


def _misfits(fmu: FmuFile, model: SystemModel) -> Iterator[str]:
    parameters = _parameters(model)
    declared = {
        "input": [variable.name for variable in model.inputs],
        "output": [output.name for output in model.outputs],
        "parameter": list(parameters),
    }
    for causality, names in declared.items():
        found = [name for name in fmu.names(causality) if not name.startswith(_OWN)]
        yield from _absent(f"the FMU has no {causality}", names, found)
        yield from _absent(f"the model has no {causality}", found, names)
    starts = {variable.name: variable.start for variable in fmu.variables}
    for name, value in parameters.items():
        if name in starts and starts[name] != value:
            yield f"the parameter {name!r} is {starts[name]:g} in the FMU and {value:g} in the model"
    shown = [body.name for body in model.bodies if f"{body.name}.x" in starts]
    yield from _absent("the FMU has no body", [body.name for body in model.bodies], shown)


def _absent(sentence: str, names: Iterable[str], among: Collection[str]) -> Iterator[str]:
    return (f"{sentence} {name!r}" for name in names if name not in among)


def _method(root: etree._Element) -> str:
    """The integrator, an item of an enumeration; empty where there is none."""
    for variable in root.iterfind("ModelVariables/*"):
        if variable.get("name") == "solver.method":
            value = variable.find("Enumeration")
            value = variable if value is None else value
            kind, number = value.get("declaredType"), value.get("start")
            for declared in root.iterfind("TypeDefinitions/*"):
                if declared.get("name") == kind:
                    items = {item.get("value"): item.get("name", "") for item in declared.iter("Item")}
                    return items.get(number, "")
    return ""


def _variables(root: etree._Element) -> list[FmuVariable]:
    units = {
        simple.get("name", ""): real.get("unit", "1")
        for simple in root.iterfind("TypeDefinitions/SimpleType")
        for real in simple.iterfind("Real")
    }
    names = [variable.get("name", "") for variable in root.iterfind("ModelVariables/ScalarVariable")]
    return [
        FmuVariable(
            variable.get("name", ""),
            variable.get("causality", "local"),
            real.get("unit") or units.get(real.get("declaredType", ""), "1"),
            float(real.get("start") or 0.0),
            names[int(real.get("derivative", "0")) - 1] if real.get("derivative") else "",
        )
        for variable in root.iterfind("ModelVariables/ScalarVariable")
        for real in variable.iterfind("Real")
    ]


def _float_variables(root: etree._Element) -> list[FmuVariable]:
    """The scalar variables of FMI 3.0, where ``derivative`` is a value reference."""
    units = {
        kind.get("name", ""): kind.get("unit", "1") for kind in root.iterfind("TypeDefinitions/Float64Type")
    }
    found = [each for each in root.iterfind("ModelVariables/Float64") if each.find("Dimension") is None]
    names = {each.get("valueReference", ""): each.get("name", "") for each in found}
    return [
        FmuVariable(
            each.get("name", ""),
            each.get("causality", "local"),
            each.get("unit") or units.get(each.get("declaredType", ""), "1"),
            float(each.get("start") or 0.0),
            names.get(each.get("derivative", ""), ""),
        )
        for each in found
    ]


def _number(element: etree._Element | None, attribute: str) -> float | None:
    text = None if element is None else element.get(attribute)
    return None if text is None else float(text)
