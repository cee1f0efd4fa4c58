from functools import cache

import pytest

from saccade.comparison.complexity import Growth, measure_complexity
from saccade.comparison.parameter_matching import narrow
from saccade.comparison.system_spec import systems_for_task
from saccade.models.catalogue import build
from saccade.models.transformer import TransformerConfig

LENGTHS = (3, 5)
SIZES = {"decoder_layers": 1, "width": 8, "inner_width": 12, "heads": 2}


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ((7, 7, 7), "7"),
        ((14, 26, 50), "2 n + 2"),
        ((6, 12, 24), "n"),
        ((3, 9, 21), "n − 3"),
        ((9, 18, 36), "1.5 n"),
        ((21, 21, 44), "21 to 44"),
        ((9, 15, None), "none from 24 tokens on"),
        ((None, None, None), "none"),
    ],
)
def test_growth_in_words(counts, words):
    assert Growth((6, 12, 24), counts).words == words


def transformer(encoder_layers=1, **changes):
    config = TransformerConfig(encoder_layers=encoder_layers, **SIZES, **changes)
    return lambda source, target: build("transformer", config, source, target)


def test_nothing_in_a_transformer_grows_with_the_sentence():
    found = measure_complexity(transformer(), LENGTHS)
    assert found.sequential_steps.constant
    assert found.source_path.constant
    assert found.target_path.constant


@pytest.mark.slow
def test_a_deeper_encoder_has_a_longer_chain_and_no_longer_path_where_nothing_stands_in_the_way():
    shallow, deeper = (measure_complexity(transformer(layers, norm="pre"), LENGTHS) for layers in (1, 3))
    assert deeper.sequential_steps.counts[0] > shallow.sequential_steps.counts[0]
    assert deeper.source_path.counts == shallow.source_path.counts


def test_a_narrow_window_ends_the_path_between_target_words():
    found = measure_complexity(transformer(attention_window=1), (2, 7))
    assert found.target_path.counts[0] is not None
    assert found.target_path.counts[1] is None
    assert found.source_path.constant


@cache
def found(name):
    """One layer of each system, looked at once."""
    kind = systems_for_task("translation")[name].config
    layers = {key: 1 for key in ("layers", "encoder_layers", "decoder_layers") if hasattr(kind(), key)}
    config = narrow(kind(**layers, maximum_length=32))
    return measure_complexity(lambda source, target: build(name, config, source, target), (3, 5))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name for name in systems_for_task("translation") if name not in ("transformer", "convs2s")]
)
def test_every_recurrent_system_is_sequential(name):
    assert found(name).sequential_steps.slope > 0


def test_convolutions_are_not_sequential():
    assert found("convs2s").sequential_steps.constant


@pytest.mark.parametrize(("name", "grows"), [("seq2seq", True), ("rnn-encoder-decoder", True), ("rnnsearch", False)])
def test_attention_makes_the_way_from_the_source_short(name, grows):
    assert (found(name).source_path.slope > 0) == grows


@pytest.mark.slow
def test_a_tape_makes_the_way_from_the_target_short():
    assert found("lstmn").target_path.constant
    assert found("rnnsearch").target_path.slope > 0
