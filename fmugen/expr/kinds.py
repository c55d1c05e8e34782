"""The operations of nodes of the expression DAG, and the roles of its symbols."""

from __future__ import annotations

from enum import Enum

__all__ = ["Operation", "SymbolRole"]


class SymbolRole(Enum):
    """The quantity that a symbol stands for."""

    PARAMETER = "parameter"
    TIME = "time"
    INPUT = "input"
    COORDINATE = "coordinate"
    VELOCITY = "velocity"
    ACCELERATION = "acceleration"
    MULTIPLIER = "multiplier"
    NETWORK = "network variable"
    STATE = "state"
    ITERATED = "iterated unknown"
    RELATION = "sign of a relation"
    TURNS = "turns of an angle"
    DIRECTION = "direction"


class Operation(Enum):
    #: By identity: that of an enumeration takes a call, and every node is looked up by its operation.
    __hash__ = object.__hash__

    NUMBER = "number"
    SYMBOL = "symbol"
    ADD = "add"
    MUL = "mul"
    POWER = "power"  # integer exponent
    CALL = "call"
