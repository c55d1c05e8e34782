"""A recorded function: tables of inputs -> tables of outputs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fmugen.verify.rotations import Array
from fmugen.verify.tape.scalar import Tape

__all__ = ["CTape", "Program", "record"]

_OPERANDS = 3


class CTape(ctypes.Structure):
    """``Tape`` of machine.c."""

    _fields_ = (
        ("constants", ctypes.c_int32),
        ("inputs", ctypes.c_int32),
        ("steps", ctypes.c_int32),
        ("outputs", ctypes.c_int32),
        ("step", ctypes.c_void_p),
        ("output", ctypes.c_void_p),
        ("registers", ctypes.c_void_p),
    )


class Program:
    """The steps that a function of some inputs takes, for the machine."""

    def __init__(self, machine: ctypes.CDLL, tape: Tape, outputs: Sequence[Any]) -> None:
        self._machine = machine
        places = [tape.place(output) for output in outputs]
        steps, places = _needed(tape, places)
        constants = list(tape.constants)
        count, inputs = len(constants), tape.inputs

        def register(place: int) -> int:
            return -1 - place if place < 0 else count + place

        rows = [(code, *(register(place) for place in operands)) for code, *operands in steps]
        # What the structure points to lives as long as the program.
        self._steps = np.array(rows, dtype=np.int32).reshape(-1, 1 + _OPERANDS)
        self._places = np.array([register(place) for place in places], dtype=np.int32)
        self._registers = np.zeros(count + inputs + len(steps))
        self._registers[:count] = constants
        self.inputs, self.outputs = inputs, len(places)
        self.tape = CTape(
            count,
            inputs,
            len(steps),
            self.outputs,
            self._steps.ctypes.data,
            self._places.ctypes.data,
            self._registers.ctypes.data,
        )
        self.address = ctypes.addressof(self.tape)

    @property
    def steps(self) -> int:
        return len(self._steps)

    def __call__(self, inputs: Array) -> Array:
        """The outputs for inputs, or for each row of a table of inputs."""
        given = np.ascontiguousarray(inputs, dtype=np.float64)
        rows = given.size // self.inputs if given.ndim > 1 else 1
        result = np.empty((*given.shape[:-1], self.outputs))
        self._machine.run(self.address, rows, given.ctypes.data, result.ctypes.data)
        return result


def record(machine: ctypes.CDLL, inputs: int, function: Callable[[NDArray[Any]], Sequence[Any]]) -> Program:
    """The program of a function from an array of inputs to a sequence of numbers."""
    tape = Tape(inputs)
    given = np.empty(inputs, dtype=object)
    given[:] = [tape.input(number) for number in range(inputs)]
    return Program(machine, tape, function(given))


def _needed(tape: Tape, outputs: list[int]) -> tuple[list[tuple[int, ...]], list[int]]:
    """The steps that outputs depend on, and the outputs, with registers counted anew."""
    needed = [False] * len(tape.steps)
    for place in outputs:
        if place >= tape.inputs:
            needed[place - tape.inputs] = True
    for number in range(len(tape.steps) - 1, -1, -1):
        if needed[number]:
            for place in tape.steps[number][1:]:
                if place >= tape.inputs:
                    needed[place - tape.inputs] = True
    anew = list(range(tape.inputs))
    steps: list[tuple[int, ...]] = []
    for step, kept in zip(tape.steps, needed, strict=True):
        anew.append(tape.inputs + len(steps) if kept else -1)
        if kept:
            steps.append((step[0], *(place if place < 0 else anew[place] for place in step[1:])))
    return steps, [place if place < 0 else anew[place] for place in outputs]
