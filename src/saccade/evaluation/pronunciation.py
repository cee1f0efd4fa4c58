"""Error rates of spelling to sound: how many phones, and how many words, come out wrong."""

from collections.abc import Sequence

from saccade.evaluation.examples import Example
from saccade.evaluation.rates import rate
from saccade.evaluation.score import Conditions, Score


def edit_distance(hypothesis: Sequence[str], reference: Sequence[str]) -> int:
    """The least number of insertions, deletions and substitutions that turn one into the other.

    D(i, j) = min(D(i-1, j) + 1, D(i, j-1) + 1, D(i-1, j-1) + [h_i != r_j]); only the previous row of D is kept.
    """
    previous = list(range(len(reference) + 1))
    for row, said in enumerate(hypothesis, start=1):
        current = [row]
        for column, expected in enumerate(reference, start=1):
            current.append(
                min(previous[column] + 1, current[column - 1] + 1, previous[column - 1] + (said != expected))
            )
        previous = current
    return previous[-1]


def phone_errors(example: Example) -> tuple[int, int]:
    """Edits to the nearest reference, and that reference's number of phones.

    Of references equally near, the shortest counts: it makes the rate higher, never lower.
    """
    said = example.hypothesis.split()
    return min((edit_distance(said, phones), len(phones)) for phones in map(str.split, example.references))


def phoneme_error_rate(examples: Sequence[Example], conditions: Conditions) -> Score:
    """Edits over all words / phones of their nearest references."""
    return rate(
        "phoneme_error_rate",
        "phoneme error rate",
        [phone_errors(example) for example in examples],
        rule="nearest-reference|ties:shortest|each-word-once",
        higher_is_better=False,
        resamples=conditions.resamples,
    )


def word_error_rate(examples: Sequence[Example], conditions: Conditions) -> Score:
    """The share of words whose pronunciation is none of their references."""
    return rate(
        "word_error_rate",
        "word error rate",
        [(int(phone_errors(example)[0] > 0), 1) for example in examples],
        rule="any-reference|each-word-once",
        higher_is_better=False,
        resamples=conditions.resamples,
    )
