"""A controller as an FMU of PythonFMU: its command follows what it measures."""

from math import sin

from pythonfmu import Fmi2Causality, Fmi2Slave, Real

AMPLITUDE = 0.1


def command(measured: float) -> float:
    """The law of the controller, bounded so that it suits every mechanism."""
    return AMPLITUDE * sin(measured)


class Controller(Fmi2Slave):
    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.measured = 0.0
        self.command = 0.0
        self.register_variable(Real("measured", causality=Fmi2Causality.input))
        self.register_variable(Real("command", causality=Fmi2Causality.output))

    def do_step(self, current_time: float, step_size: float) -> bool:
        self.command = command(self.measured)
        return True
