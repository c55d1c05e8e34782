"""Study files: what they mean, and what is said of mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from fmugen.errors import ModelError
from fmugen.master import Scheme
from fmugen.study.spec import Goal, Grid, Measure, Method, Normal, Reduction, Uniform, read_study


def test_a_study_is_read_as_written(study_file: Path) -> None:
    study = read_study(study_file)
    assert study.method is Method.RANDOM
    assert (study.runs, study.seed, study.chunk, study.stop, study.step) == (120, 3, 10, 0.2, 0.05)
    assert study.variations == {"length": Uniform(0.5, 1.5), "mass": Normal(2.0, 0.1)}
    assert study.measures[1] == Measure("fastest", "rod.omega", Reduction.PEAK)
    assert study.goal == Goal("fastest", True)


def test_the_subject_lies_beside_the_study(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(
        '[study]\nsubject = "m.toml"\nmethod = "grid"\n[parameters]\na = { from = 0, to = 1, count = 3 }\n'
        'b = { values = [1, 2] }\n[results]\nr = "max(y)"\n'
    )
    study = read_study(path)
    assert study.subject == tmp_path / "m.toml"
    assert study.variations == {"a": Grid((0.0, 0.5, 1.0)), "b": Grid((1.0, 2.0))}


def test_all_mistakes_are_named_at_once(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(
        '[study]\nmethod = "gird"\nrun = 3\nruns = 1\nstop = -1\nparts = 2\nscheme = "euler"\n'
        "[parameters]\na = { min = 2, max = 1 }\n"
        'b = { mean = 1 }\n[inputs]\nu = "x"\n[results]\na = "max(y)"\nr = "average(y)"\n[goal]\nbest = "r"\n'
    )
    with pytest.raises(ModelError) as caught:
        read_study(path)
    places = {problem.place for problem in caught.value.problems}
    assert places == {
        "study.run",
        "study.subject",
        "study.method",
        "study.runs",
        "study.stop",
        "study.parts",
        "study.scheme",
        "parameters.a",
        "parameters.b",
        "inputs.u",
        "results.a",
        "results.r",
        "goal",
    }


@pytest.mark.parametrize("name", ["#run", "#message"])
def test_names_of_columns_of_the_results_are_taken(study_file: Path, name: str) -> None:
    text = study_file.read_text()
    for old, place in (("length", f"parameters.{name}"), ("last", f"results.{name}")):
        study_file.write_text(text.replace(f"{old} =", f'"{name}" ='))
        with pytest.raises(ModelError) as caught:
            read_study(study_file)
        (problem,) = caught.value.problems
        assert (problem.place, problem.message) == (
            place,
            "the name is taken by another column of the results",
        )


def test_names_of_parts_may_be_tables(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(
        '[study]\nsubject = "m.toml"\nparts = "p.toml"\nscheme = "gauss-seidel"\nmethod = "grid"\n'
        '[parameters]\na.b = { values = [1] }\n"c.d" = { values = [2] }\n'
        "[parameters.e]\nf.g = { values = [3] }\n"
        '[inputs]\nu = 1\nv.w = 2\n[results]\nr = "max(a.y)"\n'
    )
    study = read_study(path)
    assert study.parts == str(tmp_path / "p.toml")
    assert study.scheme is Scheme.GAUSS_SEIDEL
    assert study.variations == {"a.b": Grid((1.0,)), "c.d": Grid((2.0,)), "e.f.g": Grid((3.0,))}
    assert study.inputs == {"u": 1.0, "v.w": 2.0}


def test_only_a_model_file_is_split(study_file: Path) -> None:
    study_file.write_text(study_file.read_text().replace("seed = 3", 'parts = "auto"'))
    with pytest.raises(ModelError, match="only a model file can be split"):
        read_study(study_file)


@pytest.mark.parametrize(("text", "words"), [("[study", "is not TOML"), (None, "cannot be read")])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, text: str | None, words: str) -> None:
    path = tmp_path / "s.toml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ModelError, match=words):
        read_study(path)


def test_the_study_of_the_slider_crank_can_be_read() -> None:
    example = Path(__file__).parents[2] / "examples" / "slider_crank" / "study.toml"
    assert read_study(example).runs == 10000
