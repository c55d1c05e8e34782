"""A model file of the plane with every mechanical element once."""

from __future__ import annotations

COMPLETE = """\
[model]
name = "Bench"
description = "every element once"
gravity = [0, "-g"]

[experiment]
stop = 2
step = 0.05
tolerance = 1e-5

[parameters]
g = { value = 9.81, unit = "m/s2", description = "gravity" }
l = 0.5
k = { value = 20, unit = "N/m" }

[inputs]
drive = { start = 0.5, unit = "N.m" }

[ground]
points = { O = [0, 0], Q = ["l", 0] }

[bodies.crank]
mass = 1.5
inertia = "1.5*l^2/12"
points = { A = ["-l/2", 0], B = ["l/2", 0] }

[bodies.rod]
mass = 1
description = "no inertia"

[bodies.slider]

[bodies.flag]

[joints.pin]
type = "revolute"
from = "ground.O"
to = "crank.A"

[joints.free]
type = "virtual"
from = "crank.B"
to = "rod"

[joints.slide]
type = "prismatic"
from = "ground.Q"
to = "slider"
axis = [0, 1]
angle = "pi/2"

[joints.glue]
type = "weld"
from = "slider"
to = "flag"
angle = 0.1

[drivers.motor]
type = "rotation"
from = "ground"
to = "crank"
value = "2*pi*time"

[drivers.lift]
type = "translation"
from = "ground"
to = "slider"
value = "l*time"
axis = [0, 1]

[drivers.carry]
type = "translation"
from = "ground"
to = "rod"
value = ["l", "time"]

[forces.push]
type = "force"
on = "crank.B"
from = "slider"
value = ["-2*crank.B.vx", 0]
frame = "rod"

[forces.twist]
type = "torque"
on = "rod"
from = "crank"
value = "drive"

[springs.coil]
type = "translational"
from = "ground.Q"
to = "crank.B"
stiffness = "k"
free = "l"
actuator = "drive*sin(time)"

[springs.clock]
type = "rotational"
from = "crank"
to = "rod"
damping = 0.1

[outputs]
theta = "pin.angle"
copy = "drive"
clock_time = "time"
power = { value = "drive*crank.omega", unit = "W", description = "of the drive" }
ratio = "pin.angle/pi"

[start.fixed]
"pin.angle" = "pi/4"
[start.guess]
"rod.x" = 0.3

[trees.mine]
translation = ["pin", "free", "slide", "glue"]
rotation = ["crank", "rod", "slide", "glue"]
"""
