"""Components: each is a set of edges with terminal equations, in one place.

``build(model)`` functions take an element of the model and return its edges in both graphs. Adding a
component means adding its element to ``ir.model``, its reader entry, and one function here.

Components of networks are classes that enter themselves into a registry: see ``network``.
"""
