"""The compiled equations against the laws themselves, called one by one."""

from __future__ import annotations

import numpy as np
import pytest

from fmugen.ir.model import SystemModel
from fmugen.verify import compiled
from fmugen.verify.reference import Reference, solve_reference
from tests.verify import models
from tests.verify.spatial_models import on_joint

TIMES = np.linspace(0.0, 0.3, 7)


def by_laws(model: SystemModel, monkeypatch: pytest.MonkeyPatch) -> Reference:
    """The reference on a machine without a C compiler."""
    with monkeypatch.context() as patch:
        patch.setattr(compiled, "machine", lambda: None)
        found = solve_reference(model, TIMES)
        assert found.mechanism.compiled is None
    return found


@pytest.mark.parametrize(
    "model",
    [models.four_bar(), models.double_pendulum(), on_joint("universal"), on_joint("screw")],
    ids=lambda model: model.name,
)
def test_motion_forces_and_energy_are_those_of_the_laws(
    model: SystemModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, expected = solve_reference(model, TIMES), by_laws(model, monkeypatch)
    assert found.mechanism.compiled is not None
    for name, column in expected.quantities.items():
        scale = max(1.0, float(np.max(np.abs(column))))
        assert np.max(np.abs(found.quantities[name] - column)) < 1e-8 * scale, name
    assert found.energy.kinetic == pytest.approx(expected.energy.kinetic, rel=1e-8)
    assert found.energy.work == pytest.approx(expected.energy.work, abs=1e-9 * expected.energy.turnover)
    assert found.undetermined == expected.undetermined
    assert found.residual < 1e-12
