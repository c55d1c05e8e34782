"""Inputs that prescribe motions, and the inputs that are their derivatives."""

from __future__ import annotations

from fmugen.ir.model import Input, SystemModel

__all__ = ["driving_inputs", "rate_chains"]


def rate_chains(model: SystemModel) -> tuple[tuple[Input, ...], ...]:
    """Each input that has a rate and is not a rate itself, followed by its rate, the rate of that, ..."""
    named = {variable.name: variable for variable in model.inputs}
    rates = {variable.rate for variable in model.inputs}
    chains = []
    for variable in model.inputs:
        if variable.rate and variable.name not in rates:
            chain = [variable]
            while chain[-1].rate:
                chain.append(named[chain[-1].rate])
            chains.append(tuple(chain))
    return tuple(chains)


def driving_inputs(model: SystemModel) -> frozenset[str]:
    """The inputs that formulas of drivers name, and all their rates."""
    used = {name for driver in model.in_section("drivers") for name in driver.names()}
    named = {variable.name: variable for variable in model.inputs}
    found: set[str] = set()
    for name in used & named.keys():
        while name and name not in found:
            found.add(name)
            name = named[name].rate
    return frozenset(found)
