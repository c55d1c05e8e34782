"""Many runs of one FMU or of one split system: sweeps, random samples and sensitivity, on many workers.

    STUDY.toml -> Study -> Plan (a row of parameter values per run) -> parts on disk -> Findings

A part holds the results of consecutive runs and appears complete or not at all, so that a study that was
stopped goes on with the parts that are missing.
"""

from fmugen.study.conduct import conduct
from fmugen.study.findings import Findings, find
from fmugen.study.plan import Plan, plan_runs
from fmugen.study.spec import Study, read_study
from fmugen.study.store import Store

__all__ = ["Findings", "Plan", "Store", "Study", "conduct", "find", "plan_runs", "read_study"]
