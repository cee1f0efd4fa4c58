import pytest
from bench.noise.rule import Difference, verdict
from bench.noise.variants import variants

PAIRS = [("Tom celebrates that night.", "Tom celebra esa noche."), ("Who?", "¿Quién?"), ("Go.", "Ve.")]


def test_every_variant_changes_what_its_name_says():
    found = {one.name: list(zip(one.sources, one.references, strict=True)) for one in variants(PAIRS)}
    assert found["clean"] == PAIRS
    assert found["capitals"][0] == ("TOM CELEBRATES THAT NIGHT.", "TOM CELEBRA ESA NOCHE.")
    assert found["lower case"][0] == ("tom celebrates that night.", "Tom celebra esa noche.")
    assert found["typing errors"] == [("Tom celerbates that night.", "Tom celebra esa noche."), *PAIRS[1:]]
    assert found["no full stop"] == [("Tom celebrates that night", "Tom celebra esa noche"), PAIRS[1], ("Go", "Ve")]
    assert found["three in a row"] == [
        ("Tom celebrates that night. Who? Go.", "Tom celebra esa noche. ¿Quién? Ve."),
    ]
    assert found["with something to keep"][0] == (
        "Tom celebrates that night (https://example.org/docs/intro.html).",
        "Tom celebra esa noche (https://example.org/docs/intro.html).",
    )


@pytest.mark.parametrize(
    ("name", "differences", "expected"),
    [
        ("clean", (-0.2, -0.3, -0.25), "costs"),
        ("clean", (0.1, -0.2, 0.0), "costs nothing"),
        ("clean", (-1.0, 0.5, 0.0), "undecided"),
        ("capitals", (5.0, 5.5, 6.0), "helps"),
        ("capitals", (5.0, 0.1, 6.0), "undecided"),
        ("capitals", (-5.0, -5.5, -6.0), "harms"),
        ("capitals", (5.0,), "undecided"),
    ],
)
def test_a_verdict_needs_three_standard_errors(name, differences, expected):
    assert verdict(name, Difference.of([30 + one for one in differences], [30.0] * len(differences))) == expected
