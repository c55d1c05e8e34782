"""The phases of the compiler: each takes one noun of ``fmugen.ir`` and gives the next.

A phase is one module or package with one public function; no phase imports another.
"""
