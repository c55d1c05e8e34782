"""Description, binaries, sources and documentation -> ``.fmu``."""

from fmugen.phases.pack.archive import FILE_MODE, pack, write_archive
from fmugen.phases.pack.bundle import SourceBundle, bundle_sources

__all__ = ["FILE_MODE", "SourceBundle", "bundle_sources", "pack", "write_archive"]
