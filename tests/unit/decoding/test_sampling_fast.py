"""What is drawn is what the readable sampling draws."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.decoding.ensemble import Ensemble
from saccade.decoding.sampling import SamplingConfig, sample
from saccade.decoding.sampling_fast import fast_sample
from saccade.decoding.searcher import Searcher
from saccade.errors import InputError, RunError
from saccade.models.catalogue import build
from saccade.models.rnnsearch import RNNsearchConfig
from saccade.sequences import Sequences
from saccade.special_tokens import EOS


def generators(count, seed):
    return [torch.Generator().manual_seed(seed + number) for number in range(count)]


def sources(count, seed):
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.randint(0, 7, (count,), generator=generator).tolist()
    return Sequences.of([[*torch.randint(4, 11, (length,), generator=generator).tolist(), EOS] for length in lengths])


def assert_same_draws(model, source, config, seed, prefix=None, fast=fast_sample):
    expected = sample(model, source, config, generators(len(source), seed), prefix)
    found = fast(model, source, config, generators(len(source), seed), prefix)
    assert len(found) == len(expected)
    for (one,), (other,) in zip(found, expected, strict=True):
        assert (one.tokens, one.finished) == (other.tokens, other.finished)
        assert one.log_probability == pytest.approx(other.log_probability, abs=1e-9)
        assert one.token_log_probabilities == pytest.approx(other.token_log_probabilities, abs=1e-9)


configs = st.builds(
    SamplingConfig,
    temperature=st.sampled_from([0.5, 1.0, 1.7]),
    top_k=st.sampled_from([0, 1, 3]),
    top_p=st.sampled_from([0.7, 1.0]),
    extra_length=st.integers(0, 9),
)


@settings(max_examples=25, deadline=None)
@given(config=configs, count=st.integers(1, 13), seed=st.integers(0, 1000))
def test_both_draw_the_same(tiny, config, count, seed):
    assert_same_draws(tiny(seed), sources(count, seed), config, seed)


def test_outputs_may_have_a_beginning(tiny):
    prefix = Sequences.of([[9, 9], [], [5], [2, 4, 6], [10]])
    for unscored in (0, 2):
        config = SamplingConfig(extra_length=5, unscored_prefix=unscored)
        assert_same_draws(tiny(7), sources(5, 7), config, 7, prefix)


def test_members_of_an_ensemble_draw_together(tiny):
    assert_same_draws(Ensemble([tiny(5), tiny(6)]), sources(9, 5), SamplingConfig(extra_length=4), 5)


def test_a_model_with_a_state_of_its_own_kind_draws_the_same():
    torch.manual_seed(2)
    config = RNNsearchConfig(width=8)
    model = build("rnnsearch", config, 11, 11).double().eval()
    assert_same_draws(model, sources(9, 2), SamplingConfig(extra_length=6), 2)


def test_a_searcher_draws_with_its_copy(tiny):
    model = tiny(4)
    searcher = Searcher(model)
    assert_same_draws(model, sources(9, 4), SamplingConfig(), 4, fast=lambda _, *asked: searcher.sample(*asked))


def test_no_sentences_give_no_samples(tiny):
    assert fast_sample(tiny(1), Sequences.of([]), SamplingConfig(), []) == []


def test_a_missing_generator_is_refused(tiny):
    with pytest.raises(InputError, match="one per source"):
        fast_sample(tiny(1), sources(2, 1), SamplingConfig(), generators(1, 1))


def test_weights_that_are_not_finite_are_refused(tiny):
    model = tiny(1)
    with torch.no_grad():
        model.output.weight.fill_(float("nan"))
    with pytest.raises(RunError, match="not finite"):
        fast_sample(model, sources(2, 1), SamplingConfig(), generators(2, 1))
