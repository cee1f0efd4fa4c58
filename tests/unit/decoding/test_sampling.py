import dataclasses

import pytest
import torch

from saccade.decoding.beam import BeamConfig, beam_search
from saccade.decoding.sampling import SamplingConfig, draw, sample
from saccade.decoding.scoring import score_pairs
from saccade.errors import ConfigError, InputError, RunError
from saccade.sequences import Pairs, Sequences
from saccade.special_tokens import BOS, EOS, PAD

SOURCES = [[4, 5, 6, EOS], [7, EOS], [10, 9, 8, 7, 6, 5, EOS], [EOS], [4, 4, 4, EOS]]


def generators(*seeds):
    return [torch.Generator().manual_seed(seed) for seed in seeds]


def test_a_draw_inverts_the_cumulative_distribution():
    weights = torch.tensor([[0.0, 0.2, 0.0, 0.5, 0.3, 0.0]], dtype=torch.float64).expand(6, -1)
    draws = torch.tensor([0.0, 0.19, 0.2, 0.69, 0.71, 1 - 2**-53], dtype=torch.float64)
    assert draw(weights, draws).tolist() == [1, 1, 3, 3, 4, 4]


def test_a_draw_need_not_be_from_a_normalised_distribution():
    weights = torch.tensor([[0.0, 0.02, 0.0, 0.05, 0.03]], dtype=torch.float64)
    assert draw(weights, torch.tensor([0.5], dtype=torch.float64)).tolist() == [3]


@pytest.mark.parametrize(
    "config",
    [
        SamplingConfig(),
        SamplingConfig(temperature=0.5),
        SamplingConfig(top_k=3),
        SamplingConfig(top_p=0.7),
        SamplingConfig(temperature=1.7, top_k=6, top_p=0.9),
    ],
    ids=str,
)
def test_first_tokens_come_as_often_as_they_are_probable(tiny, config):
    model, count = tiny(3), 4001
    logits, _ = model.step(torch.tensor([BOS]), model.start(model.encode(Sequences.of(SOURCES[:1]))))
    expected = expected_distribution(logits[0].detach(), config)
    # One token of room: only the first draw is taken.
    short = dataclasses.replace(config, extra_length=0)
    source = Sequences(torch.tensor([SOURCES[0]]).expand(count, -1), torch.full((count,), len(SOURCES[0])))
    found = sample(model, source, short, generators(*range(count)))
    seen = torch.tensor([one[0].tokens[0] for one in found]).bincount(minlength=11).double()
    assert not seen[expected == 0].any()
    possible = expected > 0
    chi_square = ((seen - count * expected)[possible] ** 2 / (count * expected[possible])).sum()
    # Nine tokens at most, so eight degrees of freedom: 26.1 is exceeded once in a thousand seeds.
    assert chi_square < 26.1


def expected_distribution(logits, config):
    """Written for clarity, token by token, from the definitions of temperature, top k and top p."""
    logits = logits.clone()
    logits[[PAD, BOS]] = -torch.inf
    probabilities = (logits / config.temperature).softmax(0)
    kept, mass = [], 0.0
    for token in sorted(range(len(logits)), key=lambda token: -probabilities[token]):
        if mass >= config.top_p or (config.top_k and len(kept) == config.top_k):
            break
        kept.append(token)
        mass += probabilities[token].item()
    allowed = torch.zeros_like(probabilities)
    allowed[kept] = probabilities[kept]
    return allowed / allowed.sum()


def test_a_sample_depends_on_no_batch_mate(tiny):
    model, config = tiny(5), SamplingConfig(extra_length=3)
    together = sample(model, Sequences.of(SOURCES), config, generators(5, 6, 7, 8, 9))
    alone = [
        sample(model, Sequences.of([source]), config, generators(seed))[0]
        for source, seed in zip(SOURCES, (5, 6, 7, 8, 9), strict=True)
    ]
    assert [found[0].tokens for found in together] == [found[0].tokens for found in alone]


def test_the_same_seed_gives_the_same_sample_and_another_one_another(tiny):
    model, config, source = tiny(5), SamplingConfig(extra_length=3), Sequences.of(SOURCES)
    first, again, other = (sample(model, source, config, generators(*range(s, s + 5))) for s in (0, 0, 100))
    assert first == again
    assert first != other


