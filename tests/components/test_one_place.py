"""What a type of element is stands in its class; reader, builder, judge, drawings and pages ask the class."""

from __future__ import annotations

from pathlib import Path

import pytest

from fmugen.builder import ModelBuilder, element_methods
from fmugen.components.base import REGISTRY, SECTIONS, Component, Form, Key
from fmugen.components.freedoms import Line
from fmugen.components.joints import Joint
from fmugen.components.reference import table_of
from fmugen.errors import ModelError
from fmugen.ir.element import GROUND, Space
from fmugen.ir.flow import Closure
from fmugen.ir.graph import Role
from fmugen.ir.model import SystemModel, quantities
from fmugen.ir.options import ExportOptions
from fmugen.phases.graph import build_graph
from fmugen.phases.read import parse_model
from fmugen.phases.read.schema import element_table, keys_of
from fmugen.pipeline import Compilation
from fmugen.units import parse_unit
from fmugen.verify.catalogue import known_types
from fmugen.verify.mechanism import Mechanism
from fmugen.view.graph import graphs_svg
from fmugen.view.report.poses import start_poses
from fmugen.view.report.scene import scene_of

KINDS = [kind for kinds in REGISTRY.values() for kind in kinds.values()]
MECHANICAL = [kind for kind in KINDS if not SECTIONS[kind.section].network]
#: Keys that only some combinations of are complete: the section of a beam.
SECTION = {"diameter": 0.1}
#: The files that keys name, by form.
FILES = {
    Form.COEFFICIENTS: Path(__file__).parents[1] / "data" / "wheels" / "own_tyre.tir",
    Form.ARRAYS: Path(__file__).parents[2] / "examples" / "modal_panel" / "panel.npz",
}

of_types = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.section} {kind.type}")
of_mechanical_types = pytest.mark.parametrize(
    "kind", MECHANICAL, ids=lambda kind: f"{kind.section} {kind.type}"
)


def _sample(key: Key, planar: bool) -> object:
    """A value of a required key."""
    if key.form is Form.FORMULA:
        return 1.0
    if key.form in FILES:
        return str(FILES[key.form])
    return [1, 0] if planar else [1, 0, 0]


def _values(kind: type[Component], planar: bool) -> dict[str, object]:
    variants = kind.variants()
    keys = [*kind.table_keys(), *(next(iter(variants.values())) if variants else ())]
    found = {key.name: _sample(key, planar) for key in keys if key.required}
    return found | {name: value for name, value in SECTION.items() if name in {key.name for key in keys}}


def _ends(kind: type[Component]) -> list[str]:
    """The ends from tail to head: the ground or the first node, then the body ``one`` or another node."""
    if SECTIONS[kind.section].network:
        return [f"node{number}" for number, _ in enumerate(kind.ends)]
    return [*[GROUND] * (len(kind.ends) - 1), "one"][-len(kind.ends) :] if kind.ends else []


def _space(kind: type[Component]) -> Space:
    return kind.spaces[-1]


def _builder(kind: type[Component]) -> ModelBuilder:
    """A model with the element ``x`` of the type, and a body that it holds, moves or is beside."""
    space = _space(kind)
    planar = space is Space.PLANAR
    model = ModelBuilder("Sample", space=space.value)
    if not SECTIONS[kind.section].network:
        model.body("one", mass=1.0, inertia=1.0 if planar else [1, 1, 1])
        model.ground_point("P", 2, 1) if planar else model.ground_point("P", 2, 1, 3)
    return model.add(kind.section, "x", kind.type, *_ends(kind), **_values(kind, planar))


def _model(kind: type[Component]) -> SystemModel:
    return _builder(kind).build()


@of_types
def test_a_type_says_what_it_is(kind: type[Component]) -> None:
    """It has a sentence, and keys with a meaning and a unit that its table in a file has as well."""
    assert kind.__doc__ and len(kind.__doc__.split("\n\n")[0].split()) <= 30
    keys = kind.table_keys()
    assert all(key.help for key in keys)
    for key in keys:
        parse_unit(key.unit)
    known = keys_of(element_table(kind), Space.SPATIAL)
    assert {end.key for end in kind.ends} | {key.name for key in keys} <= set(known)


