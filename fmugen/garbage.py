"""The collector of cyclic garbage, slowed down while expressions are built.

A compilation makes hundreds of thousands of objects that live as long as it does. The collector visits them
again and again and finds almost nothing, since reference counts free what is no longer used.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["rare_collection"]

#: New objects between two collections of the youngest. At about 100 bytes each this is 20 MB of garbage.
_YOUNG = 200_000
#: Collections of one generation for each collection of the next.
_OLDER = (20, 100)


@contextmanager
def rare_collection() -> Iterator[None]:
    """Collect cyclic garbage rarely. The thresholds from before return at the end."""
    before = gc.get_threshold()
    if before[0] == 0 or before[0] >= _YOUNG:  # 0: the caller has switched it off
        yield
        return
    gc.set_threshold(_YOUNG, *_OLDER)
    try:
        yield
    finally:
        gc.set_threshold(*before)
