"""BLEU and chrF on detokenised text, computed and signed by sacrebleu (Post 2018)."""

from collections.abc import Sequence
from typing import Any

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from saccade.evaluation.examples import Example
from saccade.evaluation.score import Conditions, Interval, Score

# Written without spaces between words. sacrebleu's word segmenters for Japanese need a dictionary that is not
# installed, so that all but Chinese, which has its own rule, are scored by characters.
_SPACELESS = {"zh": "zh", "ja": "char", "th": "char", "lo": "char", "km": "char", "my": "char"}


def is_spaceless(language: str | None) -> bool:
    """Whether words of this language are written without spaces between them."""
    return _primary(language) in _SPACELESS


def bleu_tokenizer(language: str | None) -> str:
    """Which of sacrebleu's tokenisers is right for this target language: 13a wherever words have spaces."""
    return _SPACELESS.get(_primary(language), "13a")


def bleu(examples: Sequence[Example], conditions: Conditions) -> Score:
    """Modified n-gram precision with a brevity penalty, cased, on detokenised text (Papineni et al. 2002)."""
    # force: sacrebleu's warning about text that looks tokenised would appear at every validation of a young model.
    return sacrebleu_score(
        "bleu", "BLEU", BLEU(tokenize=bleu_tokenizer(conditions.language), force=True), examples, conditions
    )


def chrf(examples: Sequence[Example], conditions: Conditions) -> Score:
    """F-score of character n-grams, which needs no tokeniser (Popović 2015)."""
    return sacrebleu_score("chrf", "chrF", _PlainChrF(), examples, conditions)


class _PlainChrF(CHRF):
    """sacrebleu's chrF, whose own bootstrap fails when resamples of zero (a float) meet others (numpy's)."""

    def _compute_f_score(self, statistics: Any) -> float:
        return float(super()._compute_f_score(statistics))


def sacrebleu_score(name: str, label: str, metric: Any, examples: Sequence[Example], conditions: Conditions) -> Score:
    """A corpus score of one of sacrebleu's metrics with its own signature and its own bootstrap."""
    hypotheses = [example.hypothesis for example in examples]
    width = max(len(example.references) for example in examples)
    # Streams of references; None where an example has fewer than the others.
    references = [
        [example.references[stream] if stream < len(example.references) else None for example in examples]
        for stream in range(width)
    ]
    score = metric.corpus_score(hypotheses, references, n_bootstrap=max(conditions.resamples, 1))
    interval = None
    if conditions.resamples > 1:
        # sacrebleu gives the resamples' mean and half the width of their middle 95 %.
        middle, half = float(score._mean), float(score._ci)  # chrF's are numpy's
        interval = Interval(max(middle - half, 0.0), min(middle + half, 100.0))
    return Score(name, label, float(score.score), True, len(examples), str(metric.get_signature()), interval)


def _primary(language: str | None) -> str:
    return (language or "").replace("_", "-").split("-")[0].lower()
