import pytest
import torch

from saccade.decoding.beam import BeamConfig, beam_search
from saccade.decoding.ensemble import Ensemble
from saccade.errors import ConfigError
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS

SOURCE = Sequences.of([[4, 5, 6, EOS], [7, EOS], [10, 9, 8, 7, 6, EOS]])


def test_probabilities_are_the_mean_of_the_members(tiny):
    models = [tiny(1), tiny(2), tiny(3)]
    ensemble = Ensemble(models)
    reads = Sequences.of([[BOS, 4], [BOS, 5], [BOS, 6]])
    found = ensemble.decode(reads, ensemble.encode(SOURCE)).exp()
    expected = sum(model.decode(reads, model.encode(SOURCE)).softmax(-1) for model in models) / 3
    torch.testing.assert_close(found, expected)


def test_steps_give_what_decoding_at_once_gives(tiny):
    ensemble = Ensemble([tiny(1), tiny(2)])
    reads = Sequences.of([[BOS, 4, 9], [BOS, 5, 5], [BOS, 6, 2]])
    memory = ensemble.encode(SOURCE)
    state = ensemble.start(memory)
    steps = []
    for token in reads.tokens.unbind(1):
        logits, state = ensemble.step(token, state)
        steps.append(logits)
    torch.testing.assert_close(torch.stack(steps, 1), ensemble.decode(reads, memory))


def test_a_model_with_itself_writes_what_it_writes_alone(tiny):
    model, config = tiny(4), BeamConfig(nbest=3, extra_length=4)
    alone = beam_search(model, SOURCE, config)
    together = beam_search(Ensemble([model, model]), SOURCE, config)
    for one, two in zip(alone, together, strict=True):
        assert [hypothesis.tokens for hypothesis in one] == [hypothesis.tokens for hypothesis in two]
        assert [hypothesis.score for hypothesis in one] == pytest.approx([hypothesis.score for hypothesis in two])


def test_alignment_is_the_mean_of_the_members(tiny):
    models = [tiny(1), tiny(2)]
    ensemble = Ensemble(models)
    target = Sequences.of([[4, 5, EOS], [EOS], [7, EOS]])
    expected = sum(model.align(target, model.encode(SOURCE)) for model in models) / 2
    torch.testing.assert_close(ensemble.align(target, ensemble.encode(SOURCE)), expected)


def test_an_ensemble_is_as_long_as_its_shortest_member(tiny):
    assert Ensemble([tiny(1, maximum_length=19), tiny(2, maximum_length=17)]).maximum_length == 17


def test_an_ensemble_is_ready_for_use(tiny):
    assert not any(module.training for module in Ensemble([tiny(1).train(), tiny(2)]).modules())


def test_members_of_other_vocabularies_are_refused(tiny):
    with pytest.raises(ConfigError, match=r"one source vocabulary, but have \[11, 13\]"):
        Ensemble([tiny(1), tiny(2, vocabulary=13)])


def test_an_ensemble_of_nothing_is_refused():
    with pytest.raises(ConfigError, match="at least one"):
        Ensemble([])
