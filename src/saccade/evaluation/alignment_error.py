"""Alignment error rate (AER): Och and Ney 2003, "A Systematic Comparison of Various Statistical Alignment Models".

    precision = |A n P| / |A|      recall = |A n S| / |S|      AER = 1 - (|A n S| + |A n P|) / (|A| + |S|)

A are the predicted links, S the sure ones of the reference and P the possible ones, which include the sure ones. All
are counted over the whole corpus. Where every link is sure, S = P and AER = 1 - F1.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from saccade.errors import InputError

Link = tuple[int, int]
_LINK = re.compile("([0-9]{1,9})-([0-9]{1,9})")
"""No sentence has a billion words."""


@dataclass(frozen=True)
class AlignmentError:
    """The three rates, between 0 and 1, and the number of sentences."""

    error_rate: float
    precision: float
    recall: float
    sentences: int


def alignment_error(
    found: Sequence[Collection[Link]],
    sure: Sequence[Collection[Link]],
    possible: Sequence[Collection[Link]] | None = None,
) -> AlignmentError:
    """Compares the links of each sentence, as (source word, target word); sure links are always possible too."""
    possible = possible or sure
    if not len(found) == len(sure) == len(possible):
        raise InputError(
            f"alignments must be of the same sentences, but there are {len(found)} predicted and {len(sure)} reference "
            "ones. Give one line per sentence in each."
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
    """Parses links in Pharaoh format: `0-0 2-1`."""
    links = []
    for link in line.split():
        found = _LINK.fullmatch(link)
        if found is None:
            raise InputError(f"a link must be two positions with a dash, but is {link!r:.40}. Write `0-0 2-1`.")
        links.append((int(found[1]), int(found[2])))
    return tuple(links)
