"""A recurrence that attends to the source before each position: Bahdanau et al. 2015, appendix A.2.2.

    c_t = attend(s_{t-1})        s_t = cell(x_t, s_{t-1}, c_t)

Any score and alignment of attention/ and any cell of layers/cells.py. The pair that was published, the additive score
and a GRU whose reset gate comes before the product, has a fast twin in attentive_cell_fast.py.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from saccade.attention.recording import watched
from saccade.attention.single_query import Attention, PreparedKeysValues
from saccade.layers.attentive_cell_fast import AttentiveCellWeights, attentive_states_fast
from saccade.layers.cells import Cell


def attentive_states(
    attention: Attention,
    cell: Cell,
    projected: Float[Tensor, "batch target gates"],
    state: Float[Tensor, "batch carried"],
    source: PreparedKeysValues,
    positions: Int[Tensor, "1 target"],
) -> tuple[Float[Tensor, "batch target carried"], Float[Tensor, "batch target context_width"]]:
    """The state after each position, and the context found there; `projected` are the inputs times their matrix."""
    weights = fast_weights(attention, cell)
    with torch.autocast(projected.device.type, enabled=False):
        if weights is not None and not watched(cell):
            return attentive_states_fast(
                projected, state, source.keys, source.values, source.real, weights, cell.update_keeps
            )
        states, contexts = [], []
        for word, position in zip(projected.unbind(1), positions.t().unsqueeze(1), strict=True):
            context = attention(cell.hidden(state).unsqueeze(1), source, position).squeeze(1)
            state = cell.step(word, state, cell.project_context(context))
            states.append(state)
            contexts.append(context)
    return torch.stack(states, dim=1), torch.stack(contexts, dim=1)


def fast_weights(attention: Attention, cell: Cell) -> AttentiveCellWeights | None:
    """The matrices for the fast twin, or None where this attention or cell is not the published one."""
    additive, published = attention.score.additive_weights, attention.weighted_sum and attention.alignment.is_softmax
    if additive is None or cell.context is None or not (published and cell.resets_before):
        return None
    return AttentiveCellWeights(*additive, cell.context.weight, cell.recurrent)
