"""Every claim, one line each. The command line, the page and the tests read this list."""

from collections.abc import Sequence

from saccade.claims.attention import (
    a1_softmax,
    a2_scaling,
    a3_large_scores,
    a4_long_sentences,
    a5_alignment,
    a6_equal_shares,
    a7_a_or_an,
    a8_it,
    a9_two_senses,
    a10_umbrella,
    a11_content_words,
    a12_one_word,
    a13_similar_keys,
    a14_weights_from_data,
    a15_attention_is_not_free,
    a16_unlimited_context,
    a17_pictures_and_sound,
    a18_diagonal,
    a19_both_directions,
    a20_reading_less,
    a21_interpolation,
    a22_which_state_asks,
)
from saccade.claims.claim import CHAPTERS, Claim
from saccade.claims.convolution import (
    c1_receptive_field,
    c3_relative_position,
)
from saccade.claims.recurrence import (
    r1_vanishing_gradient,
    r2_how_long,
    r3_gates,
    r4_memory_decays,
    r5_fixed_vector,
    r6_no_parallel_time,
    r7_cost_per_token,
    r8_shared_weights,
    r9_training_memory,
    r10_errors_accumulate,
    r11_ngrams,
    r12_constraints,
    r13_training_at_once,
    r14_own_mistakes,
    r15_lengths,
)
from saccade.claims.transformer import (
    t1_order,
    t2_sinusoids,
    t3_learned_positions,
    t4_several_heads,
    t5_cost_of_heads,
    t7_residuals,
    t8_corrections,
    t9_batch_norm,
    t10_stable_activations,
    t11_causal_mask,
    t12_feedforward,
    t13_embedding_scale,
    t14_parallel,
    t15_table_1,
    t17_quadratic,
    t18_restricted,
    t21_short_paths,
    t22_constant_distance,
    t26_attention_alone,
)
from saccade.claims.worked_examples import (
    w1_cafeteria,
    w2_causal_rows,
    w3_attention_filter,
    w4_generation_loop,
    w5_similarities,
    w6_five_questions,
)
from saccade.errors import InputError, did_you_mean

_LISTED = (
    r1_vanishing_gradient.CLAIM,
    r2_how_long.CLAIM,
    r3_gates.CLAIM,
    r4_memory_decays.CLAIM,
    r5_fixed_vector.CLAIM,
    r6_no_parallel_time.CLAIM,
    r7_cost_per_token.CLAIM,
    r8_shared_weights.CLAIM,
    r9_training_memory.CLAIM,
    r10_errors_accumulate.CLAIM,
    r11_ngrams.CLAIM,
    r12_constraints.CLAIM,
    r13_training_at_once.CLAIM,
    r14_own_mistakes.CLAIM,
    r15_lengths.CLAIM,
    c1_receptive_field.CLAIM,
    c3_relative_position.CLAIM,
    a1_softmax.CLAIM,
    a2_scaling.CLAIM,
    a3_large_scores.CLAIM,
    a4_long_sentences.CLAIM,
    a5_alignment.CLAIM,
    a6_equal_shares.CLAIM,
    a7_a_or_an.CLAIM,
    a8_it.CLAIM,
    a9_two_senses.CLAIM,
    a10_umbrella.CLAIM,
    a11_content_words.CLAIM,
    a12_one_word.CLAIM,
    a13_similar_keys.CLAIM,
    a14_weights_from_data.CLAIM,
    a15_attention_is_not_free.CLAIM,
    a16_unlimited_context.CLAIM,
    a17_pictures_and_sound.CLAIM,
    a18_diagonal.CLAIM,
    a19_both_directions.CLAIM,
    a20_reading_less.CLAIM,
    a21_interpolation.CLAIM,
    a22_which_state_asks.CLAIM,
    t1_order.CLAIM,
    t2_sinusoids.CLAIM,
    t3_learned_positions.CLAIM,
    t4_several_heads.CLAIM,
    t5_cost_of_heads.CLAIM,
    t4_several_heads.RESOLUTION,
    t7_residuals.CLAIM,
    t8_corrections.CLAIM,
    t9_batch_norm.CLAIM,
    t10_stable_activations.CLAIM,
    t11_causal_mask.CLAIM,
    t12_feedforward.CLAIM,
    t13_embedding_scale.CLAIM,
    t14_parallel.CLAIM,
    t15_table_1.CLAIM,
    t17_quadratic.CLAIM,
    t18_restricted.CLAIM,
    t21_short_paths.CLAIM,
    t22_constant_distance.CLAIM,
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
