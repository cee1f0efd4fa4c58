import math

import pytest
from bench.shipped.bars import Figure
from bench.shipped.kept_things import carried, lost_things, made_lines, well_nested
from bench.shipped.paragraphs import lost_lines, paragraphs

from saccade.quality.lengths import LengthBounds
from saccade.serving.translation import Candidate, Translation


@pytest.mark.parametrize(
    ("figure", "verdict"),
    [
        (Figure("bleu", "news", 32.0, at_least=32.0), "held"),
        (Figure("bleu", "news", 31.99, at_least=32.0), "missed"),
        (Figure("size", "all", 21, at_most=20), "missed"),
        (Figure("bleu", "news", math.nan, at_least=32.0), "missed"),
        (Figure("bleu", "news", 1.0), "reported"),
    ],
)
def test_a_figure_stands_beside_its_bar(figure, verdict):
    assert figure.verdict == verdict
    assert f"| {verdict} |" in figure.row


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_made_line_carries_something_and_half_of_them_tags(language):
    lines = made_lines(200, language=language)
    assert all(carried(line) for line in lines)
    assert sum("tag" in carried(line) for line in lines) == 100
    assert not any(lost_things(line, line) for line in lines)


@pytest.mark.parametrize(
    ("output", "kinds"),
    [
        ("<b>Visite</b> https://example.com a las 14:30.", set()),
        ("Visite https://example.com a las 14:30.", {"tag"}),
        ("</b>Visite<b> https://example.com a las 14:30.", {"tag"}),
        ("<b>Visite</b> https://example.con a las 14:31.", {"address", "number"}),
    ],
)
def test_what_is_lost_is_known_by_its_kind(output, kinds):
    assert lost_things("<b>Visit</b> https://example.com at 14:30.", output) == kinds


def test_tags_that_cross_are_not_well_nested():
    assert well_nested(["<b>", '<a href="x">', "</a>", "</b>"])
    assert not well_nested(["<b>", "<i>", "</b>", "</i>"])
    assert not well_nested(["<b>"])


def _translated(*pieces: tuple[str, str]) -> Translation:
    made = tuple(Translation(1, source, (_candidate(text),)) for source, text in pieces)
    return Translation(1, "", (_candidate(" ".join(text for _, text in pieces)),), pieces=made)


def _candidate(text: str) -> Candidate:
    return Candidate(text, 0.0, 0.0, (), True, None)


LINES = ["The dog sleeps under the old table in the kitchen.", "It rained.", "(Nobody was there on that day.)"]
INSIDE, DOG, NOBODY = LINES[2].strip("()"), "El perro duerme bajo la mesa vieja.", "No había nadie aquel día."


@pytest.mark.parametrize(
    ("pieces", "lost"),
    [
        ([(LINES[0], DOG), (LINES[1], "Llovió."), (INSIDE, NOBODY)], []),
        ([(LINES[0], "Sí."), (LINES[1], ""), (INSIDE, NOBODY)], LINES[:2]),
        ([(f"{LINES[0]} {LINES[1]}", f"{DOG} Llovió."), (INSIDE, NOBODY)], []),
        ([(f"{LINES[0]} {LINES[1]}", DOG), (INSIDE, NOBODY)], LINES[:2]),
    ],
)
def test_a_line_without_a_translation_is_lost(pieces, lost):
    assert lost_lines(LINES, _translated(*pieces), LengthBounds()) == lost


def test_paragraphs_are_made_of_lines_that_end_with_a_stop():
    lines = [*(f"Sentence {word}." for word in "abcdefgh"), "A headline"]
    made = paragraphs(lines, 20)
    assert len(made) == 20
    assert {line for own in made for line in own} == set(lines[:-1])
