"""Forced decoding: the log-probability of given outputs, as for perplexity and reranking."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from saccade.models.contract import Transducer
from saccade.sequences import Pairs


@torch.inference_mode()
def score_pairs(model: Transducer[Any, Any], pairs: Pairs) -> Float[Tensor, "batch target"]:
    """Log P(y_j | y_1 .. y_{j-1}, X) of every target token, EOS included and unsmoothed; zero on padding.

    The sum over a row is log P(Y | X). One teacher-forced pass; of each position only the log-probability needed is
    computed, not the whole distribution a second time.
    """
    assert not model.training, "dropout would change the scores: call model.eval() first"
    logits = model.logits(model.teacher_forced(pairs)[1])
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    wanted = logits.gather(2, pairs.target.tokens.unsqueeze(2)).squeeze(2)
    return (wanted - logits.logsumexp(dim=2)).masked_fill(~pairs.target.mask, 0.0)
