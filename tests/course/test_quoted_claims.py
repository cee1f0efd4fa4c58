"""What the documents say about a claim is what the table of claims says: its verdict, and its numbers."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.course.chapters import CHAPTERS, cells

DOCUMENTS = Path(__file__).parents[2] / "docs"
QUOTING = [
    *CHAPTERS,
    *(DOCUMENTS / f"{name}.md" for name in ("paper", "misconceptions", "lineage", "lineage-systems", "taxonomy")),
]
VERDICTS = ("holds with a caveat", "does not hold", "undecided", "holds")
IDENTITY = re.compile(r"`([A-Z]\d+)`")
QUOTED = re.compile(rf"`([A-Z]\d+)`,(?: \[claims\]\([^)]*\),)? ({'|'.join(VERDICTS)})\b")
NUMBER = re.compile(r"(?<![\w.])\d+\.\d+(?:e-\d+)?(?! BLEU)")


class Claim(NamedTuple):
    """One row of the table."""

    verdict: str
    measured: str


def table() -> dict[str, Claim]:
    rows = re.findall(r"^\| ([A-Z]\d+) \|(.*)\|$", (DOCUMENTS / "claims.md").read_text(encoding="utf-8"), re.MULTILINE)
    claims = {}
    for identity, row in rows:
        _, verdict, measured, *_ = (cell.strip() for cell in row.split(" | "))
        claims[identity] = Claim(re.sub(r"\*\*| \(expected: .*\)", "", verdict), measured)
    return claims


CLAIMS = table()


def paragraphs(path: Path) -> list[str]:
    """Without code; a row of a table counts as a paragraph, of which the last cell says what was measured."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    found = [" ".join(part.split()) for part in re.split(r"\n\s*\n|\n(?=\|)", text)]
    return [part.strip("| ").split(" | ")[-1] if part.startswith("|") else part for part in found]


def names(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", QUOTING, ids=names)
def test_a_quoted_verdict_is_the_one_in_the_table(path):
    for identity, verdict in QUOTED.findall(" ".join(paragraphs(path))):
        assert CLAIMS[identity].verdict == verdict, identity


@pytest.mark.parametrize("path", QUOTING, ids=names)
def test_of_a_claim_without_a_verdict_it_is_said_that_it_was_not_run(path):
    for part in paragraphs(path):
        for identity in IDENTITY.findall(part):
            if CLAIMS[identity].verdict.startswith("not yet run"):
                assert "not yet run" in part, identity


@pytest.mark.parametrize("path", QUOTING, ids=names)
def test_what_is_said_not_to_be_run_has_no_verdict(path):
    for part in paragraphs(path):
        for sentence in re.split(r"(?<=[.:;]) (?=[A-Z“*`])", part):
            if re.search(r"not yet run|has no verdict", sentence):
                for identity in IDENTITY.findall(sentence):
                    assert CLAIMS[identity].verdict.startswith("not yet run"), identity


@pytest.mark.parametrize("path", [path for path in QUOTING if not path.stem.startswith("lineage")], ids=names)
def test_numbers_in_a_sentence_about_a_claim_were_measured_for_it(path):
    worked_out = {number for cell in cells(path) for number in NUMBER.findall(f"{cell.code} {cell.printed}")}
    for part in paragraphs(path):
        for sentence in re.split(r"(?<=[.:;]) (?=[A-Z“*`])", part):
            identities = IDENTITY.findall(sentence)
            measured = [float(one) for name in identities for one in NUMBER.findall(CLAIMS[name].measured)]
            for number in NUMBER.findall(sentence) if identities else ():
                share = float(number) / 100 if f"{number} %" in sentence else float(number)
                places = len(number.partition(".")[2].partition("e")[0]) + (2 if f"{number} %" in sentence else 0)
                known = any(share == pytest.approx(one, abs=0.51 * 10**-places, rel=1e-9) for one in measured)
                assert known or number in worked_out or "=" in sentence, (number, identities)


def test_the_table_is_read_as_it_is_written():
    assert len(CLAIMS) > 100
    assert {claim.verdict for claim in CLAIMS.values()} <= {*VERDICTS, "not yet run at this size"}
    assert sum(len(QUOTED.findall(" ".join(paragraphs(path)))) for path in QUOTING) > 10
