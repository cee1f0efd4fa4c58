import pytest
import torch
from torch import distributed
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

from saccade.attention.alignment import Soft
from saccade.attention.scores import Dot
from saccade.attention.single_query import Attention
from saccade.layers import convs2s_stacks
from saccade.layers.convs2s_stacks import ConvDecoder, ConvEncoder
from saccade.layers.variance import VARIANCE_SCALINGS, LinearFactory

EMBEDDING, SHAPES = 7, [(5, 3), (5, 1), (11, 5)]
BATCH, SOURCE, TARGET = 2, 3, 6
MAPS = LinearFactory(dropout=0.1, weight_normalisation=True)


@pytest.fixture
def decoder():
    torch.manual_seed(3)
    made = ConvDecoder(MAPS, VARIANCE_SCALINGS["paper"], SHAPES, EMBEDDING, lambda: Attention(Dot(), Soft()), (1, 3))
    return made.eval()


def seen(decoder):
    keys, values = torch.randn(BATCH, SOURCE, EMBEDDING), torch.randn(BATCH, SOURCE, EMBEDDING)
    return decoder.sources(keys, values, torch.ones(BATCH, SOURCE, dtype=torch.bool)), torch.tensor([1.5, 2.0])


def test_only_the_layers_that_attend_see_the_source(decoder):
    assert [layer.attention is not None for layer in decoder.layers] == [True, False, True]
    assert len(seen(decoder)[0]) == 2


def test_position_by_position_gives_what_all_at_once_gives(decoder):
    sources, factor = seen(decoder)
    embedded = torch.randn(BATCH, TARGET, EMBEDDING)
    whole = decoder(embedded, sources, factor, torch.arange(TARGET).unsqueeze(0))
    recent = tuple(torch.zeros(BATCH, before, width) for before, width in decoder.before)
    for place in range(TARGET):
        positions = torch.full((BATCH, 1), place)
        now, recent = decoder.step(embedded[:, place : place + 1], recent, sources, factor, positions)
        torch.testing.assert_close(now[:, 0], whole[:, place])


def test_a_layer_reads_as_many_positions_before_as_its_window_has(decoder):
    assert decoder.before == ((2, 5), (0, 5), (4, 5))


def test_the_encoder_sees_half_a_window_to_each_side():
    torch.manual_seed(3)
    encoder = ConvEncoder(MAPS, VARIANCE_SCALINGS["paper"], [(5, 3)], EMBEDDING).eval()
    embedded = torch.randn(1, 9, EMBEDDING)
    other = embedded.clone()
    other[0, 4] += 1.0
    real = torch.ones(1, 9, dtype=torch.bool)
    moved = (encoder(embedded, real) - encoder(other, real)).abs().amax(dim=-1)[0] > 0
    assert moved.nonzero().flatten().tolist() == [3, 4, 5]


@pytest.fixture
def mesh():
    """A group of this process alone."""
    distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    yield init_device_mesh("cpu", (1,))
    distributed.destroy_process_group()


def test_a_convolution_whose_weights_are_sharded_is_computed_by_the_module_that_gathers_them(
    decoder, mesh, monkeypatch
):
    """With an additive score the units of a decoder are its convolutions, not its layers."""
    layer, (sources, factor) = decoder.layers[0], seen(decoder)
    states, embedded = torch.randn(BATCH, TARGET, 5), torch.randn(BATCH, TARGET, EMBEDDING)
    given = states, embedded, sources[0], factor, torch.arange(TARGET).unsqueeze(0)
    whole = layer(*given)
    fully_shard(layer.convolution, mesh=mesh)
    monkeypatch.setattr(convs2s_stacks, "triton_available_for", lambda _: True)
    torch.testing.assert_close(layer(*given), whole)
