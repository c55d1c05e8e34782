"""SystemModel -> edges of the translational and the rotational graph: every element asks its class."""

from __future__ import annotations

from collections.abc import Iterator

from fmugen.components.axes import Axes
from fmugen.components.base import component_of
from fmugen.components.bodies import Body
from fmugen.components.joints import Joint
from fmugen.components.networks import flange_load
from fmugen.components.site import Context, Site
from fmugen.expr.affine import Affine
from fmugen.expr.dag import SymbolRole
from fmugen.ir.element import GROUND, Element
from fmugen.ir.graph import (
    Displacement,
    Edge,
    EdgeConstraint,
    ElementMode,
    ElementState,
    Role,
    Rotation,
    Symbols,
    Work,
)
from fmugen.ir.model import SystemModel
from fmugen.ir.motion import Motion
from fmugen.ir.network import FLANGE, Discipline, flange_joint

__all__ = ["Multibody"]


class Multibody:
    """Builds the edges of a model, in declared order."""

    def __init__(self, model: SystemModel, symbols: Symbols) -> None:
        self.frames = dict(_frames(model))
        self._context = Context(model, symbols, Axes(model, symbols), self.frames)
        ends = (end for element in model.elements for end in element.ends.values() if isinstance(end, str))
        #: The joints on which networks act.
        self._flanges = {joint for joint in map(flange_joint, ends) if joint is not None}
        self._parts = [(element, component_of(element)) for element in model.elements if not element.ports]
        self.constraints: list[EdgeConstraint] = []
        self.works: list[Work] = []
        dag = symbols.dag
        self.states = tuple(
            ElementState(
                element.name,
                state.name,
                state.unit,
                dag.symbol(f"{element.name}.{state.name}", SymbolRole.NETWORK),
                dag.symbol(f"der({element.name}.{state.name})", SymbolRole.NETWORK),
            )
            for element, kind in self._parts
            for state in kind.states
        )
        self.modes = tuple(
            ElementMode(element.name, mode, dag.symbol(f"{element.name}.{mode}", SymbolRole.RELATION))
            for element, kind in self._parts
            for mode in kind.modes[1:]
        )

    def edges(self) -> Iterator[Edge]:
        ground = Site(self._context, Element(GROUND, "", ""), Role.ARM, "arm")
        for point in self._context.model.ground:
            yield ground.arm(GROUND, f"{GROUND}.{point.name}", ground.vector(point.position), GROUND)
        sites = {
            element.name: Site(self._context, element, kind.role, kind.edge_label())
            for element, kind in self._parts
        }
        for element, kind in self._parts:
            for made in kind.build(sites[element.name]):
                if isinstance(made, EdgeConstraint):
                    self.constraints.append(made)
                elif isinstance(made, Work):
                    self.works.append(made)
                else:
                    yield made
        for element, kind in self._parts:
            if element.name in self._flanges and isinstance(kind, Joint):
                yield self._flange(sites[element.name], kind)
        for element, kind in self._parts:
            yield from kind.weight(sites[element.name])

    def _flange(self, at: Site, joint: Joint) -> Edge:
        """The action of the networks on a joint: a load along or about its axis."""
        discipline, freedoms, name = joint.flange, joint.freedoms(), f"{FLANGE}{at.name}"
        if discipline is None:
            raise TypeError(f"{at.name} has no flange")
        load = flange_load(at.name, discipline, at.symbols)
        if discipline is Discipline.TRANSLATIONAL:
            slide = at.translation(freedoms)
            free = Displacement(slide.frame, slide.given, slide.motion)
            ends = (at.tail.node, at.head.node)

            def force(motion: Motion) -> Affine:
                return motion.along(load)

            return Edge(name, Role.FORCE, *ends, free, force, False, "load", central=True)
        turns = Rotation(at.rotation(freedoms).turns)

        def torque(motion: Motion) -> Affine:
            return motion.about(load)

        return Edge(name, Role.FORCE, at.tail_frame, at.head_frame, turns, torque, False, "load")


def _frames(model: SystemModel) -> Iterator[tuple[str, str]]:
    """The nodes of the translational graph, each with its node of the rotational graph."""
    yield GROUND, GROUND
    yield from ((f"{GROUND}.{point.name}", GROUND) for point in model.ground)
    for element in model.in_section("bodies"):
        kind = component_of(element)
        if isinstance(kind, Body):
            yield from kind.frames(element.name)
