model Pendulum "Uniform rod on a pivot with a torsion spring, a damper and a torque input"
  // Written by fmugen 0.1.0. Start values are those of the default parameters.
  parameter Real g(unit="m/s2") = 9.81 "acceleration of gravity, downwards";
  parameter Real length(unit="m") = 1.0 "length of the rod";
  parameter Real mass(unit="kg") = 1.0 "mass of the rod";
  parameter Real stiffness(unit="N.m/rad") = 0.5 "torsional stiffness of the pivot";
  parameter Real damping(unit="N.m.s/rad") = 0.05 "viscous damping of the pivot";
  parameter Real start_angle(unit="rad") = 1.0 "angle of the rod from the downward vertical at the start";
  input Real drive_torque(start=0.0, unit="N.m") "torque on the rod from the ground, counterclockwise";
  output Real angle(unit="rad") "angle of the rod from the downward vertical";
  output Real omega(unit="rad/s") "angular velocity of the rod";
  output Real tip_x(unit="m") "x of the free end";
  output Real tip_y(unit="m") "y of the free end";
  output Real pin_fx(unit="N") "x component of the pivot force on the rod";
  output Real pin_fy(unit="N") "y component of the pivot force on the rod";
  output Real energy(unit="J") "kinetic and potential energy; it never grows while the input is zero";
  Real rod_angle(start=1.0, fixed=true, unit="rad") "branch coordinate (rotation cutset rod, angle)";
  Real rod_omega(start=0.0, fixed=true, unit="rad/s");
  Real rod_alpha(unit="rad/s2");
protected
  final parameter Real w0 = length*length;
  final parameter Real w1 = 0.5*g*length*mass;
  Real w2;
  Real w3;
  Real w4;
  final parameter Real w5 = 0.5*length*mass;
equation
  // shared terms
  w2 = sin(rod_angle);
  w3 = cos(rod_angle);
  w4 = rod_omega*rod_omega;
  assert(0.3333333333333333*mass*w0 > 0.0, "the coordinates rod.angle no longer determine the motion");
  // independent coordinates
  der(rod_angle) = rod_omega;
  der(rod_omega) = rod_alpha;
  // accelerations of the independent coordinates
  rod_alpha = -3.0*(stiffness*rod_angle - drive_torque + damping*rod_omega + w1*w2)/(mass*length*length);
  // outputs
  angle = rod_angle;
  omega = rod_omega;
  tip_x = length*w2;
  tip_y = -length*w3;
  pin_fx = length*mass*(-0.5*w2*w4 + 0.5*rod_alpha*w3);
  pin_fy = g*mass + w5*w3*w4 + w5*rod_alpha*w2;
  energy = 0.16666666666666666*mass*w0*w4 - w1*w3 + 0.5*stiffness*rod_angle*rod_angle;
  annotation(experiment(StartTime=0.0, StopTime=10.0, Interval=0.01, Tolerance=1e-08));
end Pendulum;