@of_types
def test_a_type_is_read_and_built_alike(kind: type[Component]) -> None:
    """A table of the file and a call of the builder give the same element."""
    planar = _space(kind) is Space.PLANAR
    lines = [f'[model]\nname = "Sample"\nspace = "{_space(kind).value}"']
    if not SECTIONS[kind.section].network:
        lines.append(f"[bodies.one]\nmass = 1.0\ninertia = {1.0 if planar else [1, 1, 1]}")
        lines.append(f"[ground.points]\nP = {[2, 1] if planar else [2, 1, 3]}")
    lines.append(f"[{kind.section}.x]")
    if kind.type != SECTIONS[kind.section].default:
        lines.append(f'type = "{kind.type}"')
    lines += [f'{end.key} = "{node}"' for end, node in zip(kind.ends, _ends(kind), strict=True)]
    lines += [f"{name} = {value!r}" for name, value in _values(kind, planar).items()]
    read, built = parse_model("\n".join(lines), "sample.toml"), _model(kind)
    assert read.element("x") == built.element("x")
    assert (read.element("x").section, read.element("x").type) == (kind.section, kind.type)


@of_types
def test_the_reader_names_a_key_that_is_missing(kind: type[Component]) -> None:
    for name in _values(kind, _space(kind) is Space.PLANAR):
        builder = _builder(kind)
        del builder._sections[kind.section]["x"][name]  # type: ignore[attr-defined]
        with pytest.raises(ModelError) as caught:
            builder.build()
        assert any(name in str(problem) for problem in caught.value.problems)


@of_mechanical_types
def test_the_builder_has_a_method_for_every_type(kind: type[Component]) -> None:
    arguments = element_methods()[kind.builder_method()].parameters
    assert {key.name for key in kind.table_keys()} <= set(arguments)


@of_types
def test_a_type_has_edges_and_quantities(kind: type[Component]) -> None:
    """The graph has edges of the element, and every quantity belongs to it and has a unit."""
    model = _model(kind)
    graph = build_graph(model)
    edges = [
        edge
        for one in (graph.translation, graph.rotation, *graph.networks)
        for edge in one.edges
        if edge.name.split(".")[0].rstrip("12") == "x"
    ]
    assert edges
    if not SECTIONS[kind.section].network:
        assert kind.edge_label() in {edge.label for edge in edges}
    own = [each for each in quantities(model) if each.owner.split(".")[0] == "x"]
    assert own
    for quantity in own:
        parse_unit(quantity.unit)


@of_types
def test_the_judge_knows_every_type(kind: type[Component]) -> None:
    assert (kind.section, kind.type) in known_types()


@of_mechanical_types
def test_the_judge_has_equations_for_every_type(kind: type[Component]) -> None:
    """Its law can be built with numbers."""
    assert "x" in [element.name for element, _ in Mechanism(_model(kind), {}).elements]


@of_mechanical_types
def test_a_type_is_drawn(kind: type[Component]) -> None:
    """The graphs have its label; the scene has its mark, line or body; a slide has a rail."""
    model = _model(kind)
    made = Compilation(model, ExportOptions("jc", Closure.NEWTON))
    assert f"x: {kind.edge_label()}" in graphs_svg(made.graph, made.trees, "Sample")
    scene = scene_of(model, start_poses(model, made.dae, made.flow))
    assert scene is not None
    drawn = [each.name for each in (*scene.markers, *scene.connectors)]
    if kind.section == "bodies":
        assert "x" in scene.bodies
    elif kind.symbol is not None:
        assert "x" in drawn or scene.outlines
    if issubclass(kind, Joint) and isinstance(kind.prototype().freedoms().slides, Line):  # type: ignore[attr-defined]
        assert scene.rails


@of_types
def test_a_type_is_documented(kind: type[Component]) -> None:
    rows = [line for line in table_of(kind.section).splitlines() if line.startswith(f"| `{kind.type}`")]
    assert len(rows) == 1


@of_mechanical_types
def test_forces_do_not_depend_on_forces(kind: type[Component]) -> None:
    """A quantity that a force has, or that follows from one, is refused in the formula of another force."""
    planar = _space(kind) is Space.PLANAR
    own = [each for each in quantities(_model(kind)) if each.owner == "x" and each.effort]
    for quantity in own[:1]:
        push = [quantity.name, 0] if planar else [quantity.name, 0, 0]
        with pytest.raises(ModelError) as caught:
            _builder(kind).force("push", "one", push).build()
        assert "cannot be used here" in str(caught.value.problems[0])
    assert own or kind.role in (Role.BODY, Role.VIRTUAL)
