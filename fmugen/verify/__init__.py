"""The independent judge: a numerical reference for a SystemModel, and the comparison of an FMU with it.

Nothing here shares code with the compiler. The reference is a differential-algebraic system in
absolute coordinates built from the SystemModel by numbers alone; the FMU is run by FMPy like any
importer would run it.

    rotations   matrices and quaternions
    layout      SystemModel -> numbers: parameters, body indices, attachment places and axes
    moved       inputs that move between communication points
    evaluate    Formula -> number, with time derivatives for prescribed motions
    charts      coordinates of bodies in the plane and in space
    measures    displacements, cosines, spins, and the angles and lengths made of them
    simple      the measures that are not made of others, with Jacobian and acceleration bias
    measure_batch  many measures of any kind
    couplings   joint angles and Euler angles as measures
    constraints joints and drivers as measures that equal functions of time
    readings    the quantities of motion, as measures with names
    masses      inertia
    forces      gravity, loads, springs: forces, stored energy and power
    mechanism   masses, constraints and forces: accelerations and multipliers at a state
    initial_pose    start values -> a first rough posture
    assembly    start values -> a consistent position and velocity
    outputs     outputs, also those that are derivatives by inputs
    reference   the motion, to integration tolerances near machine precision
    frames      the frames of bodies as an FMU tells them -> coordinates
    energy      the energy balance of any motion of a mechanism
    simulate    an FMU -> its trajectory, in a process of its own (fmu_runner)
    deadline    how long the reference may take
    compare     both -> a Verification
    crosscheck  a Verification -> the files of an FMI cross-check, and back
"""
