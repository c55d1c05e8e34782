"""How long the generated equations take: beside other programs, with other closures and with other trees.

speed      right-hand sides and steps beside the programs of ``peers``
closures   exact closure beside iteration and stabilization
trees      the tree sets of Léger's appendix A beside the trees that fmugen chooses
prices     the fit of the weights by which fmugen prices trees
leger      the tables of that appendix
timing     the programs in C that measure (time_*.c, closure_probe.c)
"""
