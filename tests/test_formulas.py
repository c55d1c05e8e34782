"""Formulas: precedence, exact literals, and errors that say where and why."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fmugen.errors import FormulaError
from fmugen.formulas import MAX_DEPTH, MAX_LENGTH, MAX_NESTING, evaluate, parse
from fmugen.ir.formula import FUNCTIONS, ZERO, Call, Name, Number, Term, constant


def grouped(term: Term) -> str:
    """The term with every grouping spelled out."""
    if isinstance(term, Number):
        # Literals are decimals, so that the quotient is exact with digits enough.
        value = Context(prec=200).divide(Decimal(term.value.numerator), Decimal(term.value.denominator))
        return str(value) if value >= 0 else f"({value})"
    if isinstance(term, Name):
        return term.text
    inner = [grouped(argument) for argument in term.arguments]
    if term.function == "neg":
        return f"(-{inner[0]})"
    if term.function in FUNCTIONS:
        return f"{term.function}({', '.join(inner)})"
    return f"({inner[0]}{term.function}{inner[1]})"


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("a-b-c", "((a-b)-c)"),
        ("a/b/c", "((a/b)/c)"),
        ("a/b*c", "((a/b)*c)"),
        ("a+b*c", "(a+(b*c))"),
        ("(a+b)*c", "((a+b)*c)"),
        ("2^3^2", "(2^(3^2))"),
        ("2**3**2", "(2^(3^2))"),
        ("-x^2", "(-(x^2))"),
        ("-2^2", "(-(2^2))"),
        ("(-2)^2", "((-2)^2)"),
        ("2^-x^2", "(2^(-(x^2)))"),
        ("x^-2*y", "((x^(-2))*y)"),
        ("-a*b", "((-a)*b)"),
        ("a*-b", "(a*(-b))"),
        ("a - -b", "(a-(-b))"),
        ("+a - +b", "(a-b)"),
        ("--a", "(-(-a))"),
        ("atan2(y+1, x)", "atan2((y+1), x)"),
        ("crank.tip.vx", "crank.tip.vx"),
        (" a\n + b ", "(a+b)"),
    ],
)
def test_grouping(text: str, meaning: str) -> None:
    assert grouped(parse(text).root) == meaning


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", Fraction(1, 10)),
        ("1e-3", Fraction(1, 1000)),
        ("1.5E+2", Fraction(150)),
        (".5", Fraction(1, 2)),
        ("3.", Fraction(3)),
        ("-3", Fraction(-3)),
        ("0e99999999", Fraction(0)),
        (0.1, Fraction(1, 10)),
        (-7, Fraction(-7)),
    ],
)
def test_literals_are_exact(text: str | float, value: Fraction) -> None:
    assert parse(text).root == Number(value)


def test_the_text_is_kept_for_messages_on_one_line() -> None:
    assert parse("  a +\n\tb ").text == "a + b"


def test_plain_numbers_are_the_constants_of_the_model() -> None:
    assert parse(0) == ZERO
    assert parse(0.25) == constant(0.25)


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("", 1, "empty"),
        ("   ", 1, "empty"),
        ("x = 2", 3, "'=' has no place"),
        ("2x", 2, "operator is missing before 'x'"),
        ("a b", 3, "operator is missing before 'b'"),
        ("a)", 2, "closes no '('"),
        ("2*(a+b", 3, "never closed"),
        ("sin(a", 4, "never closed"),
        ("a+", 3, "ends where a number or a name"),
        ("a*/b", 3, "expected before '/'"),
        ("sin()", 5, "expected before ')'"),
        ("sn(x)", 1, "did you mean 'sin'?"),
        ("foo(x)", 1, "functions are abs"),
        ("pi(2)", 1, "pi*(...)"),
        ("2*sin", 3, "write sin(...)"),
        ("atan2(1)", 1, "takes 2 arguments, not 1"),
        ("sin(1, 2)", 1, "takes 1 argument, not 2"),
        ("1,5", 2, "written with a point"),
        ("a $ b", 3, "unexpected character '$'"),
        ("[a]", 1, "group with parentheses"),
        ("pin.", 4, "unexpected character '.'"),
        ("1e999", 1, "too large"),
        ("a+1e-999", 3, "too small"),
        pytest.param("a+" + "1" * 5000, 3, "characters", id="a literal of 5000 digits"),
        (math.inf, 1, "too large"),
        (-math.inf, 1, "too large"),
        (math.nan, 1, "not a number"),
        pytest.param(10**5000, 1, "too large", id="an integer of 5000 digits"),
        (True, 1, "truth value"),
    ],
)
def test_errors_say_where_and_why(text: str | float, column: int, words: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text)
    assert caught.value.column == column
    assert words in caught.value.message


@pytest.mark.parametrize(
    "hostile",
    [
        "(" * (MAX_LENGTH // 2) + "a",
        "-" * (MAX_LENGTH - 1) + "a",
        "sin(" * 1000 + "a" + ")" * 1000,
        "a^" * 3000 + "a",
        "a*" * 4000 + "a",
        "a" * (MAX_LENGTH + 1),
    ],
    ids=["parentheses", "signs", "calls", "powers", "product", "length"],
)
def test_hostile_formulas_are_refused_without_exhausting_the_stack(hostile: str) -> None:
    with pytest.raises(FormulaError, match=r"nested|inside one another|longer"):
        parse(hostile)


def test_formulas_at_the_limits_are_accepted_and_can_be_hashed() -> None:
    nested = "(" * (MAX_NESTING - 1) + "a" + ")" * (MAX_NESTING - 1)
    assert parse(nested).root == Name("a")
    product = parse("*".join(["a"] * MAX_DEPTH))
    assert hash(product) == hash(parse("*".join(["a"] * MAX_DEPTH)))
    with pytest.raises(FormulaError):
        parse("(" + nested + ")")
    with pytest.raises(FormulaError):
        parse("*".join(["a"] * (MAX_DEPTH + 1)))


@pytest.mark.parametrize("size", [10, 64, 65, 66, 200, 1500])
def test_a_sum_may_be_as_long_as_a_formula(size: int) -> None:
    signs = ["-" if i % 3 else "+" for i in range(size)]
    total = sum((-1.0 if i % 3 else 1.0) * i for i in range(size))
    assert evaluate(parse("".join(f"{sign}{i}" for i, sign in enumerate(signs))), {}) == total


terms = st.recursive(
    st.one_of(
        st.fractions(min_value=0, max_value=99, max_denominator=1).map(Number),
        st.sampled_from(["a", "pin.angle", "time"]).map(Name),
    ),
    lambda inner: st.one_of(
        st.builds(
            lambda function, left, right: Call(function, (left, right)),
            st.sampled_from(["+", "-", "*", "/", "^", "atan2"]),
            inner,
            inner,
        ),
        st.builds(lambda term: Call("sin", (term,)), inner),
    ),
    max_leaves=12,
)


@given(terms)
def test_a_fully_grouped_term_parses_to_itself(term: Term) -> None:
    assert parse(grouped(term)).root == term


@given(st.text(alphabet="ab1.()+-*/^, =sin", max_size=30))
@example(".1")
@example("(-1)^-.11")
def test_any_text_is_a_formula_or_a_formula_error(text: str) -> None:
    try:
        formula = parse(text)
    except FormulaError as error:
        assert 1 <= error.column <= len(text) + 1
    else:
        assert formula.root == parse(grouped(formula.root)).root


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_survive_the_round_trip_through_text(value: float) -> None:
    assert parse(repr(value)).number == value
    assert parse(value).number == value


# --- values ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2*l - 1/4", 0.75),
        ("-l^2", -0.25),
        ("2^3^2", 512.0),
        ("sin(pi/2) + abs(-l)", 1.5),
        ("max(l, 2)*min(l, 2)", 1.0),
        ("sign(-3) + sign(0) + sign(l)", 0.0),
        ("atan2(1, 0)*sqrt(4)", math.pi),
    ],
)
def test_values_of_constants(text: str, value: float) -> None:
    assert evaluate(parse(text), {"l": 0.5}) == pytest.approx(value, abs=1e-15)


def test_a_formula_with_an_unknown_name_has_no_value_to_tell() -> None:
    assert evaluate(parse("l + time"), {"l": 0.5}) is None


@pytest.mark.parametrize("text", ["1/(l-0.5)", "sqrt(-l)", "exp(1e6)", "log(0)", "(-l)^0.5", "acos(2)"])
def test_what_cannot_be_computed_is_not_a_number(text: str) -> None:
    assert evaluate(parse(text), {"l": 0.5}) != evaluate(parse("l"), {"l": 0.5})
    assert math.isnan(evaluate(parse(text), {"l": 0.5}) or 0.0)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_has_values(name: str) -> None:
    arguments = ", ".join(["0.5"] * FUNCTIONS[name])
    assert evaluate(parse(f"{name}({arguments})"), {}) is not None
