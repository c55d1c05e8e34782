"""The independent judge: a numerical reference for a SystemModel, and the comparison of an FMU with it.

Nothing here shares code with the compiler. The reference is a differential-algebraic system in
absolute coordinates built from the SystemModel by numbers alone; the FMU is run by FMPy like any
importer would run it.

    layout      SystemModel -> numbers: parameters, body indices, attachment places
    evaluate    Formula -> number, with time derivatives for prescribed motions
    measures    angles and displacements of pairs of bodies, with Jacobian and acceleration bias
    gauges      the quantities of motion, as measures with names
    forces      gravity, loads, springs: forces, stored energy and power
    mechanism   masses, constraints and forces: accelerations and multipliers at a state
    sketch      start values -> a first rough posture
    assembly    start values -> a consistent position and velocity
    reference   the motion, to integration tolerances near machine precision
    energy      the energy balance of any motion of a mechanism
    simulate    an FMU -> its trajectory, in a process of its own (fmu_runner)
    compare     both -> a Verification
"""
