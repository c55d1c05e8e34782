"""The nouns of the pipeline: frozen dataclasses of pure data, one module a stage.

SystemModel -> LinearGraph -> TreeSelection -> Dae -> SolutionFlow -> Program -> FmuDescription
"""
