"""The same weights in Hugging Face's MarianMTModel give the same logits, and its search the same output.

Marian puts all sines before all cosines where the paper alternates them. Both are the same model once every axis of
the model's width is permuted, so the weights are copied through that permutation and our own positions are tested too.
"""

import pytest
import torch

from saccade.decoding.beam import BeamConfig, beam_search
from saccade.models.transformer import Transformer, TransformerConfig
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS, PAD

transformers = pytest.importorskip("transformers")

VOCABULARY, WIDTH, HEADS, INNER = 41, 20, 5, 29
# Place j of Marian's width is place ORDER[j] of ours.
ORDER = torch.cat([torch.arange(0, WIDTH, 2), torch.arange(1, WIDTH, 2)])


def marian():
    config = transformers.MarianConfig(
        vocab_size=VOCABULARY,
        d_model=WIDTH,
        encoder_layers=2,
        decoder_layers=3,
        encoder_attention_heads=HEADS,
        decoder_attention_heads=HEADS,
        encoder_ffn_dim=INNER,
        decoder_ffn_dim=INNER,
        activation_function="relu",
        scale_embedding=True,
        max_position_embeddings=128,
        pad_token_id=PAD,
        eos_token_id=EOS,
        bos_token_id=BOS,
        decoder_start_token_id=BOS,
        forced_eos_token_id=None,
        dropout=0.0,
    )
    model = transformers.MarianMTModel(config).eval()
    for module in model.modules():
        if isinstance(module, torch.nn.LayerNorm):
            module.eps = 1e-6
    return model


def copy_norm(ours, theirs) -> None:
    theirs.weight.copy_(ours.weight[ORDER])
    theirs.bias.copy_(ours.bias[ORDER])


def copy_attention(ours, theirs) -> None:
    for mine, name in ((ours.query, "q_proj"), (ours.key, "k_proj"), (ours.value, "v_proj")):
        getattr(theirs, name).weight.copy_(mine.weight[:, ORDER])
        getattr(theirs, name).bias.copy_(mine.bias)
    theirs.out_proj.weight.copy_(ours.output.weight[ORDER])
    theirs.out_proj.bias.copy_(ours.output.bias[ORDER])


def copy_layer(ours, theirs) -> None:
    copy_attention(ours.self_attention, theirs.self_attn)
    copy_norm(ours.around_self_attention.norm, theirs.self_attn_layer_norm)
    if hasattr(ours, "cross_attention"):
        copy_attention(ours.cross_attention, theirs.encoder_attn)
        copy_norm(ours.around_cross_attention.norm, theirs.encoder_attn_layer_norm)
    theirs.fc1.weight.copy_(ours.feedforward.inner.weight[:, ORDER])
    theirs.fc1.bias.copy_(ours.feedforward.inner.bias)
    theirs.fc2.weight.copy_(ours.feedforward.outer.weight[ORDER])
    theirs.fc2.bias.copy_(ours.feedforward.outer.bias[ORDER])
    copy_norm(ours.around_feedforward.norm, theirs.final_layer_norm)


def half_learn_to_copy(model: Transformer) -> None:
    """Untrained models repeat one token for ever; after a little training outputs end, differ, and are not certain."""
    optimizer = torch.optim.Adam(model.parameters(), 5e-3)
    generator = torch.Generator().manual_seed(29)
    for _ in range(150):
        lengths = torch.randint(1, 10, (24,), generator=generator).tolist()
        rows = [[*torch.randint(4, VOCABULARY, (n,), generator=generator).tolist(), EOS] for n in lengths]
        batch = Sequences.of(rows)
        logits = model.decode(batch.reads, model.encode(batch))
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch.tokens.flatten(), ignore_index=PAD).backward()
        optimizer.step()


@pytest.fixture(scope="module")
def models():
    torch.manual_seed(23)
    config = TransformerConfig(
        encoder_layers=2,
        decoder_layers=3,
        width=WIDTH,
        heads=HEADS,
        inner_width=INNER,
        attention_bias=True,
        initialisation="xavier",
    )
    ours, theirs = Transformer(config, VOCABULARY, VOCABULARY).eval(), marian()
    half_learn_to_copy(ours)
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.02)  # no bias and no gain stays at its initial value
        theirs.model.shared.weight.copy_(ours.target_embedding.weight[:, ORDER])
        for stack, other in ((ours.encoder, theirs.model.encoder), (ours.decoder, theirs.model.decoder)):
            for one, another in zip(stack.layers, other.layers, strict=True):
                copy_layer(one, another)
    return ours, theirs


SOURCE = Sequences.of(
    [[5, 6, 7, 8, 9, 10, EOS], [30, 31, EOS], [40, 4, 4, 17, EOS], [22, EOS], [11, 12, 39, 38, 37, 5, 6, 7, 20, EOS]]
)


@torch.no_grad()
def test_logits_equal_those_of_marian(models):
    ours, theirs = models
    target = Sequences.of([[4, 9, EOS], [12, 13, 14, 15, EOS], [5, EOS], [9, 9, 9, EOS], [8, EOS]])
    expected = theirs(
        input_ids=SOURCE.tokens,
        attention_mask=SOURCE.mask.long(),
        decoder_input_ids=target.reads.tokens,
        use_cache=False,
    ).logits
    found = ours.decode(target.reads, ours.encode(SOURCE))
    assert torch.allclose(found[target.mask], expected[target.mask], atol=1e-4)
    assert expected[target.mask].std() > 0.5


@pytest.mark.parametrize("size", [2, 4, 7])
@torch.no_grad()
def test_beam_search_finds_what_generate_finds(models, size):
    """Or better: of 2 * size candidates, Marian's search forgets those that end outside the best `size`."""
    ours, theirs = models
    limit, lengths, equal = 40, set(), 0
    for row in range(len(SOURCE)):
        source = Sequences.of([SOURCE.tokens[row, : SOURCE.lengths[row]].tolist()])
        generated = theirs.generate(
            input_ids=source.tokens,
            attention_mask=source.mask.long(),
            num_beams=size,
            length_penalty=0.0,
            early_stopping="never",
            max_new_tokens=limit + int(source.lengths[0]),
            do_sample=False,
            bad_words_ids=[[PAD], [BOS]],
            return_dict_in_generate=True,
            output_scores=True,
        )
        written = generated.sequences[0, 1:].tolist()
        expected = tuple(written[: written.index(EOS) + 1])
        found = beam_search(ours, source, BeamConfig(size=size, alpha=0.0, extra_length=limit))[0][0]
        if found.tokens == expected:
            equal += 1
            assert found.log_probability == pytest.approx(generated.sequences_scores.item(), abs=1e-4)
        else:
            assert found.log_probability > generated.sequences_scores.item()
        lengths.add(len(found.tokens))
    assert equal >= len(SOURCE) - 1
    assert len(lengths) > 2
