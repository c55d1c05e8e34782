"""Spelling suggestions for error messages."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["choice_hint", "closest", "did_you_mean"]


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate spelled most like ``word``, or ``None`` if none is near.

    >>> closest("stifness", ["damping", "stiffness"])
    'stiffness'
    """
    # A wrong case is the smallest mistake, but difflib counts it as a different letter.
    names = list(dict.fromkeys(candidates))
    for name in names:
        if name.lower() == word.lower():
            return name
    matches = get_close_matches(word, names, n=1, cutoff=0.6)
    return matches[0] if matches else None


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """``did you mean 'stiffness'?``, or an empty string if no candidate is near."""
    match = closest(word, candidates)
    return f"did you mean {match!r}?" if match else ""


def choice_hint(word: str, candidates: Iterable[str], opening: str) -> str:
    """The name that is nearest to ``word``; if none is near, all names after ``opening``.

    >>> choice_hint("hub", ["left", "right"], "the parts are")
    'the parts are left, right'
    """
    names = list(candidates)
    return did_you_mean(word, names) or f"{opening} {', '.join(names) or 'none'}"
