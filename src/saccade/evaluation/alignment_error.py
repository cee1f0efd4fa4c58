"""How far found alignments are from those that are right: Och and Ney 2003.

    precision = |A n P| / |A|      recall = |A n S| / |S|      AER = 1 - (|A n S| + |A n P|) / (|A| + |S|)

A are the links that were found; S those that are sure and P those that are possible, among which are the sure ones. All
are counted over the whole corpus. Where nobody doubted any link, S = P and AER = 1 - F1.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from saccade.errors import InputError

Link = tuple[int, int]


@dataclass(frozen=True)
class AlignmentError:
    """The three rates, between 0 and 1, of so many sentences."""

    error_rate: float
    precision: float
    recall: float
    sentences: int


def alignment_error(
    found: Sequence[Collection[Link]],
    sure: Sequence[Collection[Link]],
    possible: Sequence[Collection[Link]] | None = None,
) -> AlignmentError:
    """Compares the links of each sentence, as (source word, target word); possible links are the sure ones and more."""
    possible = possible or sure
    if not len(found) == len(sure) == len(possible):
        raise InputError(
            f"alignments must be of the same sentences, but there are {len(found)} found and {len(sure)} right ones."
        )
    links = hits = certain = possible_hits = 0
    for guesses, right, allowed in zip(found, sure, possible, strict=True):
        guessed = set(guesses)
        links += len(guessed)
        certain += len(set(right))
        hits += len(guessed & set(right))
        possible_hits += len(guessed & (set(right) | set(allowed)))
    if not links + certain:
        raise InputError("alignments must have at least one link, but have none. Give sentences with words.")
    return AlignmentError(
        error_rate=1 - (hits + possible_hits) / (links + certain),
        precision=possible_hits / max(links, 1),
        recall=hits / max(certain, 1),
        sentences=len(found),
    )


def read_links(line: str) -> tuple[Link, ...]:
    """Reads links as alignment tools write them: `0-0 2-1`."""
    links = []
    for link in line.split():
        source, dash, target = link.partition("-")
        if not (dash and source.isdigit() and target.isdigit()):
            raise InputError(f"a link must be two places with a dash, but is {link!r}. Write `0-0 2-1`.")
        links.append((int(source), int(target)))
    return tuple(links)
