"""Networks: branch-chord equations, reduced to x' = f and the unknowns that must be iterated.

``equations`` writes cutset, circuit and terminal equations, ``structure`` reduces the index, chooses states
and finds the order of solution, ``blocks`` solves, ``coupling`` hands the results to the mechanism. ``nodal``
writes the equations of the nodal formulation, for comparison.
"""

from fmugen.phases.formulate.networks.coupling import couple_network
from fmugen.phases.formulate.networks.equations import network_equations
from fmugen.phases.formulate.networks.nodal import nodal_equations

__all__ = ["couple_network", "network_equations", "nodal_equations"]