def test_the_most_probable_token_alone_is_what_a_beam_of_one_follows(tiny):
    model, source = tiny(4), Sequences.of(SOURCES)
    found = sample(model, source, SamplingConfig(top_k=1, extra_length=4), generators(*range(5)))
    for (drawn,), (searched,) in zip(found, beam_search(model, source, BeamConfig(1, extra_length=4)), strict=True):
        # A beam of one may return an earlier end, one that was not the most probable token but scores better.
        ending = len(searched.tokens) - 1
        assert drawn.tokens[:ending] == searched.tokens[:ending]


def test_top_k_of_one_is_greedy(tiny):
    model, source = tiny(4), Sequences.of(SOURCES)
    for row, (one,) in enumerate(sample(model, source, SamplingConfig(top_k=1, extra_length=4), generators(*range(5)))):
        memory, written = model.encode(source.select(torch.tensor([row]))), [BOS]
        while len(written) <= len(SOURCES[row]) + 4 and written[-1] != EOS:
            logits = model.decode(Sequences.of([written]), memory)[0, -1]
            logits[[PAD, BOS]] = -torch.inf
            written.append(int(logits.argmax()))
        assert one.tokens == tuple(written[1:])


def test_probabilities_are_the_models_whatever_the_temperature(tiny):
    model, source = tiny(6), Sequences.of(SOURCES)
    for row, (one,) in enumerate(
        sample(model, source, SamplingConfig(2.0, top_k=4, extra_length=3), generators(*range(5)))
    ):
        forced = score_pairs(model, Pairs(source.select(torch.tensor([row])), Sequences.of([one.tokens])))
        assert list(one.token_log_probabilities) == pytest.approx(forced[0].tolist(), abs=1e-9)
        assert one.score == one.log_probability == pytest.approx(forced.sum().item(), abs=1e-9)


def test_samples_begin_with_their_prefix(tiny):
    prefix = [[9, 9], [], [5], [2, 4, 6], [10]]
    found = sample(
        tiny(7), Sequences.of(SOURCES), SamplingConfig(extra_length=3), generators(*range(5)), Sequences.of(prefix)
    )
    assert [list(one.tokens[: len(begin)]) for (one,), begin in zip(found, prefix, strict=True)] == prefix


def test_a_sample_ends_or_reaches_its_limit(tiny):
    found = sample(tiny(8), Sequences.of(SOURCES), SamplingConfig(extra_length=1), generators(*range(5)))
    for source, (one,) in zip(SOURCES, found, strict=True):
        assert one.finished == (one.tokens[-1] == EOS)
        assert one.finished or len(one.tokens) == len(source) + 1


def test_no_sentences_give_no_samples(tiny):
    assert sample(tiny(1), Sequences.of([]), SamplingConfig(), []) == []


def test_a_missing_generator_is_refused(tiny):
    with pytest.raises(InputError, match="4 for 5 sources"):
        sample(tiny(1), Sequences.of(SOURCES), SamplingConfig(extra_length=3), generators(1, 2, 3, 4))


def test_weights_that_are_not_finite_are_refused(tiny):
    model = tiny(12)
    with torch.no_grad():
        model.output.weight.fill_(torch.nan)
    with pytest.raises(RunError, match="not finite"):
        sample(model, Sequences.of(SOURCES), SamplingConfig(extra_length=3), generators(*range(5)))


@pytest.mark.parametrize(
    ("field", "value"),
    [("temperature", 0.0), ("temperature", -1.0), ("top_k", -1), ("top_p", 0.0), ("top_p", 1.1), ("extra_length", -1)],
)
def test_a_way_of_drawing_that_makes_no_sense_is_refused(field, value):
    with pytest.raises(ConfigError, match=f"`{field}` must be"):
        dataclasses.replace(SamplingConfig(), **{field: value})


def test_temperature_zero_names_what_to_do_instead():
    with pytest.raises(ConfigError, match="`top_k` to 1.*beam search, of size 1"):
        SamplingConfig(temperature=0.0)
