"""Inputs that prescribe motions, and the inputs that are their derivatives."""

from __future__ import annotations

from fmugen.ir.model import Input, SystemModel

__all__ = ["driving_inputs", "rate_chains"]


def rate_chains(model: SystemModel) -> tuple[tuple[Input, ...], ...]:
    """Inputs with a rate that are no rate themselves, each followed by its rate, the rate of that, ..."""
    named = {given.name: given for given in model.inputs}
    rates = {given.rate for given in model.inputs}
    chains = []
    for given in model.inputs:
        if given.rate and given.name not in rates:
            chain = [given]
            while chain[-1].rate:
                chain.append(named[chain[-1].rate])
            chains.append(tuple(chain))
    return tuple(chains)


def driving_inputs(model: SystemModel) -> frozenset[str]:
    """The inputs that formulas of drivers name, and all their rates."""
    used = {name for driver in model.in_section("drivers") for name in driver.names()}
    named = {given.name: given for given in model.inputs}
    found: set[str] = set()
    for name in used & named.keys():
        while name and name not in found:
            found.add(name)
            name = named[name].rate
    return frozenset(found)
