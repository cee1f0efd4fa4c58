"""Whether a model was sure of what was found: the same answer beside whatever lines.

The log-probability is that of the search, which costs nothing; where scores are asked for, that of the model itself,
as it is printed. A batch of other lines changes its last digits, so an output so near to the bound that these would
decide is scored again (`stable_scores.py`). An engine in int8 has an arithmetic of its own: its certainties were up to
0.16 away from the model's, on 180 sentences with the shipped model.
"""

from collections.abc import Sequence

from saccade.decoding.beam import BeamConfig
from saccade.decoding.hypothesis import Hypothesis
from saccade.quality.certainty import CertaintyBound, certainty
from saccade.quality.faults import Fault
from saccade.serving.source_lines import Line
from saccade.serving.stable_scores import StableScores, rounded
from saccade.special_tokens import EOS

NEAR = 1e-3
"""More than rounding and the rest of a batch can change."""


def doubts(
    bound: CertaintyBound,
    scores: StableScores,
    found: Sequence[tuple[Line, Hypothesis]],
    search: BeamConfig,
    *,
    settled: bool,
) -> list[list[Fault]]:
    """The fault of each output that the model was not sure of; `settled` says that log-probabilities are its own."""
    judged = [hypothesis for _, hypothesis in found]
    near = [] if settled else [place for place, one in enumerate(judged) if _is_near(bound, one)]
    if near:
        sources = [(*found[place][0].input.tokens, EOS) for place in near]
        again = scores.settle_hypotheses(sources, [[judged[place]] for place in near], search)
        for place, [hypothesis] in zip(near, again, strict=True):
            judged[place] = hypothesis
    return [
        # What the user began, or asked for by name, is not for the model to doubt.
        []
        if line.input.prefix or line.input.terms
        else bound(rounded(hypothesis.log_probability), len(hypothesis.tokens))
        for (line, _), hypothesis in zip(found, judged, strict=True)
    ]


def _is_near(bound: CertaintyBound, hypothesis: Hypothesis) -> bool:
    tokens = len(hypothesis.tokens)
    return tokens > 0 and abs(certainty(hypothesis.log_probability, tokens) - bound.lowest) <= NEAR
