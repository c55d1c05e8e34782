"""Description, binaries, sources and documentation -> ``.fmu``."""

from fmugen.phases.pack.archive import FILE_MODE, pack, write_archive
from fmugen.phases.pack.bundle import Bundle, bundle_sources

__all__ = ["FILE_MODE", "Bundle", "bundle_sources", "pack", "write_archive"]
