"""Whether a model was sure of what was found: the same answer whatever has searched, and beside whatever lines.

Engines differ in the log-probability of one output, and a batch of other lines changes its last digits. So an output
that is near the bound is scored again by the model itself (`stable_scores.py`), and only the others are judged as
they are.
"""

from collections.abc import Sequence

from saccade.decoding.beam import BeamConfig
from saccade.decoding.hypothesis import Hypothesis
from saccade.quality.certainty import CertaintyBound, certainty
from saccade.quality.faults import Fault
from saccade.sequences import EOS
from saccade.serving.source_lines import Line
from saccade.serving.stable_scores import StableScores, rounded

# Three times as far as CTranslate2 in int8 was from the model itself, on 160 sentences with the shipped model: 0.048.
NEAR = 0.15


def doubts(
    bound: CertaintyBound,
    scores: StableScores,
    found: Sequence[tuple[Line, Hypothesis]],
    search: BeamConfig,
    *,
    settled: bool,
) -> list[list[Fault]]:
    """The fault of each output that the model was not sure of; `settled` are log-probabilities of its own."""
    judged = [hypothesis for _, hypothesis in found]
    near = [] if settled else [place for place, one in enumerate(judged) if _is_near(bound, one)]
    if near:
        sources = [(*found[place][0].input.tokens, EOS) for place in near]
        again = scores.settle_hypotheses(sources, [[judged[place]] for place in near], search)
        for place, [hypothesis] in zip(near, again, strict=True):
            judged[place] = hypothesis
    return [
        # What the user began is not for the model to doubt.
        [] if line.input.prefix else bound(rounded(hypothesis.log_probability), len(hypothesis.tokens))
        for (line, _), hypothesis in zip(found, judged, strict=True)
    ]


def _is_near(bound: CertaintyBound, hypothesis: Hypothesis) -> bool:
    tokens = len(hypothesis.tokens)
    return tokens > 0 and abs(certainty(hypothesis.log_probability, tokens) - bound.lowest) <= NEAR
