"""The texts that an object file depends on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

__all__ = ["influences"]

_INCLUDED = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)
#: A constant defined on one line; its name is the group.
_CONSTANT = re.compile(r"^#define[ \t]+(\w+)(?![\w(]).*(?<!\\)$", re.MULTILINE)
#: Macros that build names from others: the names used cannot be found in the text.
_PASTING = "##"


def influences(unit: str, files: Mapping[str, str]) -> dict[str, str]:
    """The texts that the object of a C file depends on: its own and those of headers that it includes.

    Constants that a header defines and none of these texts names have no influence and are left out: most of
    the runtime does not know of the guid of a model, and is not compiled again where only that changes.

    Examples
    --------
    >>> files = {"a.h": '#define GUID "{1}"\\n#define SIZE 3\\n', "a.c": '#include "a.h"\\nint a[SIZE];\\n'}
    >>> influences("a.c", files)["a.h"]
    '\\n#define SIZE 3\\n'
    """
    names = [unit]
    for name in names:
        names += [found for found in _INCLUDED.findall(files[name]) if found in files and found not in names]
    texts = {name: files[name] for name in names}
    if any(_PASTING in text for text in texts.values()):
        return texts
    words = Counter(word for text in texts.values() for word in re.findall(r"\w+", text))

    def kept(definition: re.Match[str]) -> str:
        return definition[0] if words[definition[1]] > 1 else ""

    return {name: text if name == unit else _CONSTANT.sub(kept, text) for name, text in texts.items()}
