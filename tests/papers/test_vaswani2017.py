"""The equations, counts and constants of "Attention Is All You Need" that the model itself must show."""

import math

import pytest
import torch
from torch import nn

from saccade.attention.attend import explicit
from saccade.attention.masks import Visibility
from saccade.layers.feedforward import FeedForward
from saccade.layers.position import sinusoids, tensor2tensor_sinusoids
from saccade.layers.residual import PostNorm, PreNorm, ResidualStream
from saccade.models.transformer import Transformer, TransformerConfig
from saccade.sequences import Sequences
from saccade.special_tokens import EOS


def parameters(vocabulary: int = 37_000, **changes) -> int:
    with torch.device("meta"):
        model = Transformer(TransformerConfig(**changes), vocabulary, vocabulary)
    return sum(parameter.numel() for parameter in model.parameters())


BIG = {"width": 1024, "inner_width": 4096, "heads": 16}


@pytest.mark.parametrize(
    ("changes", "millions_37k", "millions_41k"),
    [
        ({}, 63.05, 65.07),
        ({"heads": 1}, 63.05, 65.07),
        ({"heads": 4}, 63.05, 65.07),
        ({"heads": 16}, 63.05, 65.07),
        ({"heads": 32}, 63.05, 65.07),
        ({"key_width": 16, "value_width": 64}, 55.97, 58.00),
        ({"key_width": 32, "value_width": 64}, 58.33, 60.35),
        ({"encoder_layers": 2, "decoder_layers": 2}, 33.64, 35.67),
        ({"encoder_layers": 4, "decoder_layers": 4}, 48.35, 50.37),
        ({"encoder_layers": 8, "decoder_layers": 8}, 77.75, 79.77),
        ({"width": 256, "key_width": 32, "value_width": 32}, 26.82, 27.83),
        ({"width": 1024, "key_width": 128, "value_width": 128}, 163.82, 167.87),
        ({"inner_width": 1024}, 50.45, 52.48),
        ({"inner_width": 4096}, 88.24, 90.26),
        (BIG, 214.17, 218.23),
    ],
)
def test_table_3_parameter_counts(changes, millions_37k, millions_41k):
    assert parameters(**changes) / 1e6 == pytest.approx(millions_37k, abs=0.006)
    assert parameters(40_960, **changes) / 1e6 == pytest.approx(millions_41k, abs=0.006)


def test_body_of_base_and_big_without_embeddings():
    assert parameters() - 37_000 * 512 == 44_101_632
    assert parameters(**BIG) - 37_000 * 1024 == 176_283_648


def test_attention_biases_add_what_the_first_code_had():
    assert parameters(attention_bias=True) == 63_082_496


def test_first_code_explains_the_published_65_million():
    total = parameters(40_960, attention_bias=True, target_space_rows=32)
    assert total / 1e6 == pytest.approx(65.13, abs=0.005)


def test_equation_1_scales_by_sqrt_of_key_size():
    query = torch.tensor([[[[3.0, 1.0, 2.0, 0.0]]]])
    keys = torch.tensor([[[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]]])
    values = torch.tensor([[[[10.0], [20.0]]]])
    context, weights = explicit(query, keys, values, Visibility())
    first = math.exp(3 / 2) / (math.exp(3 / 2) + math.exp(1 / 2))
    assert weights.flatten().tolist() == pytest.approx([first, 1 - first])
    assert context.item() == pytest.approx(10 * first + 20 * (1 - first))


def test_without_the_scale_wide_keys_make_attention_hard_and_with_it_width_does_not_matter(generator):
    def largest_weight(width: int, factor: float) -> float:
        query = torch.randn(2000, 1, 1, width, generator=generator) * factor
        keys = torch.randn(2000, 1, 64, width, generator=generator)
        return explicit(query, keys, keys, Visibility()).weights.amax(-1).mean().item()

    assert largest_weight(512, factor=math.sqrt(512)) == pytest.approx(0.931, abs=0.03)
    assert largest_weight(4, factor=math.sqrt(4)) == pytest.approx(0.258, abs=0.03)
    assert largest_weight(512, factor=1.0) == pytest.approx(0.10, abs=0.03)
    assert largest_weight(16, factor=1.0) == pytest.approx(0.10, abs=0.03)


