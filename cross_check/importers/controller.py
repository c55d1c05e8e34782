"""A controller as an FMU of PythonFMU: it holds a rod at an angle."""

from pythonfmu import Fmi2Causality, Fmi2Slave, Real

TARGET, STIFFNESS, DAMPING = 0.5, 40.0, 4.0


def torque(angle: float, omega: float) -> float:
    """The law of the controller."""
    return STIFFNESS * (TARGET - angle) - DAMPING * omega


class Controller(Fmi2Slave):
    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.angle = 0.0
        self.omega = 0.0
        self.torque = 0.0
        self.register_variable(Real("angle", causality=Fmi2Causality.input))
        self.register_variable(Real("omega", causality=Fmi2Causality.input))
        self.register_variable(Real("torque", causality=Fmi2Causality.output))

    def do_step(self, current_time: float, step_size: float) -> bool:
        self.torque = torque(self.angle, self.omega)
        return True
