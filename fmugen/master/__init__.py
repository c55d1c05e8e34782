"""FMUs that are connected output to input, and a master that runs them by co-simulation.

    .ssp, .fmu -> System (parts, wires, parameter values) -> Cosimulation -> values at communication points

It reads only the files of FMUs, so FMUs of all programs can be connected.
"""

from fmugen.master.cosimulation import Cosimulation, Scheme, Signals
from fmugen.master.system import PartFmu, PartVariable, System, Wire, connect, load_system, read_ssp

__all__ = [
    "Cosimulation",
    "PartFmu",
    "PartVariable",
    "Scheme",
    "Signals",
    "System",
    "Wire",
    "connect",
    "load_system",
    "read_ssp",
]
