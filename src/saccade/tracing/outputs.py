"""The prediction at each decoding step: the probability of the target token, and the best candidates."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from saccade.data.sentencepiece_model import SPACE
from saccade.data.tokenizer import Tokenizer
from saccade.models.capabilities import projection_bias_of, projection_of
from saccade.models.contract import Transducer
from saccade.tracing.forward_passes import ForwardPasses
from saccade.tracing.tensors import TraceTensors

CANDIDATES = 5


def steps(passes: ForwardPasses, target: Sequence[int], tokenizer: Tokenizer) -> list[dict[str, Any]]:
    """One entry for each target token, in double precision from the logits of the forced pass."""
    logits = passes.logits.double()
    normaliser = logits.logsumexp(-1)
    log_probabilities = logits - normaliser.unsqueeze(1)
    probabilities = log_probabilities.exp()
    entropy = -(probabilities * log_probabilities).sum(-1)
    best = _best(logits)
    listed = []
    for place, token in enumerate(target):
        own = logits[place, token]
        listed.append(
            {
                "t": place,
                "reads": place,
                "predicts": place,
                "logprob": float(log_probabilities[place, token]),
                "logit": float(own),
                "entropy": float(entropy[place]),
                "rank": 1 + int((logits[place] > own).sum()),
                "log_normaliser": float(normaliser[place]),
                "top": [
                    {
                        "id": candidate,
                        "piece": piece,
                        "text": piece.replace(SPACE, ""),
                        "logit": float(logits[place, candidate]),
                        "p": float(probabilities[place, candidate]),
                    }
                    for candidate, piece in zip(
                        best[place].tolist(), tokenizer.pieces(best[place].tolist()), strict=True
                    )
                ],
            }
        )
    return listed


def final(model: Transducer[Any, Any], passes: ForwardPasses, tensors: TraceTensors) -> dict[str, Any]:
    """The decoder states, and the rows of the output matrix whose products with them are the candidates' logits.

    A bias of the output, where there is one, is added to those products.
    """
    names = tensors.put("final", "states", passes.states, "reads width")
    projection = projection_of(model)
    if projection is not None:
        best, bias = _best(passes.logits.double()), projection_bias_of(model)
        names |= tensors.put("final", "rows", projection[best], "reads top width")
        names |= tensors.put("final", "bias", None if bias is None else bias[best], "reads top")
    return {"tensors": names}


def _best(logits: Tensor) -> Tensor:
    """The tokens with the largest logits, the largest first; of equal ones the smaller, which topk leaves open."""
    count = min(CANDIDATES, logits.shape[-1])
    rows = []
    for row in logits:
        tokens = (row >= row.topk(count).values[-1]).nonzero().flatten()
        rows.append(tokens[row[tokens].sort(descending=True, stable=True).indices[:count]])
    return torch.stack(rows)