def test_equation_2_is_two_linear_maps_with_a_relu_between():
    layer = FeedForward(width=2, inner_width=3)
    with torch.no_grad():
        layer.inner.weight.copy_(torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
        layer.inner.bias.copy_(torch.tensor([0.0, 0.0, -1.0]))
        layer.outer.weight.copy_(torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
        layer.outer.bias.copy_(torch.tensor([0.5, -0.5]))
    # inner: (2, -3, -2) -> relu (2, 0, 0)
    assert layer(torch.tensor([[[2.0, -3.0]]])).flatten().tolist() == [2.5, 7.5]


def test_position_values_of_the_formula():
    table = sinusoids(3, 4)
    assert table[1].tolist() == pytest.approx([0.841471, 0.540302, 0.010000, 0.999950], abs=1e-6)
    assert table[2].tolist() == pytest.approx([0.909297, -0.416147, 0.019999, 0.999800], abs=1e-6)
    assert sinusoids(2, 512)[1, :4].tolist() == pytest.approx([0.841471, 0.540302, 0.821856, 0.569695], abs=1e-6)


def test_position_products_depend_on_the_offset_alone():
    table = sinusoids(400, 512).double()
    for offset, product in [(0, 256.0), (1, 249.102098), (10, 173.789725), (50, 131.090761)]:
        for position in (0, 7, 311):
            assert (table[position] @ table[position + offset]).item() == pytest.approx(product, abs=1e-3)


def test_shifting_a_position_is_a_rotation_of_each_pair():
    offset, width = 11, 6
    table = sinusoids(40, width).double()
    pairs = table.view(40, width // 2, 2)
    omega = torch.exp(torch.arange(0, width, 2, dtype=torch.float64) / width * -math.log(10_000))
    sine, cosine = (offset * omega).sin(), (offset * omega).cos()
    rotated = torch.stack(
        [cosine * pairs[..., 0] + sine * pairs[..., 1], cosine * pairs[..., 1] - sine * pairs[..., 0]], dim=-1
    )
    assert torch.allclose(rotated[:-offset], pairs[offset:], atol=1e-6)


def test_tensor2tensor_positions_put_sines_first_and_end_at_the_named_wavelength():
    table = tensor2tensor_sinusoids(5, 8)
    assert table[3, 0].item() == pytest.approx(math.sin(3))
    assert table[3, 4].item() == pytest.approx(math.cos(3))
    assert table[3, 3].item() == pytest.approx(math.sin(3 / 10_000))


def test_post_norm_output_is_normalised_and_pre_norm_leaves_the_stream_alone(generator):
    states = torch.randn(2, 3, 64, generator=generator) * 5
    after = PostNorm(64, 0.0)(ResidualStream.of(states), torch.zeros_like).states
    assert after.mean(-1).abs().max() < 1e-5
    assert after.var(-1, unbiased=False).sub(1).abs().max() < 1e-4
    assert torch.equal(PreNorm(64, 0.0)(ResidualStream.of(states), torch.zeros_like).states, states)


def test_only_a_pre_norm_stack_ends_with_a_norm():
    assert isinstance(PostNorm.end(7), torch.nn.Identity)
    assert isinstance(PreNorm.end(7), torch.nn.LayerNorm)


def test_queries_keys_and_values_begin_as_in_torchs_own_attention():
    torch.manual_seed(7)
    ours = Transformer(TransformerConfig(width=64, heads=4), 9, 9).decoder.layers[0].cross_attention
    theirs = nn.MultiheadAttention(64, 4)  # draws the three as one matrix
    for projection in (ours.query, ours.key, ours.value):
        assert projection.weight.std().item() == pytest.approx(theirs.in_proj_weight.std().item(), rel=0.05)
    assert ours.output.weight.std().item() == pytest.approx(2**0.5 * theirs.in_proj_weight.std().item(), rel=0.05)


def test_scaled_embedding_outweighs_the_position_as_designed():
    model = Transformer(TransformerConfig(encoder_layers=1, decoder_layers=1), 997, 997)
    tokens = torch.arange(997).unsqueeze(0)
    assert model.source_embedding(tokens).norm(dim=-1).mean().item() == pytest.approx(math.sqrt(512), rel=0.02)
    assert model.source_positions(0, 9).norm(dim=-1).tolist() == pytest.approx([math.sqrt(256)] * 9, rel=1e-4)


@torch.no_grad()
def test_without_positions_permuting_the_source_permutes_the_encoding(generator):
    model = Transformer(
        TransformerConfig(encoder_layers=2, decoder_layers=1, width=24, inner_width=29, heads=3), 31, 31
    ).eval()
    model.source_positions.table.zero_()
    tokens = [5, 9, 4, 30, 17, EOS]
    order = torch.randperm(6, generator=generator)
    straight = model.encode(Sequences.of([tokens])).states
    shuffled = model.encode(Sequences.of([[tokens[place] for place in order.tolist()]])).states
    assert torch.allclose(straight[:, order], shuffled, atol=1e-5)


@torch.no_grad()
def test_what_lies_beyond_layers_times_window_has_no_influence():
    config = TransformerConfig(
        encoder_layers=3, decoder_layers=1, width=24, inner_width=29, heads=3, attention_window=2
    )
    model = Transformer(config, 31, 31).eval()
    tokens = list(range(4, 24))
    changed = [*tokens[:-1], 29]
    one, other = (model.encode(Sequences.of([row])).states for row in (tokens, changed))
    reach = 3 * 2
    difference = (one - other).abs().amax(-1)[0]
    assert (difference[: -reach - 1] == 0).all()
    assert (difference[-reach - 1 :] > 0).all()
