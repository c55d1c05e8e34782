"""What a step takes: measured along the declared motion (``run``), and bounded in operations (``worst``)."""

from fmugen.ir.trial import TrialRun
from fmugen.trial.run import co_simulation_sources, try_motion
from fmugen.trial.worst import WorstStep, worst_step_of

__all__ = ["TrialRun", "WorstStep", "co_simulation_sources", "try_motion", "worst_step_of"]
