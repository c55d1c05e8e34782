"""How long the generated equations take: beside other programs, with other closures and with other trees.
Also how long fmugen takes to generate them.

speed      right-hand sides and steps beside the programs of ``peers``
closures   exact closure beside iteration and stabilization
exports    CPU time of the first export, by stage
sizes      model files of any size
trees      the tree sets of Léger's appendix A beside the trees that fmugen chooses
prices     the fit of the weights by which fmugen prices trees
leger      the tables of that appendix
timing     the programs in C that measure (time_*.c, closure_probe.c)
"""
