"""A pendulum as a Python slave FMU, integrated by scipy: a partner to judge that is not of this project.

``GRAVITY`` and ``MISHAP`` are edited by the tests to make wrong, failing, hanging and careless FMUs.
"""

import math
import os
import time

from pythonfmu import Fmi2Causality, Fmi2Slave, Fmi2Variability, Real
from scipy.integrate import solve_ivp

GRAVITY = 9.81
MISHAP = "none"


class Pendulum(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.theta, self.rate = 1.0, 0.0
        self.m, self.l, self.g = 2.0, 0.7, GRAVITY
        self.rtol, self.atol = 1e-6, 1e-8
        for name, attribute in (
            ("m", "m"),
            ("l", "l"),
            ("g", "g"),
            ("solver.relative_tolerance", "rtol"),
            ("solver.absolute_tolerance", "atol"),
        ):
            self._add(name, Fmi2Causality.parameter, attribute)
        calculated = {
            "angle": lambda: self.theta,
            "omega": lambda: self.rate,
            "x": lambda: self.l * math.sin(self.theta),
            "fx": lambda: self._reaction()[0],
            "fy": lambda: self._reaction()[1],
        }
        local = {
            "rod.x": lambda: self.l / 2 * math.sin(self.theta),
            "rod.y": lambda: -self.l / 2 * math.cos(self.theta),
            "rod.angle": lambda: self.theta,
            "rod.vx": lambda: self.l / 2 * math.cos(self.theta) * self.rate,
            "rod.vy": lambda: self.l / 2 * math.sin(self.theta) * self.rate,
            "rod.omega": lambda: self.rate,
            "closure.residual": lambda: 0.0,
        }
        for names, causality in ((calculated, Fmi2Causality.output), (local, Fmi2Causality.local)):
            for name, getter in names.items():
                self.register_variable(Real(name, causality=causality, getter=getter))

    def _add(self, name, causality, attribute):
        self.register_variable(
            Real(
                name,
                causality=causality,
                variability=Fmi2Variability.fixed,
                start=getattr(self, attribute),
                getter=lambda: getattr(self, attribute),
                setter=lambda value: setattr(self, attribute, value),
            )
        )

    def _alpha(self, theta):
        return -1.5 * self.g / self.l * math.sin(theta)

    def _reaction(self):
        sine, cosine, alpha = math.sin(self.theta), math.cos(self.theta), self._alpha(self.theta)
        half = self.m * self.l / 2
        fx = half * (alpha * cosine - self.rate**2 * sine)
        return fx, half * (alpha * sine + self.rate**2 * cosine) + self.m * self.g

    def do_step(self, current_time, step_size):
        if MISHAP == "hang":
            time.sleep(600)
        if MISHAP == "crash":
            os.abort()
        if MISHAP == "error" and current_time > 0.5:
            raise ValueError("the pin of the pendulum broke")
        # A careless solver is exact only where somebody looks.
        careless = MISHAP == "careless" and self.rtol > 1e-10
        solution = solve_ivp(
            lambda _, y: [y[1], self._alpha(y[0])],
            (0.0, step_size),
            [self.theta, self.rate],
            method="RK23" if careless else "DOP853",
            rtol=1e-2 if careless else self.rtol,
            atol=1e-2 if careless else self.atol,
        )
        self.theta, self.rate = solution.y[:, -1]
        return True
