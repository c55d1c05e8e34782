"""The reference for networks: a sparse tableau of all edges, reduced numerically to x' = f(t, x).

values      values of components: formulas with their derivatives
parts       a component as edges, storages and laws
variables   unknowns and states, and the variables of edges in terms of them
tableau     the laws of all components and the balances of all nodes as one system
reduction   the tableau as x' = f(t, x)
start       a consistent start
system      the network of a model, and the readings of its quantities
follow      the motion of the states from one output time to the next
drive       a network on the joints of a mechanism
power       the balance of powers (Tellegen's theorem)
judge       an FMU against the reference
matrices    dense and sparse matrices
"""
