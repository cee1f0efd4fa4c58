"""Every claim, in the order in which the story is told: one line each. Command line, page and tests read this."""

from collections.abc import Sequence

from saccade.claims import (
    a1_softmax,
    a2_scaling,
    a3_large_scores,
    a14_weights_from_data,
    a21_interpolation,
    a22_which_state_asks,
    c1_receptive_field,
    c3_relative_position,
    r1_vanishing_gradient,
    r3_gates,
    r6_no_parallel_time,
    r7_cost_per_token,
    r8_shared_weights,
    r13_training_at_once,
    t1_order,
    t2_sinusoids,
    t5_cost_of_heads,
    t11_causal_mask,
    t13_embedding_scale,
    t15_table_1,
    t26_attention_alone,
    w1_cafeteria,
    w2_causal_rows,
    w3_attention_filter,
    w4_generation_loop,
    w5_similarities,
    w6_five_questions,
)
from saccade.claims.claim import CHAPTERS, Claim
from saccade.errors import InputError, did_you_mean

_LISTED = (
    r1_vanishing_gradient.CLAIM,
    r3_gates.CLAIM,
    r6_no_parallel_time.CLAIM,
    r7_cost_per_token.CLAIM,
    r8_shared_weights.CLAIM,
    r13_training_at_once.CLAIM,
    c1_receptive_field.CLAIM,
    c3_relative_position.CLAIM,
    a1_softmax.CLAIM,
    a2_scaling.CLAIM,
    a3_large_scores.CLAIM,
    a14_weights_from_data.CLAIM,
    a21_interpolation.CLAIM,
    a22_which_state_asks.CLAIM,
    t1_order.CLAIM,
    t2_sinusoids.CLAIM,
    t5_cost_of_heads.CLAIM,
    t11_causal_mask.CLAIM,
    t13_embedding_scale.CLAIM,
    t15_table_1.CLAIM,
    t26_attention_alone.CLAIM,
    w1_cafeteria.CLAIM,
    w2_causal_rows.CLAIM,
    w3_attention_filter.CLAIM,
    w4_generation_loop.CLAIM,
    w5_similarities.CLAIM,
    w6_five_questions.CLAIM,
)

CLAIMS = {
    claim.id: claim
    for claim in sorted(_LISTED, key=lambda claim: (list(CHAPTERS).index(claim.id[0]), int(claim.id[1:])))
}


def find(ids: Sequence[str]) -> list[Claim]:
    """The claims with these ids, in whatever case they are written."""
    for id_ in ids:
        if id_.upper() not in CLAIMS:
            raise InputError(
                f"a claim must be one of {', '.join(CLAIMS)}, but is {id_!r}.{did_you_mean(id_.upper(), CLAIMS)} "
                "`saccade claims` says what each is about."
            )
    return [CLAIMS[id_.upper()] for id_ in ids]
