"""PARTS.toml -> Partition: which bodies belong to which part.

method = "exact"
hub = "platform"

[parts.platform]
bodies = ["platform"]

[parts.leg_1]
bodies = ["shank_1", "thigh_1"]
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from fmugen.errors import ModelError, Problem
from fmugen.ir.model import SystemModel
from fmugen.ir.split import Members, Method, Partition
from fmugen.suggestions import did_you_mean

__all__ = ["NETWORK", "read_partition", "require_partition"]

#: Models with networks are refused.
NETWORK = Problem(
    "parts",
    "a model with a network is not split",
    "export the network as a model of its own, coupled by inputs and outputs",
)


def read_partition(path: Path) -> Partition:
    """The partition that a TOML file describes.

    Raises
    ------
    ModelError
        With every problem of the file.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise _refusal(path, "there is no such file (write 'auto' to leave the parts to fmugen)") from None
    except OSError as error:
        raise _refusal(path, f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise _refusal(path, f"this is not TOML: {error}") from None
    problems: list[Problem] = []
    members = tuple(_members(tables.get("parts"), problems))
    method = _method(tables.get("method"), problems)
    hub = tables.get("hub", "")
    names = [each.name for each in members]
    if not isinstance(hub, str) or (hub and hub not in names):
        problems.append(Problem("hub", f"{hub!r} is not a part", did_you_mean(str(hub), names)))
    problems += [
        Problem(key, "a partition has no such key", did_you_mean(key, ("method", "hub", "parts")))
        for key in tables
        if key not in ("method", "hub", "parts")
    ]
    if problems:
        raise ModelError(str(path), tuple(problems))
    return Partition(members, method, hub, str(path))


def _refusal(path: Path, message: str) -> ModelError:
    return ModelError(str(path), (Problem(str(path), message),))


def _method(given: object, problems: list[Problem]) -> Method | None:
    known = [method.value for method in Method]
    if given is None:
        return None
    if given not in known:
        problems.append(Problem("method", f"{given!r} is not a method", f"methods are {', '.join(known)}"))
        return None
    return Method(given)


def _members(tables: object, problems: list[Problem]) -> Iterator[Members]:
    if not isinstance(tables, Mapping) or not tables:
        problems.append(Problem("parts", "there are no parts", "write [parts.NAME] with bodies = [...]"))
        return
    for name, table in tables.items():
        place = f"parts.{name}"
        if not name.isidentifier() or not name.isascii():
            problems.append(Problem(place, "the name of a part is an identifier", "letters, digits and _"))
            continue
        bodies = table.get("bodies") if isinstance(table, Mapping) else None
        if not isinstance(bodies, list) or not bodies or not all(isinstance(b, str) for b in bodies):
            problems.append(Problem(f"{place}.bodies", "names the bodies of the part", 'bodies = ["crank"]'))
            continue
        for key in table:
            if key != "bodies":
                problems.append(Problem(f"{place}.{key}", "a part has no such key", "it has bodies"))
        yield Members(name, tuple(dict.fromkeys(bodies)))


def require_partition(model: SystemModel, partition: Partition) -> None:
    """Refuse partitions that miss bodies, name unknown bodies, or have a single part."""
    known = [body.name for body in model.bodies]
    problems = [
        Problem(f"parts.{part.name}.bodies", f"there is no body {body!r}", did_you_mean(body, known))
        for part in partition.parts
        for body in part.bodies
        if body not in known
    ]
    named = {body for part in partition.parts for body in part.bodies}
    problems += [
        Problem("parts", f"no part has the body {body!r}", "add it to one")
        for body in known
        if body not in named
    ]
    if len(partition.parts) < 2:
        problems.append(Problem("parts", "there is only one part", "name two or more, or export the model"))
    if model.components:
        problems.append(NETWORK)
    if problems:
        raise ModelError(partition.source, tuple(problems))
