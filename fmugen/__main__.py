"""``python -m fmugen``."""

from __future__ import annotations

from fmugen.cli import main

if __name__ == "__main__":
    main()
