"""BLEU and chrF on detokenised text, computed and signed by sacrebleu (Post 2018).

Also the tokenised, compound-split BLEU of "Attention Is All You Need", Table 2, which compares with no other number.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from saccade.evaluation.bootstrap import ConfidenceInterval
from saccade.evaluation.examples import Example
from saccade.evaluation.metric_score import MetricOptions, MetricScore
from saccade.language_codes import language_code

# Languages written without spaces between words, and the tokeniser for each. sacrebleu's word segmenters for Japanese
# need a dictionary that is not installed, so all but Chinese, which has its own rule, are scored by characters.
_SPACELESS = {"zh": "zh", "ja": "char", "th": "char", "lo": "char", "km": "char", "my": "char"}


def is_spaceless(language: str | None) -> bool:
    """Whether this language is written without spaces between words."""
    return language_code(language) in _SPACELESS


def bleu_tokenizer(language: str | None) -> str:
    """Which of sacrebleu's tokenisers suits this target language: 13a wherever words are separated by spaces."""
    return _SPACELESS.get(language_code(language), "13a")


def bleu(examples: Sequence[Example], options: MetricOptions) -> MetricScore:
    """Modified n-gram precision with a brevity penalty, cased, on detokenised text (Papineni et al. 2002)."""
    # force: without it sacrebleu warns about text that looks tokenised at every early validation.
    metric = BLEU(tokenize=bleu_tokenizer(options.language), force=True)
    return sacrebleu_score("bleu", "BLEU", metric, examples, options)


def chrf(examples: Sequence[Example], options: MetricOptions) -> MetricScore:
    """F-score of character n-grams, which needs no tokeniser (Popović 2015)."""
    return sacrebleu_score("chrf", "chrF", _FloatCHRF(), examples, options)


class _FloatCHRF(CHRF):
    """sacrebleu's chrF, with every score a float: its bootstrap fails on a mixture of floats and numpy scalars."""

    def _compute_f_score(self, statistics: Any) -> float:
        return float(super()._compute_f_score(statistics))


COMPOUND_SPLIT_LABEL = "tokenised, compound-split BLEU (the paper's; not comparable with sacreBLEU)"
# The character on each side is consumed, as in the authors' script: of "a-b-c" only the first hyphen is split.
_COMPOUND = re.compile(r"(\S)-(\S)")


def split_compounds(tokenised: str) -> str:
    """Splits a hyphenated compound into three tokens: "rich-text" becomes "rich ##AT##-##AT## text"."""
    return _COMPOUND.sub(r"\1 ##AT##-##AT## \2", tokenised)


def compound_split_bleu(examples: Sequence[Example], options: MetricOptions) -> MetricScore:
    """BLEU, cased, unsmoothed, on tokenised text whose hyphenated compounds are split on both sides.

    Each correct compound yields extra matches, so the value is higher than sacrebleu's. The authors tokenised with
    Moses; sacrebleu's 13a takes its place here, and the signature says so.
    """
    tokenize = BLEU(tokenize="13a").tokenizer
    split = [
        Example(
            example.source,
            split_compounds(tokenize(example.hypothesis)),
            tuple(split_compounds(tokenize(reference)) for reference in example.references),
        )
        for example in examples
    ]
    metric = BLEU(tokenize="none", smooth_method="none", force=True)
    score = sacrebleu_score("compound_split_bleu", COMPOUND_SPLIT_LABEL, metric, split, options)
    return replace(score, signature=score.signature.replace("tok:none", "tok:13a+compound-split"))


def sacrebleu_score(
    name: str, label: str, metric: Any, examples: Sequence[Example], options: MetricOptions
) -> MetricScore:
    """A corpus score by one of sacrebleu's metrics, with sacrebleu's signature and bootstrap."""
    hypotheses = [example.hypothesis for example in examples]
    most = max(len(example.references) for example in examples)
    # sacrebleu's reference streams; None where an example has fewer references than others.
    references = [
        [example.references[stream] if stream < len(example.references) else None for example in examples]
        for stream in range(most)
    ]
    score = metric.corpus_score(hypotheses, references, n_bootstrap=max(options.resamples, 1))
    interval = None
    if options.resamples > 1:
        # sacrebleu gives the mean of the resamples and half the width of their middle 95 %.
        middle, half = float(score._mean), float(score._ci)  # chrF's are numpy scalars
        interval = ConfidenceInterval(max(middle - half, 0.0), min(middle + half, 100.0))
    return MetricScore(name, label, float(score.score), True, len(examples), str(metric.get_signature()), interval)
