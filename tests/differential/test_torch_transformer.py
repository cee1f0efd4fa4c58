"""The same weights in torch.nn's own Transformer layers give the same logits."""

import pytest
import torch
from torch import nn

from saccade.attention.masks import Visibility
from saccade.attention.multihead import MultiHeadAttention
from saccade.models.transformer import Transformer, TransformerConfig
from saccade.models.transformer_classifier import TransformerClassifier, TransformerClassifierConfig
from saccade.models.transformer_language_model import TransformerLanguageModel, TransformerLanguageModelConfig
from saccade.models.transformer_stacks import SelfAttentionStack
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

VOCABULARY, WIDTH, HEADS, INNER = 37, 20, 5, 23


def copy_attention(ours: MultiHeadAttention, theirs: nn.MultiheadAttention) -> None:
    theirs.in_proj_weight.copy_(torch.cat([ours.query.weight, ours.key.weight, ours.value.weight]))
    theirs.in_proj_bias.copy_(torch.cat([ours.query.bias, ours.key.bias, ours.value.bias]))
    theirs.out_proj.load_state_dict(ours.output.state_dict())


def copy_layer(ours, theirs) -> None:
    copy_attention(ours.self_attention, theirs.self_attn)
    theirs.norm1.load_state_dict(ours.around_self_attention.norm.state_dict())
    last = theirs.norm2
    if hasattr(ours, "cross_attention"):
        copy_attention(ours.cross_attention, theirs.multihead_attn)
        theirs.norm2.load_state_dict(ours.around_cross_attention.norm.state_dict())
        last = theirs.norm3
    theirs.linear1.load_state_dict(ours.feedforward.inner.state_dict())
    theirs.linear2.load_state_dict(ours.feedforward.outer.state_dict())
    last.load_state_dict(ours.around_feedforward.norm.state_dict())


def shape(norm: str) -> dict:
    sizes = {"d_model": WIDTH, "nhead": HEADS, "dim_feedforward": INNER, "dropout": 0.0, "batch_first": True}
    return sizes | {"layer_norm_eps": 1e-6, "norm_first": norm == "pre"}


def copy_stack(ours: nn.Module, theirs: nn.Module, norm: str) -> None:
    for one, other in zip(ours.layers, theirs.layers, strict=True):
        copy_layer(one, other)
    if norm == "pre":
        theirs.norm = nn.LayerNorm(WIDTH, eps=1e-6)
        theirs.norm.load_state_dict(ours.end.state_dict())


def torch_encoder(ours: SelfAttentionStack, norm: str) -> nn.TransformerEncoder:
    """torch's own stack of encoder layers with the weights of ours."""
    layer = nn.TransformerEncoderLayer(**shape(norm))
    theirs = nn.TransformerEncoder(layer, len(ours.layers), enable_nested_tensor=False).eval()
    copy_stack(ours, theirs, norm)
    return theirs


def shake(model: nn.Module) -> None:
    """Away from the initial zeros and ones, so that every bias and gain matters."""
    for parameter in model.parameters():
        parameter.add_(torch.randn_like(parameter) * 0.1)


@pytest.mark.parametrize("norm", ["post", "pre"])
@torch.no_grad()
def test_logits_equal_those_of_torch_nn(norm):
    torch.manual_seed(11)
    config = TransformerConfig(
        encoder_layers=2, decoder_layers=3, width=WIDTH, heads=HEADS, inner_width=INNER, norm=norm, attention_bias=True
    )
    ours = Transformer(config, VOCABULARY, VOCABULARY).eval()
    shake(ours)
    encoder = torch_encoder(ours.encoder, norm)
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(**shape(norm)), 3).eval()
    copy_stack(ours.decoder, decoder, norm)

    source = Sequences.of([[5, 6, 7, 8, 9, 10, EOS], [30, 31, EOS]])
    target = Sequences.of([[4, 9, EOS], [12, 13, 14, 15, EOS]])
    embedded_source = ours.source_embedding(source.tokens) + ours.source_positions(0, 7)
    embedded_target = ours.target_embedding(target.reads.tokens) + ours.target_positions(0, 5)
    memory = encoder(embedded_source, src_key_padding_mask=~source.mask)
    causal = torch.ones(5, 5, dtype=torch.bool).triu(1)
    states = decoder(embedded_target, memory, tgt_mask=causal, memory_key_padding_mask=~source.mask)
    expected = states @ ours.output.weight.T
    assert torch.allclose(ours.decode(target.reads, ours.encode(source)), expected, atol=1e-4)


SIZES = {"layers": 2, "width": WIDTH, "heads": HEADS, "inner_width": INNER, "attention_bias": True}
TEXTS = Sequences.of([[5, 6, 7, 8, 9, 10, EOS], [30, 31, EOS]])


@pytest.mark.parametrize("norm", ["post", "pre"])
@torch.no_grad()
def test_a_language_model_is_torchs_encoder_with_a_causal_mask(norm):
    torch.manual_seed(13)
    config = TransformerLanguageModelConfig(**SIZES, norm=norm, tie="none")
    ours = TransformerLanguageModel(config, VOCABULARY, VOCABULARY).eval()
    shake(ours)
    embedded = ours.embedding(TEXTS.reads.tokens) + ours.positions(0, 7)
    causal = torch.ones(7, 7, dtype=torch.bool).triu(1)
    expected = torch_encoder(ours.decoder, norm)(embedded, mask=causal) @ ours.output.weight.T
    assert torch.allclose(ours.decode(TEXTS.reads, ours.encode(TEXTS)), expected, atol=1e-4)


@pytest.mark.parametrize("norm", ["post", "pre"])
@torch.no_grad()
def test_a_classifier_is_torchs_encoder_and_the_mean_of_its_real_positions(norm):
    torch.manual_seed(17)
    ours = TransformerClassifier(TransformerClassifierConfig(**SIZES, norm=norm), VOCABULARY, 7).eval()
    shake(ours)
    embedded = ours.embedding(TEXTS.tokens) + ours.positions(0, 7)
    states = torch_encoder(ours.encoder, norm)(embedded, src_key_padding_mask=~TEXTS.mask)
    means = torch.stack([states[0, :7].mean(0), states[1, :3].mean(0)])
    label = Sequences.of([[5, EOS], [6, EOS]])
    expected = (means @ ours.output.weight.T + ours.output.bias)[:, 4:]  # the first four tokens are no labels
    assert torch.allclose(ours.decode(label.reads, ours.encode(TEXTS))[:, 0, 4:], expected, atol=1e-4)


@torch.no_grad()
def test_multi_head_attention_equals_torch_nn_weights_included(generator):
    ours = MultiHeadAttention(WIDTH, HEADS, WIDTH // HEADS, WIDTH // HEADS, bias=True)
    shake(ours)
    theirs = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
    copy_attention(ours, theirs)
    query, memory = (torch.randn(2, length, WIDTH, generator=generator) for length in (3, 7))
    seen = torch.arange(7) < torch.tensor([[7], [4]])
    expected, _ = theirs(query, memory, memory, key_padding_mask=~seen)
    assert torch.allclose(ours(query, ours.keys_values(memory), Visibility(keys=seen)), expected, atol=1e-5)
