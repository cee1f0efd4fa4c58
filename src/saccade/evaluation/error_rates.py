"""Error rates of grapheme-to-phoneme conversion: the share of phonemes, and of words, that are wrong."""

from collections.abc import Sequence

from saccade.evaluation.examples import Example
from saccade.evaluation.metric_score import MetricOptions, MetricScore, ratio_score


def edit_distance(hypothesis: Sequence[str], reference: Sequence[str]) -> int:
    """Levenshtein distance: the fewest insertions, deletions and substitutions that turn one into the other.

    D(i, j) = min(D(i-1, j) + 1, D(i, j-1) + 1, D(i-1, j-1) + [h_i != r_j]); only the previous row of D is kept.
    """
    previous = list(range(len(reference) + 1))
    for row, found in enumerate(hypothesis, start=1):
        current = [row]
        for column, expected in enumerate(reference, start=1):
            current.append(
                min(previous[column] + 1, current[column - 1] + 1, previous[column - 1] + (found != expected))
            )
        previous = current
    return previous[-1]


def phoneme_errors(example: Example) -> tuple[int, int]:
    """The edit distance to the nearest reference, and the number of phonemes in that reference.

    Of references equally near, the shortest counts: this can only raise the error rate.
    """
    hypothesis = example.hypothesis.split()
    references = map(str.split, example.references)
    return min((edit_distance(hypothesis, phonemes), len(phonemes)) for phonemes in references)


def phoneme_error_rate(examples: Sequence[Example], options: MetricOptions) -> MetricScore:
    """Edits over all words / phonemes of their nearest references."""
    return ratio_score(
        "phoneme_error_rate",
        "phoneme error rate",
        [phoneme_errors(example) for example in examples],
        options,
        rule="nearest-reference|ties:shortest|each-word-once",
        higher_is_better=False,
    )


def word_error_rate(examples: Sequence[Example], options: MetricOptions) -> MetricScore:
    """The share of words whose predicted pronunciation equals none of their references."""
    return ratio_score(
        "word_error_rate",
        "word error rate",
        [(int(phoneme_errors(example)[0] > 0), 1) for example in examples],
        options,
        rule="any-reference|each-word-once",
        higher_is_better=False,
    )
