"""A corpus of mechanisms by topology, and how far exact closure reaches over it."""
