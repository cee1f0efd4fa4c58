"""The lead baseline of summarisation: the first sentence of the source, whatever the outputs are."""

import re
from collections.abc import Sequence
from dataclasses import replace

from saccade.evaluation.bleu import chrf
from saccade.evaluation.examples import Example
from saccade.evaluation.metric_score import MetricOptions, MetricScore


def lead(source: str) -> str:
    """Everything up to the first full stop, question mark or exclamation mark before a space."""
    return re.split(r"(?<=[.?!])\s", source.strip(), maxsplit=1)[0]


def lead_chrf(examples: Sequence[Example], options: MetricOptions) -> MetricScore:
    """The chrF of the leads."""
    score = chrf([replace(example, hypothesis=lead(example.source)) for example in examples], options)
    return replace(score, metric="lead_chrf", label="chrF of the lead", signature=f"{score.signature}|outputs:lead")
