"""The reference for networks: a sparse tableau of all edges, made an ordinary differential equation by
numbers.

    parts       a component as edges, storages and laws
    tableau     the laws of all components and the balances of all nodes as one system
    start       a consistent start
    follow      the motion of the states from one output time to the next
    power       Tellegen's theorem on given values
"""
